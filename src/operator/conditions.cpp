#include "operator/conditions.h"

namespace rollcall::operator_ {

const api::Condition* condition(const api::TrainingJobStatus& status, std::string_view type) {
  for (const auto& item : status.conditions) {
    if (item.type == type) return &item;
  }
  return nullptr;
}

bool is_true(const api::TrainingJobStatus& status, std::string_view type) {
  const auto* found = condition(status, type);
  return found != nullptr && found->status == "True";
}

void set_condition(api::TrainingJobStatus& status, const std::string& type, bool value, const std::string& reason,
                   const std::string& message, WallTime now) {
  const std::string text = value ? "True" : "False";
  for (auto& item : status.conditions) {
    if (item.type != type) continue;
    if (item.status != text) item.last_transition_time = rfc3339(now);
    item.status = text;
    item.reason = reason;
    item.message = message;
    item.observed_generation = status.observed_generation;
    return;
  }
  status.conditions.push_back({type, text, reason, message, rfc3339(now), status.observed_generation});
}

bool finished(const api::TrainingJobStatus& status) { return is_true(status, "Complete") || is_true(status, "Failed"); }

}  // namespace rollcall::operator_
