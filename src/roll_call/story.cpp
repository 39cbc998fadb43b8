#include "roll_call/story.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/names.h"
#include "roll_call/advice.h"
#include "roll_call/deadlines.h"
#include "roll_call/words.h"

namespace rollcall::roll_call {
namespace {

/// Texts grow with names of nodes and kubelets' words; a condition's message is cut at 32 KiB by the API server's
/// validation.
constexpr std::size_t kMaxStory = 4000;

bool is_mute(const Pod& pod, TimePoint now) {
  return !pod.heard() && !pod.gone() && pod.started_at && now - *pod.started_at >= kMute;
}

const StageFinding* first_failure(const std::vector<StageFinding>& findings) {
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [](const StageFinding& each) { return each.finding.severity == "fail"; });
  return found == findings.end() ? nullptr : &*found;
}

std::size_t failures(const std::vector<StageFinding>& findings) {
  return static_cast<std::size_t>(std::count_if(
      findings.begin(), findings.end(), [](const StageFinding& each) { return each.finding.severity == "fail"; }));
}

std::string full_stop(std::string text) {
  if (!text.empty() && text.back() != '.' && text.back() != '?' && text.back() != '!') text += '.';
  return text;
}

/// The first failure in whole, the others counted.
std::string cause(const std::vector<StageFinding>& findings) {
  const StageFinding* first = first_failure(findings);
  if (first == nullptr) return "";
  std::string text = full_stop(first->finding.message);
  const std::size_t more = failures(findings) - 1;
  if (more > 0) text += fmt::format(" And {}.", counted(more, "more finding", "more findings"));
  return text;
}

/// Whoever reads this sentence alone must not take doubles for GPUs.
std::string marked(const Roll& roll, const std::string& text) {
  return roll.simulated ? "SIMULATED (doubles, no GPUs): " + text : text;
}

/// The scheduler says that a port is taken, not which: node rank 0 on the host network asks for MASTER_PORT alone.
std::string port_taken(const Roll& roll) {
  const Pod& first = roll.pods.front();
  const bool taken = roll.spec.host_network && first.view && first.node().empty() &&
                     first.view->waiting.find("free ports") != std::string::npos;
  return !taken ? std::string()
                : fmt::format(
                      " The port is MASTER_PORT {}, which another pod on the host network has there: wait for it to "
                      "end, or give this job another spec.rendezvous.port.",
                      roll.spec.master_port);
}

std::string gathering_story(const Roll& roll, TimePoint now) {
  std::size_t answered = 0;
  std::vector<const Pod*> missing;
  for (const Pod& pod : roll.pods) {
    if (pod.heard() && !pod.gone()) ++answered;
    if (!pod.heard() || pod.gone() || !pod.view || pod.view->address.empty()) missing.push_back(&pod);
  }
  std::string text = fmt::format("{} of {} nodes have answered", answered, roll.nnodes());
  if (!missing.empty()) text += "; " + why_waiting_for(missing, now);
  text = full_stop(text) + port_taken(roll) + " Nothing was started.";
  if (all_started(roll)) {
    if (const auto ends = round_ends_at(roll))
      text += fmt::format(" Held from {} on, unless all answer before.", time_of_day(*ends));
  } else if (const auto gives_up = wait_ends_at(roll)) {
    text += fmt::format(" The {} go back to the queue at {}, unless all have started before.",
                        roll.spec.gpus_per_pod > 0 ? "GPUs" : "pods' places", time_of_day(*gives_up));
  }
  const auto mute = mute_findings(roll, now);
  if (!mute.empty()) text += " " + full_stop(mute.front().message);
  return text;
}

std::string stage_story(const Roll& roll) {
  const Stage stage = static_cast<Stage>(std::min(roll.at, kStages - 1));
  const auto waits = [&](const Pod& pod) {
    switch (stage) {
      case Stage::LocalFacts:
        return !pod.facts;
      case Stage::MasterPort:
        return roll.step == 0 ? pod.node_rank == 0 : pod.node_rank != 0 && !pod.reached;
      case Stage::Mesh:
        return !pod.mesh || (roll.step == 0 ? pod.mesh->ports.empty() : !pod.mesh->done);
      case Stage::AddressSeen:
        return !pod.seen;
      default:
        return false;
    }
  };
  std::vector<const Pod*> waited;
  for (const Pod& pod : roll.pods) {
    if (waits(pod)) waited.push_back(&pod);
  }
  std::string text =
      fmt::format("round {}, stage {} ({} of {})", to_string(roll.round), name_of(stage), roll.at + 1, kStages);
  if (!waited.empty())
    text += fmt::format(": waiting for {} of {} nodes: {}", waited.size(), roll.nnodes(), listed(waited));
  text = full_stop(text);
  if (roll.override_reason)
    text += fmt::format(" A person released the job ({}): only the address is waited for.", *roll.override_reason);
  if (roll.held_before.count() > 0 && !roll.former_findings.empty())
    text += " Held before: " + cause(roll.former_findings);
  return text;
}

std::string hold_story(const Roll& roll, TimePoint now) {
  const auto held = held_for(roll, now);
  std::string text = cause(roll.findings);
  if (text.empty()) text = "The round did not end in a release.";
  text += fmt::format(" Held {}, {} so far.", duration_words(held), cost(roll, held));
  const StageFinding* first = first_failure(roll.findings);
  if (first != nullptr) text += fmt::format(" Owner: {}.", first->finding.owner);
  if (roll.next_round_at) text += fmt::format(" Next round at {}, in place.", time_of_day(*roll.next_round_at));
  const auto left = std::chrono::seconds{roll.spec.settings.hold_seconds} - held;
  text += fmt::format(" After {} more of hold the attempt ends and the {} are given back.", duration_words(left),
                      roll.spec.gpus_per_pod > 0 ? "GPUs" : "pods' places");
  if (roll.override_reason) {
    text += fmt::format(" A person released the job ({}): it starts as soon as every pod shows the address.",
                        *roll.override_reason);
  } else {
    if (first != nullptr)
      text += fmt::format(" Next: {}. Is releasing it anyway safe? {}.", next_command(roll, first->finding),
                          override_safe(first->finding));
    text += " Release anyway: " + release_command(roll) + ".";
  }
  return text;
}

std::string verdict_story(const Roll& roll) {
  const auto& verdict = *roll.verdict;
  std::string text =
      fmt::format("{}: {}",
                  verdict.kind == api::VerdictKind::Released
                      ? std::string("Released")
                      : fmt::format("Ended ({})", verdict.reason ? to_string(*verdict.reason) : "no reason given"),
                  full_stop(verdict.message));
  for (const Pod& pod : roll.pods) {
    if (!pod.started_anew) continue;
    text += fmt::format(" The probe of {} started anew after the release: the attempt cannot go on.", who(pod));
    break;
  }
  return text;
}

}  // namespace

std::size_t mute_count(const Roll& roll, TimePoint now) {
  return static_cast<std::size_t>(
      std::count_if(roll.pods.begin(), roll.pods.end(), [&](const Pod& pod) { return is_mute(pod, now); }));
}

std::vector<api::NodeFinding> mute_findings(const Roll& roll, TimePoint now) {
  std::vector<const Pod*> mute;
  for (const Pod& pod : roll.pods) {
    if (is_mute(pod, now)) mute.push_back(&pod);
  }
  if (mute.empty()) return {};
  auto longest = std::chrono::milliseconds{0};
  api::NodeFinding finding{"probe/mute", "warn", "", {}, "network"};
  for (const Pod* pod : mute) {
    longest = std::max(longest, now - *pod->started_at);
    finding.node_ranks.push_back(pod->node_rank);
  }
  finding.message = fmt::format(
      "probe running on {} but mute for {}: egress policy in namespace {}? Allow TCP from the job's pods to the desk's "
      "Service {} (its ClusterIP "
      "and port, and the desk's pods behind it); the probe's log says what it tried: kubectl logs {} -c {} -n {}",
      listed(mute, who_briefly), duration_words(longest), roll.namespace_name, api::names::kDeskService,
      mute.front()->name, api::names::kProbe, roll.namespace_name);
  return {finding};
}

std::vector<api::NodeFinding> missing_findings(const Roll& roll, TimePoint now) {
  std::vector<api::NodeFinding> findings = mute_findings(roll, now);
  for (auto& finding : findings) finding.severity = "fail";
  std::vector<std::string> lost;
  std::vector<std::string> late;
  std::vector<int> lost_ranks;
  std::vector<int> late_ranks;
  for (const Pod& pod : roll.pods) {
    const bool mute = !findings.empty() && std::count(findings.front().node_ranks.begin(),
                                                      findings.front().node_ranks.end(), pod.node_rank) > 0;
    if (pod.gone()) {
      lost.push_back(who(pod));
      lost_ranks.push_back(pod.node_rank);
    } else if (!mute && (!pod.heard() || pod.address().empty())) {
      late.push_back(why_waiting(pod, now));
      late_ranks.push_back(pod.node_rank);
    } else if (!mute && roll.at > 0 && !pod.seen) {
      late.push_back(fmt::format("{} does not show the address", who_briefly(pod)));
      late_ranks.push_back(pod.node_rank);
    }
  }
  if (!lost.empty()) {
    findings.push_back({"pod/lost", "fail",
                        fmt::format("{} {} gone; the operator ends the attempt and starts the next one", listed(lost),
                                    lost.size() == 1 ? "is" : "are"),
                        lost_ranks, "cluster"});
  }
  if (!late.empty()) findings.push_back({"probe/missing", "fail", listed(late), late_ranks, "node"});
  if (findings.empty()) {
    findings.push_back(
        {"round/timeout",
         "fail",
         fmt::format("timeoutSeconds ({} s) is over, though every probe answers", roll.spec.settings.timeout_seconds),
         {},
         "cluster"});
  }
  return findings;
}

namespace {

std::string release_words(const Roll& roll) {
  const std::string address = fmt::format("MASTER_ADDR is {}, MASTER_PORT {}", roll.master_addr, roll.spec.master_port);
  const std::string all = counted(roll.pods.size(), "node", "nodes");
  if (roll.override_reason)
    return fmt::format("by a person ({}), with the address seen on {}. {}", *roll.override_reason,
                       roll.nnodes() == 1 ? "the one node" : "all " + all, address);
  if (roll.mode == api::RollCallMode::Off)
    return fmt::format("mode is Off: {} see the address, nothing else was checked. {}", all, address);
  const std::size_t bad = failures(roll.findings);
  if (bad > 0)
    return fmt::format("mode is Observe: released in spite of {}: {} {}", counted(bad, "finding", "findings"),
                       cause(roll.findings), address);
  return fmt::format("{} the address. {}",
                     roll.nnodes() == 1 ? "the one node answered, passed every stage that ran and sees"
                                        : "all " + all + " answered, passed every stage that ran and see",
                     address);
}

std::string end_words(const Roll& roll, api::EndReason reason, TimePoint now) {
  const std::string places = roll.spec.gpus_per_pod > 0 ? "GPUs" : "pods' places";
  switch (reason) {
    case api::EndReason::PodsNotStarted: {
      std::vector<const Pod*> late;
      for (const Pod& pod : roll.pods) {
        if (!pod.started_at) late.push_back(&pod);
      }
      return fmt::format(
          "{} of {} nodes were ready {} s after the first pod was scheduled (waitForPodsSeconds); {} Nothing was "
          "started; the {} are given back",
          roll.pods.size() - late.size(), roll.nnodes(), roll.spec.settings.wait_for_pods_seconds,
          full_stop(why_waiting_for(late, now)), places);
    }
    case api::EndReason::HoldExpired:
      return fmt::format("held for {} s in all (holdSeconds), {}: {} The {} are given back",
                         roll.spec.settings.hold_seconds, cost(roll, held_for(roll, now)), cause(roll.findings),
                         places);
    case api::EndReason::JobsOwnCause: {
      const auto own = std::find_if(roll.findings.begin(), roll.findings.end(),
                                    [](const StageFinding& each) { return each.jobs_own; });
      return own == roll.findings.end() ? cause(roll.findings) : own->finding.message;
    }
    case api::EndReason::AddressChanged:
      return fmt::format(
          "the address of node rank 0 changed from {} to {} during the roll call: ranks that have the former one would "
          "wait for ever",
          roll.first_address, roll.changed_address);
    default:
      return std::string(to_string(reason));
  }
}

}  // namespace

std::string release_message(const Roll& roll) { return marked(roll, release_words(roll)); }

std::string end_message(const Roll& roll, api::EndReason reason, TimePoint now) {
  return marked(roll, end_words(roll, reason, now));
}

std::string story(const Roll& roll, TimePoint now) {
  std::string text;
  if (roll.verdict) {
    text = verdict_story(roll);
  } else if (roll.verdict_asked) {
    text = marked(roll, "the verdict is being written.");
  } else if (roll.phase == Phase::Held) {
    text = marked(roll, hold_story(roll, now));
  } else if (roll.at == 0) {
    text = gathering_story(roll, now);
  } else if (roll.at >= kStages) {
    text = marked(roll, "every stage has ended; the verdict is written as soon as the API server takes it.");
  } else {
    text = marked(roll, stage_story(roll));
  }
  if (text.size() > kMaxStory) {
    std::size_t end = kMaxStory;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text.resize(end);
    text += "…";
  }
  return text;
}

}  // namespace rollcall::roll_call
