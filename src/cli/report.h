#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/time_text.h"
#include "cli/roll_calls.h"
#include "report/status_text.h"

namespace rollcall::cli {

enum class ReportForm { text, json, html };

struct ReportRequest {
  RollCallRequest which;
  ReportForm form = ReportForm::text;
  std::string output;  ///< file; empty = standard output
  report::TextOptions text;
};

/// Name of the TrainingJob that KIND/NAME means: `tj/llama`, `trainingjob/llama`, `llama`. Error: of another kind.
Result<std::string> job_of(const std::string& target);

/// Shows the report of a TrainingJob's RollCall. kFailed when there is none or the file cannot be written; what the
/// roll call found does not change the exit code.
int report(kube::Client& client, const ReportRequest& request, WallTime now, Streams streams);

}  // namespace rollcall::cli
