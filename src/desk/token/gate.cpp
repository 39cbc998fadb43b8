#include "desk/token/gate.h"

#include "telemetry/log.h"

namespace rollcall::desk {
namespace {

/// Callers that wait for the same review or for keys; more is no cluster's start but a flood.
constexpr std::size_t kMostWaiting = 5'000;
constexpr std::size_t kMostWaitingForOneReview = 4;

}  // namespace

Gate::Gate(kube::Client& client, Rosters& rosters, Workers& workers, Options options)
    : client_(client), rosters_(rosters), workers_(workers), options_(std::move(options)), caps_(options_.rates) {}

void Gate::admit(const std::string& authorization, const std::string& peer, Done done) {
  auto caller = std::make_shared<Case>();
  caller->peer = peer;
  caller->done = std::move(done);
  auto token = bearer_token(authorization);
  if (!token) {
    caller->done({Outcome::NoToken, {}, {}, token.error().message});
    return;
  }
  auto claims = claims_of(*token);
  if (!claims) {
    caller->done({Outcome::Malformed, {}, {}, claims.error().message});
    return;
  }
  caller->hash = token_hash(*token);
  caller->token = std::move(*token);
  caller->claims = std::move(*claims);
  go_on(caller);
}

void Gate::go_on(const CasePtr& caller) {
  const TimePoint now = options_.now();
  std::shared_ptr<const KeySet> keys;
  bool fresh = caller->keys_fresh;
  {
    const std::lock_guard lock(mutex_);
    keys = keys_;
    if (!caller->review) caller->review = reviews_.find(caller->hash, now);
    // A set that was read just now is as fresh as we may ask for.
    fresh = fresh || (!keys_asking_ && now - keys_asked_ < options_.keys_every);
  }
  // A good review of this very token includes its signature.
  const bool vouched = caller->review && caller->review->authenticated;
  const Signature signature = vouched ? Signature::Good : keys ? keys->verify(caller->claims) : Signature::NotChecked;
  const Known known = rosters_.know(caller->claims.pod_uid, signature == Signature::Good, now);
  const Outcome outcome = judge(caller->claims, signature, fresh, caller->review, known, now);
  if (outcome == Outcome::KeysNeeded) return need_keys(caller);
  if (outcome == Outcome::ReviewNeeded) return need_review(caller, known);
  finish(caller, outcome, known);
}

void Gate::need_keys(const CasePtr& caller) {
  bool refused = false;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_for_keys_.size() >= kMostWaiting) {
      refused = true;
    } else {
      waiting_for_keys_.push_back(caller);
      if (keys_asking_) return;
      keys_asking_ = true;
    }
  }
  if (refused) return finish(caller, Outcome::Capped, {});
  if (workers_.post([this] { read_keys(); })) return;
  std::vector<CasePtr> waiting;
  {
    const std::lock_guard lock(mutex_);
    keys_asking_ = false;
    waiting.swap(waiting_for_keys_);
  }
  for (const auto& one : waiting) finish(one, Outcome::Capped, {});
}

void Gate::read_keys() {
  const auto reply = client_.raw_get("/openid/v1/jwks");
  std::shared_ptr<const KeySet> keys;
  if (!reply) {
    log::warn("cannot read the cluster's keys; token reviews decide alone",
              {{"error", reply.error().text()},
               {"needs", reply.error().http == 403 ? "ClusterRole system:service-account-issuer-discovery" : ""}});
  } else if (auto set = KeySet::from_jwks(reply.value().dump()); !set) {
    log::warn("cannot use the cluster's keys; token reviews decide alone", {{"error", set.error().message}});
  } else {
    keys = std::make_shared<const KeySet>(std::move(*set));
  }
  asked("keys", keys ? "Good" : "Error");
  std::vector<CasePtr> waiting;
  {
    const std::lock_guard lock(mutex_);
    if (keys) keys_ = keys;
    keys_asked_ = options_.now();
    keys_asking_ = false;
    waiting.swap(waiting_for_keys_);
  }
  for (const auto& caller : waiting) {
    caller->keys_fresh = true;
    go_on(caller);
  }
}

void Gate::need_review(const CasePtr& caller, const Known& known) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto it = in_review_.find(caller->hash); it != in_review_.end()) {
      if (it->second.size() < kMostWaitingForOneReview) {
        it->second.push_back(caller);
        return;
      }
    } else if (caps_.take(caller->peer, caller->claims.pod_uid, options_.now())) {
      in_review_[caller->hash].push_back(caller);
      if (workers_.post([this, caller] { ask_review(caller); })) return;
      in_review_.erase(caller->hash);
    }
  }
  finish(caller, Outcome::Capped, known);
}

void Gate::ask_review(const CasePtr& caller) {
  const auto reply = client_.create(kube::kTokenReviews, "", review_request(caller->token));
  if (!reply) {
    asked("review", "Error");
    log::warn("the API server did not review a token",
              {{"error", reply.error().text()}, {"pod_uid", caller->claims.pod_uid}});
    return reviewed(caller->hash, std::nullopt);
  }
  auto review = review_from(reply.value());
  if (!review) {
    asked("review", "Error");
    log::error("the API server's review cannot be read", {{"error", review.error().message}});
    return reviewed(caller->hash, std::nullopt);
  }
  asked("review", review->authenticated ? "Good" : "Refused");
  {
    const std::lock_guard lock(mutex_);
    reviews_.put(caller->hash, *review, caller->claims.expires, options_.now());
  }
  reviewed(caller->hash, *review);
}

void Gate::reviewed(const std::string& hash, const std::optional<Review>& review) {
  std::vector<CasePtr> callers;
  {
    const std::lock_guard lock(mutex_);
    const auto it = in_review_.find(hash);
    if (it == in_review_.end()) return;
    callers.swap(it->second);
    in_review_.erase(it);
  }
  for (const auto& caller : callers) {
    if (!review) {
      finish(caller, Outcome::ReviewUnavailable, {});
      continue;
    }
    // Judged anew from what is known now: the pod may have gone while the API server was asked.
    caller->review = review;
    go_on(caller);
  }
}

void Gate::finish(const CasePtr& caller, Outcome outcome, const Known& known) {
  Judgement judgement{outcome, caller->claims, known,
                      explain(outcome, caller->claims, known, caller->review, options_.now())};
  caller->done(std::move(judgement));
}

void Gate::asked(std::string_view what, std::string_view result) const {
  if (options_.on_asked) options_.on_asked(what, result);
}

}  // namespace rollcall::desk
