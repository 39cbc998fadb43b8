#include "launch/launchers/torchrun.h"

#include <array>
#include <string_view>

namespace rollcall::launch {
namespace {

// torch.distributed.run's parser, torch 1.10 to 2.9.
constexpr std::array<std::string_view, 26> kWithValue{"--nnodes",
                                                      "--nproc-per-node",
                                                      "--rdzv-backend",
                                                      "--rdzv-endpoint",
                                                      "--rdzv-id",
                                                      "--rdzv-conf",
                                                      "--max-restarts",
                                                      "--monitor-interval",
                                                      "--start-method",
                                                      "--event-log-handler",
                                                      "--log-dir",
                                                      "--redirects",
                                                      "--tee",
                                                      "--local-ranks-filter",
                                                      "--node-rank",
                                                      "--master-addr",
                                                      "--master-port",
                                                      "--local-addr",
                                                      "--logs-specs",
                                                      "--role",
                                                      "--numa-binding",
                                                      "--signals-to-handle",
                                                      "--duplicate-stdout-filters",
                                                      "--duplicate-stderr-filters",
                                                      "-r",
                                                      "-t"};
constexpr std::array<std::string_view, 9> kWithout{
    "--standalone", "--run-path", "--module", "--no-python", "-m", "--use-env", "--virtual-local-rank", "-h", "--help"};

}  // namespace

const Grammar& torchrun_grammar() {
  static constexpr Grammar grammar{"torchrun", kWithValue, kWithout};
  return grammar;
}

}  // namespace rollcall::launch
