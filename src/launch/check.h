#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "finding/finding.h"

namespace rollcall::launch {

class Context;

/// Every rule over one TrainingJob as the API server holds it (no file, no lines). The operator and `lint` share the
/// rules. What the object says of its own kind is not asked: whoever calls knows it.
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

/// Every rule over one object of the kind that it says it is, with nothing beside it. Nothing is found in an object of
/// a kind that is not read: not for whoever must not be told a wrong kind.
Checked check_by_kind(const nlohmann::json& object);
/// The same with the other objects that are known.
Checked check_by_kind(const nlohmann::json& object, const Context& around);

/// Every rule over every document of a YAML or JSON text. An Error is text that cannot be read, with line and column;
/// limits on bytes, depth, nodes and aliases are part of it.
Result<Findings> check_text(std::string_view text, const std::string& file);

}  // namespace rollcall::launch
