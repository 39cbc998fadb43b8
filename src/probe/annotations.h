#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "roll_call/messages.h"

namespace rollcall::probe {

/// Reads the downwardAPI's annotations file: one `key="value"` a line, the value quoted as Go's %q does. A line that is
/// not of that form is passed over: annotations are the tenant's and others', and ours must be found all the same.
std::map<std::string, std::string> annotations_from(std::string_view file);

/// What the file says to the probe.
struct PodSheet {
  roll_call::SeenState seen;    ///< attempt and address; attempt 0 = not there
  std::optional<int> released;  ///< the attempt the operator stamped as released

  bool operator==(const PodSheet& other) const;
};
PodSheet pod_sheet_from(std::string_view file);

/// May the trainer of `attempt` start on this sheet alone, without a desk? Only when the operator stamped this very
/// attempt and the file shows this attempt's address: the trainer reads its address from the same annotations.
bool released_by_sheet(const PodSheet& sheet, int attempt);

}  // namespace rollcall::probe
