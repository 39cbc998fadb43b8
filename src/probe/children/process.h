#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "probe/net/wake.h"

/// Runs one program of the job's image to its end, whatever it does: deadline, cancel, a call that the kernel cannot
/// interrupt.
namespace rollcall::probe {

using Environment = std::map<std::string, std::string>;

struct Program {
  std::string path;                    ///< as execve takes it, no search
  std::vector<std::string> arguments;  ///< [0] is its name
  const Environment& environment;      ///< all it has
};

/// SIGKILL takes effect when the program leaves the kernel; one that has not within this long is in a call that cannot
/// be interrupted.
inline constexpr std::chrono::milliseconds kKillDeadline{2000};
/// A program that has told its result has this long to end. Destroying a communicator can hang (nccl#549, nccl#1013),
/// and nothing waits for it then.
inline constexpr std::chrono::milliseconds kEndGrace{5000};

struct End {
  enum class How {
    Exited,
    Signalled,
    Deadline,    ///< killed at its deadline
    Cancelled,   ///< killed since nobody wants its result any more
    Stuck,       ///< killed, and still there after kKillDeadline: left behind; or see `refused`
    NotStarted,  ///< `error` is execve's errno
  };
  How how = How::NotStarted;
  int code = 0;  ///< exit status, or the signal's number
  int error = 0;
  bool refused = false;   ///< Stuck since it may not be killed: it runs as another user
  bool extended = false;  ///< it got as long again as its deadline
  double seconds = 0;
};

struct ProgramListener {
  std::function<void(std::string_view)> out;  ///< pieces of its standard output, as they come
  std::function<void(std::string_view)> err;
  std::function<bool()> advances = {};          ///< asked at the deadline, once: true gives it as long again
  std::function<bool()> told = {};              ///< asked after each piece: its result is there, kEndGrace begins
  std::function<void(pid_t)> before_kill = {};  ///< what of the living program must be known
};

/// Starts `program` in a process group of its own, with /dev/null as standard input, and waits for its end; ends its
/// whole group with it. Blocks; any thread. A program that ended while something it started keeps its output open
/// counts as ended.
End run(const Program& program, std::chrono::milliseconds limit, const Wake& cancel, const ProgramListener& listener);

/// The path a container runtime would run for `name`: itself when it has a slash, else the first executable of that
/// name in the environment's PATH; empty when there is none.
std::string find_program(const std::string& name, const Environment& environment);

/// This process's own environment.
Environment own_environment();

}  // namespace rollcall::probe
