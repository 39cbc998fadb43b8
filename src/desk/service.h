#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "desk/calls/call.h"
#include "desk/rosters.h"
#include "desk/token/gate.h"
#include "desk/work/timers.h"
#include "desk/work/workers.h"
#include "kube/client.h"
#include "kube/queue.h"
#include "serve/server.h"
#include "telemetry/log.h"

namespace rollcall::desk {

/// Where the desk's numbers go; each may be called from any thread. Absent = not counted.
struct Numbers {
  std::function<void(std::string_view outcome)> answer = {};
  std::function<void(std::string_view what, std::string_view result)> asked = {};
  std::function<void(std::string_view result)> write = {};
  std::function<void(const api::Verdict&)> verdict = {};
  std::function<void(const api::StageLine&)> stage = {};  ///< a stage of a round came to its end
};

/// The desk between its three neighbours: probes (through serve/), the API server (through kube/), and one state
/// machine for each RollCall (roll_call/). Any thread.
class Service {
 public:
  struct Options {
    std::function<TimePoint()> now;  ///< wall clock
    /// Whether this desk leads NOW; asked before each reply and each write, from any thread. Absent: it leads from the
    /// start, in `term`. Else it stands by until lead().
    std::function<bool()> leading = {};
    std::function<std::string()> leader = {};  ///< whose the lead is, for the words of a refusal
    std::int64_t term = 0;                     ///< orders this process's rounds after those of the processes before it
    std::function<std::string()> nonce_seed;   ///< 16 fresh random bytes in hex
    ReviewRates rates = {};
    std::chrono::milliseconds hold{20'000};
    std::chrono::milliseconds write_every{1'000};
    /// A refusal is told only then: who forges tokens as fast as it is answered gets one answer a second on each
    /// connection. A probe that is refused waits longer by itself.
    std::chrono::milliseconds refusal_pause{1'000};
    int review_threads = 4;
    int write_threads = 2;
    Numbers numbers = {};
  };

  Service(kube::Client& client, Options options);
  ~Service();  ///< stop()

  // From the watches. Before both have listed once (`synced`), a pod or roster that is not there means nothing.
  void roll_call_changed(const nlohmann::json& object);
  void roll_call_removed(const std::string& ns, const std::string& name, const std::string& uid);
  void pod_changed(const nlohmann::json& object);
  void pod_removed(const std::string& ns, const std::string& name, const std::string& uid);
  void synced();  ///< both lists are complete

  /// The lead is won: the state machines of all RollCalls that stand are made, in this term. Once.
  void lead(std::int64_t term);

  /// `POST /v1/answer`; anything else is refused. Never blocks.
  void handle(serve::Request request, serve::Respond respond);

  /// Held replies get their instruction; later ones are not held. Before the server's stop.
  void let_go();
  /// Ends all threads. What was not written is written by the next process: its state comes back with the next answers.
  /// After the server's stop.
  void stop();

  struct Figures {
    std::size_t roll_calls = 0, calls = 0, pods = 0, held = 0;
  };
  Figures figures() const;

 private:
  using CallPtr = std::shared_ptr<Call>;
  bool leads() const { return !options_.leading || options_.leading(); }
  serve::Response not_leading() const;
  void take(const std::string& key, const api::RollCall& roll_call, const nlohmann::json& object);
  CallPtr call(const std::string& key) const;
  std::vector<CallPtr> calls() const;
  void pod_changed_to(const roll_call::PodView& view);
  void admitted(const Judgement& judgement, const std::string& body, serve::Respond respond);
  void judged(Judgement judgement, const std::string& body, const std::string& peer, const serve::Respond& respond);
  void count(Outcome outcome) const;
  void write_loop();
  void sweep();

  kube::Client& client_;
  const Options options_;
  Rosters rosters_;
  Timers timers_;
  Workers workers_;
  kube::WorkQueue writes_;
  Gate gate_;
  CallContext context_;
  log::Sparingly refusals_{std::chrono::seconds(10)};

  std::mutex intake_;  // one RollCall is taken in at a time: by the watch, or when the lead is won. Before mutex_.
  bool standing_by_;   // under intake_
  /// While standing by: RollCalls that are not over, as JSON text. A tree of one takes ten times as much.
  std::map<std::string, std::string> standing_;

  mutable std::mutex mutex_;
  std::map<std::string, CallPtr> calls_;  // by namespace/name
  std::map<std::string, std::string>
      bad_;  // RollCalls that cannot be read: resourceVersion, so that each is logged once
  bool synced_ = false;
  bool letting_go_ = false;
  bool stopped_ = false;
  std::vector<std::thread> writers_;
};

}  // namespace rollcall::desk
