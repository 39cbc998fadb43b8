#include "operator/controller.h"

#include <exception>

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
// Quota that a person raises is noticed within this.
constexpr auto kAfterRefusal = seconds(15);

const char* word_of(Applied applied) {
  switch (applied) {
    case Applied::Done:
      return "done";
    case Applied::Again:
      return "again";
    case Applied::Refused:
      return "refused";
    case Applied::Failed:
      return "failed";
  }
  return "failed";
}

}  // namespace

Controller::Controller(kube::Client& client, DeskReference& desk, Metrics& metrics)
    : client_(client),
      desk_(desk),
      metrics_(metrics),
      events_(client, "rollcall-operator"),
      jobs_(client, [this](const std::string& key) { queue_.add(key); }) {}

Controller::~Controller() { stop(); }

void Controller::start(int workers) {
  jobs_.start();
  for (int i = 0; i < workers; ++i) workers_.emplace_back([this] { work(); });
}

void Controller::stop() {
  queue_.shut_down();
  workers_.clear();
  jobs_.stop();
}

void Controller::measure() const {
  metrics_.queue_depth(queue_.size());
  metrics_.cached("TrainingJob", jobs_.jobs());
  metrics_.cached("Pod", jobs_.pods());
  metrics_.cached("RollCall", jobs_.roll_calls());
}

void Controller::work() {
  while (const auto key = queue_.take()) {
    if (!jobs_.synced()) {
      queue_.add_after(*key, milliseconds(50));
    } else {
      // One job that trips over a defect of ours must not stop the others.
      try {
        look_at(*key);
      } catch (const std::exception& error) {
        log::error("look at a job threw", {{"job", *key}, {"what", error.what()}});
        metrics_.reconciled("threw");
        queue_.add_backing_off(*key);
      }
    }
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

void Controller::look_at(const std::string& key) {
  auto read = jobs_.observe(key);
  if (!read) {
    log::warn("TrainingJob not readable", {{"job", key}, {"why", read.error().message}});
    metrics_.reconciled("unreadable");
    return;
  }
  if (!read.value()) {
    const std::lock_guard lock(mutex_);
    written_.erase(key);
    queue_.forget(key);
    return;
  }
  auto& observed = **read;
  const auto desk = desk_.known();
  observed.probe = desk.settings;
  observed.probe_missing = desk.missing;

  const auto now = std::chrono::time_point_cast<WallTime::duration>(std::chrono::system_clock::now());
  const auto decision = reconcile(observed, now);
  if (decision.look_again) queue_.add_after(key, *decision.look_again);

  const bool changed = api::to_json(decision.status) != api::to_json(observed.job.status);
  if (milliseconds wait{0}; changed && details_can_wait(key, observed, decision, wait)) {
    queue_.add_after(key, wait);
    return;
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
  metrics_.reconciled(word_of(applied));
  if (changed) {
    const std::lock_guard lock(mutex_);
    written_[key] = steady_clock::now();
  }
  switch (applied) {
    case Applied::Done:
      queue_.forget(key);
      break;
    case Applied::Refused:
      queue_.add_after(key, kAfterRefusal);
      break;
    case Applied::Again:
    case Applied::Failed:
      queue_.add_backing_off(key);
      break;
  }
}

}  // namespace rollcall::operator_
