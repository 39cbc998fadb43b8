#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "finding/finding.h"

namespace rollcall::launch {

/// Every rule over one object as the API server holds it (no file, no lines, nothing beside it). An object of no kind
/// that is read is taken for a TrainingJob. The operator and `lint` share the rules.
Findings check_object(const nlohmann::json& object);

/// A finding that the object's annotation `rollcall.dev/ignore` passes over, with the reason given there.
struct PassedOver {
  Finding finding;
  std::string reason;
};

struct Checked {
  Findings findings;
  std::vector<PassedOver> ignored;
};

/// As check_object, and what was passed over, for whoever must show that it was.
Checked check_launch(const nlohmann::json& object);

/// Every rule over every document of a YAML or JSON text. An Error is text that cannot be read, with line and column;
/// limits on bytes, depth, nodes and aliases are part of it.
Result<Findings> check_text(std::string_view text, const std::string& file);

}  // namespace rollcall::launch
