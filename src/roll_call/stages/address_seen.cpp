#include <fmt/format.h>

#include <algorithm>

#include "roll_call/stages/stage.h"
#include "roll_call/words.h"

namespace rollcall::roll_call::stages {
namespace {

bool done(const Pod& pod) { return pod.seen; }

}  // namespace

// The operator writes the annotations as soon as the address is known, beside the stages before; here the rest is
// waited for.
Progress address_seen(Roll& roll, TimePoint now) {
  if (now < *address_seen_due(roll) && !done(roll.pods[std::min(roll.waited_for, roll.pods.size() - 1)])) return {};
  // Whoever fell silent before counts here as well: its trainer would start without the address.
  std::vector<const Pod*> late;
  for (const Pod& pod : roll.pods) {
    if (!done(pod)) late.push_back(&pod);
  }
  if (!late.empty()) {
    roll.waited_for = static_cast<std::size_t>(late.back()->node_rank);
    if (now < *address_seen_due(roll)) return {};
    std::vector<int> ranks;
    for (const Pod* pod : late) ranks.push_back(pod->node_rank);
    std::vector<std::string> owners;
    for (const Pod* pod : late) owners.push_back(node_or_pod(*pod) + "'s kubelet");
    add(roll, Stage::AddressSeen,
        {"address/not-seen", "fail",
         fmt::format("{} {} not see the pod's annotations: after {} the downward file of node rank {} does not show "
                     "{}={} of attempt {}. "
                     "A trainer started now would get an empty or former MASTER_ADDR. Look at the way from that "
                     "kubelet to the API server, "
                     "and whether the operator has annotated the pod",
                     listed(owners), late.size() == 1 ? "does" : "do", duration_words(kSeenDeadline),
                     late.front()->node_rank, "rollcall.dev/master-addr", roll.master_addr, roll.spec.attempt),
         ranks, "cluster"});
  }
  return by_findings(roll, Stage::AddressSeen);
}

Order address_seen_order(const Roll&, const Pod& pod) { return {done(pod) ? Step::Wait : Step::SeeAddress}; }

std::optional<TimePoint> address_seen_due(const Roll& roll) { return roll.step_from + kSeenDeadline; }

}  // namespace rollcall::roll_call::stages
