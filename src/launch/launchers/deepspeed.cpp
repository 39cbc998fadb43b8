#include "launch/launchers/deepspeed.h"

#include <array>
#include <string_view>

namespace rollcall::launch {
namespace {

// parse_args() of deepspeed.launcher.runner, 0.18.
constexpr std::array<std::string_view, 23> kWithValue{"-H",
                                                      "--hostfile",
                                                      "-i",
                                                      "--include",
                                                      "-e",
                                                      "--exclude",
                                                      "--num-nodes",
                                                      "--min-elastic-nodes",
                                                      "--max-elastic-nodes",
                                                      "--num-gpus",
                                                      "--num-accelerators",
                                                      "--log-level",
                                                      "--master-port",
                                                      "--master-addr",
                                                      "--node-rank",
                                                      "--launcher",
                                                      "--launcher-args",
                                                      "--ssh-port",
                                                      "--autotuning",
                                                      "--enable-each-rank-log",
                                                      "--bind-core-list",
                                                      "--venv-script",
                                                      "--elastic-training-config"};
constexpr std::array<std::string_view, 14> kWithout{"--module",
                                                    "--no-python",
                                                    "--no-local-rank",
                                                    "--no-ssh",
                                                    "--force-multi",
                                                    "--no-ssh-check",
                                                    "--bind-cores-to-rank",
                                                    "--elastic-training",
                                                    "--use-env",
                                                    "--save-pid",
                                                    "-q",
                                                    "--quiet",
                                                    "-h",
                                                    "--help"};

// One name for all spellings.
constexpr std::array<Alias, 4> kAliases{Alias{"-H", "--hostfile"}, Alias{"-i", "--include"}, Alias{"-e", "--exclude"},
                                        Alias{"--num-accelerators", "--num-gpus"}};

}  // namespace

const Grammar& deepspeed_grammar() {
  static constexpr Grammar grammar{"deepspeed", kWithValue, kWithout, kAliases};
  return grammar;
}

}  // namespace rollcall::launch
