#include "roll_call/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rollcall::roll_call {
namespace {

/// Deepest nesting of braces and brackets outside strings. Says nothing about the syntax.
int depth_of(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return deepest;
}

}  // namespace

Result<nlohmann::json> parse_bounded(std::string_view text, std::size_t max_bytes, int max_depth) {
  if (text.size() > max_bytes)
    return Error{fmt::format("{} bytes, at most {} are read", text.size(), max_bytes), "TooLarge"};
  if (depth_of(text) > max_depth) return Error{fmt::format("nested deeper than {}", max_depth), "TooDeep"};
  try {
    auto json = nlohmann::json::parse(text);
    if (!json.is_object()) return Error{"not a JSON object", "NotJson"};
    return json;
  } catch (const nlohmann::json::parse_error& error) {
    // what() repeats the bytes that were read; they are a stranger's.
    return Error{fmt::format("not JSON at byte {}", error.byte), "NotJson"};
  } catch (const nlohmann::json::exception& error) {
    return Error{fmt::format("not JSON (nlohmann error {})", error.id), "NotJson"};
  }
}

Reader::Reader(const nlohmann::json& object, std::string path, std::optional<Error>& fault)
    : object_(object), path_(std::move(path)), fault_(fault) {
  if (!fault_ && !object_.is_object()) fault_ = Error{path_ + ": not an object", "Invalid"};
}

std::string Reader::path_of(const char* key) const { return path_.empty() ? key : path_ + "." + key; }

void Reader::fail(const char* key, const std::string& what) {
  if (!fault_) fault_ = Error{path_of(key) + ": " + what, "Invalid"};
}

const nlohmann::json* Reader::find(const char* key) const {
  if (fault_) return nullptr;
  const auto at = object_.find(key);
  return at == object_.end() || at->is_null() ? nullptr : &*at;
}

bool Reader::has(const char* key) const { return find(key) != nullptr; }

void Reader::text(const char* key, std::string& out, std::size_t max) {
  const auto* value = find(key);
  if (value == nullptr) return;
  if (!value->is_string()) return fail(key, "not a text");
  const auto& read = value->get_ref<const std::string&>();
  if (read.size() > max) return fail(key, fmt::format("{} bytes long, at most {}", read.size(), max));
  out = printable(read);
}

void Reader::number(const char* key, double& out, double min, double max) {
  const auto* value = find(key);
  if (value == nullptr) return;
  if (!value->is_number()) return fail(key, "not a number");
  const double read = value->get<double>();
  if (!std::isfinite(read) || read < min || read > max)
    return fail(key, fmt::format("{} is not from {} to {}", read, min, max));
  out = read;
}

void Reader::flag(const char* key, bool& out) {
  const auto* value = find(key);
  if (value == nullptr) return;
  if (!value->is_boolean()) return fail(key, "neither true nor false");
  out = value->get<bool>();
}

bool Reader::read_integer(const char* key, std::int64_t& out, std::int64_t min, std::int64_t max) {
  const auto* value = find(key);
  if (value == nullptr) return false;
  if (!value->is_number_integer()) {
    fail(key, "not an integer");
    return false;
  }
  // An unsigned number above INT64_MAX would turn negative in get<int64_t>().
  const bool huge = value->is_number_unsigned() && value->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX);
  const auto read = huge ? INT64_MAX : value->get<std::int64_t>();
  if (huge || read < min || read > max) {
    fail(key, fmt::format("{} is not from {} to {}", value->dump(), min, max));
    return false;
  }
  out = read;
  return true;
}

void Reader::object(const char* key, const std::function<void(Reader&)>& read) {
  const auto* value = find(key);
  if (value == nullptr) return;
  Reader inner(*value, path_of(key), fault_);
  if (!fault_) read(inner);
}

void Reader::objects(const char* key, std::size_t max, const std::function<void(Reader&)>& read) {
  const auto* value = find(key);
  if (value == nullptr) return;
  if (!value->is_array()) return fail(key, "not a list");
  if (value->size() > max) return fail(key, fmt::format("{} entries, at most {}", value->size(), max));
  std::size_t index = 0;
  for (const auto& entry : *value) {
    Reader inner(entry, fmt::format("{}[{}]", path_of(key), index++), fault_);
    if (fault_) return;
    read(inner);
  }
}

void Reader::texts(const char* key, std::vector<std::string>& out, std::size_t max, std::size_t max_text) {
  const auto* value = find(key);
  if (value == nullptr) return;
  if (!value->is_array()) return fail(key, "not a list");
  if (value->size() > max) return fail(key, fmt::format("{} entries, at most {}", value->size(), max));
  out.clear();
  for (const auto& entry : *value) {
    if (!entry.is_string()) return fail(key, "not a list of texts");
    const auto& read = entry.get_ref<const std::string&>();
    if (read.size() > max_text)
      return fail(key, fmt::format("an entry is {} bytes long, at most {}", read.size(), max_text));
    out.push_back(printable(read));
  }
}

void Reader::integers(const char* key, std::vector<int>& out, std::size_t max, std::int64_t min,
                      std::int64_t max_value) {
  const auto* value = find(key);
  if (value == nullptr) return;
  if (!value->is_array()) return fail(key, "not a list");
  if (value->size() > max) return fail(key, fmt::format("{} entries, at most {}", value->size(), max));
  out.clear();
  for (const auto& entry : *value) {
    const bool huge = entry.is_number_unsigned() && entry.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX);
    if (!entry.is_number_integer() || huge || entry.get<std::int64_t>() < min ||
        entry.get<std::int64_t>() > max_value) {
      return fail(key, fmt::format("an entry is no integer from {} to {}", min, max_value));
    }
    out.push_back(static_cast<int>(entry.get<std::int64_t>()));
  }
}

void Reader::text_map(const char* key, std::map<std::string, std::string>& out, std::size_t max, std::size_t max_key,
                      std::size_t max_value) {
  const auto* value = find(key);
  if (value == nullptr) return;
  if (!value->is_object()) return fail(key, "not an object");
  if (value->size() > max) return fail(key, fmt::format("{} entries, at most {}", value->size(), max));
  out.clear();
  for (const auto& [name, entry] : value->items()) {
    if (name.size() > max_key)
      return fail(key, fmt::format("a name is {} bytes long, at most {}", name.size(), max_key));
    if (!entry.is_string()) return fail(key, "a value is not a text");
    const auto& read = entry.get_ref<const std::string&>();
    if (read.size() > max_value)
      return fail(key, fmt::format("a value is {} bytes long, at most {}", read.size(), max_value));
    out[printable(name)] = printable(read);
  }
}

}  // namespace rollcall::roll_call
