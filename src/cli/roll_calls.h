#pragma once

#include <optional>
#include <string>

#include "api/roll_call.h"
#include "cli/verb.h"
#include "kube/client.h"

/// What `status` and `report` share: which RollCall is meant. Both read RollCalls and nothing else, so that whoever may
/// see them may see the story.
namespace rollcall::cli {

struct RollCallRequest {
  std::string verb;  ///< for messages: "status"
  std::string job;   ///< name of the TrainingJob
  std::string namespace_name;
  std::optional<int> attempt;  ///< absent = the latest
};

struct FoundRollCall {
  api::RollCall roll_call;
  kube::Json object;  ///< as the API server has it
};

/// nullopt after it has said why on `err`. One that can't be read is named there and does not hide the others.
std::optional<FoundRollCall> find_roll_call(kube::Client& client, const RollCallRequest& request, std::ostream& err);

/// Columns of the terminal, of $COLUMNS, or 120.
std::size_t terminal_width();
/// The locale's words say UTF-8.
bool terminal_is_utf8();

}  // namespace rollcall::cli
