#include "cli/schema/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>

#include "cli/schema/nearest.h"
#include "launch/document/path.h"

namespace rollcall::cli {
namespace {

using Json = nlohmann::json;

/// More words than this are not listed: the rules are a hundred.
constexpr std::size_t kMostListed = 8;

std::string shown(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_of_type(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  return false;
}

std::string meant(const std::string& written, const std::vector<std::string>& words) {
  const std::string near = nearest(written, words);
  return near.empty() ? "" : fmt::format("; did you mean `{}`?", near);
}

class Walk {
 public:
  explicit Walk(std::vector<SchemaProblem>& problems) : problems_(problems) {}

  void at(const Json& value, const Json& schema, const std::string& path) {
    if (!type_fits(value, schema, path)) return;
    if (value.is_object()) mapping(value, schema, path);
    if (value.is_array()) list(value, schema, path);
    if (value.is_string()) text(value.get_ref<const std::string&>(), schema, path);
    if (value.is_number_integer()) number(value.get<std::int64_t>(), schema, path);
    word(value, schema, path);
  }

 private:
  void problem(const std::string& path, std::string message) { problems_.push_back({path, std::move(message)}); }

  bool type_fits(const Json& value, const Json& schema, const std::string& path) {
    if (!schema.contains("type")) return true;
    const Json& type = schema["type"];
    const bool fits =
        type.is_array() ? std::any_of(type.begin(), type.end(), [&](const Json& one) { return is_of_type(value, one); })
                        : is_of_type(value, type);
    if (fits) return true;
    // YAML reads a bare Off as false, where a word is meant.
    const bool bare_off = value == false && schema.contains("enum");
    problem(path, fmt::format("`{}` is not of type {}{}", shown(value), type.is_array() ? type.dump() : shown(type),
                              bare_off ? R"(; write "Off" in quotes, YAML reads a bare Off as false)" : ""));
    return false;
  }

  void mapping(const Json& value, const Json& schema, const std::string& path) {
    const Json& known = schema.contains("properties") ? schema["properties"] : kNone;
    for (const auto& [key, below] : value.items()) {
      const std::string place = launch::child(path, key);
      if (known.contains(key)) {
        at(below, known[key], place);
      } else if (schema.contains("additionalProperties") && schema["additionalProperties"].is_object()) {
        at(below, schema["additionalProperties"], place);
      } else if (schema.value("additionalProperties", Json(true)) == false) {
        std::vector<std::string> names;
        for (const auto& [name, ignored] : known.items()) names.push_back(name);
        const std::string near = meant(key, names);
        problem(place, "there is no such field" +
                           (near.empty() ? fmt::format("; there are {}", fmt::join(names, ", ")) : near));
      }
    }
    for (const Json& name : schema.value("required", Json::array()))
      if (!value.contains(name)) problem(path, fmt::format("the field {} is missing", shown(name)));
    if (value.size() > schema.value("maxProperties", value.size()))
      problem(path, fmt::format("has more than {} fields", schema["maxProperties"].get<std::size_t>()));
  }

  void list(const Json& value, const Json& schema, const std::string& path) {
    if (schema.contains("items")) {
      for (std::size_t i = 0; i < value.size(); ++i) at(value[i], schema["items"], launch::child(path, i));
    }
    if (value.size() > schema.value("maxItems", value.size()))
      problem(path, fmt::format("has more than {} entries", schema["maxItems"].get<std::size_t>()));
    if (schema.value("uniqueItems", false) && std::set<Json>(value.begin(), value.end()).size() < value.size())
      problem(path, "has an entry twice");
  }

  void text(const std::string& value, const Json& schema, const std::string& path) {
    if (value.size() < schema.value("minLength", std::size_t{0})) problem(path, "is empty");
    if (value.size() > schema.value("maxLength", value.size())) {
      return problem(path, fmt::format("is longer than {} characters", schema["maxLength"].get<std::size_t>()));
    }
    if (schema.contains("pattern") && !std::regex_search(value, std::regex(schema["pattern"].get<std::string>())))
      problem(path, fmt::format("`{}` is not of the form that is wanted here", value));
  }

  void number(std::int64_t value, const Json& schema, const std::string& path) {
    const auto least = schema.value("minimum", value);
    const auto most = schema.value("maximum", value);
    if (value < least) problem(path, fmt::format("{} is less than {}", value, least));
    if (value > most) problem(path, fmt::format("{} is more than {}", value, most));
  }

  void word(const Json& value, const Json& schema, const std::string& path) {
    if (schema.contains("const") && value != schema["const"])
      problem(path, fmt::format("`{}` stands where {} is wanted", shown(value), shown(schema["const"])));
    if (!schema.contains("enum")) return;
    const Json& words = schema["enum"];
    if (std::find(words.begin(), words.end(), value) != words.end()) return;
    std::vector<std::string> list;
    std::transform(words.begin(), words.end(), std::back_inserter(list), [](const Json& one) { return shown(one); });
    const std::string near = meant(shown(value), list);
    problem(path,
            fmt::format("there is no `{}`{}", shown(value),
                        list.size() <= kMostListed ? fmt::format("; there are {}", fmt::join(list, ", ")) : near));
  }

  const Json kNone = Json::object();
  std::vector<SchemaProblem>& problems_;
};

}  // namespace

std::vector<SchemaProblem> problems_of(const Json& value, const Json& schema) {
  std::vector<SchemaProblem> problems;
  Walk(problems).at(value, schema, "");
  return problems;
}

}  // namespace rollcall::cli
