#pragma once

#include <chrono>

namespace rollcall::probe {

/// `deadline` times the policy's factor.
constexpr std::chrono::milliseconds scaled(std::chrono::milliseconds deadline, int percent) {
  return deadline * percent / 100;
}

}  // namespace rollcall::probe
