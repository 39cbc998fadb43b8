#pragma once

#include <map>
#include <string>
#include <vector>

#include "roll_call/child_lines.h"

namespace rollcall::child::testing {

/// What a run of rollcall-probe-child left.
struct Run {
  int code = -1;                             ///< 128 + signal when killed
  std::string output;                        ///< all of it, for messages
  std::vector<roll_call::ChildLine> lines;   ///< those that are lines of the protocol
  std::vector<std::string> steps() const;    ///< in order
  const roll_call::GpuFacts& gpu() const;    ///< the last; fails the test when there is none
  const roll_call::NcclFacts& nccl() const;  ///< the same
};

/// Runs `command`, whose last words are the child's, to its end, at most 60 s: a machine under load takes its time to
/// load 400 MB.
Run run(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment);

/// The program as built.
std::string child_program();

/// A directory with the doubles, and a scenario of `text` for them; removed at the end.
class Doubles {
 public:
  explicit Doubles(const std::string& text);
  ~Doubles();
  Doubles(const Doubles&) = delete;
  Doubles& operator=(const Doubles&) = delete;
  std::map<std::string, std::string> environment() const;

 private:
  std::string scenario_;
};

}  // namespace rollcall::child::testing
