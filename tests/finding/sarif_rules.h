#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rollcall {

/// What in a SARIF log breaks the rules of the 2.1.0 schema, for the objects we write: which properties they may and
/// must have, of which type, and which words. Besides what the schema cannot say: indexes that point at what is there,
/// and GitHub's limits.
std::vector<std::string> sarif_problems(const nlohmann::json& log);

}  // namespace rollcall
