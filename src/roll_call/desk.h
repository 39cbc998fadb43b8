#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/roll_call.h"
#include "base/time_text.h"
#include "roll_call/messages.h"

/// One roll call, from the first answer to its one verdict, as a pure state machine: no I/O, no clock, no thread. The
/// adapter in desk/ feeds it events one at a time and does what it says.
namespace rollcall::roll_call {

/// Wall-clock time; only differences are used for decisions, the text form goes into the status.
using TimePoint = WallTime;

/// What the API server says of a pod of the roster.
struct PodView {
  std::string uid;
  std::string name;
  std::string node;            ///< empty = not scheduled
  std::string address;         ///< podIPs[0]; empty = none yet
  bool gone = false;           ///< deleted, deleting, or phase Failed/Succeeded before release
  bool probe_running = false;  ///< the init container `rollcall` runs
  std::string waiting;         ///< the scheduler's or kubelet's words while it does not
  std::string state;           ///< Unscheduled, Pulling, Starting, Running, Gone
  std::optional<TimePoint> created_at;
  std::optional<TimePoint> scheduled_at;
  std::optional<TimePoint> install_started_at;  ///< the installer, the first container: sandbox and volumes stand
  /// The last init container before the probe has ended: from here the job's image is pulled and the probe made.
  std::optional<TimePoint> pull_from;
  std::optional<TimePoint> probe_started_at;
};

// What the desk can hear.
struct AnswerHeard {
  Answer answer;
};  ///< uid already reviewed and of this roster
struct PodSeen {
  PodView pod;
};
struct Overridden {
  std::string reason;
};  ///< a person said: release
struct ModeChanged {
  api::RollCallMode mode;
};
/// The API server's word on the verdict we asked to write: won (it is stored), or lost to another writer (`stored` is
/// theirs).
struct VerdictStored {
  api::Verdict stored;
};
/// The write neither won nor lost; the desk asks for it again.
struct VerdictWriteFailed {
  std::string why;
};
struct Tick {};
using Event = std::variant<AnswerHeard, PodSeen, Overridden, ModeChanged, VerdictStored, VerdictWriteFailed, Tick>;

/// What to do after an event. Replies are not listed: the adapter asks instruction_for(uid) and holds a reply while it
/// is Wait and stays the same order (same_order() of messages.h: a change of words alone does not end the hold).
struct Instructions {
  bool status_changed =
      false;  ///< status() differs from before; write it, at most once a second, a new master_addr() at once
  /// The order of pods other than the one just heard may differ: ask instruction_for() again for every held reply. Else
  /// only the pod just heard needs asking, which keeps 1,000 answers from costing 1,000,000 looks.
  bool orders_changed = false;
  std::optional<api::Verdict> write_verdict;  ///< write this by compare-and-swap, then tell VerdictStored
  std::optional<TimePoint> wake_at;           ///< Tick is wanted then at the latest
};

class Desk {
 public:
  /// `stored` is the RollCall as read: a verdict in it is told at once, without rebuilding the roll. `term` is the
  /// leader's number of lease transitions; `nonce_seed` makes the rounds' nonces: 16 random bytes in hex, fresh
  /// for every Desk, because the pods of this job are told it.
  Desk(const api::RollCall& stored, std::int64_t term, std::string nonce_seed, TimePoint now);
  ~Desk();
  Desk(Desk&&) noexcept;
  Desk& operator=(Desk&&) noexcept;

  /// The same answers in any order lead to the same verdict.
  Instructions hear(const Event& event, TimePoint now);

  /// For a uid of the roster; nullopt for any other. Does not change the desk.
  std::optional<Instruction> instruction_for(const std::string& pod_uid, TimePoint now) const;

  api::RollCallStatus status(TimePoint now) const;

  /// As in status(), at no cost; empty until node rank 0 was heard. All trainers wait until their kubelets show it.
  const std::string& master_addr() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rollcall::roll_call
