#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/roll_call.h"
#include "desk/work/timers.h"
#include "kube/client.h"
#include "roll_call/desk.h"

namespace rollcall::desk {

using roll_call::TimePoint;

/// What every call shares; outlives them.
struct CallContext {
  Timers& timers;
  std::function<TimePoint()> now;
  std::function<void(const std::string& key)> want_write;  ///< queue write() for this call; must not block
  std::function<bool()> leading;                           ///< asked before each write
  std::int64_t term = 0;
  std::function<std::string()> nonce_seed;       ///< fresh randomness: the pods of a job are told what is made of it
  std::chrono::milliseconds hold{20'000};        ///< longest a reply is held
  std::chrono::milliseconds write_every{1'000};  ///< between status writes of one RollCall
  std::function<void(const api::Verdict&)> on_verdict = {};  ///< one of ours was stored
  std::function<void(std::string_view result)> on_write = {};
  std::function<void(const api::StageLine&)> on_stage = {};  ///< a stage of a round came to its end
};

/// One RollCall: the state machine, the replies it holds, and its writes. Events reach the state machine one at a time
/// under the call's lock; replies and API calls are made outside it. Any thread.
class Call : public std::enable_shared_from_this<Call> {
 public:
  using Send = std::function<void(const roll_call::Instruction&)>;

  Call(CallContext& context, std::string key, const api::RollCall& stored);
  /// Feeds what was known before: the RollCall's annotations, pods of the roster. Once. `pods` is called under the
  /// call's lock, so that no newer view of a pod can come in between and be overwritten by an older one.
  void begin(const nlohmann::json& object, const std::function<std::vector<roll_call::PodView>()>& pods);

  /// The RollCall as the watch or a reply of the API server has it. Older than what we hold: passed over.
  void stored(const nlohmann::json& object);
  void pod(const roll_call::PodView& pod);
  /// Of a reviewed pod of this roster. `send` is called once: now, when the instruction changes, or after `hold`.
  void answer(const roll_call::Answer& answer, Send send);
  /// The RollCall is gone: held replies get `Step::End` with this message; nothing is written any more.
  void deleted(const std::string& message);
  /// The program ends: held replies get their instruction now.
  void let_go();

  /// Writes what wants writing; blocks. Not by two threads at a time (the work queue sees to it). Returns when to come
  /// again.
  std::optional<std::chrono::milliseconds> write(kube::Client& client);

  const std::string& uid() const { return uid_; }
  std::size_t held() const;
  /// The verdict is stored, nothing waits to be written, no reply is held: the call may be let go of.
  bool finished() const;
  /// What a pod of the roster is told now.
  std::optional<roll_call::Instruction> instruction_for(const std::string& pod_uid) const;

 private:
  using Clock = Timers::Clock;
  struct Held {
    Send send;
    roll_call::Instruction when_held;
    Clock::time_point until;
  };
  using Outbox = std::vector<std::pair<Send, roll_call::Instruction>>;

  // Under the lock:
  void feed(const roll_call::Event& event, Outbox& out);
  void adopt(const nlohmann::json& object, Outbox& out);
  void tell_changed(Outbox& out, bool at_once);
  void wake_at(TimePoint when);
  void look_at_held_at(Clock::time_point when);
  nlohmann::json body(const api::RollCallStatus& status, const api::Verdict* verdict) const;
  void count_stages(const api::RollCallStatus& status);

  // Without it:
  static void deliver(const Outbox& out);
  std::optional<std::chrono::milliseconds> write_verdict(kube::Client& client, api::Verdict verdict);
  std::optional<std::chrono::milliseconds> write_status(kube::Client& client);
  std::chrono::milliseconds later();
  void wrote(std::string_view result) const;

  CallContext& context_;
  const std::string key_, namespace_, name_, uid_;

  mutable std::mutex mutex_;
  roll_call::Desk desk_;
  std::string resource_version_;  // of the RollCall as last read
  nlohmann::json others_;         // status fields of the other writer, and the verdict: go back byte for byte
  api::RollCallMode mode_of_spec_;
  std::map<std::string, Held> held_;  // by pod uid
  std::string override_;
  std::optional<api::RollCallMode> mode_;
  bool verdict_told_ = false;  // to the state machine
  bool closed_ = false;
  bool letting_go_ = false;

  bool status_wanted_ = false;
  std::optional<api::Verdict> verdict_wanted_;
  std::size_t status_written_ = 0;  // hash of the text
  std::string address_written_;     // MASTER_ADDR in the status that is stored
  std::string stages_counted_of_;   // round
  std::set<std::string> stages_counted_;
  std::optional<Clock::time_point> last_write_;
  int failures_ = 0;
  std::optional<Clock::time_point> not_before_;  // after a failure

  std::optional<TimePoint> tick_at_;
  std::optional<Clock::time_point> look_at_;
  Clock::time_point looked_{};
};

}  // namespace rollcall::desk
