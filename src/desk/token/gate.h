#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "desk/rosters.h"
#include "desk/token/caps.h"
#include "desk/token/judge.h"
#include "desk/token/review_cache.h"
#include "desk/work/workers.h"
#include "kube/client.h"

namespace rollcall::desk {

/// What the gate came to about one caller.
struct Judgement {
  Outcome outcome = Outcome::Malformed;
  Claims claims;  ///< untrusted unless Admitted, FormerAttempt
  Known known;
  std::string message;  ///< for the caller
};

/// Judges tokens, and gets what the judgement needs: the cluster's keys and TokenReviews, on worker threads, both
/// rate-limited and remembered. Any thread.
class Gate {
 public:
  struct Options {
    std::function<TimePoint()> now;
    ReviewRates rates = {};
    /// The key set is read again for a key it lacks at most this often: a stranger may name any key.
    std::chrono::seconds keys_every{10};
    /// Told the result of each question to the API server: "review" or "keys", and Good, Refused, Error.
    std::function<void(std::string_view what, std::string_view result)> on_asked = {};
  };
  using Done = std::function<void(Judgement)>;

  /// All of them outlive the gate's last callback: stop the workers first.
  Gate(kube::Client& client, Rosters& rosters, Workers& workers, Options options);

  /// `done` is called once, on this thread or a worker's.
  void admit(const std::string& authorization, const std::string& peer, Done done);

 private:
  struct Case {
    std::string token, hash, peer;
    Claims claims;
    Done done;
    bool keys_fresh = false;
    std::optional<Review> review;
  };
  using CasePtr = std::shared_ptr<Case>;

  void go_on(const CasePtr& caller);
  void need_keys(const CasePtr& caller);
  void need_review(const CasePtr& caller, const Known& known);
  void read_keys();
  void ask_review(const CasePtr& caller);
  void reviewed(const std::string& hash, const std::optional<Review>& review);
  void finish(const CasePtr& caller, Outcome outcome, const Known& known);
  void asked(std::string_view what, std::string_view result) const;

  kube::Client& client_;
  Rosters& rosters_;
  Workers& workers_;
  const Options options_;

  std::mutex mutex_;
  std::shared_ptr<const KeySet> keys_;
  TimePoint keys_asked_{};
  bool keys_asking_ = false;
  std::vector<CasePtr> waiting_for_keys_;
  ReviewCache reviews_;
  ReviewCaps caps_;
  std::unordered_map<std::string, std::vector<CasePtr>> in_review_;  // by token hash: one review for all who wait
};

}  // namespace rollcall::desk
