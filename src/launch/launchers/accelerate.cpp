#include "launch/launchers/accelerate.h"

#include <array>
#include <string_view>

namespace rollcall::launch {
namespace {

// launch_command_parser() of accelerate 1.12, without what only TPU pods and SageMaker read.
constexpr std::array<std::string_view, 51> kWithValue{"--config-file",
                                                      "--mixed-precision",
                                                      "--num-processes",
                                                      "--num-machines",
                                                      "--num-cpu-threads-per-process",
                                                      "--dynamo-backend",
                                                      "--dynamo-mode",
                                                      "--gpu-ids",
                                                      "--machine-rank",
                                                      "--main-process-ip",
                                                      "--main-process-port",
                                                      "--tee",
                                                      "--log-dir",
                                                      "--role",
                                                      "--rdzv-backend",
                                                      "--rdzv-conf",
                                                      "--max-restarts",
                                                      "--monitor-interval",
                                                      "--main-training-function",
                                                      "--deepspeed-config-file",
                                                      "--zero-stage",
                                                      "--offload-optimizer-device",
                                                      "--offload-param-device",
                                                      "--offload-optimizer-nvme-path",
                                                      "--offload-param-nvme-path",
                                                      "--gradient-accumulation-steps",
                                                      "--gradient-clipping",
                                                      "--zero3-init-flag",
                                                      "--zero3-save-16bit-model",
                                                      "--deepspeed-hostfile",
                                                      "--deepspeed-exclusion-filter",
                                                      "--deepspeed-inclusion-filter",
                                                      "--deepspeed-multinode-launcher",
                                                      "--deepspeed-moe-layer-cls-names",
                                                      "--fsdp-version",
                                                      "--fsdp-offload-params",
                                                      "--fsdp-min-num-params",
                                                      "--fsdp-sharding-strategy",
                                                      "--fsdp-reshard-after-forward",
                                                      "--fsdp-auto-wrap-policy",
                                                      "--fsdp-transformer-layer-cls-to-wrap",
                                                      "--fsdp-backward-prefetch",
                                                      "--fsdp-state-dict-type",
                                                      "--fsdp-forward-prefetch",
                                                      "--fsdp-use-orig-params",
                                                      "--fsdp-cpu-ram-efficient-loading",
                                                      "--fsdp-sync-module-states",
                                                      "--fsdp-activation-checkpointing",
                                                      "--fp8-backend",
                                                      "--mpirun-hostfile",
                                                      "--mpirun-ccl"};
constexpr std::array<std::string_view, 21> kWithout{"--quiet",
                                                    "-q",
                                                    "--cpu",
                                                    "--multi-gpu",
                                                    "--tpu",
                                                    "--ipex",
                                                    "--dynamo-use-fullgraph",
                                                    "--dynamo-use-dynamic",
                                                    "--same-network",
                                                    "--module",
                                                    "-m",
                                                    "--no-python",
                                                    "--use-deepspeed",
                                                    "--use-fsdp",
                                                    "--use-megatron-lm",
                                                    "--use-xpu",
                                                    "--debug",
                                                    "--enable-cpu-affinity",
                                                    "--use-parallelism-config",
                                                    "-h",
                                                    "--help"};

}  // namespace

const Grammar& accelerate_grammar() {
  static constexpr Grammar grammar{"accelerate", kWithValue, kWithout};
  return grammar;
}

}  // namespace rollcall::launch
