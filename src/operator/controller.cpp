#include "operator/controller.h"

#include <exception>

#include "launch/pod/image.h"
#include "operator/apply.h"
#include "operator/job_status.h"
#include "operator/reconcile.h"
#include "telemetry/log.h"

namespace rollcall::operator_ {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

namespace {

// A job's words and counts change with every pod; a person reads them every few seconds, etcd keeps every version.
constexpr auto kDetailsEvery = seconds(5);
// Caches and desk are there within a second of the start, as a rule; thousands of keys must not spin meanwhile.
constexpr auto kUntilReady = milliseconds(250);
// Quota that a person raises is noticed within this.
constexpr auto kAfterRefusal = seconds(15);

// Beside the recorder's own 2 s at its end; a pod has 30 s from SIGTERM to its end.
constexpr auto kEventsGrace = seconds(2);

/// Such an attempt has no RollCall that could tell; only the move of status.attempt says that it is over.
std::optional<api::EndReason> ended_before_the_roster(const Observed& observed, const Decision& decision) {
  const auto& before = observed.job.status;
  if (before.attempt == 0 || decision.status.attempt <= before.attempt) return std::nullopt;
  for (const auto& roll_call : observed.roll_calls) {
    if (roll_call.spec.attempt == before.attempt && roll_call.spec.job.uid == observed.job.meta.uid)
      return std::nullopt;
  }
  if (decision.status.start_failures > before.start_failures) return api::EndReason::PodsNotStarted;
  return observed.job.spec.suspend ? api::EndReason::Suspended : api::EndReason::PodLost;
}

WallTime wall_now() { return std::chrono::time_point_cast<WallTime::duration>(std::chrono::system_clock::now()); }

}  // namespace

Controller::Controller(kube::Client& client, DeskReference& desk, Metrics& metrics,
                       const std::vector<std::string>& namespaces, bool rules_refuse)
    : client_(client),
      desk_(desk),
      metrics_(metrics),
      rules_refuse_(rules_refuse),
      events_(client, "rollcall-operator"),
      queue_(metrics.standard().queue_hooks("trainingjob")),
      jobs_(client, namespaces,
            {.changed = [this](const std::string& key) { changed(key); },
             .roll_call_changed = [this](const auto& before, const auto& now) { note(before, now); }}) {
  register_metrics();
}

Controller::~Controller() { stop(); }

void Controller::register_metrics() {
  metrics_.standard().queue("trainingjob", [this] { return queue_.figures(); });
  jobs_.measure(metrics_.standard());
  metrics_.registry().before_text([this] { note_held(); });
}

void Controller::start() { jobs_.start(); }

void Controller::changed(const std::string& key) {
  // A standby's queue would grow with every job that ever was.
  if (leading_) queue_.add(key);
}

void Controller::lead(int workers) {
  {
    const std::lock_guard lock(mutex_);
    held_.emplace(wall_now());
  }
  leading_ = true;
  for (const auto& key : jobs_.keys()) queue_.add(key);  // what changed while another led
  metrics_.workers(workers);
  for (int i = 0; i < workers; ++i) workers_.emplace_back([this] { work(); });
}

void Controller::stop() {
  queue_.shut_down();
  workers_.clear();
  jobs_.stop();
  if (!events_.flush(kEventsGrace)) log::warn("events lost at the end", {{"lost", events_.dropped()}});
}

void Controller::note(const api::RollCall& before, const api::RollCall& now) {
  if (!leading_) return;
  const auto& verdict = now.status.verdict;
  if (verdict && !before.status.verdict) {
    if (verdict->by == "operator") metrics_.verdict(*verdict);
    if (verdict->kind == api::VerdictKind::Ended && verdict->reason) metrics_.attempt_ended(*verdict->reason);
  }
  if (now.status.end && !before.status.end) metrics_.attempt_ended(now.status.end->reason);
}

void Controller::note_held() {
  const std::lock_guard lock(mutex_);
  if (!held_) return;
  HeldClock::Cost cost;
  const auto now = wall_now();
  for (const auto& roll_call : jobs_.roll_calls()) held_->look(*roll_call, now, cost);
  held_->end_of_look();
  metrics_.held(cost);
}

void Controller::work() {
  while (const auto key = queue_.take()) {
    if (!jobs_.synced() || !desk_.looked_up()) {
      queue_.add_after(*key, kUntilReady);
      queue_.done(*key);
      continue;
    }
    const auto begun = steady_clock::now();
    auto result = LookResult::Error;
    metrics_.look_begins();
    // One job that trips over a defect of ours must not stop the others.
    try {
      result = look_at(*key);
    } catch (const std::exception& error) {
      log::error("look at a job threw", {{"job", *key}, {"what", error.what()}});
      metrics_.look_threw();
      queue_.add_backing_off(*key);
    }
    metrics_.look_ends(result, std::chrono::duration<double>(steady_clock::now() - begun).count());
    queue_.done(*key);
  }
}

bool Controller::details_can_wait(const std::string& key, const Observed& observed, const Decision& decision,
                                  milliseconds& wait) {
  if (!decision.actions.empty() || !decision.events.empty() ||
      !only_details_differ(observed.job.status, decision.status))
    return false;
  const std::lock_guard lock(mutex_);
  const auto last = written_.find(key);
  if (last == written_.end()) return false;
  const auto due = last->second + kDetailsEvery;
  wait = std::chrono::duration_cast<milliseconds>(due - steady_clock::now());
  return wait > milliseconds(0);
}

LookResult Controller::look_at(const std::string& key) {
  auto read = jobs_.observe(key);
  if (!read) {
    log::warn("TrainingJob not readable", {{"job", key}, {"why", read.error().message}});
    // Looked at again when somebody changes it; until then it would only fail again.
    return LookResult::Error;
  }
  if (!read.value()) {
    const std::lock_guard lock(mutex_);
    written_.erase(key);
    queue_.forget(key);
    return LookResult::Success;
  }
  auto& observed = **read;
  const auto desk = desk_.known();
  observed.probe = desk.settings;
  observed.probe_missing = desk.missing;
  observed.rules_refuse = rules_refuse_;
  if (observed.probe) {
    auto probe = launch::with_images(std::move(*observed.probe), observed.policy.images);
    observed.probe = probe ? std::optional(std::move(probe.value())) : std::nullopt;
    if (const auto& percent = observed.policy.thresholds.deadline_percent; observed.probe && percent)
      observed.probe->deadline_percent = percent->value;
    if (!probe) observed.probe_missing = "Pods are not created: " + probe.error().message;
  }

  const auto now = wall_now();
  const auto decision = reconcile(observed, now);
  if (decision.look_again) queue_.add_after(key, *decision.look_again);

  const bool changed = api::to_json(decision.status) != api::to_json(observed.job.status);
  if (milliseconds wait{0}; changed && details_can_wait(key, observed, decision, wait)) {
    queue_.add_after(key, wait);
    return LookResult::RequeueAfter;
  }
  const ApplyObserver observer{
      [&](const char* what, const std::string& detail) {
        log::info(what, {{"job", key}, {"what", detail}});
      },
      [&](const char* what, const std::string& detail, const std::string& why) {
        log::warn(what, {{"job", key}, {"what", detail}, {"why", why}});
      },
      [&](const Event& event) {
        log::info("event", {{"job", key}, {"reason", event.reason}, {"message", event.message}});
        metrics_.event(event.reason);
      }};
  const auto applied = apply(client_, events_, observed, decision, now, observer);
  if (changed) {
    const std::lock_guard lock(mutex_);
    written_[key] = steady_clock::now();
  }
  if (const auto reason = ended_before_the_roster(observed, decision); reason && applied == Applied::Done)
    metrics_.attempt_ended(*reason);
  switch (applied) {
    case Applied::Done:
      queue_.forget(key);
      return decision.look_again ? LookResult::RequeueAfter : LookResult::Success;
    case Applied::Refused:
      queue_.add_after(key, kAfterRefusal);
      return LookResult::RequeueAfter;
    case Applied::Again:
      queue_.add_backing_off(key);
      return LookResult::Requeue;
    case Applied::Failed:
      queue_.add_backing_off(key);
      break;
  }
  return LookResult::Error;
}

}  // namespace rollcall::operator_
