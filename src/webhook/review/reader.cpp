#include <fmt/format.h>
#include <simdjson.h>

#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "api/names.h"
#include "launch/document/limits.h"
#include "webhook/review/parts.h"
#include "webhook/review/review.h"

namespace rollcall::webhook {
namespace {

namespace od = simdjson::ondemand;
using nlohmann::json;
using simdjson::error_code;

/// Above it a body gets a parser of its own, freed after it, and only one such is read at a time: a parser takes about
/// six times the body. A job's review has 7 KB.
constexpr std::size_t kLarge = 256u << 10;

/// The object once more, as text: nobody reads it.
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/// Walks over one review. Every step returns simdjson's error, or OTHER with `error()` set.
class Reader {
 public:
  error_code read(od::document& document) {
    od::object root;
    if (auto e = document.get_object().get(root)) return e;
    return each(root, [&](std::string_view key, od::value value) {
      if (key == "apiVersion") return text(value, "apiVersion", api_version_);
      if (key == "kind") return text(value, "kind", kind_);
      if (key == "request") return request(value);
      return simdjson::SUCCESS;
    });
  }

  Result<Review> result() {
    if (api_version_ != "admission.k8s.io/v1" || kind_ != "AdmissionReview") {
      return bad(fmt::format("this is `{}` `{}`; AdmissionReview of admission.k8s.io/v1 is answered",
                             api_version_.value_or("no apiVersion"), kind_.value_or("no kind")));
    }
    if (!requested_) return bad("the review has no request");
    if (!uid_ || uid_->empty()) return bad("request.uid is missing");
    if (!operation_) return bad("request.operation is missing");
    review_.uid = std::move(*uid_);
    if (*operation_ == "CREATE") {
      review_.operation = Operation::create;
    } else if (*operation_ == "UPDATE") {
      review_.operation = Operation::update;
    } else if (*operation_ == "DELETE") {
      review_.operation = Operation::remove;
    } else if (*operation_ == "CONNECT") {
      review_.operation = Operation::connect;
    } else {
      return bad(fmt::format("request.operation is `{}`, none of CREATE, UPDATE, DELETE, CONNECT", *operation_));
    }
    if (!kind_of_object_) return bad("request.kind is missing");
    const bool update = review_.operation == Operation::update;
    if ((update || review_.operation == Operation::create) && review_.object.is_null())
      return bad("request.object is missing");
    if (update && review_.old_object.is_null()) return bad("request.oldObject is missing");
    name_kind(review_.object);
    name_kind(review_.old_object);
    return std::move(review_);
  }

  Error failure(error_code code) const {
    if (error_) return *error_;
    return bad(fmt::format("this is no JSON: {}", simdjson::error_message(code)));
  }

 private:
  static Error bad(std::string message) { return {std::move(message), kNotAReview}; }
  error_code refuse(std::string message, const char* code = kNotAReview) {
    if (!error_) error_ = Error{std::move(message), code};
    return simdjson::INCORRECT_TYPE;
  }

  /// An object is what the API server says it is, and not what its own words say: with matchPolicy Equivalent that is
  /// the version the webhook asked for.
  void name_kind(json& object) const {
    if (!object.is_object()) return;
    object["apiVersion"] = review_.group.empty() ? review_.version : review_.group + "/" + review_.version;
    object["kind"] = review_.kind;
  }

  template <class Act>
  error_code each(od::object object, Act act) {
    for (auto field : object) {
      std::string_view key;
      if (auto e = field.unescaped_key().get(key)) return e;
      od::value value;
      if (auto e = field.value().get(value)) return e;
      if (auto e = act(key, value)) return e;
    }
    return simdjson::SUCCESS;
  }

  error_code text(od::value value, const char* what, std::optional<std::string>& into) {
    if (into) return refuse(fmt::format("{} stands twice", what));
    std::string_view read;
    if (auto e = value.get_string().get(read))
      return e == simdjson::INCORRECT_TYPE ? refuse(fmt::format("{} is no string", what)) : e;
    into.emplace(read);
    return simdjson::SUCCESS;
  }

  error_code text(od::value value, const char* what, std::string& into) {
    std::optional<std::string> read;
    if (auto e = text(value, what, read)) return e;
    into = std::move(*read);
    return simdjson::SUCCESS;
  }

  error_code request(od::value value) {
    if (requested_) return refuse("request stands twice");
    requested_ = true;
    od::object object;
    if (auto e = value.get_object().get(object))
      return e == simdjson::INCORRECT_TYPE ? refuse("request is no object") : e;
    return each(object, [this](std::string_view key, od::value field) {
      if (key == "uid") return text(field, "request.uid", uid_);
      if (key == "operation") return text(field, "request.operation", operation_);
      if (key == "kind") return kind(field);
      if (key == "subResource") return text(field, "request.subResource", review_.subresource);
      if (key == "namespace") return text(field, "request.namespace", review_.ns);
      if (key == "name") return text(field, "request.name", review_.name);
      if (key == "dryRun") return dry_run(field);
      bool deleting = false;
      std::string owner;
      if (key == "object")
        return object_of(field, "request.object", {review_.object, object_seen_, deleting, review_.owner});
      if (key == "oldObject")
        return object_of(field, "request.oldObject", {review_.old_object, old_seen_, review_.old_deleting, owner});
      return simdjson::SUCCESS;
    });
  }

  error_code kind(od::value value) {
    if (kind_of_object_) return refuse("request.kind stands twice");
    kind_of_object_ = true;
    od::object object;
    if (auto e = value.get_object().get(object))
      return e == simdjson::INCORRECT_TYPE ? refuse("request.kind is no object") : e;
    return each(object, [this](std::string_view key, od::value field) {
      if (key == "group") return text(field, "request.kind.group", review_.group);
      if (key == "version") return text(field, "request.kind.version", review_.version);
      if (key == "kind") return text(field, "request.kind.kind", review_.kind);
      return simdjson::SUCCESS;
    });
  }

  error_code dry_run(od::value value) {
    bool null = false;
    if (auto e = value.is_null().get(null)) return e;
    if (null) return simdjson::SUCCESS;
    auto e = value.get_bool().get(review_.dry_run);
    return e == simdjson::INCORRECT_TYPE ? refuse("request.dryRun is neither true nor false") : e;
  }

  /// Where the parts of an object go.
  struct Into {
    json& object;
    bool& seen;
    bool& deleting;
    std::string& owner;
  };

  error_code object_of(od::value value, const char* what, Into into) {
    if (into.seen) return refuse(fmt::format("{} stands twice", what));
    into.seen = true;
    od::json_type type;
    if (auto e = value.type().get(type)) return e;
    if (type == od::json_type::null) return value.is_null().error();
    if (type != od::json_type::object) return refuse(fmt::format("{} is no object", what));
    od::object object;
    if (auto e = value.get_object().get(object)) return e;
    into.object = json::object();
    return each(object, [&](std::string_view key, od::value field) {
      if (key == "metadata") return metadata(field, into);
      if (key == "spec") return keep(field, into.object, key, Part::open, 2);
      if (key == "apiVersion" || key == "kind") return keep(field, into.object, key, Part::whole, 2);
      return simdjson::SUCCESS;
    });
  }

  error_code metadata(od::value value, const Into& into) {
    od::json_type type;
    if (auto e = value.type().get(type)) return e;
    if (type != od::json_type::object) return keep(value, into.object, "metadata", Part::husk, 2);
    if (into.object.contains("metadata")) return twice("metadata");
    json& meta = into.object["metadata"] = json::object();
    od::object object;
    if (auto e = value.get_object().get(object)) return e;
    return each(object, [&](std::string_view key, od::value field) {
      if (key == "name" || key == "generateName" || key == "namespace" || key == "labels")
        return keep(field, meta, key, Part::whole, 3);
      if (key == "annotations") return annotations(field, meta);
      if (key == "ownerReferences") return owners(field, into.owner);
      if (key == "deletionTimestamp") {
        bool null = false;
        if (auto e = field.is_null().get(null)) return e;
        into.deleting = into.deleting || !null;
      }
      return simdjson::SUCCESS;
    });
  }

  error_code annotations(od::value value, json& meta) {
    od::json_type type;
    if (auto e = value.type().get(type)) return e;
    if (type != od::json_type::object) return keep(value, meta, "annotations", Part::husk, 3);
    if (meta.contains("annotations")) return twice("annotations");
    json& kept = meta["annotations"] = json::object();
    od::object object;
    if (auto e = value.get_object().get(object)) return e;
    return each(object, [&](std::string_view key, od::value field) {
      return key == kLastApplied ? simdjson::SUCCESS : keep(field, kept, key, Part::whole, 4);
    });
  }

  /// The kind of the owner that is the controller. What is of another form names none: the API server would not take
  /// it.
  error_code owners(od::value value, std::string& owner) {
    od::json_type type;
    if (auto e = value.type().get(type)) return e;
    if (type != od::json_type::array) return simdjson::SUCCESS;
    od::array array;
    if (auto e = value.get_array().get(array)) return e;
    for (auto element : array) {
      od::value item;
      if (auto e = element.get(item)) return e;
      if (auto e = item.type().get(type)) return e;
      if (type != od::json_type::object) continue;
      od::object reference;
      if (auto e = item.get_object().get(reference)) return e;
      bool controls = false;
      std::string kind;
      const auto read = each(reference, [&](std::string_view key, od::value field) {
        if (key == "kind") return text(field, "an owner's kind", kind);
        if (key != "controller") return simdjson::SUCCESS;
        const auto e = field.get_bool().get(controls);
        return e == simdjson::INCORRECT_TYPE ? simdjson::SUCCESS : e;
      });
      if (read) return read;
      if (controls) owner = kind.empty() ? "(of no kind)" : std::move(kind);
    }
    return simdjson::SUCCESS;
  }

  error_code twice(std::string_view key) {
    return refuse(fmt::format("the key `{}` stands twice in one object", key.substr(0, 100)));
  }

  error_code keep(od::value value, json& object, std::string_view key, Part part, int depth) {
    const auto [slot, fresh] = object.get_ref<json::object_t&>().emplace(key, nullptr);
    if (!fresh) return twice(key);
    if (auto e = spend()) return e;
    return take(value, slot->second, part, depth);
  }

  /// A value with what its part keeps. Recursion ends at the limit of depth.
  error_code take(od::value value, json& into, Part part, int depth) {
    if (auto e = spend()) return e;
    if (depth > launch::kMaxDepth) {
      return refuse(fmt::format("the object's values are nested more than {} deep", launch::kMaxDepth), kOverBudget);
    }
    od::json_type type;
    if (auto e = value.type().get(type)) return e;
    switch (type) {
      case od::json_type::object: {
        into = json::object();
        if (part == Part::husk) return simdjson::SUCCESS;
        od::object object;
        if (auto e = value.get_object().get(object)) return e;
        return each(object, [&](std::string_view key, od::value field) {
          return keep(field, into, key, below(part, key), depth + 1);
        });
      }
      case od::json_type::array: {
        into = json::array();
        if (part == Part::husk) return simdjson::SUCCESS;
        od::array array;
        if (auto e = value.get_array().get(array)) return e;
        for (auto element : array) {
          od::value item;
          if (auto e = element.get(item)) return e;
          if (auto e = take(item, into.emplace_back(), part, depth + 1)) return e;
        }
        return simdjson::SUCCESS;
      }
      case od::json_type::string: {
        std::string_view read;
        if (auto e = value.get_string().get(read)) return e;
        into = std::string(read);
        return simdjson::SUCCESS;
      }
      case od::json_type::number:
        return number(value, into);
      case od::json_type::boolean: {
        bool read = false;
        if (auto e = value.get_bool().get(read)) return e;
        into = read;
        return simdjson::SUCCESS;
      }
      case od::json_type::null:
        break;
    }
    into = nullptr;
    bool null = false;
    if (auto e = value.is_null().get(null)) return e;
    return null ? simdjson::SUCCESS : simdjson::N_ATOM_ERROR;
  }

  /// As launch/document reads them: whole numbers that fit are int64, larger ones uint64, all else a double.
  error_code number(od::value value, json& into) {
    od::number read;
    if (auto e = value.get_number().get(read)) {
      double approximate = 0;  // a whole number of more than 64 bits
      if (value.get_double().get(approximate)) return e;
      into = approximate;
      return simdjson::SUCCESS;
    }
    switch (read.get_number_type()) {
      case od::number_type::signed_integer:
        into = read.get_int64();
        break;
      case od::number_type::unsigned_integer:
        into = read.get_uint64();
        break;
      case od::number_type::floating_point_number:
        into = read.get_double();
        break;
    }
    return simdjson::SUCCESS;
  }

  error_code spend() {
    if (++spent_ <= launch::kMaxNodes) return simdjson::SUCCESS;
    return refuse(fmt::format("the object has more than {} values", launch::kMaxNodes), kOverBudget);
  }

  Review review_;
  std::optional<std::string> api_version_, kind_, uid_, operation_;
  bool requested_ = false, kind_of_object_ = false, object_seen_ = false, old_seen_ = false;
  std::size_t spent_ = 0;
  std::optional<Error> error_;
};

Result<Review> read_with(od::parser& parser, std::string& body) {
  body.reserve(body.size() + simdjson::SIMDJSON_PADDING);
  Reader reader;
  od::document document;
  const simdjson::padded_string_view text(body.data(), body.size(), body.capacity());
  if (auto e = parser.iterate(text).get(document)) return reader.failure(e);
  if (auto e = reader.read(document)) return reader.failure(e);
  if (document.current_location().error() != simdjson::OUT_OF_BOUNDS)
    return Error{"this is no JSON: something follows the review", kNotAReview};
  return reader.result();
}

}  // namespace

Result<Review> read_review(std::string body) {
  if (body.size() > kMaxReviewBytes) {
    return Error{fmt::format("the review has {} bytes, at most {} are read", body.size(), kMaxReviewBytes),
                 kOverBudget};
  }
  if (body.size() > kLarge) {
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    od::parser parser;
    return read_with(parser, body);
  }
  static thread_local od::parser parser;
  return read_with(parser, body);
}

}  // namespace rollcall::webhook
