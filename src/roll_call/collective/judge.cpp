#include "roll_call/collective/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "diagnosis/cause.h"
#include "roll_call/collective/steps.h"
#include "roll_call/words.h"

namespace rollcall::roll_call {
namespace {

struct Failure {
  const Pod* pod;
  const RankResult* rank;
};
using Failures = std::vector<Failure>;

std::string seconds_words(double seconds) { return fmt::format("{:.0f} s", seconds); }

std::vector<int> numbers(const Failures& failures, int RankResult::*field) {
  std::vector<int> result;
  for (const Failure& each : failures) result.push_back(each.rank->*field);
  std::sort(result.begin(), result.end());
  return result;
}

/// "3, 5 and 8-15"
std::string ranges(const std::vector<int>& sorted) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t end = i;
    while (end + 1 < sorted.size() && sorted[end + 1] == sorted[end] + 1) ++end;
    parts.push_back(end == i       ? fmt::format("{}", sorted[i])
                    : end == i + 1 ? fmt::format("{}, {}", sorted[i], sorted[end])
                                   : fmt::format("{}-{}", sorted[i], sorted[end]));
    i = end + 1;
  }
  return listed(parts, 8);
}

std::string gpus_of(const Failures& failures) {
  const auto gpus = numbers(failures, &RankResult::gpu);
  return (gpus.size() == 1 ? "GPU " : "GPUs ") + ranges(gpus);
}

std::string ranks_of(const Failures& failures) {
  const auto ranks = numbers(failures, &RankResult::rank);
  return (ranks.size() == 1 ? "rank " : "ranks ") + ranges(ranks);
}

std::vector<const Pod*> pods_of(const Failures& failures) {
  std::vector<const Pod*> pods;
  for (const Failure& each : failures) {
    if (std::find(pods.begin(), pods.end(), each.pod) == pods.end()) pods.push_back(each.pod);
  }
  return pods;
}

std::vector<int> nodes_of(const Failures& failures) {
  std::vector<int> nodes;
  for (const Pod* pod : pods_of(failures)) nodes.push_back(pod->node_rank);
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

/// "GPUs 0-7 of gpu-17 (node rank 3) and GPU 2 of …"
std::string places(const Failures& failures) {
  const auto pods = pods_of(failures);
  return listed_of(
      pods.size(),
      [&](std::size_t i) {
        Failures own;
        std::copy_if(failures.begin(), failures.end(), std::back_inserter(own),
                     [&](const Failure& each) { return each.pod == pods[i]; });
        return gpus_of(own) + " of " + who_briefly(*pods[i]);
      },
      4);
}

/// One entry a node, so that a page of ranks does not hide the words.
std::string step_words(const RankResult& rank) {
  return rank.step.empty() ? std::string("before its first step") : "in " + rank.step;
}

std::string quoted(const std::string& words) { return words.empty() ? std::string() : fmt::format(": \"{}\"", words); }

/// NCCL tells of another rank's end, not of its own trouble. InfiniBand's own errors have the same result.
bool second_hand(const RankResult& rank) {
  static constexpr int kRemoteError = 6;  // ncclRemoteError, NCCL 2.13 and later
  const auto* cause = diagnosis::cause_of_text(rank.error);
  if (cause != nullptr && cause->id != "network/peer-died") return false;
  return (reached(rank.step) >= Reached::Init && rank.result == kRemoteError) ||
         rank.error.find("remote process exited") != std::string::npos ||
         rank.error.find("onnection closed by remote peer") != std::string::npos;
}

Failures those_with(const std::vector<Ran>& ran, RankOutcome outcome) {
  Failures result;
  for (const Ran& each : ran) {
    for (const RankResult& rank : *each.ranks) {
      if (rank.outcome == outcome) result.push_back({each.pod, &rank});
    }
  }
  return result;
}

const diagnosis::Cause* cause_of(const RankResult& rank) {
  if (const auto* cause = diagnosis::cause_of_text(rank.error)) return cause;
  const bool cuda = rank.step.rfind("cu", 0) == 0;
  return cuda && rank.result != 0 ? diagnosis::cause_of_cuda(rank.result) : nullptr;
}

/// What is true of both scopes: proof that lies in one node alone.
void judge_local(const std::vector<Ran>& ran, Judgement& judgement) {
  if (const auto stuck = those_with(ran, RankOutcome::Stuck); !stuck.empty()) {
    judgement.findings.push_back(
        {"gpu/driver-stuck", "fail",
         fmt::format("{}: a process has been {} for {} and SIGKILL does not end it: the call is stuck in the driver. "
                     "The node needs attention: cordon it, look at dmesg for Xid lines, reset the GPU or restart the "
                     "node. The pod may stay Terminating until then",
                     places(stuck), step_words(*stuck.front().rank), seconds_words(stuck.front().rank->step_seconds)),
         nodes_of(stuck), "node"});
  }
  if (const auto died = those_with(ran, RankOutcome::Died); !died.empty()) {
    judgement.findings.push_back(
        {"collective/child-died", "fail",
         fmt::format("{}: the process that ran the collective died {}{}. Ended by a signal: look at the container's "
                     "memory limit, then at the library it was in",
                     places(died), step_words(*died.front().rank), quoted(died.front().rank->error)),
         nodes_of(died), "node"});
  }
  std::vector<const Pod*> short_of;
  for (const Ran& each : ran) {
    if (each.ranks->size() < each.expected) short_of.push_back(each.pod);
  }
  if (!short_of.empty()) {
    api::NodeFinding finding{"collective/incomplete",
                             "fail",
                             fmt::format("{} ended the collective with fewer results than GPUs. The probe's log says "
                                         "more: kubectl logs POD -c rollcall",
                                         listed(short_of)),
                             {},
                             "node"};
    for (const Pod* pod : short_of) finding.node_ranks.push_back(pod->node_rank);
    judgement.findings.push_back(std::move(finding));
  }
  // Where some ranks ran and others did not, the latter waited for the former.
  std::vector<Ran> idle;
  std::copy_if(ran.begin(), ran.end(), std::back_inserter(idle), [](const Ran& each) {
    return !each.ranks->empty() && std::all_of(each.ranks->begin(), each.ranks->end(), [](const RankResult& rank) {
      return rank.outcome == RankOutcome::NotStarted;
    });
  });
  if (const auto not_started = those_with(idle, RankOutcome::NotStarted); !not_started.empty()) {
    judgement.not_started = fmt::format("the child cannot be started on {}{}", listed(pods_of(not_started)),
                                        quoted(not_started.front().rank->error));
  }
}

/// Errors that read alike are one finding.
void judge_errors(const Roll& roll, const std::vector<Ran>& ran, bool in_node, Judgement& judgement) {
  Failures errors = those_with(ran, RankOutcome::Error);
  // A rank that died or is stuck is why the others lost it.
  const bool some_own =
      !those_with(ran, RankOutcome::Died).empty() || !those_with(ran, RankOutcome::Stuck).empty() ||
      std::any_of(errors.begin(), errors.end(), [](const Failure& each) { return !second_hand(*each.rank); });
  if (some_own) std::erase_if(errors, [](const Failure& each) { return second_hand(*each.rank); });
  std::map<std::pair<const diagnosis::Cause*, std::string>, Failures> alike;
  for (const Failure& each : errors) {
    const auto* cause = cause_of(*each.rank);
    alike[{cause, cause != nullptr ? std::string() : each.rank->step + "\n" + each.rank->error}].push_back(each);
  }
  for (const auto& [key, failures] : alike) {
    const auto* cause = key.first;
    const RankResult& first = *failures.front().rank;
    const bool in_init = reached(first.step) <= Reached::Init;
    const bool everywhere = pods_of(failures).size() == ran.size() && ran.size() == roll.pods.size();
    // A call that needs no other node fails for a reason of this one.
    const bool local = in_node || reached(first.step) == Reached::Local || (cause != nullptr && cause->owner == "node");
    std::string message =
        fmt::format("{}: {} failed{}{}", places(failures), first.step.empty() ? "the collective" : first.step,
                    first.result != 0 ? fmt::format(" (result {})", first.result) : "", quoted(first.error));
    if (cause != nullptr) message += fmt::format(". It means that {}. {}", cause->meaning, cause->advice);
    if (cause == nullptr && !local)
      message += ". This is where the error was seen; what broke may be another node or the way to it";
    if (everywhere && roll.nnodes() > 1)
      message += std::string(message.back() == '.' ? "" : ".") + " It is the same on every node";
    judgement.findings.push_back({cause != nullptr ? std::string(cause->id)
                                  : in_init        ? "nccl/init-failed"
                                                   : "collective/failed",
                                  "fail", std::move(message), local ? nodes_of(failures) : std::vector<int>{},
                                  cause != nullptr ? std::string(cause->owner)
                                  : local          ? "node"
                                                   : "network"});
    if (everywhere && cause != nullptr && cause->owner == "job" && roll.nnodes() > 1) judgement.jobs_own = true;
    // Over the network the same words on both ends are one broken pair's as well.
    if (everywhere && roll.nnodes() > 1 && (in_node || (cause != nullptr && cause->owner == "job")))
      judgement.explained = true;
  }
}

void judge_values(const std::vector<Ran>& ran, bool in_node, Judgement& judgement) {
  const auto wrong = those_with(ran, RankOutcome::WrongValue);
  if (wrong.empty()) return;
  const auto nodes = pods_of(wrong);
  // A sum goes round all: who sees it wrong need not be who made it wrong.
  judgement.findings.push_back(
      {"collective/wrong-value", "fail",
       fmt::format("the all-reduce {} gave a wrong sum on {}{}. Training there would be silently wrong: do not release",
                   in_node ? "within the node" : "over all nodes", places(wrong), quoted(wrong.front().rank->error)),
       in_node ? nodes_of(wrong) : std::vector<int>{}, "node"});
}

void judge_hangs(const std::vector<Ran>& ran, bool in_node, Judgement& judgement) {
  auto hung = those_with(ran, RankOutcome::TimedOut);
  // Whoever waits for a rank that gave up waits in vain: that one's error is the news.
  auto errors = those_with(ran, RankOutcome::Error);
  std::erase_if(errors, [](const Failure& each) { return second_hand(*each.rank); });
  const auto gave_up = pods_of(errors);
  std::erase_if(hung, [&](const Failure& each) {
    return in_node ? std::count(gave_up.begin(), gave_up.end(), each.pod) > 0 : !gave_up.empty();
  });
  if (hung.empty()) return;
  // What most were in, and who had not come as far.
  Reached furthest = Reached::Unknown;
  for (const Failure& each : hung) furthest = std::max(furthest, reached(each.rank->step));
  Failures waiting;
  Failures behind;
  for (const Failure& each : hung) {
    const Reached own = reached(each.rank->step);
    (own != Reached::Unknown && own < furthest ? behind : waiting).push_back(each);
  }
  const auto& longest = *std::max_element(waiting.begin(), waiting.end(), [](const Failure& a, const Failure& b) {
    return a.rank->step_seconds < b.rank->step_seconds;
  });
  Failures alone;
  std::copy_if(behind.begin(), behind.end(), std::back_inserter(alone),
               [](const Failure& each) { return reached(each.rank->step) == Reached::Local; });
  std::string message =
      fmt::format("{}: the all-reduce {} hung {} for {}, then was ended",
                  in_node ? places(waiting) : ranks_of(waiting) + " (" + listed(pods_of(waiting)) + ")",
                  in_node ? "within the node" : "over all nodes", step_words(*longest.rank),
                  seconds_words(longest.rank->step_seconds));
  if (!behind.empty()) {
    message += fmt::format(
        "; {} had not joined: {} ({}{})", ranks_of(behind), listed(pods_of(behind)), step_words(*behind.front().rank),
        behind.front().rank->step_seconds > 0 ? " for " + seconds_words(behind.front().rank->step_seconds) : "");
  }
  if (furthest == Reached::Local) {
    message += ". That step needs nobody else: look at the driver there";
  } else if (alone.empty()) {
    message += ". Training would hang in the same place";
  }
  std::vector<int> named;
  if (in_node || furthest == Reached::Local) {
    named = nodes_of(hung);
  } else {
    named = nodes_of(alone);
  }
  judgement.findings.push_back(
      {"collective/hung", "fail", std::move(message), named, named.empty() ? "network" : "node"});
}

void judge_slowness(const std::vector<Ran>& ran, Judgement& judgement) {
  const auto slow = those_with(ran, RankOutcome::Slow);
  if (slow.empty()) return;
  judgement.findings.push_back(
      {"collective/slow", "warn",
       fmt::format("{}: the all-reduce ended well, but only after its deadline. Cold images, no persistence mode and "
                   "slow storage do that; RollcallPolicy's thresholds.deadlinePercent gives more time",
                   places(slow)),
       nodes_of(slow), "node"});
}

Judgement judge(const Roll& roll, const std::vector<Ran>& ran, bool in_node) {
  Judgement judgement;
  judge_local(ran, judgement);
  const std::size_t local = judgement.findings.size();
  judge_values(ran, in_node, judgement);
  judge_errors(roll, ran, in_node, judgement);
  // A rank that died or is stuck leaves the others waiting: they say nothing new.
  if (local == 0 && judgement.not_started.empty()) judge_hangs(ran, in_node, judgement);
  judge_slowness(ran, judgement);
  for (const auto& finding : judgement.findings) {
    if (finding.severity != "fail") continue;
    const bool proven = finding.rule == "gpu/driver-stuck" || finding.rule == "collective/child-died";
    // What lies in one node before NCCL meets anybody needs no pairs to be named.
    judgement.explained = judgement.explained || (!in_node && !finding.node_ranks.empty()) || proven;
    // A known cause says more than a pair of GPUs could.
    const bool unknown = finding.rule.rfind("collective/", 0) == 0 || finding.rule == "nccl/init-failed";
    if (in_node && !proven && unknown)
      judgement.failed.insert(judgement.failed.end(), finding.node_ranks.begin(), finding.node_ranks.end());
  }
  std::sort(judgement.failed.begin(), judgement.failed.end());
  judgement.failed.erase(std::unique(judgement.failed.begin(), judgement.failed.end()), judgement.failed.end());
  return judgement;
}

}  // namespace

Judgement judge_nodes(const Roll& roll, const std::vector<Ran>& ran) { return judge(roll, ran, true); }
Judgement judge_job(const Roll& roll, const std::vector<Ran>& ran) { return judge(roll, ran, false); }

bool sound(const Ran& ran) {
  return ran.ranks->size() >= ran.expected && std::all_of(ran.ranks->begin(), ran.ranks->end(), [](const auto& rank) {
           return rank.outcome == RankOutcome::Ok || rank.outcome == RankOutcome::Slow;
         });
}

std::string how_it_failed(const std::vector<Ran>& ran) {
  static constexpr std::array kTelling{RankOutcome::WrongValue, RankOutcome::Error,    RankOutcome::Died,
                                       RankOutcome::Stuck,      RankOutcome::TimedOut, RankOutcome::NotStarted};
  for (const RankOutcome outcome : kTelling) {
    Failures failures = those_with(ran, outcome);
    if (failures.empty()) continue;
    std::stable_sort(failures.begin(), failures.end(),
                     [](const Failure& a, const Failure& b) { return second_hand(*a.rank) < second_hand(*b.rank); });
    const RankResult& rank = *failures.front().rank;
    switch (outcome) {
      case RankOutcome::WrongValue:
        return "a wrong sum" + quoted(rank.error);
      case RankOutcome::TimedOut:
        return fmt::format("hung {} for {}", step_words(rank), seconds_words(rank.step_seconds));
      case RankOutcome::Error:
        return fmt::format("{} failed{}", rank.step.empty() ? "the collective" : rank.step, quoted(rank.error));
      default:
        return fmt::format("the process {} {}{}", outcome == RankOutcome::Died ? "died" : "did not run",
                           step_words(rank), quoted(rank.error));
    }
  }
  return "no result came";
}

double bus_gbytes(const std::vector<RankResult>& ranks) {
  double lowest = 0;
  for (const RankResult& rank : ranks) {
    if (rank.bus_gbytes > 0) lowest = lowest > 0 ? std::min(lowest, rank.bus_gbytes) : rank.bus_gbytes;
  }
  return lowest;
}

}  // namespace rollcall::roll_call
