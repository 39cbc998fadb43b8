#include "desk/service.h"

#include <fmt/format.h>

#include "api/roll_call.h"
#include "desk/calls/instruction.h"
#include "desk/pods/pod_view.h"
#include "roll_call/messages.h"

namespace rollcall::desk {
namespace {

using Json = nlohmann::json;

/// How soon a caller that could not be judged yet asks again (the design's 2 s).
constexpr int kAskAgainMs = 2000;
/// Reviews that may wait for a thread: ten seconds' worth at 500/s.
constexpr std::size_t kMostWork = 5'000;
constexpr std::chrono::seconds kSweepEvery{10};

serve::Response instruct(const roll_call::Instruction& instruction) {
  return {200, "application/json", roll_call::to_json(instruction), {}};
}

/// For a caller that could not be judged yet.
serve::Response ask_stranger_again(const Known& known, const std::string& message) {
  auto response = instruct(ask_again(known, message, kAskAgainMs));
  response.vouched = false;
  return response;
}

serve::Response refuse(int status, std::string_view code, const std::string& message) {
  const Json body{{"code", std::string(code)}, {"message", message}};
  serve::Response response{
      status, "application/json", body.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n", {}};
  response.vouched = false;
  return response;
}

/// 401: this token does not say who you are; with another one you may ask again. 403: we know who you are, and it is no
/// use.
int status_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::UidUnknown:
    case Outcome::PodGone:
    case Outcome::BodyOfOtherPod:
    case Outcome::NotOfAPod:
      return 403;
    default:
      return 401;
  }
}

std::string key_of(const std::string& ns, const std::string& name) { return ns + "/" + name; }

std::string text_of(const Json& object, const char* field) {
  const auto meta = object.find("metadata");
  if (meta == object.end() || !meta->is_object()) return {};
  const auto value = meta->find(field);
  return value != meta->end() && value->is_string() ? value->get<std::string>() : std::string();
}

}  // namespace

Service::Service(kube::Client& client, Options options)
    : client_(client),
      options_(std::move(options)),
      workers_(options_.review_threads, kMostWork),
      gate_(client, rosters_, workers_,
            {.now = options_.now, .rates = options_.rates, .on_asked = options_.numbers.asked}),
      context_{timers_,
               options_.now,
               [this](const std::string& key) { writes_.add(key); },
               [this] { return leads(); },
               options_.term,
               options_.nonce_seed,
               options_.hold,
               options_.write_every,
               options_.numbers.verdict,
               options_.numbers.write,
               options_.numbers.stage},
      standing_by_(options_.leading != nullptr) {
  for (int i = 0; i < options_.write_threads; ++i) writers_.emplace_back([this] { write_loop(); });
  timers_.after(kSweepEvery, [this] { sweep(); });
}

Service::~Service() { stop(); }

void Service::roll_call_changed(const Json& object) {
  const std::string key = key_of(text_of(object, "namespace"), text_of(object, "name"));
  auto read = api::roll_call_from(object);
  if (!read) {
    const std::lock_guard lock(mutex_);
    auto& version = bad_[key];
    if (std::exchange(version, text_of(object, "resourceVersion")) != version)
      log::error("a RollCall cannot be read and is passed over", {{"roll_call", key}, {"error", read.error().message}});
    return;
  }
  const std::lock_guard taking(intake_);
  rosters_.put(key, *read, options_.now());
  if (!standing_by_) return take(key, *read, object);
  if (rosters_.over(key)) {
    standing_.erase(key);
  } else {
    standing_[key] = object.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

void Service::lead(std::int64_t term) {
  const std::lock_guard taking(intake_);
  if (!std::exchange(standing_by_, false)) return;
  context_.term = term;
  for (const auto& [key, text] : std::exchange(standing_, {})) {
    const auto object = Json::parse(text);
    // It could be read when it was put here.
    if (const auto read = api::roll_call_from(object)) take(key, *read, object);
  }
}

void Service::take(const std::string& key, const api::RollCall& roll_call, const Json& object) {
  const bool over = rosters_.over(key);

  CallPtr old, fresh, same;
  {
    const std::lock_guard lock(mutex_);
    bad_.erase(key);
    const auto it = calls_.find(key);
    if (it != calls_.end() && it->second->uid() == roll_call.meta.uid) {
      same = it->second;
    } else {
      if (it != calls_.end()) {  // deleted and made anew between two looks of ours
        old = it->second;
        calls_.erase(it);
      }
      if (!over) calls_[key] = fresh = std::make_shared<Call>(context_, key, roll_call);
    }
  }
  if (old) old->deleted("the job was deleted and made anew under the same name");
  if (same) same->stored(object);
  if (fresh) {
    log::info("roll call begins", {{"roll_call", key},
                                   {"attempt", roll_call.spec.attempt},
                                   {"nnodes", roll_call.spec.roster.size()},
                                   {"verdict_stored", roll_call.status.verdict.has_value()}});
    fresh->begin(object, [&] { return rosters_.pods_of(key); });
    const std::lock_guard lock(mutex_);
    if (letting_go_) fresh->let_go();
  }
}

void Service::roll_call_removed(const std::string& ns, const std::string& name, const std::string& uid) {
  const std::string key = key_of(ns, name);
  const std::lock_guard taking(intake_);
  standing_.erase(key);
  CallPtr gone;
  {
    const std::lock_guard lock(mutex_);
    bad_.erase(key);
    const auto it = calls_.find(key);
    if (it != calls_.end() && (uid.empty() || it->second->uid() == uid)) {
      gone = it->second;
      calls_.erase(it);
    }
  }
  rosters_.remove(key, options_.now());
  if (!gone) return;
  log::info("roll call deleted", {{"roll_call", key}});
  gone->deleted("the job was deleted");
}

void Service::pod_changed(const Json& object) {
  auto view = pod_view_from(object);
  if (view.uid.empty()) return;
  const std::string key = key_of(text_of(object, "namespace"), text_of(object, "name"));
  if (const auto replaced = rosters_.put_pod(key, view, options_.now())) pod_changed_to(*replaced);
  pod_changed_to(view);
}

void Service::pod_removed(const std::string& ns, const std::string& name, const std::string& uid) {
  if (const auto view = rosters_.remove_pod(key_of(ns, name), uid, options_.now())) pod_changed_to(*view);
}

void Service::pod_changed_to(const roll_call::PodView& view) {
  for (const auto& key : rosters_.roll_calls_of(view.uid))
    if (const auto one = call(key)) one->pod(view);
}

void Service::synced() {
  const std::lock_guard lock(mutex_);
  synced_ = true;
}

serve::Response Service::not_leading() const {
  const auto leader = options_.leader ? options_.leader() : std::string();
  auto response = refuse(503, "NotLeading",
                         leader.empty() ? "this desk does not lead the roll calls, and it knows of none that does; ask "
                                          "again on a new connection"
                                        : fmt::format("this desk does not lead the roll calls, {} does; ask again on "
                                                      "a new connection",
                                                      leader));
  response.close = true;
  return response;
}

void Service::handle(serve::Request request, serve::Respond respond) {
  if (request.target != "/v1/answer") return respond(refuse(404, "NotFound", "the desk serves POST /v1/answer alone"));
  if (request.method != "POST") {
    auto response = refuse(405, "MethodNotAllowed", "the desk serves POST /v1/answer alone");
    response.headers["Allow"] = "POST";
    return respond(std::move(response));
  }
  if (request.body.size() > roll_call::kMaxAnswerBytes)
    return respond(refuse(413, "TooLarge",
                          "an answer has at most " + std::to_string(roll_call::kMaxAnswerBytes) +
                              " bytes; this one has " + std::to_string(request.body.size())));
  if (!leads()) {
    if (options_.numbers.answer) options_.numbers.answer("NotLeading");
    return respond(not_leading());
  }
  // Asked again when the reply goes out: it may have been held while this process was stopped.
  if (options_.leading) {
    respond = [this, respond = std::move(respond)](serve::Response response) {
      respond(leads() ? std::move(response) : not_leading());
    };
  }
  {
    const std::lock_guard lock(mutex_);
    if (!synced_) {
      count(Outcome::UidNotYetKnown);
      return respond(ask_stranger_again({}, "the desk has just started and reads what it must know; ask again"));
    }
  }
  gate_.admit(request.authorization, request.peer,
              [this, body = std::move(request.body), peer = request.peer, vouch = std::move(request.vouch),
               respond](Judgement judgement) {
                if (judgement.outcome == Outcome::Admitted && vouch) vouch();
                judged(std::move(judgement), body, peer, respond);
              });
}

void Service::judged(Judgement judgement, const std::string& body, const std::string& peer,
                     const serve::Respond& respond) {
  switch (judgement.outcome) {
    case Outcome::Admitted:
      return admitted(judgement, body, respond);
    case Outcome::UidNotYetKnown:
    case Outcome::PodNotYetSeen:
    case Outcome::Capped:
    case Outcome::ReviewUnavailable:
    case Outcome::KeysNeeded:
    case Outcome::ReviewNeeded:
      count(judgement.outcome);
      return respond(ask_stranger_again(judgement.known, judgement.message));
    case Outcome::FormerAttempt: {
      count(judgement.outcome);
      // While its state machine stands it has the better words.
      const auto one = call(judgement.known.place->roll_call);
      const auto told = one ? one->instruction_for(judgement.claims.pod_uid) : std::nullopt;
      if (told && told->step == roll_call::Step::End) return respond(instruct(*told));
      return respond(instruct(end_of(judgement.known, judgement.message)));
    }
    case Outcome::JobDeleted:
      count(judgement.outcome);
      return respond(instruct(end_of(judgement.known, judgement.message)));
    default:
      break;
  }
  count(judgement.outcome);
  const auto name = to_string(judgement.outcome);
  if (const auto turn = refusals_.turn(name); turn.now)
    log::warn("caller refused",
              {{"outcome", name}, {"why", judgement.message}, {"peer", peer}, {"held_back", turn.held_back}});
  auto refusal = refuse(status_of(judgement.outcome), name, judgement.message);
  if (options_.refusal_pause <= std::chrono::milliseconds(0)) return respond(std::move(refusal));
  timers_.after(options_.refusal_pause, [respond, refusal = std::move(refusal)] { respond(refusal); });
}

void Service::admitted(const Judgement& judgement, const std::string& body, serve::Respond respond) {
  auto answer = roll_call::answer_from(body);
  if (!answer) return respond(refuse(400, "BadAnswer", answer.error().message));
  // Identity is the token's. A body that names another pod is refused rather than corrected: it is a broken probe or a
  // lie.
  if (answer->pod_uid != judgement.claims.pod_uid) {
    Judgement other = judgement;
    other.outcome = Outcome::BodyOfOtherPod;
    other.message = explain(other.outcome, other.claims, other.known, std::nullopt, options_.now());
    return judged(std::move(other), body, "", respond);
  }
  count(Outcome::Admitted);
  const auto one = call(judgement.known.place->roll_call);
  if (!one)
    return respond(instruct(ask_again(judgement.known, "this roll call has just ended; ask again", kAskAgainMs)));
  one->answer(*answer, [respond](const roll_call::Instruction& instruction) { respond(instruct(instruction)); });
}

void Service::count(Outcome outcome) const {
  if (options_.numbers.answer) options_.numbers.answer(to_string(outcome));
}

Service::CallPtr Service::call(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto it = calls_.find(key);
  return it == calls_.end() ? nullptr : it->second;
}

std::vector<Service::CallPtr> Service::calls() const {
  const std::lock_guard lock(mutex_);
  std::vector<CallPtr> all;
  for (const auto& [key, one] : calls_) all.push_back(one);
  return all;
}

void Service::write_loop() {
  while (const auto key = writes_.take()) {
    if (const auto one = call(*key)) {
      try {
        if (const auto again = one->write(client_)) writes_.add_after(*key, *again);
      } catch (const std::exception& e) {
        log::error("a write failed for a reason that is ours", {{"roll_call", *key}, {"error", e.what()}});
        writes_.add_after(*key, std::chrono::seconds(5));
      }
    }
    writes_.done(*key);
  }
}

/// Ended calls are kept until their last status is written and nobody waits; then their memory goes. Rosters still know
/// how they ended.
void Service::sweep() {
  std::map<std::string, CallPtr> standing;
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    if (synced_) standing = calls_;
    std::erase_if(calls_, [this](const auto& entry) { return rosters_.over(entry.first) && entry.second->finished(); });
  }
  for (const auto& [key, one] : standing)
    for (const auto& view : rosters_.never_seen(key, options_.now())) one->pod(view);
  timers_.after(kSweepEvery, [this] { sweep(); });
}

void Service::let_go() {
  {
    const std::lock_guard lock(mutex_);
    letting_go_ = true;
  }
  for (const auto& one : calls()) one->let_go();
}

void Service::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(stopped_, true)) return;
  }
  timers_.stop();
  workers_.stop();
  writes_.shut_down();
  for (auto& writer : writers_) writer.join();
}

Service::Figures Service::figures() const {
  Figures figures;
  figures.roll_calls = rosters_.roll_calls();
  figures.pods = rosters_.pods();
  for (const auto& one : calls()) {
    figures.calls++;
    figures.held += one->held();
  }
  return figures;
}

}  // namespace rollcall::desk
