#include "desk/pods/pod_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rollcall::desk {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using Json = nlohmann::json;
using roll_call::TimePoint;

Json pod() {
  return Json::parse(R"({
    "metadata": {"name": "llama-2-1", "namespace": "train", "uid": "uid-2"},
    "spec": {"nodeName": "gpu-17"},
    "status": {"phase": "Pending", "podIP": "10.1.0.9", "podIPs": [{"ip": "10.1.0.9"}, {"ip": "fd00::9"}],
      "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-11-30T15:00:00Z"}],
      "initContainerStatuses": [
        {"name": "rollcall-install", "state": {"terminated": {"exitCode": 0, "startedAt": "2026-11-30T15:00:02Z"}}},
        {"name": "rollcall", "state": {"running": {"startedAt": "2026-11-30T15:00:03Z"}}}]}})");
}

TEST(PodView, OfAPodWhoseProbeRuns) {
  const auto view = pod_view_from(pod());
  EXPECT_EQ(view.uid, "uid-2");
  EXPECT_EQ(view.name, "llama-2-1");
  EXPECT_EQ(view.node, "gpu-17");
  EXPECT_EQ(view.address, "10.1.0.9");
  EXPECT_TRUE(view.probe_running);
  EXPECT_FALSE(view.gone);
  EXPECT_EQ(view.state, "Running");
  EXPECT_EQ(view.waiting, "");
  EXPECT_EQ(view.scheduled_at, time_from("2026-11-30T15:00:00Z"));
  EXPECT_EQ(view.probe_started_at, time_from("2026-11-30T15:00:03Z"));
}

TEST(PodView, TheTimesOfAStartTellThePullOfTheJobsImageApart) {
  Json object = pod();
  object["metadata"]["creationTimestamp"] = "2026-11-30T14:59:00Z";
  object["status"]["initContainerStatuses"] = Json::parse(R"([
    {"name": "rollcall-install", "state": {"terminated": {"exitCode": 0, "startedAt": "2026-11-30T15:00:02Z",
      "finishedAt": "2026-11-30T15:00:03Z"}}},
    {"name": "sidecar", "state": {"running": {"startedAt": "2026-11-30T15:00:04Z"}}},
    {"name": "data", "state": {"terminated": {"exitCode": 0, "startedAt": "2026-11-30T15:00:04Z",
      "finishedAt": "2026-11-30T15:00:10Z"}}},
    {"name": "rollcall", "state": {"running": {"startedAt": "2026-11-30T15:01:40Z"}}}])");
  const auto view = pod_view_from(object);
  EXPECT_EQ(view.created_at, time_from("2026-11-30T14:59:00Z"));
  EXPECT_EQ(view.install_started_at, time_from("2026-11-30T15:00:02Z"));
  EXPECT_EQ(view.pull_from, time_from("2026-11-30T15:00:10Z"));
  EXPECT_EQ(view.probe_started_at, time_from("2026-11-30T15:01:40Z"));
}

TEST(PodView, ASidecarBesideTheProbeIsNotWaitedFor) {
  Json object = pod();
  auto& statuses = object["status"]["initContainerStatuses"];
  statuses.insert(statuses.begin() + 1, Json::parse(R"({"name": "logs", "state": {"running": {}}})"));
  const auto view = pod_view_from(object);
  EXPECT_TRUE(view.probe_running);
  EXPECT_EQ(view.state, "Running");
  EXPECT_EQ(view.waiting, "");
}

TEST(PodView, OfAPodWithoutPlaceHasTheSchedulersWords) {
  Json object = pod();
  object["spec"].erase("nodeName");
  object["status"] = Json::parse(R"({"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False",
    "reason": "Unschedulable", "message": "0/12 nodes have 8 free GPUs"}]})");
  const auto view = pod_view_from(object);
  EXPECT_EQ(view.state, "Unscheduled");
  EXPECT_EQ(view.waiting, "Unschedulable: 0/12 nodes have 8 free GPUs");
  EXPECT_FALSE(view.scheduled_at.has_value());
  EXPECT_EQ(view.address, "");
}

TEST(PodView, SaysWhichInitContainerItWaitsForAndWhy) {
  const struct {
    const char* statuses;
    const char* state;
    const char* waiting;
  } cases[] = {
      {R"([{"name": "rollcall-install", "state": {"waiting": {"reason": "ImagePullBackOff", "message": "no such tag"}}}])",
       "Pulling", "init container rollcall-install: ImagePullBackOff: no such tag"},
      {R"([{"name": "rollcall-install", "state": {"waiting": {"reason": "PodInitializing"}}}])", "Starting", ""},
      {R"([{"name": "rollcall-install", "state": {"waiting": {"reason": "ContainerCreating"}}}])", "Starting", ""},
      {R"([{"name": "rollcall-install", "state": {"terminated": {"exitCode": 0}}}, {"name": "data", "state": {"running": {}}}])",
       "Starting", "init container data runs"},
      {R"([{"name": "rollcall-install", "state": {"terminated": {"exitCode": 0}}},
           {"name": "data", "state": {"terminated": {"exitCode": 3, "reason": "Error"}}}])",
       "Starting", "init container data ended with exit code 3 (Error)"},
      {R"([{"name": "rollcall-install", "state": {"terminated": {"exitCode": 0}}},
           {"name": "rollcall", "state": {"waiting": {"reason": "CreateContainerConfigError", "message": "secret x not found"}}}])",
       "Starting", "init container rollcall: CreateContainerConfigError: secret x not found"},
      {R"([{"name": "rollcall", "state": {"terminated": {"exitCode": 0, "startedAt": "2026-11-30T15:00:03Z"}}}])",
       "Running", ""},
  };
  for (const auto& [statuses, state, waiting] : cases) {
    Json object = pod();
    object["status"]["initContainerStatuses"] = Json::parse(statuses);
    const auto view = pod_view_from(object);
    EXPECT_EQ(view.state, state) << statuses;
    EXPECT_EQ(view.waiting, waiting) << statuses;
    EXPECT_FALSE(view.probe_running) << statuses;
  }
}

TEST(PodView, APodThatEndsOrEndedIsGone) {
  Json deleting = pod();
  deleting["metadata"]["deletionTimestamp"] = "2026-11-30T16:00:00Z";
  EXPECT_TRUE(pod_view_from(deleting).gone);
  EXPECT_FALSE(pod_view_from(deleting).probe_running);
  for (const char* phase : {"Failed", "Succeeded"}) {
    Json object = pod();
    object["status"]["phase"] = phase;
    object["status"]["reason"] = "Evicted";
    const auto view = pod_view_from(object);
    EXPECT_TRUE(view.gone);
    EXPECT_EQ(view.state, "Gone");
    EXPECT_THAT(view.waiting, HasSubstr(phase));
    EXPECT_THAT(view.waiting, HasSubstr("Evicted"));
  }
}

TEST(PodView, OfNonsenseIsEmpty) {
  for (
      const char* text :
      {"null", "[]", "3",
       R"({"metadata": 3, "spec": [], "status": {"podIPs": [], "conditions": 1, "initContainerStatuses": {"a": 1}}})"}) {
    const auto view = pod_view_from(Json::parse(text));
    EXPECT_EQ(view.uid, "") << text;
    EXPECT_EQ(view.state, "Unscheduled") << text;
  }
}

TEST(Times, AreReadAndWrittenAsTheApiServerDoes) {
  const TimePoint time{1'796'052'828s};
  EXPECT_EQ(time_text(time), "2026-11-30T15:33:48Z");
  EXPECT_EQ(time_from("2026-11-30T15:33:48Z"), time);
  EXPECT_EQ(time_from("2026-11-30T15:33:48.250000Z"), time + 250ms);
  for (const char* text : {"", "yesterday", "2026-11-30", "2026-11-30T15:33:48", "2026-11-30T15:33:48+01:00",
                           "2026-13-30T15:33:48Z", "2026-11-30T25:33:48Z", "2026-11-30T15:33:48.Z"})
    EXPECT_EQ(time_from(text), std::nullopt) << text;
}

}  // namespace
}  // namespace rollcall::desk
