#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rollcall::cli {

/// What is wrong at one place of a value.
struct SchemaProblem {
  std::string path;  ///< as findings write it: `severities[0].rule`
  std::string message;
};

/// Holds a value to a schema that schema_of() made; every problem, in the order of the value. Knows what such schemas
/// use: type, enum, const, required, properties, additionalProperties, items, ranges, lengths, pattern, uniqueItems.
std::vector<SchemaProblem> problems_of(const nlohmann::json& value, const nlohmann::json& schema);

}  // namespace rollcall::cli
