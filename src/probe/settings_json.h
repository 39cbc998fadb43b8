#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "probe/settings.h"

/// The variables of the probe's environment that are JSON. Their texts are commands and values for programs, so they
/// are taken byte for byte, new lines too. Errors say which entry is wrong and how.
namespace rollcall::probe {

/// Of ROLLCALL_EXPORTS: {"NAME": "value", …}.
Result<std::map<std::string, std::string>> exports_from(std::string_view json);

/// Of ROLLCALL_CHECKS: [{"name": …, "command": […], "deadlineSeconds": …}, …]; further fields are the desk's.
Result<std::vector<UserCheck>> checks_from(std::string_view json);

}  // namespace rollcall::probe
