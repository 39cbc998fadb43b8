#include "roll_call/desk.h"

#include <algorithm>

#include "roll_call/deadlines.h"
#include "roll_call/hear.h"
#include "roll_call/orders.h"
#include "roll_call/rounds.h"
#include "roll_call/status.h"
#include "roll_call/story.h"

namespace rollcall::roll_call {
namespace {

Roll roll_of(const api::RollCall& stored, std::int64_t term, std::string seed, TimePoint now) {
  Roll roll;
  roll.spec = stored.spec;
  roll.namespace_name = stored.meta.namespace_name;
  roll.seed = std::move(seed);
  roll.mode = stored.spec.settings.mode;
  roll.round = {term, 0};
  roll.clock_from = now;

  std::sort(roll.spec.roster.begin(), roll.spec.roster.end(),
            [](const auto& a, const auto& b) { return a.node_rank < b.node_rank; });
  for (const auto& entry : roll.spec.roster) {
    Pod pod;
    // The operator writes 0 … nnodes-1 without a gap; counting makes the index the node rank whatever stands there.
    pod.node_rank = static_cast<int>(roll.pods.size());
    pod.uid = entry.uid;
    pod.name = entry.pod;
    pod.ranks = api::ranks_of(pod.node_rank, roll.spec.nproc_per_node);
    roll.index_of_uid[pod.uid] = roll.pods.size();
    roll.pods.push_back(std::move(pod));
  }

  // What a desk before us knew and others have acted on.
  roll.master_addr = stored.status.master_addr;
  if (!roll.spec.master_addr) roll.first_address = roll.master_addr;
  roll.called_at = rfc3339_from(stored.status.started_at);
  roll.held_before =
      std::chrono::milliseconds{static_cast<std::int64_t>(std::clamp(stored.status.held_seconds, 0.0, 1e9) * 1000)};
  if (const auto held_since = rfc3339_from(stored.status.held_since); held_since && *held_since < now)
    roll.held_before += now - *held_since;
  if (stored.status.report) {
    roll.simulated = stored.status.report->simulated;
    for (auto moment : stored.status.report->timeline) {
      if (moment.kind != "Held" || roll.past.size() >= kMaxPast) continue;
      const auto at = rfc3339_from(moment.at);
      // One that the desk before us did not see the end of.
      if (moment.seconds == 0 && at) moment.seconds = std::max(0.0, std::chrono::duration<double>(now - *at).count());
      roll.past.push_back(std::move(moment));
    }
  }

  roll.stages.assign(kStages, StageRun{});
  if (stored.status.verdict) {
    roll.record = stored.status;
    take_verdict(roll, *stored.status.verdict, now);
  } else if (!roll.pods.empty()) {
    begin_round(roll, now, true);
  }
  return roll;
}

/// The message, when something changed or the words have aged. A message that says the same is not worth a write.
void refresh_words(Roll& roll, TimePoint now) {
  const bool large = roll.nnodes() > kWordsAtOnce && !roll.orders_changed && !roll.write_verdict;
  if (large && now >= roll.words_at && now - roll.words_at < kWordsPause) return;
  const bool waiting = roll.phase == Phase::Round && roll.at == 0 && !roll.verdict;
  const std::size_t mute = waiting && !roll.status_changed ? mute_count(roll, now) : roll.mute_known;
  const bool aged = !roll.verdict && now - roll.words_at >= kWordsRefresh;
  if (!roll.status_changed && !roll.orders_changed && !aged && mute == roll.mute_known) return;
  std::string words = story(roll, now);
  if (words != roll.message) roll.status_changed = true;
  roll.message = std::move(words);
  roll.words_at = now;
  roll.mute_known = waiting ? mute_count(roll, now) : 0;
}

}  // namespace

struct Desk::State {
  Roll roll;
};

Desk::Desk(const api::RollCall& stored, std::int64_t term, std::string nonce_seed, TimePoint now)
    : state_(std::make_unique<State>(State{roll_of(stored, term, std::move(nonce_seed), now)})) {
  state_->roll.message = story(state_->roll, now);
  state_->roll.words_at = now;
}

Desk::~Desk() = default;
Desk::Desk(Desk&&) noexcept = default;
Desk& Desk::operator=(Desk&&) noexcept = default;

Instructions Desk::hear(const Event& event, TimePoint now) {
  Roll& roll = state_->roll;
  if (roll.pods.empty()) return {};  // an empty roster calls nobody
  roll.status_changed = roll.orders_changed = false;
  roll.write_verdict.reset();

  struct Take {
    Roll& roll;
    TimePoint now;
    void operator()(const AnswerHeard& heard) const { take_answer(roll, heard.answer, now); }
    void operator()(const PodSeen& seen) const { take_pod(roll, seen.pod, now); }
    void operator()(const Overridden& overridden) const { take_override(roll, overridden.reason, now); }
    void operator()(const ModeChanged& changed) const { take_mode(roll, changed.mode, now); }
    void operator()(const VerdictStored& stored) const { take_verdict(roll, stored.stored, now); }
    void operator()(const VerdictWriteFailed&) const { verdict_write_failed(roll, now); }
    void operator()(const Tick&) const {}
  };
  std::visit(Take{roll, now}, event);
  advance(roll, now);

  refresh_words(roll, now);
  if (roll.record) roll.status_changed = false;
  return {roll.status_changed, roll.orders_changed, roll.write_verdict, next_wake(roll, now)};
}

std::optional<Instruction> Desk::instruction_for(const std::string& pod_uid, TimePoint) const {
  const Pod* pod = state_->roll.find(pod_uid);
  if (pod == nullptr) return std::nullopt;
  return order_for(state_->roll, *pod);
}

api::RollCallStatus Desk::status(TimePoint now) const { return status_of(state_->roll, now); }

const std::string& Desk::master_addr() const { return state_->roll.master_addr; }

}  // namespace rollcall::roll_call
