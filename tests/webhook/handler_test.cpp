// Requests to replies: what is no review, what is late, what waits, and what is counted.
#include "webhook/handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "tests/webhook/harness.h"
#include "webhook/time_limit.h"

namespace rollcall::webhook {
namespace {

using namespace std::chrono_literals;
using test::Harness;
using test::job;
using test::json;
using test::policy_for_team;
using test::pytorch_job;
using test::response_of;
using test::review_of;
using test::review_of_kind;
using testing::HasSubstr;

TEST(Handler, AdmitsAndRefuses) {
  Harness harness;
  const auto sound = harness.answer(review_of("CREATE", job()));
  EXPECT_EQ(sound.status, 200);
  EXPECT_EQ(sound.content_type, "application/json");
  EXPECT_EQ(response_of(sound)["allowed"], true);
  EXPECT_EQ(response_of(sound)["uid"], "705ab4f5-6393-11e8-b7cc-42010a800002");
  const auto refused = harness.answer(review_of("CREATE", job(8, 4)));
  EXPECT_EQ(refused.status, 200);
  EXPECT_EQ(response_of(refused)["allowed"], false);
}

TEST(Handler, WhatIsNoReviewGetsItsOwnStatus) {
  Harness harness;
  const auto status = [&harness](auto change) {
    serve::Request request = harness.request(review_of("CREATE", job()).dump());
    change(request);
    return harness.answer(std::move(request)).status;
  };
  EXPECT_EQ(status([](auto& r) { r.target = "/"; }), 404);
  EXPECT_EQ(status([](auto& r) { r.target = "/validate/"; }), 404);
  EXPECT_EQ(status([](auto& r) { r.target = "/%76alidate"; }), 404);
  EXPECT_EQ(status([](auto& r) { r.target = "/x/../validate"; }), 404);
  EXPECT_EQ(status([](auto& r) { r.target = "/validate#x"; }), 404);
  EXPECT_EQ(status([](auto& r) { r.method = "GET"; }), 405);
  EXPECT_EQ(status([](auto& r) { r.content_type = "application/yaml"; }), 415);
  EXPECT_EQ(status([](auto& r) { r.content_type = ""; }), 415);
  EXPECT_EQ(status([](auto& r) { r.content_type = "application/jsonx"; }), 415);
  EXPECT_EQ(status([](auto& r) { r.content_type = "application/json; charset=utf-8"; }), 200);
  EXPECT_EQ(status([](auto& r) { r.target = "/validate"; }), 200);
  EXPECT_EQ(status([](auto& r) { r.target = "/validate?timeout=soon"; }), 400);
  EXPECT_EQ(status([](auto& r) { r.body = "{}"; }), 400);
  EXPECT_EQ(status([](auto& r) { r.body = ""; }), 400);
  EXPECT_EQ(status([](auto& r) { r.body.append(kMaxReviewBytes, ' '); }), 413);
}

TEST(Handler, AnErrorIsAStatusSoThatItsWordsReachWhoAsked) {
  Harness harness;
  serve::Request request = harness.request(review_of("CREATE", job()).dump());
  request.body.append(kMaxReviewBytes, ' ');
  const auto reply = harness.answer(std::move(request));
  EXPECT_EQ(reply.content_type, "application/json");
  const auto status = nlohmann::json::parse(reply.body);
  EXPECT_EQ(status["apiVersion"], "v1");
  EXPECT_EQ(status["kind"], "Status");
  EXPECT_EQ(status["status"], "Failure");
  EXPECT_EQ(status["code"], 413);
  EXPECT_THAT(status["message"].get<std::string>(), HasSubstr("at most 7340032 are read"));
}

TEST(TimeLimit, IsReadAsGoWritesIt) {
  const auto limit = [](const std::string& value) {
    const auto target = target_of("/validate?timeout=" + value);
    return target.ok() ? target->limit : -1ms;
  };
  EXPECT_EQ(target_of("/validate")->limit, kDefaultTimeLimit);
  EXPECT_EQ(target_of("/validate?a=b")->limit, kDefaultTimeLimit);
  EXPECT_EQ(target_of("/validate?a=b&timeout=3s&c=d")->limit, 3s);
  EXPECT_EQ(limit("5s"), 5s);
  EXPECT_EQ(limit("1.5s"), 1500ms);
  EXPECT_EQ(limit("500ms"), 500ms);
  EXPECT_EQ(limit("1m"), kLongestTimeLimit);
  EXPECT_EQ(limit("9999999999999s"), kLongestTimeLimit);
  for (const char* wrong : {"", "5", "s", "-5s", "0s", "5x", "nan", "infs", "1e3s", "5s5"})
    EXPECT_EQ(limit(wrong), -1ms) << wrong;
}

TEST(Handler, AnAnswerAfterTheTimeLimitIsNone) {
  auto now = std::chrono::steady_clock::time_point{} + 1h;
  Handler::Options options;
  options.now = [&now] {
    now += 3s;  // each look at the clock, that is: at the start, and at the end
    return now;
  };
  Harness harness(std::move(options));
  serve::Request request = harness.request(review_of("CREATE", job()).dump());
  request.target = "/validate?timeout=2s";
  const auto late = harness.answer(std::move(request));
  EXPECT_EQ(late.status, 504);
  EXPECT_THAT(late.body, HasSubstr("time limit"));
}

TEST(Handler, APolicyCountsWhereItsSelectorMatches) {
  Harness harness;
  harness.policies.policy_changed("gpu-teams", policy_for_team("gpu/fewer-processes-than-gpus", Severity::deny));
  harness.policies.namespace_changed("research", {{"team", "gpu"}});
  EXPECT_EQ(response_of(harness.answer(review_of("CREATE", job(4, 8))))["allowed"], false);
  harness.policies.namespace_changed("research", {{"team", "web"}});
  EXPECT_EQ(response_of(harness.answer(review_of("CREATE", job(4, 8))))["allowed"], true);
  harness.policies.namespace_changed("research", {{"team", "gpu"}});
  harness.policies.policy_removed("gpu-teams");
  EXPECT_EQ(response_of(harness.answer(review_of("CREATE", job(4, 8))))["allowed"], true);
}

TEST(Handler, BeforeThePoliciesAreReadNothingIsDecided) {
  telemetry::Registry registry("rollcall-webhook");
  Metrics metrics(registry);
  PolicyBook policies;
  WaitingRoom waiting;
  Handler handler(policies, waiting, metrics, {});
  std::vector<int> status;
  const auto ask = [&](const json& review) {
    handler.handle({"POST", "/validate", "", "application/json", review.dump(), "127.0.0.1"},
                   [&status](const serve::Response& response) { status.push_back(response.status); });
  };
  ask(review_of("CREATE", job()));
  ask(review_of("DELETE", nullptr, job()));
  policies.open();
  ask(review_of("CREATE", job()));
  EXPECT_EQ(status, (std::vector<int>{503, 200, 200}));
}

TEST(Handler, AnUnknownNamespaceIsNoMatterWithoutASelector) {
  Harness harness;
  EXPECT_EQ(harness.answer(review_of("CREATE", job())).status, 200);
  auto policy = policy_for_team("gpu/fewer-processes-than-gpus", Severity::deny);
  policy.namespace_selector = {};
  harness.policies.policy_changed("gpu-teams", policy);
  EXPECT_EQ(response_of(harness.answer(review_of("CREATE", job(4, 8))))["allowed"], false);
}

TEST(Handler, OtherKindsAreRefusedOnlyWhereTheirNamespaceIsLabelled) {
  Harness harness;
  const auto allowed = [&harness](const json& object) {
    return response_of(harness.answer(review_of_kind("CREATE", object)))["allowed"] == true;
  };
  const std::pair<const char*, bool> labels[] = {{"deny", false}, {"warn", true}, {"Deny", true}, {"", true}};
  for (const auto& [value, admitted] : labels) {
    harness.policies.namespace_changed("research", {{"rollcall.dev/enforce", value}});
    EXPECT_EQ(allowed(pytorch_job(8, 4)), admitted) << value;
    EXPECT_TRUE(allowed(pytorch_job())) << value;
    EXPECT_FALSE(allowed(job(8, 4))) << value;
  }
  harness.policies.namespace_changed("research", {});
  EXPECT_TRUE(allowed(pytorch_job(8, 4)));
}

TEST(Handler, AnotherKindWaitsForTheLabelsOfItsNamespaceWithoutAnyPolicy) {
  Harness harness;
  std::vector<serve::Response> replies;
  harness.handler.handle(harness.request(review_of_kind("CREATE", pytorch_job(8, 4)).dump()),
                         [&replies](serve::Response response) { replies.push_back(std::move(response)); });
  EXPECT_TRUE(replies.empty());
  harness.policies.namespace_changed("research", {{"rollcall.dev/enforce", "deny"}});
  ASSERT_EQ(replies.size(), 1U);
  EXPECT_EQ(response_of(replies[0])["allowed"], false);
}

TEST(Handler, TheLabelsOfTheNamespaceAreWhatRulesLookAt) {
  Harness harness;
  const auto warnings = [&harness](const std::map<std::string, std::string>& labels) {
    harness.policies.namespace_changed("research", labels);
    return response_of(harness.answer(review_of_kind("CREATE", pytorch_job()))).value("warnings", json::array()).dump();
  };
  EXPECT_THAT(warnings({}), testing::Not(HasSubstr("mesh/sidecar")));
  EXPECT_THAT(warnings({{"istio-injection", "enabled"}}), HasSubstr("mesh/sidecar"));
}

TEST(Handler, AReviewWaitsForItsNamespaceToShowUp) {
  Harness harness;
  harness.policies.policy_changed("gpu-teams", policy_for_team("gpu/fewer-processes-than-gpus", Severity::deny));
  std::vector<serve::Response> replies;
  harness.handler.handle(harness.request(review_of("CREATE", job(4, 8)).dump()),
                         [&replies](serve::Response response) { replies.push_back(std::move(response)); });
  EXPECT_TRUE(replies.empty());
  harness.policies.namespace_changed("other", {});
  EXPECT_TRUE(replies.empty());
  EXPECT_EQ(harness.waiting.waiting(), 1U);
  harness.policies.namespace_changed("research", {{"team", "gpu"}});
  ASSERT_EQ(replies.size(), 1U);
  EXPECT_EQ(response_of(replies[0])["allowed"], false);
  EXPECT_EQ(harness.waiting.waiting(), 0U);
  // What rules are not asked about does not wait.
  EXPECT_EQ(harness.answer(review_of("DELETE", nullptr, job())).status, 200);
}

TEST(Handler, ANamespaceThatDoesNotShowUpInTimeIsNoAnswer) {
  Harness harness;
  harness.policies.policy_changed("gpu-teams", policy_for_team("gpu/fewer-processes-than-gpus", Severity::deny));
  std::mutex mutex;
  std::condition_variable came;
  std::vector<serve::Response> replies;
  serve::Request request = harness.request(review_of("CREATE", job()).dump());
  request.target = "/validate?timeout=20ms";
  harness.handler.handle(std::move(request), [&](serve::Response response) {
    const std::lock_guard lock(mutex);
    replies.push_back(std::move(response));
    came.notify_one();
  });
  std::unique_lock lock(mutex);
  ASSERT_TRUE(came.wait_for(lock, 10s, [&replies] { return !replies.empty(); }));
  EXPECT_EQ(replies[0].status, 504);
  EXPECT_THAT(replies[0].body, HasSubstr("namespace research did not show up"));
}

TEST(Handler, WaitsEndWhenTheWebhookEnds) {
  Harness harness;
  harness.policies.policy_changed("gpu-teams", policy_for_team("gpu/fewer-processes-than-gpus", Severity::deny));
  std::vector<serve::Response> replies;
  const auto ask = [&] {
    harness.handler.handle(harness.request(review_of("CREATE", job()).dump()),
                           [&replies](serve::Response response) { replies.push_back(std::move(response)); });
  };
  ask();
  harness.waiting.close();
  ask();
  ASSERT_EQ(replies.size(), 2U);
  EXPECT_EQ(replies[0].status, 503);
  EXPECT_EQ(replies[1].status, 503);
}

TEST(Handler, NoMoreWaitThanThereIsRoomFor) {
  Harness harness;
  harness.policies.policy_changed("gpu-teams", policy_for_team("gpu/fewer-processes-than-gpus", Severity::deny));
  std::atomic<int> full{0};
  for (std::size_t i = 0; i < WaitingRoom::kMost + 1; ++i) {
    harness.handler.handle(harness.request(review_of("CREATE", job()).dump()),
                           [&full](const serve::Response& response) { full += response.status == 503 ? 1 : 0; });
  }
  EXPECT_EQ(full, 1);
  EXPECT_EQ(harness.waiting.waiting(), WaitingRoom::kMost);
  harness.waiting.close();
  EXPECT_EQ(full, static_cast<int>(WaitingRoom::kMost) + 1);
}

TEST(Handler, OnlyWhoSendsReviewsIsVouchedFor) {
  Harness harness;
  EXPECT_TRUE(harness.answer(review_of("CREATE", job())).vouched);
  EXPECT_FALSE(harness.answer(harness.request("{}")).vouched);
}

TEST(Handler, WhileItEndsEachReplyEndsItsConnection) {
  bool ending = false;
  Handler::Options options;
  options.ending = [&ending] { return ending; };
  Harness harness(std::move(options));
  EXPECT_FALSE(harness.answer(review_of("CREATE", job())).close);
  ending = true;
  const auto last = harness.answer(review_of("CREATE", job()));
  EXPECT_TRUE(last.close);
  EXPECT_EQ(last.status, 200);
}

TEST(Handler, CountsRequestsDecisionsAndWhatIsUnderWay) {
  Harness harness;
  harness.answer(review_of("CREATE", job()));
  harness.answer(review_of("CREATE", job(8, 4)));
  harness.answer(harness.request("{}"));
  const std::string text = harness.registry.text();
  for (const char* line :
       {"controller_runtime_webhook_requests_total{code=\"200\",webhook=\"/validate\"} 2",
        "controller_runtime_webhook_requests_total{code=\"400\",webhook=\"/validate\"} 1",
        "controller_runtime_webhook_requests_total{code=\"500\",webhook=\"/validate\"} 0",
        "controller_runtime_webhook_requests_in_flight{webhook=\"/validate\"} 0",
        "controller_runtime_webhook_latency_seconds_count{webhook=\"/validate\"} 3",
        "rollcall_admission_decisions_total{decision=\"admitted\",rule=\"none\"} 1",
        "rollcall_admission_decisions_total{decision=\"denied\",rule=\"gpu/more-processes-than-gpus\"} 1",
        "rollcall_build_info{"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

}  // namespace
}  // namespace rollcall::webhook
