#include "launch/check.h"

#include <optional>

#include "launch/judge.h"
#include "launch/kinds/context.h"
#include "launch/kinds/read_launch.h"
#include "launch/kinds/training_job.h"

namespace rollcall::launch {

Checked check_launch(const nlohmann::json& object) { return judge(read_training_job(object), Origin{}); }

Checked check_by_kind(const nlohmann::json& object) { return check_by_kind(object, Context{}); }

Checked check_by_kind(const nlohmann::json& object, const Context& around) {
  const std::optional<Launch> launch = read_launch(object, around);
  return launch ? judge(*launch, Origin{}) : Checked{};
}

Findings check_object(const nlohmann::json& object) { return check_launch(object).findings; }

}  // namespace rollcall::launch
