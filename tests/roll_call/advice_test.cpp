#include "roll_call/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rollcall::roll_call {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const TimePoint kNow = *rfc3339_from("2026-11-30T12:10:00Z");

Roll held_for(const std::string& rule, const std::string& owner = "node") {
  Roll roll;
  roll.spec.job.name = "llama";
  roll.spec.gpus_per_pod = 8;
  roll.namespace_name = "team-a";
  for (int i = 0; i < 3; ++i) {
    Pod pod;
    pod.node_rank = i;
    pod.name = "llama-" + std::to_string(i);
    pod.view = PodView{};
    pod.view->node = "gpu-" + std::to_string(i + 1);
    roll.pods.push_back(pod);
  }
  roll.phase = Phase::Held;
  roll.held_since = *rfc3339_from("2026-11-30T12:06:00Z");
  roll.findings = {{Stage::Gpu, {"gpu/slow-init", "warn", "a warning", {2}, "node"}, false},
                   {Stage::Gpu, {rule, "fail", "what is wrong", {1}, owner}, false}};
  return roll;
}

TEST(Advice, SaysWhatSinceCostOwnerNextAndWhetherToOverride) {
  const auto advice = advice_for(held_for("cuda/fabric-not-ready"), kNow);
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->what, "what is wrong");
  EXPECT_EQ(advice->since, "2026-11-30T12:06:00Z");
  EXPECT_EQ(advice->cost, "24 GPUs held for 4 min: 1.6 GPU-hours");
  EXPECT_EQ(advice->owner, "node");
  EXPECT_THAT(advice->next_command, HasSubstr("node/gpu-2 "));
  EXPECT_THAT(advice->override_safe, StartsWith("no: "));
}

struct Case {
  const char* rule;
  const char* command;
  const char* safe;
};
void PrintTo(const Case& each, std::ostream* out) { *out << each.rule; }

class RuleFamily : public ::testing::TestWithParam<Case> {};

TEST_P(RuleFamily, HasItsCommandAndItsWordOnOverriding) {
  const auto advice = advice_for(held_for(GetParam().rule), kNow);
  ASSERT_TRUE(advice);
  EXPECT_THAT(advice->next_command, HasSubstr(GetParam().command));
  EXPECT_THAT(advice->override_safe, StartsWith(GetParam().safe));
  EXPECT_EQ(advice->next_command.find('{'), std::string::npos) << advice->next_command;
}

INSTANTIATE_TEST_SUITE_P(
    Each, RuleFamily,
    ::testing::Values(Case{"mesh/dropped", "kubectl get networkpolicies -n team-a", "no: the job would start and hang"},
                      Case{"nccl/version", "kubectl get pods -n team-a", "no"},
                      Case{"nccl/interface-unreachable", "kubectl get tj llama -n team-a", "no"},
                      Case{"env/must-be-equal", "kubectl get tj llama -n team-a", "no"},
                      Case{"master-port/in-use", "kubectl describe pod llama-1 -n team-a", "no"},
                      Case{"gpu/remap-pending", "node/gpu-2 ", "yes, at a risk"},
                      Case{"gpu/not-visible", "kubectl describe pod llama-1 -n team-a", "no"},
                      Case{"transport/tcp-though-rdma-asked", "ibstat", "yes, at a price"},
                      Case{"rdma/retries-exceeded", "ibstat", "no"},
                      Case{"collective/wrong-value", "node/gpu-2 ", "no: the job would learn from wrong numbers"},
                      Case{"collective/hung", "node/gpu-2 ", "no"},
                      Case{"check/failed", "kubectl logs llama-1 -c rollcall -n team-a", "yours to say"},
                      Case{"something/new", "kubectl logs llama-1", "not known"}));

TEST(Advice, ANodeThatIsNotKnownIsNotDebugged) {
  Roll roll = held_for("gpu/no-answer");
  roll.pods[1].view->node.clear();
  EXPECT_EQ(advice_for(roll, kNow)->next_command, "kubectl describe pod llama-1 -n team-a");
}

TEST(Advice, AnEndWithoutAFindingPointsToThePodThatDidNotStart) {
  Roll roll = held_for("x");
  roll.findings.clear();
  roll.phase = Phase::Verdict;
  roll.pods[0].started_at = roll.pods[1].started_at = kNow;
  roll.verdict = api::Verdict{api::VerdictKind::Ended,
                              api::EndReason::PodsNotStarted,
                              "2 of 3 nodes were ready",
                              "2026-11-30T12:09:00Z",
                              "desk",
                              false};
  const auto advice = advice_for(roll, kNow);
  ASSERT_TRUE(advice);
  EXPECT_EQ(advice->what, "2 of 3 nodes were ready");
  EXPECT_EQ(advice->next_command, "kubectl describe pod llama-2 -n team-a");
}

TEST(Advice, NoneWhileNothingIsWrong) {
  Roll roll = held_for("x");
  roll.phase = Phase::Round;
  EXPECT_FALSE(advice_for(roll, kNow));
  roll.verdict = api::Verdict{};
  EXPECT_FALSE(advice_for(roll, kNow));
}

}  // namespace
}  // namespace rollcall::roll_call
