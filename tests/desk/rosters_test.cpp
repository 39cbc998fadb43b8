#include "desk/rosters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rollcall::desk {
namespace {

using namespace std::chrono_literals;
using roll_call::PodView;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr TimePoint kNow{1'796'053'000s};

api::RollCall roll_call(int attempt, std::vector<std::string> uids, const std::string& job = "job-1") {
  api::RollCall one;
  one.spec.attempt = attempt;
  one.spec.job.uid = job;
  for (std::size_t rank = 0; rank < uids.size(); ++rank)
    one.spec.roster.push_back({static_cast<int>(rank), "pod-" + uids[rank], uids[rank]});
  return one;
}

PodView pod(const std::string& uid) {
  PodView view;
  view.uid = uid;
  view.name = "pod-" + uid;
  view.probe_running = true;
  view.state = "Running";
  return view;
}

TEST(Rosters, APodsPlaceIsWhatTheRosterSays) {
  Rosters rosters;
  rosters.put("ns/one", roll_call(3, {"a", "b", "c"}), kNow);
  const Known known = rosters.know("c", true, kNow);
  ASSERT_TRUE(known.place.has_value());
  EXPECT_EQ(known.place->roll_call, "ns/one");
  EXPECT_EQ(known.place->attempt, 3);
  EXPECT_EQ(known.place->node_rank, 2);
  EXPECT_EQ(known.place->nnodes, 3);
  EXPECT_FALSE(known.former);
  EXPECT_EQ(known.pod, Known::Pod::NotSeen);
}

TEST(Rosters, PodsComeGoAndStayKnownAsGone) {
  Rosters rosters;
  EXPECT_FALSE(rosters.put_pod("ns/p", pod("a"), kNow).has_value());
  EXPECT_EQ(rosters.know("a", false, kNow).pod, Known::Pod::Alive);
  const auto gone = rosters.remove_pod("ns/p", "a", kNow);
  ASSERT_TRUE(gone.has_value());
  EXPECT_TRUE(gone->gone);
  EXPECT_FALSE(gone->probe_running);
  EXPECT_EQ(rosters.know("a", false, kNow + 5min).pod, Known::Pod::Gone);
  EXPECT_FALSE(rosters.remove_pod("ns/p", "a", kNow).has_value());
  rosters.remove_pod("ns/q", "never seen", kNow);
  EXPECT_EQ(rosters.know("never seen", false, kNow).pod, Known::Pod::Gone);
}

TEST(Rosters, AnotherPodOfTheSameNameEndsTheFirst) {
  Rosters rosters;
  rosters.put_pod("ns/p", pod("a"), kNow);
  const auto replaced = rosters.put_pod("ns/p", pod("b"), kNow);
  ASSERT_TRUE(replaced.has_value());
  EXPECT_EQ(replaced->uid, "a");
  EXPECT_TRUE(replaced->gone);
  EXPECT_EQ(rosters.know("a", false, kNow).pod, Known::Pod::Gone);
  rosters.remove_pod("ns/p", "a", kNow);  // a late word of the first one's deletion
  EXPECT_EQ(rosters.know("b", false, kNow).pod, Known::Pod::Alive);
  EXPECT_FALSE(rosters.put_pod("ns/p", pod("b"), kNow).has_value());
}

TEST(Rosters, APodInTwoAttemptsBelongsToTheLater) {
  Rosters rosters;
  rosters.put("ns/two", roll_call(2, {"a", "new"}), kNow);
  rosters.put("ns/one", roll_call(1, {"a", "old"}), kNow);
  EXPECT_EQ(rosters.know("a", false, kNow).place->attempt, 2);
  EXPECT_FALSE(rosters.know("a", false, kNow).former);
  const Known old = rosters.know("old", false, kNow);
  EXPECT_EQ(old.place->attempt, 1);
  EXPECT_TRUE(old.former);
  EXPECT_EQ(old.current_attempt, 2);
  EXPECT_THAT(rosters.roll_calls_of("a"), ElementsAre("ns/two", "ns/one"));
}

TEST(Rosters, AnotherJobsAttemptsDoNotCount) {
  Rosters rosters;
  rosters.put("ns/one", roll_call(1, {"a"}), kNow);
  rosters.put("ns/other", roll_call(7, {"z"}, "job-2"), kNow);
  EXPECT_FALSE(rosters.know("a", false, kNow).former);
}

TEST(Rosters, AnEndedAttemptsPodsAreFormer) {
  Rosters rosters;
  auto one = roll_call(1, {"a"});
  one.status.verdict =
      api::Verdict{api::VerdictKind::Ended, api::EndReason::PodLost, "gpu-17 is gone", "", "operator", false};
  rosters.put("ns/one", one, kNow);
  EXPECT_TRUE(rosters.know("a", false, kNow).former);
  EXPECT_EQ(rosters.know("a", false, kNow).ended_message, "PodLost: gpu-17 is gone");
  EXPECT_TRUE(rosters.over("ns/one"));

  auto released = roll_call(1, {"b"}, "job-2");
  released.status.verdict = api::Verdict{};
  rosters.put("ns/two", released, kNow);
  EXPECT_FALSE(rosters.know("b", false, kNow).former) << "released is not ended";
  released.status.end = api::End{api::EndReason::TrainerNotStarted, "node rank 3", ""};
  rosters.put("ns/two", released, kNow);
  EXPECT_TRUE(rosters.know("b", false, kNow).former);
  EXPECT_EQ(rosters.know("b", false, kNow).ended_message, "TrainerNotStarted: node rank 3");
}

TEST(Rosters, ADeletedRollCallLeavesItsPodsToldForTwoMinutes) {
  Rosters rosters;
  rosters.put("ns/one", roll_call(1, {"a", "stays"}), kNow);
  rosters.put("ns/two", roll_call(2, {"stays"}), kNow);
  rosters.remove("ns/one", kNow);
  EXPECT_TRUE(rosters.know("a", true, kNow + 119s).job_deleted);
  EXPECT_FALSE(rosters.know("a", true, kNow + 120s).job_deleted);
  EXPECT_TRUE(rosters.know("a", true, kNow + 120s).first_heard.has_value());
  EXPECT_EQ(rosters.know("stays", false, kNow).place->attempt, 2);
  EXPECT_FALSE(rosters.know("stays", false, kNow).job_deleted);
  rosters.remove("ns/never", kNow);
  EXPECT_EQ(rosters.roll_calls(), 1u);
}

TEST(Rosters, UnknownUidsAreRecordedOnlyWhenVouchedFor) {
  Rosters rosters;
  EXPECT_FALSE(rosters.know("x", false, kNow).first_heard.has_value());
  EXPECT_EQ(rosters.know("x", true, kNow).first_heard, kNow);
  EXPECT_EQ(rosters.know("x", true, kNow + 9s).first_heard, kNow);
  rosters.put("ns/one", roll_call(1, {"x"}), kNow + 10s);
  EXPECT_TRUE(rosters.know("x", true, kNow + 10s).place.has_value());
}

TEST(Rosters, AChangedRosterReplacesTheOld) {
  Rosters rosters;
  rosters.put("ns/one", roll_call(1, {"a", "b"}), kNow);
  rosters.put("ns/one", roll_call(1, {"c"}, "job-2"), kNow);  // deleted and made anew under the same name
  EXPECT_FALSE(rosters.know("a", false, kNow).place.has_value());
  EXPECT_TRUE(rosters.know("c", false, kNow).place.has_value());
  EXPECT_THAT(rosters.roll_calls_of("a"), IsEmpty());
}

TEST(Rosters, PodsNeverSeenCountAsGoneAfterTheLag) {
  Rosters rosters;
  rosters.put_pod("ns/pod-a", pod("a"), kNow);
  rosters.put("ns/one", roll_call(1, {"a", "b"}), kNow);
  rosters.put("ns/one", roll_call(1, {"a", "b"}), kNow + 8s);  // a later word of the same does not start the lag anew
  EXPECT_THAT(rosters.never_seen("ns/one", kNow + 9s), IsEmpty());
  const auto gone = rosters.never_seen("ns/one", kNow + 10s);
  ASSERT_EQ(gone.size(), 1u);
  EXPECT_EQ(gone[0].uid, "b");
  EXPECT_EQ(gone[0].name, "pod-b");
  EXPECT_EQ(rosters.pods_of("ns/one").size(), 1u);
}

}  // namespace
}  // namespace rollcall::desk
