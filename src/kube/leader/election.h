#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "kube/leader/lease.h"
#include "kube/leader/times.h"

namespace rollcall::kube {

/// Who leads, as a pure state machine: told what the API server answered and what a monotonic clock says, it names the
/// next call. client-go's rules, stricter in three places:
///  - whoever leads and sees another's name (or none) in the Lease has lost at once, not after the renew deadline;
///  - a Lease that was deleted counts as unchanged, so that a deletion does not make two leaders;
///  - a Lease made anew goes on counting transitions where the one we knew ended.
/// Not thread-safe.
class Election {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;  ///< of whichever monotonic clock the caller reads

  enum class Act { Get, Create, Update, Wait, Lost };
  struct Step {
    Act act = Act::Get;
    LeaseRecord record = {};            ///< to write; an empty acquire_time and renew_time mean now
    std::chrono::milliseconds wait{0};  ///< before next() is asked again
    std::string why = {};               ///< of Lost
  };

  /// `random` gives values in [0, 1).
  Election(std::string identity, LeaseTimes times, std::function<double()> random);

  /// What to do now. Each Get, Create or Update is followed by one of the reports below.
  Step next(TimePoint now);

  void read(const LeaseRecord& record, TimePoint now);  ///< to Get
  void missing(TimePoint now);                          ///< to Get and Update: there is no such Lease
  /// To Create and Update. `sent` is a time before the call began: from it our lead is counted, since others count
  /// theirs from when they see what we wrote.
  void wrote(const LeaseRecord& record, TimePoint sent);
  /// To Create (AlreadyExists) and Update (Conflict): someone was first. It may be our own first sending.
  void beaten(const std::string& why);
  /// To any: no answer, or a refusal. Whether a write was done is unknown.
  void failed(const std::string& why);

  bool leading(TimePoint now) const { return until_ && now < *until_ && !lost_; }
  /// Whether anyone but the holder may write its own name into the Lease as we last saw it.
  bool may_take(TimePoint now) const;
  std::int64_t transitions() const { return transitions_; }
  std::string holder() const { return observed_ ? observed_->holder : std::string(); }

  /// The record that gives the Lease back; nullopt when it is not ours any more. Nothing is led from then on.
  std::optional<LeaseRecord> resign(TimePoint now);

 private:
  enum class Plan { Get, Create, Update, Rest };
  bool ours() const { return until_.has_value(); }
  void observe(const LeaseRecord& record, TimePoint now);
  LeaseRecord mine() const;
  void lose(std::string why);

  const std::string identity_;
  const LeaseTimes times_;
  const std::function<double()> random_;

  Plan plan_ = Plan::Get;
  bool slow_ = false;  ///< this try already began anew with a Get
  std::optional<LeaseRecord> observed_;
  TimePoint observed_at_{};         ///< when observed_ was first seen as it is
  std::optional<TimePoint> until_;  ///< we lead until then; set by the first write that succeeded
  std::int64_t transitions_ = 0;    ///< of our own term
  std::string acquired_;            ///< acquire_time of our own term
  std::string last_failure_;
  std::optional<std::string> lost_;
};

}  // namespace rollcall::kube
