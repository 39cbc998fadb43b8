#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "roll_call/compare.h"
#include "roll_call/stages/stage.h"
#include "roll_call/thresholds.h"
#include "roll_call/words.h"

namespace rollcall::roll_call::stages {
namespace {

/// A port that the kernel may give to any outgoing connection: free now is no promise (and NCCL's own listeners take
/// from there).
void check_port_range(Roll& roll) {
  const Pod& master = roll.pods.front();
  if (!master.facts) return;
  const std::string range = port_range(master);
  const auto dash = range.find('-');
  int low = 0;
  int high = 0;
  std::from_chars(range.data(), range.data() + dash, low);
  std::from_chars(range.data() + dash + 1, range.data() + range.size(), high);
  if (roll.spec.master_port < low || roll.spec.master_port > high) return;
  add(roll, Stage::Comparison,
      {"master-port/ephemeral",
       "warn",
       fmt::format(
           "port {} lies in the ephemeral range {} of {}: any outgoing connection may own it when training starts. "
           "Choose spec.rendezvous.port below {}, for instance 29500",
           roll.spec.master_port, range, who_briefly(master), low),
       {0},
       "job"});
}

/// spec.rendezvous.masterAddr asserts an address that node rank 0 must own.
void check_asserted_address(Roll& roll) {
  const Pod& master = roll.pods.front();
  if (!roll.spec.master_addr || !master.facts || *roll.spec.master_addr == master.address()) return;
  std::vector<std::string> own;
  for (const auto& interface : master.facts->interfaces)
    own.insert(own.end(), interface.addresses.begin(), interface.addresses.end());
  if (std::find(own.begin(), own.end(), *roll.spec.master_addr) != own.end()) return;
  add(roll, Stage::Comparison,
      {"master-addr/not-owned",
       "fail",
       fmt::format("spec.rendezvous.masterAddr is {}, but node rank 0 runs on {}, which has {}. Leave it out: every "
                   "rank is handed "
                   "the address of node rank 0's pod",
                   *roll.spec.master_addr, node_or_pod(master), listed(own)),
       {0},
       "job"});
}

}  // namespace

Progress comparison(Roll& roll, TimePoint) {
  std::vector<const Pod*> pods;
  for (const Pod& pod : roll.pods) {
    if (pod.facts) pods.push_back(&pod);
  }
  for (auto& finding : compare(pods)) add(roll, Stage::Comparison, std::move(finding));
  for (auto& finding : below_thresholds(pods, roll.spec.thresholds)) add(roll, Stage::Comparison, std::move(finding));
  check_port_range(roll);
  check_asserted_address(roll);
  return by_findings(roll, Stage::Comparison);
}

}  // namespace rollcall::roll_call::stages
