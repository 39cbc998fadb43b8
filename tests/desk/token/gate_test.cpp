// Whole requests through the desk: who is calling, and what becomes of those who should not be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "desk/support/world.h"

namespace rollcall::desk::testing {
namespace {

using namespace std::chrono_literals;
using roll_call::Step;
using ::testing::HasSubstr;
using ::testing::Not;

class GateTest : public ::testing::Test {
 protected:
  World world{[](Service::Options& options) { options.hold = std::chrono::milliseconds(1); }};
};

TEST_F(GateTest, APodOfTheRosterIsAdmittedWithItsOwnNodeRank) {
  world.job(1, 4);
  const Said said = world.post(2);
  ASSERT_EQ(said.status, 200) << said.body;
  ASSERT_TRUE(said.instruction.has_value());
  EXPECT_EQ(said.instruction->attempt, 1);
  EXPECT_EQ(said.instruction->node_rank, 2);
  EXPECT_EQ(world.count("Admitted"), 1);
}

TEST_F(GateTest, ATokenForTheApiServerIsRefused) {
  world.job(1, 2);
  const auto token = make_token(
      world.cluster_key,
      {.audience = "https://kubernetes.default.svc", .expires = world.now_seconds() + 3000, .pod_uid = pod_uid(0, 1)});
  const Said said = world.post(token, world.answer(0));
  EXPECT_EQ(said.status, 401);
  EXPECT_EQ(said.code, "WrongAudience");
  EXPECT_EQ(world.api.reviews(), 0);
}

TEST_F(GateTest, AnExpiredTokenIsRefused) {
  world.job(1, 2);
  const auto token = make_token(world.cluster_key, {.expires = world.now_seconds() - 301, .pod_uid = pod_uid(0, 1)});
  const Said said = world.post(token, world.answer(0));
  EXPECT_EQ(said.status, 401);
  EXPECT_EQ(said.code, "Expired");
  EXPECT_THAT(said.body, HasSubstr("read the token file again"));
  EXPECT_EQ(world.api.reviews(), 0);
}

TEST_F(GateTest, ADeletedPodsTokenIsRefusedAlthoughItPassesReview) {
  world.job(1, 2);
  EXPECT_EQ(world.post(1).status, 200);
  world.service().pod_removed("train", "llama-1-1", pod_uid(1, 1));
  const Said said = world.post(1);
  EXPECT_EQ(said.status, 403);
  EXPECT_EQ(said.code, "PodGone");
}

TEST_F(GateTest, ADeletingPodsTokenIsRefused) {
  world.job(1, 2);
  Json pod = pod_object(1, 1);
  pod["metadata"]["deletionTimestamp"] = "2026-11-30T15:31:00Z";
  world.see_pod(pod);
  EXPECT_EQ(world.post(1).code, "PodGone");
}

TEST_F(GateTest, AFormerAttemptsPodIsToldThatItEnded) {
  world.job(1, 2);
  world.see(world.api.change("train", "tj-llama-1", [](Json& object) {
    object["status"]["verdict"] = {
        {"kind", "Ended"}, {"reason", "HoldExpired"}, {"message", "held 900 s"}, {"by", "desk"}};
  }));
  world.job(2, 2);
  const Said said = world.post(0, 1);
  ASSERT_TRUE(said.instruction.has_value()) << said.body;
  EXPECT_EQ(said.instruction->step, Step::End);
  EXPECT_EQ(said.instruction->attempt, 1);
  EXPECT_EQ(world.count("FormerAttempt"), 1);
  const Said current = world.post(0, 2);
  ASSERT_TRUE(current.instruction.has_value()) << current.body;
  EXPECT_NE(current.instruction->step, Step::End);
  EXPECT_EQ(current.instruction->attempt, 2);
}

TEST_F(GateTest, APodThatALaterAttemptGoesWithoutIsToldItsEnd) {
  world.job(1, 2);  // without a verdict yet, as after a lost write
  world.job(2, 2);
  const Said said = world.post(1, 1);
  ASSERT_TRUE(said.instruction.has_value()) << said.body;
  EXPECT_EQ(said.instruction->step, Step::End);
  EXPECT_THAT(said.instruction->message, HasSubstr("attempt 2 goes on without"));
}

TEST_F(GateTest, APodThatStaysBelongsToTheLaterAttempt) {
  world.job(1, 2);
  Json second = roll_call_object(2, 2);
  second["spec"]["roster"][0]["uid"] = pod_uid(0, 1);  // node rank 0 keeps its pod
  world.see_pod(pod_object(1, 2));
  world.write_roll_call(second);
  const Said said = world.post(0, 1);
  ASSERT_TRUE(said.instruction.has_value()) << said.body;
  EXPECT_EQ(said.instruction->attempt, 2);
  EXPECT_NE(said.instruction->step, Step::End);
}

TEST_F(GateTest, AForgedPodWithOurNamesAndLabelsIsRefusedWithoutAReview) {
  world.job(1, 2);
  Json pod = pod_object(0, 1);
  pod["metadata"]["uid"] = "u-forged";
  pod["metadata"]["namespace"] = "elsewhere";
  world.see_pod(pod);
  const auto token = make_token(world.cluster_key, {.expires = world.now_seconds() + 3000,
                                                    .pod_uid = "u-forged",
                                                    .pod_name = "llama-0-1",
                                                    .namespace_name = "elsewhere"});
  auto answer = world.answer(0);
  answer.pod_uid = "u-forged";
  const Said first = world.post(token, answer);
  ASSERT_TRUE(first.instruction.has_value()) << first.body;
  EXPECT_EQ(first.instruction->step, Step::Wait);
  EXPECT_EQ(first.instruction->ask_again_ms, 2000);
  world.set_now(world.now() + 30s);
  const Said later = world.post(token, answer);
  EXPECT_EQ(later.status, 403);
  EXPECT_EQ(later.code, "UidUnknown");
  EXPECT_EQ(world.api.reviews(), 0);
}

TEST_F(GateTest, NodeRank2ClaimingToBe0IsNodeRank2) {
  world.job(1, 4);
  Json body = Json::parse(roll_call::to_json(world.answer(2)));
  body["nodeRank"] = 0;
  body["node_rank"] = 0;
  body["rank"] = 0;
  const Said said = world.ask(world.token(2), body.dump()).get();
  ASSERT_TRUE(said.instruction.has_value()) << said.body;
  EXPECT_EQ(said.instruction->node_rank, 2);
  EXPECT_TRUE(eventually([&] { return world.stored().contains("status"); }));
  EXPECT_EQ(world.stored()["status"].value("masterAddr", ""), "") << "node rank 0 has not answered";
}

TEST_F(GateTest, ABodyWithAnotherPodsUidIsRefused) {
  world.job(1, 4);
  const Said said = world.post(world.token(2), world.answer(0));
  EXPECT_EQ(said.status, 403);
  EXPECT_EQ(said.code, "BodyOfOtherPod");
}

TEST_F(GateTest, ATokenSignedByAnotherKeyIsRefusedWithoutAReview) {
  world.job(1, 2);
  const auto forged =
      make_token(SigningKey::ec("cluster"), {.expires = world.now_seconds() + 3000, .pod_uid = pod_uid(0, 1)});
  EXPECT_EQ(world.post(forged, world.answer(0)).code, "BadSignature");
  EXPECT_EQ(world.api.reviews(), 0);
}

TEST_F(GateTest, WhatTheApiServerDoesNotAuthenticateIsRefused) {
  world.job(1, 2);
  world.api.review = [](const std::string&) {
    return Json{{"authenticated", false}, {"error", "service account deleted"}};
  };
  const Said said = world.post(0);
  EXPECT_EQ(said.code, "ReviewRefused");
  EXPECT_THAT(said.body, HasSubstr("service account deleted"));
  world.post(0);
  EXPECT_EQ(world.api.reviews(), 1) << "a refusal stands for a while";
}

TEST_F(GateTest, TheReviewsPodUidIsTheIdentity) {
  world.job(1, 2);
  world.api.review = [](const std::string&) {
    return Json{{"authenticated", true},
                {"audiences", {"rollcall"}},
                {"user", {{"extra", {{"authentication.kubernetes.io/pod-uid", Json::array({pod_uid(1, 1)})}}}}}};
  };
  EXPECT_EQ(world.post(0).code, "ReviewOfOtherPod");
}

TEST_F(GateTest, WithoutTokenOrWithNonsenseIsRefused) {
  EXPECT_EQ(world.ask("", "{}").get().code, "NoToken");
  EXPECT_EQ(world.ask("nonsense", "{}").get().code, "Malformed");
  EXPECT_THAT(world.ask("nonsense", "{}").get().body, Not(HasSubstr("nonsense")));
}

TEST_F(GateTest, AReviewIsAskedForOnceAMinute) {
  world.job(1, 2);
  for (int i = 0; i < 5; ++i) world.post(0);
  EXPECT_EQ(world.api.reviews(), 1);
  EXPECT_EQ(world.api.key_reads(), 1);
  world.set_now(world.now() + 61s);
  world.post(0);
  EXPECT_EQ(world.api.reviews(), 2);
}

TEST_F(GateTest, KeysAreReadAgainForAnUnknownKeyButNotForEach) {
  world.job(1, 2);
  world.post(0);
  world.set_now(world.now() + 11s);
  const auto rotated = SigningKey::rsa("rotated");
  world.api.keys = jwks({world.cluster_key, rotated});
  world.api.review = [](const std::string&) {
    return Json{{"authenticated", true},
                {"audiences", {"rollcall"}},
                {"user", {{"extra", {{"authentication.kubernetes.io/pod-uid", Json::array({pod_uid(1, 1)})}}}}}};
  };
  EXPECT_EQ(
      world
          .post(make_token(rotated, {.expires = world.now_seconds() + 3000, .pod_uid = pod_uid(1, 1)}), world.answer(1))
          .status,
      200);
  EXPECT_EQ(world.api.key_reads(), 2);
  for (int i = 0; i < 50; ++i) {
    const auto stranger = SigningKey::ec("stranger-" + std::to_string(i));
    EXPECT_EQ(world
                  .post(make_token(stranger, {.expires = world.now_seconds() + 3000, .pod_uid = pod_uid(1, 1)}),
                        world.answer(1))
                  .code,
              "UnknownKey");
  }
  EXPECT_EQ(world.api.key_reads(), 2);
}

TEST_F(GateTest, WithoutKeysTheReviewDecides) {
  world.api.keys = nullptr;
  world.job(1, 2);
  EXPECT_EQ(world.post(0).status, 200);
  EXPECT_EQ(world.api.reviews(), 1);
}

TEST_F(GateTest, AboveTheCapACallerAsksAgain) {
  World capped([](Service::Options& options) {
    options.hold = std::chrono::milliseconds(1);
    options.rates.per_uid = {0.001, 1};
  });
  capped.job(1, 2);
  EXPECT_EQ(capped.post(0).status, 200);
  capped.set_now(capped.now() + 61s);
  const Said said = capped.post(0);
  ASSERT_TRUE(said.instruction.has_value());
  EXPECT_EQ(said.instruction->step, Step::Wait);
  EXPECT_EQ(capped.count("Capped"), 1);
  EXPECT_EQ(capped.post(1).status, 200);
  EXPECT_EQ(capped.count("Admitted"), 2) << "another pod's limit is its own";
}

TEST_F(GateTest, WhileTheApiServerIsDownCallersAreToldToWait) {
  world.job(1, 2);
  world.api.set_down(true);
  const Said said = world.post(0);
  ASSERT_TRUE(said.instruction.has_value()) << said.body;
  EXPECT_EQ(said.instruction->step, Step::Wait);
  EXPECT_EQ(world.count("ReviewUnavailable"), 1);
  world.api.set_down(false);
  EXPECT_EQ(world.post(0).status, 200);
  EXPECT_EQ(world.count("Admitted"), 1);
}

TEST_F(GateTest, ADeletedJobsPodsAreToldSoForTwoMinutes) {
  world.job(1, 2);
  world.post(0);
  world.api.erase("train", "tj-llama-1");
  world.service().roll_call_removed("train", "tj-llama-1", "rc-1");
  world.service().pod_removed("train", "llama-0-1", pod_uid(0, 1));
  const Said said = world.post(0);
  ASSERT_TRUE(said.instruction.has_value()) << said.body;
  EXPECT_EQ(said.instruction->step, Step::End);
  EXPECT_THAT(said.instruction->message, HasSubstr("deleted"));
  world.set_now(world.now() + 121s);
  EXPECT_EQ(world.post(0).instruction->step, Step::Wait) << "now a uid like any other that is in no roster";
}

TEST_F(GateTest, OtherPathsMethodsAndSizesAreRefused) {
  const auto ask = [&](const std::string& method, const std::string& target, const std::string& body) {
    int status = 0;
    world.service().handle({method, target, "", "", body, "10.1.0.9"},
                           [&](serve::Response response) { status = response.status; });
    return status;
  };
  EXPECT_EQ(ask("GET", "/", ""), 404);
  EXPECT_EQ(ask("GET", "/v1/answer", ""), 405);
  EXPECT_EQ(ask("POST", "/v1/answer", std::string(roll_call::kMaxAnswerBytes + 1, ' ')), 413);
}

TEST_F(GateTest, ABodyThatIsNoAnswerIsRefusedWithItsFault) {
  world.job(1, 2);
  const Said said = world.ask(world.token(0), R"({"podUid": 7})").get();
  EXPECT_EQ(said.status, 400);
  EXPECT_THAT(said.body, HasSubstr("podUid"));
}

}  // namespace
}  // namespace rollcall::desk::testing
