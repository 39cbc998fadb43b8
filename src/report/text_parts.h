#pragma once

#include <string>

#include "report/status_text.h"

/// The blocks that `rollcall status` and `rollcall report` share. Private to report/. Each begins with an empty line,
/// but the head, and is empty when it has nothing to show.
namespace rollcall::report::text {

/// "Label      sentence", wrapped below itself; empty for an empty sentence.
std::string labelled(const char* label, const std::string& sentence, std::size_t width);
/// As labelled(), but never wrapped: a command is there to be copied.
std::string command(const char* label, const std::string& line);

std::string head(const api::RollCall& roll_call, WallTime now, const TextOptions& options);
std::string nodes(const api::RollCall& roll_call, const TextOptions& options);
std::string stages(const api::RollCallStatus& status, const TextOptions& options);
std::string findings(const api::RollCallStatus& status, const TextOptions& options);

}  // namespace rollcall::report::text
