#include "operator/apply.h"

#include <algorithm>
#include <mutex>
#include <thread>
#include <vector>

#include "api/names.h"
#include "operator/actions.h"
#include "operator/job_status.h"
#include "operator/refusal.h"

namespace rollcall::operator_ {

using kube::ApiError;
namespace names = api::names;

namespace {

// Acts on pods of one job that are under way at a time: a thousand annotations one after another would take seconds
// that the whole job waits for; more than this and one job would crowd out the API server's other clients.
constexpr std::size_t kAtATime = 8;

struct Failure {
  const Action* action;
  ApiError error;
};

/// Acts on different pods that do not depend on each other.
bool side_by_side(const Action& a, const Action& b) {
  const auto alone = [](const Action& action) {
    return std::holds_alternative<CreatePod>(action) || std::holds_alternative<AnnotatePod>(action) ||
           std::holds_alternative<DeletePod>(action) || std::holds_alternative<EndPod>(action);
  };
  return alone(a) && a.index() == b.index();
}

/// Performs [begin, end); the first failure in order of the list, after those under way have ended.
std::optional<Failure> perform_all(const Actor& actor, const Action* begin, const Action* end) {
  const auto count = static_cast<std::size_t>(end - begin);
  if (count == 1) {
    if (auto error = actor.perform(*begin)) return Failure{begin, std::move(*error)};
    return std::nullopt;
  }
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::optional<Failure> first;
  const auto work = [&] {
    for (std::size_t i = next++; i < count && !stop; i = next++) {
      if (auto error = actor.perform(begin[i])) {
        const std::lock_guard lock(mutex);
        if (!first || begin + i < first->action) first = Failure{begin + i, std::move(*error)};
        stop = true;
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < std::min(kAtATime, count); ++i) threads.emplace_back(work);
    work();
  }
  return first;
}

std::optional<Failure> perform_in_order(const Actor& actor, const std::vector<Action>& actions) {
  for (std::size_t i = 0; i < actions.size();) {
    std::size_t end = i + 1;
    while (end < actions.size() && side_by_side(actions[i], actions[end])) ++end;
    if (auto failure = perform_all(actor, &actions[i], actions.data() + end)) return failure;
    i = end;
  }
  return std::nullopt;
}

std::optional<int> pod_that_was_refused(const Action& action) {
  if (const auto* dry = std::get_if<DryRunPod>(&action)) return dry->node_rank;
  if (const auto* create = std::get_if<CreatePod>(&action)) return create->node_rank;
  return std::nullopt;
}

Applied after(const ApiError& error, bool refused_pod) {
  if (error.conflict()) return Applied::Again;
  if (refused_pod && refusal_of(error) != Refusal::Transient) return Applied::Refused;
  return Applied::Failed;
}

}  // namespace

Applied apply(kube::Client& client, kube::EventRecorder& events, const Observed& observed, const Decision& decision,
              WallTime now, const ApplyObserver& observer) {
  const auto& meta = observed.job.meta;
  const auto key = meta.namespace_name + "/" + meta.name;
  const Actor actor(client, observed, decision);
  auto status = decision.status;
  auto result = Applied::Done;

  const auto failure = perform_in_order(actor, decision.actions);
  for (const auto& action : decision.actions) {
    if (failure && failure->action <= &action) break;
    observer.did("acted", key + ": " + words_of(action, observed, decision));
  }
  if (failure) {
    const auto rank = pod_that_was_refused(*failure->action);
    observer.failed("action failed", key + ": " + words_of(*failure->action, observed, decision),
                    failure->error.text());
    result = after(failure->error, rank.has_value());
    if (rank) describe_refusal(observed, decision, *rank, failure->error, now, status);
  }

  if (const auto written = api::to_json(status); written != api::to_json(observed.job.status)) {
    auto object = observed.object;
    object["status"] = written;
    const auto reply = client.replace_status(kube::kTrainingJobs, meta.namespace_name, meta.name, object);
    if (!reply) {
      if (reply.error().not_found()) return Applied::Done;
      observer.failed("status not written", key, reply.error().text());
      return reply.error().conflict() ? Applied::Again : Applied::Failed;
    }
  }

  const kube::EventTarget target{names::kApiVersion, "TrainingJob", meta.namespace_name, meta.name, meta.uid};
  auto told = events_between(observed.job.status, status);
  if (!failure) told.insert(told.end(), decision.events.begin(), decision.events.end());
  for (const auto& event : told) {
    events.record(target, event.type, event.reason, event.message);
    observer.told(event);
  }
  return result;
}

}  // namespace rollcall::operator_
