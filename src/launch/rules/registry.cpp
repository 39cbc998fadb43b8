#include "launch/rules/registry.h"

#include <algorithm>
#include <array>
#include <vector>

#include "launch/rules/families.h"

namespace rollcall::launch {
namespace {

constexpr std::array kFamilies{
    rules::document,
    rules::spec,
    rules::torchrun,
    rules::gpu,
    rules::world,
    rules::rendezvous,
    rules::rank,
    rules::nccl_env,
    rules::launcher,
    rules::mpi,
    rules::versions,
    rules::scheduling,
    rules::memory,
    rules::mesh,
    rules::rdma,
    rules::host_network,
    rules::lifecycle,
    rules::trainer,
    rules::ray,
    rules::pods,
    rules::env,
    // Last: it asks what the others found.
    rules::suppression,
};

std::vector<const Rule*> collect() {
  std::vector<const Rule*> all;
  for (const auto family : kFamilies) {
    const auto rules = family();
    all.insert(all.end(), rules.begin(), rules.end());
  }
  return all;
}

}  // namespace

std::span<const Rule* const> all_rules() {
  static const std::vector<const Rule*> all = collect();
  return all;
}

const Rule* find_rule(std::string_view id) {
  const auto rules = all_rules();
  const auto found = std::find_if(rules.begin(), rules.end(), [id](const Rule* rule) { return rule->id == id; });
  return found == rules.end() ? nullptr : *found;
}

}  // namespace rollcall::launch
