#include "kube/leader/election.h"

#include <fmt/format.h>

#include <algorithm>

namespace rollcall::kube {
namespace {

/// Longest duration we believe of a Lease. One that claims more is none of ours (default 15 s) and could keep everybody
/// from leading by one write; then our own time counts.
constexpr std::chrono::hours kLongestLease{1};

/// int32 in the API, which refuses a write of more: somebody's edit of the Lease must not keep everybody from leading.
constexpr std::int64_t kMostTransitions = INT32_MAX;

std::string words(std::chrono::milliseconds time) {
  return time.count() % 1000 == 0 ? fmt::format("{} s", time.count() / 1000) : fmt::format("{} ms", time.count());
}

}  // namespace

Status check(const LeaseTimes& times) {
  if (times.retry.count() <= 0)
    return Error{fmt::format("the retry period is {}; it must be more than 0", words(times.retry))};
  if (times.lease <= times.renew)
    return Error{
        fmt::format("the lease duration ({}) must be longer than the renew deadline ({}): else another leads "
                    "while this one still believes that it does",
                    words(times.lease), words(times.renew))};
  if (std::chrono::duration<double>(times.renew) <= std::chrono::duration<double>(times.retry) * kLeaseJitter)
    return Error{
        fmt::format("the renew deadline ({}) must be longer than {} times the retry period ({}): else one "
                    "missed renewal ends the lead",
                    words(times.renew), kLeaseJitter, words(times.retry))};
  return Done{};
}

Election::Election(std::string identity, LeaseTimes times, std::function<double()> random)
    : identity_(std::move(identity)), times_(times), random_(std::move(random)) {}

Election::Step Election::next(TimePoint now) {
  if (ours() && !lost_ && now >= *until_)
    lose(fmt::format("the lease was not renewed for {}{}", words(times_.renew),
                     last_failure_.empty() ? "" : "; last: " + last_failure_));
  if (lost_) return {Act::Lost, {}, {}, *lost_};
  switch (plan_) {
    case Plan::Get:
      return {Act::Get};
    case Plan::Create:
      return {Act::Create, mine()};
    case Plan::Update:
      return {Act::Update, mine()};
    case Plan::Rest:
      break;
  }
  slow_ = false;
  plan_ = ours() ? Plan::Update : Plan::Get;
  if (!ours())
    return {Act::Wait,
            {},
            std::chrono::duration_cast<std::chrono::milliseconds>(times_.retry * (1 + kLeaseJitter * random_()))};
  // The end of our lead is not slept through.
  return {Act::Wait, {}, std::min(times_.retry, std::chrono::ceil<std::chrono::milliseconds>(*until_ - now))};
}

LeaseRecord Election::mine() const {
  LeaseRecord record;
  record.holder = identity_;
  record.duration = std::chrono::ceil<std::chrono::seconds>(times_.lease);  // as it will be read back
  if (ours()) {
    record.transitions = transitions_;
    record.acquire_time = acquired_;
  } else if (observed_) {
    // Also when our own name stands there: an earlier try of ours whose outcome we did not hear.
    record.transitions = std::min(observed_->transitions + 1, kMostTransitions);
  }
  return record;
}

void Election::observe(const LeaseRecord& record, TimePoint now) {
  if (observed_ == record) return;
  observed_ = record;
  observed_at_ = now;
}

bool Election::may_take(TimePoint now) const {
  if (!observed_ || observed_->holder.empty() || observed_->holder == identity_) return true;
  const bool believable = observed_->duration.count() > 0 && observed_->duration <= kLongestLease;
  return now - observed_at_ >= (believable ? observed_->duration : times_.lease);
}

void Election::read(const LeaseRecord& record, TimePoint now) {
  observe(record, now);
  if (ours() && record.holder != identity_) {
    return lose(record.holder.empty() ? "the lease was emptied by another" : "the lease is held by " + record.holder);
  }
  plan_ = may_take(now) ? Plan::Update : Plan::Rest;
}

void Election::missing(TimePoint now) { plan_ = ours() || may_take(now) ? Plan::Create : Plan::Rest; }

void Election::wrote(const LeaseRecord& record, TimePoint sent) {
  observe(record, sent);
  until_ = sent + times_.renew;
  transitions_ = record.transitions;
  acquired_ = record.acquire_time;
  last_failure_.clear();
  plan_ = Plan::Rest;
}

void Election::beaten(const std::string& why) {
  last_failure_ = why;
  // The leader looks at once who it was. The others look too when they meant to create it: it may be our own sending.
  const bool look = !slow_ && (ours() || plan_ == Plan::Create);
  slow_ = true;
  plan_ = look ? Plan::Get : Plan::Rest;
}

void Election::failed(const std::string& why) {
  last_failure_ = why;
  plan_ = Plan::Rest;
}

void Election::lose(std::string why) { lost_ = std::move(why); }

std::optional<LeaseRecord> Election::resign(TimePoint now) {
  const bool held = leading(now);
  LeaseRecord record = mine();
  lose("the lease was given back");
  if (!held) return std::nullopt;
  record.holder.clear();
  record.duration = std::chrono::seconds(1);
  return record;
}

}  // namespace rollcall::kube
