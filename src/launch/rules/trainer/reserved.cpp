#include "launch/rules/trainer/reserved.h"

#include <array>

#include "launch/kinds/pods.h"
#include "launch/kinds/shape.h"

namespace rollcall::launch::rules {
namespace {

// pkg/constants/constants.go of kubeflow/trainer 2.3.
constexpr std::array<std::string_view, 5> kTorch{"PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR",
                                                 "PET_MASTER_PORT"};
constexpr std::array<std::string_view, 4> kOpenMpi{"OMPI_MCA_orte_default_hostfile", "OMPI_MCA_plm_rsh_args",
                                                   "OMPI_MCA_orte_keep_fqdn_hostnames",
                                                   "OMPI_MCA_orte_set_default_slots"};
constexpr std::array<std::string_view, 4> kXgboost{"DMLC_TRACKER_URI", "DMLC_TRACKER_PORT", "DMLC_TASK_ID",
                                                   "DMLC_NUM_WORKER"};

}  // namespace

std::span<const std::string_view> torch_names() { return kTorch; }

std::span<const std::string_view> reserved_names(const Field& policy) {
  if (policy["torch"].is_object()) return kTorch;
  if (policy["mpi"].is_object()) return kOpenMpi;
  if (policy["xgboost"].is_object()) return kXgboost;
  return {};
}

bool is_rank_of_every_pod(const Launch& launch, const Field& entry) {
  if (entry["name"].text() != "PET_NODE_RANK" || !whole_number(entry["value"].text())) return false;
  const Field nodes = launch.root["spec"]["trainer"]["numNodes"];
  const Fact<int> count = count_of(nodes, 1);
  if (!count.known() || *count < 2) return false;
  for (const Role& role : launch.roles) {
    const auto& launcher = role.command.launcher;
    // A rendezvous that gives out ranks, or a flag, has the word over the variable.
    if (launcher.known() && *launcher == "torchrun" && role.command.flag("--node-rank") == nullptr &&
        role.command.flag("--rdzv-backend") == nullptr && role.command.flag("--standalone") == nullptr)
      return true;
  }
  return false;
}

}  // namespace rollcall::launch::rules
