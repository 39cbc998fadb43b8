#include "launch/check.h"

#include <optional>

#include "launch/judge.h"
#include "launch/kinds/context.h"
#include "launch/kinds/pod_types.h"
#include "launch/kinds/readers.h"
#include "launch/kinds/training_job.h"

namespace rollcall::launch {

Checked check_launch(const nlohmann::json& object) { return judge(read_training_job(object), Origin{}); }

Checked check_by_kind(const nlohmann::json& object) { return check_by_kind(object, Context{}); }

Checked check_by_kind(const nlohmann::json& object, const Context& around) {
  const KindReader* reader = reader_of(object);
  if (reader == nullptr) return {};
  std::optional<Launch> launch = reader->read(object, around);
  if (!launch) return {};
  launch->around = &around;
  if (launch->kind != JobKind::training_job) find_wrong_types(*launch);
  return judge(*launch, Origin{});
}

Findings check_object(const nlohmann::json& object) { return check_launch(object).findings; }

}  // namespace rollcall::launch
