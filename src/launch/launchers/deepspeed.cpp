#include "launch/launchers/deepspeed.h"

#include <array>
#include <string_view>

namespace rollcall::launch {
namespace {

// parse_args() of deepspeed.launcher.runner, 0.18.
constexpr std::array<std::string_view, 22> kWithValue{"-H",
                                                      "--hostfile",
                                                      "-i",
                                                      "--include",
                                                      "-e",
                                                      "--exclude",
                                                      "--num-nodes",
                                                      "--min-elastic-nodes",
                                                      "--max-elastic-nodes",
                                                      "--num-gpus",
                                                      "--master-port",
                                                      "--master-addr",
                                                      "--node-rank",
                                                      "--launcher",
                                                      "--launcher-args",
                                                      "--ssh-port",
                                                      "--autotuning",
                                                      "--save-pid",
                                                      "--enable-each-rank-log",
                                                      "--bind-core-list",
                                                      "--venv-script",
                                                      "--elastic-training-config"};
constexpr std::array<std::string_view, 11> kWithout{
    "--module",       "--no-python",          "--no-local-rank",    "--no-ssh",  "--force-multi",
    "--no-ssh-check", "--bind-cores-to-rank", "--elastic-training", "--use-env", "-h",
    "--help"};

}  // namespace

const Grammar& deepspeed_grammar() {
  static constexpr Grammar grammar{"deepspeed", kWithValue, kWithout};
  return grammar;
}

}  // namespace rollcall::launch
