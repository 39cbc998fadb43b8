#include "launch/kinds/read_launch.h"

#include "launch/kinds/context.h"
#include "launch/kinds/misspelt.h"
#include "launch/kinds/near_kind.h"
#include "launch/kinds/pod_types.h"
#include "launch/kinds/readers.h"

namespace rollcall::launch {

std::optional<Launch> read_launch(const nlohmann::json& object, const Context& around) {
  const KindReader* reader = reader_of(object);
  std::optional<Launch> launch = reader != nullptr ? reader->read(object, around) : read_near_kind(object, around);
  if (!launch) return launch;
  launch->around = &around;
  if (launch->kind == JobKind::training_job) return launch;
  find_wrong_types(*launch);
  find_misspelt_in_pods(*launch);
  return launch;
}

}  // namespace rollcall::launch
