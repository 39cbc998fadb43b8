#include "soak/job.h"

#include <fmt/format.h>

#include "e2e/add_on.h"

namespace rollcall::soak {
namespace {

/// A node that is drained and comes back costs a retry, and a soak has many.
constexpr int kRetries = 50;
/// Long enough for every trainer's log to be read, short enough for the nodes' 60 pods.
constexpr int kKeptSeconds = 60;

}  // namespace

const char* to_string(Plan plan) {
  switch (plan) {
    case Plan::Train:
      return "train";
    case Plan::Override:
      return "override";
    case Plan::Refuse:
      return "refuse";
    case Plan::Suspend:
      return "suspend";
    case Plan::Delete:
      return "delete";
    case Plan::Fail:
      return "fail";
  }
  return "?";
}

Job::Job(e2e::World& world, std::string name, Plan plan, Random& random)
    : world_(world),
      name_(std::move(name)),
      plan_(plan),
      manifest_(manifest(random)),
      patience_(random.between(0, 15000)) {}

Json Job::manifest(Random& random) const {
  if (plan_ == Plan::Refuse) return e2e::faulty_job(name_);
  e2e::JobOptions options;
  options.nnodes = random.between(2, 3);
  options.args = {"--meet", "--seconds", std::to_string(random.between(0, 12))};
  if (plan_ == Plan::Fail) options.args.insert(options.args.end(), {"--exit", "3"});
  options.roll_call = {{"retries", kRetries}};
  options.spec = {{"ttlSecondsAfterFinished", kKeptSeconds}};
  return e2e::training_job(name_, options);
}

std::string Job::describe() const {
  return fmt::format("{} ({}, {} nodes): {}: {}", name_, to_string(plan_), manifest_["spec"].value("nnodes", 0),
                     uid_.empty() ? "not created" : e2e::phase(last_), e2e::message(last_));
}

void Job::end_wrong(const std::string& words) {
  outcome_ = "WRONG";
  wrong_ = words + "; last seen: " + describe();
}

bool Job::go_on(const std::function<bool(const std::string&)>& disturbed) {
  if (uid_.empty()) {
    create();
    return !outcome_.empty();
  }
  const auto reply = world_.api().get(kube::kTrainingJobs, world_.ns(), name_);
  const bool gone = !reply.ok() && reply.error().not_found();
  if (gone && plan_ == Plan::Delete) {
    await_deletion();
  } else if (gone) {
    end_wrong("the job is lost");
  }
  if (!reply.ok()) return !outcome_.empty();
  last_ = reply.value();
  if (release_seconds_ < 0 && !last_.value("status", Json::object()).value("releasedAt", "").empty())
    release_seconds_ = std::chrono::duration<double>(Clock::now() - created_).count();
  judge(last_, disturbed(uid_));
  if (outcome_.empty() && Clock::now() - created_ >= patience_) act(last_);
  return !outcome_.empty();
}

void Job::create() {
  Json object = manifest_;
  object["metadata"]["namespace"] = world_.ns();
  auto reply = world_.api().create(kube::kTrainingJobs, world_.ns(), object);
  // A creation whose answer was lost was one all the same.
  if (!reply.ok() && reply.error().already_exists()) reply = world_.api().get(kube::kTrainingJobs, world_.ns(), name_);
  if (!reply.ok()) {
    const bool refused = reply.error().text().find(e2e::kFaultyRule) != std::string::npos;
    if (refused && plan_ == Plan::Refuse) end("refused");
    if (reply.error().text().find("denied the request") != std::string::npos && plan_ != Plan::Refuse)
      end_wrong("a sound job was refused: " + reply.error().text());
    return;
  }
  last_ = reply.value();
  uid_ = last_["metadata"].value("uid", "");
  created_ = Clock::now();
  if (plan_ == Plan::Refuse) end_wrong("a faulty job was admitted");
}

bool Job::patch(const Json& what) {
  return world_.api().merge_patch(kube::kTrainingJobs, world_.ns(), name_, what).ok();
}

void Job::act(const Json& job) {
  switch (plan_) {
    case Plan::Override:
      // An override is consumed by its attempt: one that ended all the same (a node was drained) wants another.
      if (e2e::phase(job) == "Held" &&
          !job["metadata"].value("annotations", Json::object()).contains("rollcall.dev/release"))
        patch({{"metadata", {{"annotations", {{"rollcall.dev/release", "the soak wants it"}}}}}});
      return;
    case Plan::Suspend:
      return suspend_and_resume(job);
    case Plan::Delete:
      // An answer that is lost is no deletion yet: as long as it stands untouched it is asked for again.
      if (!job["metadata"].contains("deletionTimestamp"))
        static_cast<void>(
            world_.api().remove(kube::kTrainingJobs, world_.ns(), name_, {.uid = uid_, .propagation = "Background"}));
      return;
    case Plan::Train:
    case Plan::Refuse:
    case Plan::Fail:
      return;
  }
}

void Job::suspend_and_resume(const Json& job) {
  if (acted_ == 0 && patch({{"spec", {{"suspend", true}}}})) acted_ = 1;
  if (acted_ == 1 && e2e::phase(job) == "Suspended" && !has_pods() && patch({{"spec", {{"suspend", false}}}}))
    acted_ = 2;
}

bool Job::has_pods() {
  const auto listed = world_.api().list(kube::kPods, world_.ns(), {{"labelSelector", "rollcall.dev/job-uid=" + uid_}});
  return !listed || !listed.value()["items"].empty();
}

void Job::await_deletion() {
  if (!has_pods()) end("deleted");
}

void Job::judge(const Json& job, bool disturbed) {
  const std::string phase = e2e::phase(job);
  if (phase == "Succeeded") {
    if (plan_ == Plan::Fail) return end_wrong("its trainers ended with 3 and it succeeded");
    if (plan_ == Plan::Delete) return;  // its time has not come yet
    if (plan_ == Plan::Override) return end("released by annotation and trained");
    return end(plan_ == Plan::Suspend && acted_ == 2 ? "suspended, resumed and trained" : "trained");
  }
  if (phase != "Failed") return;
  const std::string reason = e2e::condition_reason(job, "Failed");
  if (plan_ == Plan::Fail && reason == "TrainerFailed") return end("failed as its trainers did");
  if (disturbed && reason == "TrainerFailed") {
    if (plan_ != Plan::Delete) end("trainers lost with a node");
    return;
  }
  end_wrong("the job failed (" + reason + ")");
}

}  // namespace rollcall::soak
