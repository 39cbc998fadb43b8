#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "launch/document/field.h"
#include "launch/launch.h"

namespace rollcall::launch {

/// Of spec.rollCall.setup. Linux takes at most 128 KiB in one variable of the environment (MAX_ARG_STRLEN), in which
/// the text reaches the probe; a character may have 4 bytes.
inline constexpr std::size_t kMaxSetupCharacters = 16 * 1024;
/// Of all checks' commands together; the same bound.
inline constexpr std::size_t kMaxCheckCharacters = 64 * 1024;
inline constexpr std::size_t kMaxCheckNumber = 16;
/// Ten minutes: the checks run one after the other while every GPU of the job waits.
inline constexpr int kMaxCheckSeconds = 600;

/// UTF-8 characters, as the API server counts them.
std::size_t characters(std::string_view text);

/// spec.rollCall: nccl, setup and checks as the schema has them.
void read_roll_call(const Field& roll_call, std::vector<ShapeProblem>& problems);

}  // namespace rollcall::launch
