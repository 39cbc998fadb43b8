#include "finding/sarif_rules.h"

#include <map>
#include <set>

namespace rollcall {
namespace {

using nlohmann::json;

struct Property {
  std::string of;  ///< string, integer, boolean, an object of the table, or either in []
  bool required = false;
  std::set<std::string> words = {};
  int least = 0;  ///< of an integer
};
using Object = std::map<std::string, Property>;

/// The part of the schema we use. A property that is not here is refused, as additionalProperties: false does.
const std::map<std::string, Object>& schema() {
  static const std::map<std::string, Object> table = {
      {"sarifLog", {{"$schema", {"string"}}, {"version", {"string", true, {"2.1.0"}}}, {"runs", {"[run]", true}}}},
      {"run", {{"tool", {"tool", true}}, {"invocations", {"[invocation]"}}, {"results", {"[result]"}}}},
      {"tool", {{"driver", {"toolComponent", true}}}},
      {"toolComponent",
       {{"name", {"string", true}}, {"semanticVersion", {"string"}}, {"rules", {"[reportingDescriptor]"}}}},
      {"reportingDescriptor",
       {{"id", {"string", true}},
        {"shortDescription", {"multiformatMessageString"}},
        {"fullDescription", {"multiformatMessageString"}},
        {"help", {"multiformatMessageString"}},
        {"defaultConfiguration", {"reportingConfiguration"}},
        {"properties", {"propertyBag"}}}},
      {"multiformatMessageString", {{"text", {"string", true}}, {"markdown", {"string"}}}},
      {"reportingConfiguration", {{"level", {"string", false, {"none", "note", "warning", "error"}}}}},
      {"propertyBag", {{"tags", {"[string]"}}, {"precision", {"string"}}}},
      {"invocation", {{"executionSuccessful", {"boolean", true}}, {"toolExecutionNotifications", {"[notification]"}}}},
      {"notification",
       {{"level", {"string", false, {"none", "note", "warning", "error"}}}, {"message", {"message", true}}}},
      {"result",
       {{"ruleId", {"string"}},
        {"ruleIndex", {"integer", false, {}, -1}},
        {"level", {"string", false, {"none", "note", "warning", "error"}}},
        {"message", {"message", true}},
        {"locations", {"[location]"}},
        {"partialFingerprints", {"strings"}}}},
      {"message", {{"text", {"string"}}}},
      {"location", {{"physicalLocation", {"physicalLocation"}}, {"logicalLocations", {"[logicalLocation]"}}}},
      {"physicalLocation", {{"artifactLocation", {"artifactLocation"}}, {"region", {"region"}}}},
      {"artifactLocation", {{"uri", {"string"}}}},
      {"region", {{"startLine", {"integer", false, {}, 1}}, {"startColumn", {"integer", false, {}, 1}}}},
      {"logicalLocation", {{"name", {"string"}}, {"fullyQualifiedName", {"string"}}, {"kind", {"string"}}}},
  };
  return table;
}

class Check {
 public:
  void value(const json& value, const Property& property, const std::string& path) {
    const std::string& of = property.of;
    if (of.starts_with("[")) {
      if (!value.is_array()) return problem(path, "is no list");
      for (std::size_t i = 0; i < value.size(); ++i)
        this->value(value[i], {of.substr(1, of.size() - 2)}, path + "[" + std::to_string(i) + "]");
    } else if (of == "string") {
      if (!value.is_string()) return problem(path, "is no string");
      if (!property.words.empty() && !property.words.contains(value.get<std::string>()))
        problem(path, "is no such word");
    } else if (of == "integer") {
      if (!value.is_number_integer() || value.get<int>() < property.least) problem(path, "is no integer in range");
    } else if (of == "boolean") {
      if (!value.is_boolean()) problem(path, "is no boolean");
    } else if (of == "strings") {
      for (const auto& [key, each] : value.items())
        if (!each.is_string()) problem(path + "." + key, "is no string");
    } else {
      object(value, schema().at(of), path);
    }
  }

  void problem(const std::string& path, const std::string& what) { problems.push_back(path + " " + what); }

  std::vector<std::string> problems;

 private:
  void object(const json& value, const Object& properties, const std::string& path) {
    if (!value.is_object()) return problem(path, "is no object");
    for (const auto& [key, each] : value.items()) {
      const auto found = properties.find(key);
      if (found == properties.end()) {
        problem(path + "." + key, "is no property there");
      } else {
        this->value(each, found->second, path + "." + key);
      }
    }
    for (const auto& [key, property] : properties)
      if (property.required && !value.contains(key)) problem(path + "." + key, "is missing");
  }
};

void check_run(const json& run, Check& check) {
  const json rules = run.value("/tool/driver/rules"_json_pointer, json::array());
  for (const json& rule : rules) {
    if (rule["shortDescription"]["text"].get<std::string>().size() > 1024) check.problem("rule", "has a long title");
    if (rule["fullDescription"]["text"].get<std::string>().size() > 1024) check.problem("rule", "has a long text");
    if (rule["properties"]["tags"].size() > 10) check.problem("rule", "has more than 10 tags");
  }
  for (const json& result : run["results"]) {
    const auto index = result.value("ruleIndex", std::size_t{0});
    if (result.contains("ruleIndex") && (index >= rules.size() || rules[index]["id"] != result["ruleId"]))
      check.problem("ruleIndex", "points at another rule");
    if (!result.contains("locations") || result["locations"].size() != 1) check.problem("locations", "are not one");
    const std::string uri =
        result.value("/locations/0/physicalLocation/artifactLocation/uri"_json_pointer, std::string());
    if (uri.empty() || uri.find_first_of(" <>#\"\\") != std::string::npos) check.problem("uri", "is no URI: " + uri);
  }
  if (run["results"].size() > 5000) check.problem("results", "are more than GitHub keeps");
}

}  // namespace

std::vector<std::string> sarif_problems(const json& log) {
  Check check;
  check.value(log, {"sarifLog"}, "$");
  for (const json& run : log["runs"]) check_run(run, check);
  return check.problems;
}

}  // namespace rollcall
