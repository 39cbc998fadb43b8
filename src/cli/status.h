#pragma once

#include <optional>
#include <string>

#include "base/time_text.h"
#include "cli/verb.h"
#include "kube/client.h"
#include "report/status_text.h"

namespace rollcall::cli {

struct StatusRequest {
  std::string job;
  std::string namespace_name;
  std::optional<int> attempt;  ///< absent = the latest
  bool json = false;           ///< the RollCall as the API server has it
  report::TextOptions text;
};

/// Shows the RollCall of a TrainingJob. Reads RollCalls and nothing else, so that whoever may see them may see the
/// story.
int status(kube::Client& client, const StatusRequest& request, WallTime now, Streams streams);

}  // namespace rollcall::cli
