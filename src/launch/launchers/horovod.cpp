#include "launch/launchers/horovod.h"

#include <array>
#include <string_view>

namespace rollcall::launch {
namespace {

// parse_args() of horovod.runner.launch, 0.28. `--blacklist-cooldown-range` takes two values; it is left out, so that
// behind it everything is open.
constexpr std::array<std::string_view, 40> kWithValue{"-np",
                                                      "--num-proc",
                                                      "--start-timeout",
                                                      "--network-interfaces",
                                                      "--network-interface",
                                                      "--output-filename",
                                                      "--config-file",
                                                      "-p",
                                                      "--ssh-port",
                                                      "-i",
                                                      "--ssh-identity-file",
                                                      "--fusion-threshold-mb",
                                                      "--cycle-time-ms",
                                                      "--cache-capacity",
                                                      "--autotune-log-file",
                                                      "--autotune-warmup-samples",
                                                      "--autotune-steps-per-sample",
                                                      "--autotune-bayes-opt-max-samples",
                                                      "--autotune-gaussian-process-noise",
                                                      "--min-np",
                                                      "--min-num-proc",
                                                      "--max-np",
                                                      "--max-num-proc",
                                                      "--slots-per-host",
                                                      "--elastic-timeout",
                                                      "--reset-limit",
                                                      "--timeline-filename",
                                                      "--stall-check-warning-time-seconds",
                                                      "--stall-check-shutdown-time-seconds",
                                                      "--mpi-args",
                                                      "--binding-args",
                                                      "--num-nccl-streams",
                                                      "--thread-affinity",
                                                      "--gloo-timeout-seconds",
                                                      "--log-level",
                                                      "-H",
                                                      "--hosts",
                                                      "-hostfile",
                                                      "--hostfile",
                                                      "--host-discovery-script"};
constexpr std::array<std::string_view, 32> kWithout{"-v",
                                                    "--version",
                                                    "-cb",
                                                    "--check-build",
                                                    "--disable-cache",
                                                    "--verbose",
                                                    "--hierarchical-allreduce",
                                                    "--no-hierarchical-allreduce",
                                                    "--hierarchical-allgather",
                                                    "--no-hierarchical-allgather",
                                                    "--torus-allreduce",
                                                    "--no-torus-allreduce",
                                                    "--autotune",
                                                    "--no-autotune",
                                                    "--timeline-mark-cycles",
                                                    "--no-timeline-mark-cycles",
                                                    "--no-stall-check",
                                                    "--stall-check",
                                                    "--mpi-threads-disable",
                                                    "--no-mpi-threads-disable",
                                                    "--tcp",
                                                    "--log-with-timestamp",
                                                    "--log-without-timestamp",
                                                    "-prefix-timestamp",
                                                    "--prefix-output-with-timestamp",
                                                    "--log-hide-timestamp",
                                                    "--no-log-hide-timestamp",
                                                    "--gloo",
                                                    "--mpi",
                                                    "--jsrun",
                                                    "-h",
                                                    "--help"};

// One name for all spellings.
constexpr std::array<Alias, 5> kAliases{Alias{"-np", "--np"}, Alias{"--num-proc", "--np"}, Alias{"-H", "--host"},
                                        Alias{"--hosts", "--host"}, Alias{"-hostfile", "--hostfile"}};

}  // namespace

const Grammar& horovod_grammar() {
  static constexpr Grammar grammar{"horovodrun", kWithValue, kWithout, kAliases};
  return grammar;
}

}  // namespace rollcall::launch
