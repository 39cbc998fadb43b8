#include "kube/events.h"

#include <gtest/gtest.h>

#include <set>

#include "kube/event_correlator.h"
#include "kube/fake_client.h"

namespace rollcall::kube {
namespace {

using namespace std::chrono_literals;
using testing::FakeClient;

const EventTarget kJob{"rollcall.dev/v1alpha1", "TrainingJob", "team", "llama", "uid-1"};
const ApiError kExists{409, "AlreadyExists", "", 0};
const ApiError kLost{404, "NotFound", "", 0};
const ApiError kForbidden{403, "Forbidden", "no", 0};

class Correlator : public ::testing::Test {
 protected:
  EventCorrelator correlator_;
  EventCorrelator::TimePoint now_{std::chrono::hours{1000}};
  EventCorrelator::Seen see(const std::string& message, const std::string& uid = "u",
                            const std::string& reason = "Held") {
    return correlator_.see("llama", uid, "Warning", reason, message, now_);
  }
};

TEST_F(Correlator, NameFollowsFromTheContent) {
  const auto first = see("a");
  EXPECT_EQ(EventCorrelator().see("llama", "u", "Warning", "Held", "a", now_).name, first.name);
  std::set<std::string> names{first.name, see("b").name, see("a", "v").name, see("a", "u", "Ended").name};
  EXPECT_EQ(names.size(), 4U);
  EXPECT_EQ(first.name.substr(0, 6), "llama.");
  EXPECT_EQ(EventCorrelator().see(std::string(253, 'x'), "u", "Normal", "R", "m", now_).name.size(), 217U);
}

TEST_F(Correlator, RepeatsAreCountedForAnHour) {
  EXPECT_EQ(see("a").count, 1);
  EXPECT_EQ(see("a").count, 2);
  now_ += 1h;
  EXPECT_EQ(see("a").count, 3);
  now_ += 1h + 1s;
  EXPECT_EQ(see("a").count, 1) << "the API server has forgotten it";
}

TEST_F(Correlator, MoreThanTenOfAKindAreCombined) {
  std::set<std::string> names;
  for (int i = 0; i < 10; ++i) names.insert(see("m" + std::to_string(i)).name);
  EXPECT_EQ(names.size(), 10U);
  const auto eleventh = see("m10");
  EXPECT_EQ(eleventh.message, "(combined from similar events): m10");
  const auto twelfth = see("m11");
  EXPECT_EQ(twelfth.name, eleventh.name);
  EXPECT_EQ(twelfth.count, 2);
  now_ += 601s;
  EXPECT_EQ(see("m12").message, "m12");
}

TEST_F(Correlator, OneObjectGetsTwentyFiveAtOnceThenOneEachFiveMinutes) {
  for (int i = 0; i < 25; ++i) EXPECT_FALSE(see("m").drop) << i;
  EXPECT_TRUE(see("m").drop);
  EXPECT_FALSE(see("m", "another").drop);
  now_ += 300s;
  EXPECT_FALSE(see("m").drop);
  EXPECT_TRUE(see("m").drop);
}

TEST_F(Correlator, MemoryIsBounded) {
  for (int i = 0; i < 20000; ++i) {
    now_ += 1ms;
    EXPECT_EQ(see("m", std::to_string(i)).count, 1);
  }
  EXPECT_EQ(see("m", "19999").count, 2) << "the newest are kept";
  EXPECT_EQ(see("m", "0").count, 1) << "the oldest are not";
}

TEST(CutText, EndsAtAWholeCharacter) {
  EXPECT_EQ(cut_text("abc", 3), "abc");
  EXPECT_EQ(cut_text("aü", 2), "a");
  EXPECT_EQ(cut_text("日本", 5), "日");
}

TEST(EventRecorder, WritesOneEventAndCountsItsRepeats) {
  FakeClient client;
  client.creates = {Json::object()};
  client.patches = {Json::object()};
  EventRecorder recorder(client, "rollcall-operator");
  recorder.record(kJob, "Warning", "Held", "gpu-17 drops");
  recorder.record(kJob, "Warning", "Held", "gpu-17 drops");
  ASSERT_TRUE(recorder.flush(20s));
  const auto asked = client.asked();
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(asked[0].ns, "team");
  EXPECT_EQ(asked[0].body["involvedObject"], (Json{{"apiVersion", "rollcall.dev/v1alpha1"},
                                                   {"kind", "TrainingJob"},
                                                   {"namespace", "team"},
                                                   {"name", "llama"},
                                                   {"uid", "uid-1"}}));
  EXPECT_EQ(asked[0].body["reason"], "Held");
  EXPECT_EQ(asked[0].body["message"], "gpu-17 drops");
  EXPECT_EQ(asked[0].body["source"]["component"], "rollcall-operator");
  EXPECT_EQ(asked[1].verb, "patch");
  EXPECT_EQ(asked[1].name, asked[0].name);
  EXPECT_EQ(asked[1].body["count"], 2);
  EXPECT_EQ(recorder.dropped(), 0U);
}

TEST(EventRecorder, EventOfAnEarlierRunIsCountedOn) {
  FakeClient client;
  client.creates = {kExists};
  client.gets = {Json{{"count", 6}}};
  client.patches = {Json::object(), Json::object()};
  EventRecorder recorder(client, "c");
  recorder.record(kJob, "Normal", "Released", "m");
  recorder.record(kJob, "Normal", "Released", "m");
  ASSERT_TRUE(recorder.flush(20s));
  const auto asked = client.asked();
  ASSERT_EQ(asked.size(), 4U);
  EXPECT_EQ(asked[2].body["count"], 7);
  EXPECT_EQ(asked[3].body["count"], 8);
}

TEST(EventRecorder, EventThatTheServerForgotIsWrittenAnew) {
  FakeClient client;
  client.creates = {Json::object(), Json::object()};
  client.patches = {kLost};
  EventRecorder recorder(client, "c");
  recorder.record(kJob, "Normal", "Released", "m");
  recorder.record(kJob, "Normal", "Released", "m");
  ASSERT_TRUE(recorder.flush(20s));
  EXPECT_EQ(client.asked().size(), 3U);
  EXPECT_EQ(recorder.dropped(), 0U);
}

TEST(EventRecorder, RefusalIsCountedAsLostWithItsReason) {
  FakeClient client;
  client.creates = {kForbidden};
  EventRecorder recorder(client, "c");
  recorder.record(kJob, "Normal", "Released", "m");
  ASSERT_TRUE(recorder.flush(20s));
  EXPECT_EQ(recorder.dropped(), 1U);
  EXPECT_EQ(recorder.last_error(), "403 Forbidden: no");
}

TEST(EventRecorder, EndsAtOnceWhileAServerFails) {
  FakeClient client;  // 500 to everything
  const auto begin = std::chrono::steady_clock::now();
  {
    EventRecorder recorder(client, "c");
    for (int i = 0; i < 5; ++i) recorder.record(kJob, "Normal", "R" + std::to_string(i), "m");
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
}

}  // namespace
}  // namespace rollcall::kube
