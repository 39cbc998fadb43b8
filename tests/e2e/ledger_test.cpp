// The ledger is not blind: each rule is broken once, and a sound history breaks none. No cluster is needed.
#include "e2e/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rollcall::e2e {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Json pod(int node_rank, int attempt, const std::string& address, bool trains) {
  const std::string name = "job-" + std::to_string(node_rank) + "-" + std::to_string(attempt);
  Json object = {{"metadata",
                  {{"name", name},
                   {"uid", "uid-" + name},
                   {"labels",
                    {{"rollcall.dev/job-uid", "u"},
                     {"rollcall.dev/attempt", std::to_string(attempt)},
                     {"rollcall.dev/node-rank", std::to_string(node_rank)}}}}},
                 {"spec", {{"nodeName", "node-1"}}},
                 {"status", {{"podIP", address}}}};
  const Json running = {{"running", {{"startedAt", "2026-01-01T00:00:00Z"}}}};
  if (trains) object["status"]["containerStatuses"] = Json::array({{{"name", "trainer"}, {"state", running}}});
  return object;
}

Json call(int attempt, const Json& status) {
  return {{"metadata", {{"name", "tj-job-" + std::to_string(attempt)}}},
          {"spec", {{"attempt", attempt}, {"job", {{"uid", "u"}, {"name", "job"}}}}},
          {"status", status}};
}

Json job(const std::string& phase, int attempt = 1) {
  return {{"metadata", {{"name", "job"}, {"uid", "u"}}}, {"status", {{"phase", phase}, {"attempt", attempt}}}};
}

/// The items of a list.
template <typename... Objects>
Json all(const Objects&... objects) {
  return Json::array({objects...});
}

const Json kReleased = {{"verdict", {{"kind", "Released"}, {"at", "1"}}},
                        {"stages", Json::array({{{"name", "Mesh"}, {"state", "Passed"}}})}};
const Json kEnded = {{"verdict", {{"kind", "Ended"}, {"reason", "PodLost"}}}};
const std::string kLog = "trainer MASTER_ADDR=10.0.0.1 MASTER_PORT=29500\n";

TEST(Ledger, ASoundHistoryBreaksNothing) {
  Ledger ledger;
  ledger.look(all(pod(0, 1, "10.0.0.9", false)), all(call(1, Json::object())), all(job("RollCall")));
  ledger.look(Json::array(), all(call(1, kEnded)), all(job("Pending", 2)));
  const Json pods = all(pod(0, 2, "10.0.0.1", true), pod(1, 2, "10.0.0.2", true));
  ledger.look(pods, all(call(1, kEnded), call(2, kReleased)), all(job("Running", 2)));
  ASSERT_EQ(ledger.unread().size(), 2U);
  ledger.read("uid-job-0-2", kLog);
  ledger.read("uid-job-1-2", "");
  EXPECT_EQ(ledger.unread().size(), 1U) << "one that has said nothing yet is asked again";
  ledger.look(Json::array(), all(call(2, kReleased)), all(job("Succeeded", 2)));
  EXPECT_THAT(ledger.broken(), IsEmpty());
  EXPECT_EQ(ledger.verdicts().size(), 2U);
  EXPECT_EQ(ledger.trainers_started(), 2);
  EXPECT_EQ(ledger.addresses_read(), 1);
}

TEST(Ledger, ATrainerBeforeTheVerdictIsSeen) {
  Ledger ledger;
  ledger.look(all(pod(0, 1, "10.0.0.1", true)), all(call(1, Json::object())), all(job("RollCall")));
  EXPECT_THAT(ledger.broken(), ElementsAre(HasSubstr("has no verdict")));
}

TEST(Ledger, ATrainerOfAnEndedAttemptIsSeen) {
  Ledger ledger;
  ledger.look(all(pod(0, 1, "10.0.0.1", true)), all(call(1, kEnded)), all(job("RollCall")));
  EXPECT_THAT(ledger.broken(), ElementsAre(HasSubstr("attempt that ended")));
}

TEST(Ledger, TheAddressOfAFormerAttemptIsSeen) {
  Ledger ledger;
  ledger.look(all(pod(0, 1, "10.0.0.1", false)), all(call(1, kEnded)), all(job("Pending", 2)));
  ledger.look(all(pod(0, 2, "10.0.0.7", true)), all(call(2, kReleased)), all(job("Running", 2)));
  ledger.read("uid-job-0-2", kLog);
  EXPECT_THAT(ledger.broken(), ElementsAre(HasSubstr("MASTER_ADDR=10.0.0.1")));
}

TEST(Ledger, AnEmptyAddressIsSeen) {
  Ledger ledger;
  ledger.look(all(pod(0, 1, "10.0.0.1", true)), all(call(1, kReleased)), all(job("Running")));
  ledger.read("uid-job-0-1", "trainer MASTER_ADDR= MASTER_PORT=29500\n");
  EXPECT_THAT(ledger.broken(), ElementsAre(HasSubstr("MASTER_ADDR=,")));
}

TEST(Ledger, ASecondVerdictIsSeen) {
  Ledger ledger;
  ledger.look(Json::array(), all(call(1, kEnded)), all(job("RollCall")));
  ledger.look(Json::array(), all(call(1, kReleased)), all(job("RollCall")));
  EXPECT_THAT(ledger.broken(), ElementsAre(HasSubstr("two verdicts")));
}

TEST(Ledger, AReleaseWithAStageThatHasNotPassedIsSeenUnlessOverridden) {
  Json status = kReleased;
  status["stages"][0]["state"] = "Failed";
  Ledger ledger;
  ledger.look(Json::array(), all(call(1, status)), all(job("Released")));
  EXPECT_THAT(ledger.broken(), ElementsAre(HasSubstr("stage Mesh is Failed")));
  status["verdict"]["overridden"] = true;
  Ledger overridden;
  overridden.look(Json::array(), all(call(1, status)), all(job("Released")));
  EXPECT_THAT(overridden.broken(), IsEmpty());
}

TEST(Ledger, TwoPodsAtOneNodeRankAreSeen) {
  Ledger ledger;
  ledger.look(all(pod(1, 1, "10.0.0.1", false), pod(1, 2, "10.0.0.2", false)), Json::array(), all(job("RollCall", 2)));
  EXPECT_THAT(ledger.broken(), ElementsAre(HasSubstr("at once")));
}

TEST(Ledger, AJobThatComesBackOrGoesBackIsSeen) {
  Ledger ledger;
  ledger.look(Json::array(), Json::array(), all(job("Failed", 2)));
  ledger.look(Json::array(), Json::array(), all(job("Running", 1)));
  EXPECT_THAT(ledger.broken(), ElementsAre(HasSubstr("was Failed and then Running"), HasSubstr("back to 1")));
}

}  // namespace
}  // namespace rollcall::e2e
