#include "kube/reflector.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "kube/cache.h"
#include "kube/fake_client.h"

namespace rollcall::kube {
namespace {

using testing::FakeClient;

Json object(const std::string& name, const std::string& uid, const std::string& version = "1") {
  return {
      {"metadata",
       {{"namespace", "n"}, {"name", name}, {"uid", uid}, {"resourceVersion", version}, {"managedFields", {1, 2}}}}};
}
Json list_of(std::vector<Json> items, const std::string& version, const std::string& more = {}) {
  Json meta{{"resourceVersion", version}};
  if (!more.empty()) meta["continue"] = more;
  return {{"kind", "PodList"}, {"apiVersion", "v1"}, {"metadata", meta}, {"items", std::move(items)}};
}

/// What the callbacks said, as lines.
struct Story {
  std::vector<std::string> lines;
  Reflector::Callbacks callbacks() {
    return {.upsert =
                [this](const Json& o) {
                  lines.push_back("+ " + o["metadata"]["name"].get<std::string>() + ' ' +
                                  o["metadata"]["uid"].get<std::string>());
                },
            .removed = [this](const std::string& ns, const std::string& name,
                              const std::string& uid) { lines.push_back("- " + ns + '/' + name + ' ' + uid); },
            .synced = [this] { lines.emplace_back("synced"); }};
  }
};

/// Plays the client's script to its end.
std::vector<std::string> play(FakeClient& client, WatchHealth* health = nullptr) {
  Story story;
  Reflector reflector(client, kPods, "n", {{"labelSelector", "a"}}, story.callbacks());
  reflector.start();
  EXPECT_TRUE(client.wait_played());
  reflector.stop();
  if (health != nullptr) *health = reflector.health();
  return story.lines;
}

TEST(Reflector, ListsPageByPageThenWatches) {
  FakeClient client;
  client.lists = {list_of({object("a", "1")}, "10", "next"), list_of({object("b", "2")}, "10")};
  client.watches = {{{{WatchEventKind::Added, object("c", "3", "11")},
                      {WatchEventKind::Modified, object("a", "1", "12")},
                      {WatchEventKind::Deleted, object("b", "2", "13")},
                      {WatchEventKind::Bookmark, {{"metadata", {{"resourceVersion", "20"}}}}}},
                     std::nullopt}};
  WatchHealth health;
  EXPECT_EQ(play(client, &health), (std::vector<std::string>{"+ a 1", "+ b 2", "synced", "+ c 3", "+ a 1", "- n/b 2"}));
  const auto asked = client.asked();
  ASSERT_EQ(asked.size(), 4U);
  using Query = std::map<std::string, std::string>;
  EXPECT_EQ(asked[0].query, (Query{{"labelSelector", "a"}, {"limit", "500"}, {"resourceVersion", "0"}}));
  EXPECT_EQ(asked[1].query, (Query{{"labelSelector", "a"}, {"limit", "500"}, {"continue", "next"}}));
  EXPECT_EQ(asked[2].query.at("resourceVersion"), "10");
  EXPECT_EQ(asked[3].query.at("resourceVersion"), "20") << "the bookmark's";
  EXPECT_EQ(health.lists, 1U);
  EXPECT_EQ(health.watches, 2U);
  EXPECT_EQ(health.events, 3U);
  EXPECT_TRUE(health.synced);
  EXPECT_EQ(health.restarts, (std::map<std::string, std::uint64_t>{{"closed", 1}}));
}

TEST(Reflector, NewListAfterGoneReportsWhatWasMissed) {
  FakeClient client;
  client.lists = {list_of({object("a", "1"), object("b", "2"), object("c", "3")}, "10"),
                  list_of({object("a", "1"), object("c", "33")}, "30")};
  client.watches = {{{{WatchEventKind::Modified, object("a", "1", "11")},
                      {WatchEventKind::Error, {{"kind", "Status"}, {"code", 410}}}},
                     ApiError{410, "Expired", "too old", 0}}};
  WatchHealth health;
  EXPECT_EQ(play(client, &health),
            (std::vector<std::string>{"+ a 1", "+ b 2", "+ c 3", "synced", "+ a 1",  // first list and watch
                                      "+ a 1", "- n/c 3", "+ c 33", "- n/b 2", "synced"}));
  const auto asked = client.asked();
  ASSERT_EQ(asked.size(), 4U);
  EXPECT_FALSE(asked[2].query.contains("resourceVersion")) << "a current read";
  EXPECT_EQ(asked[3].query.at("resourceVersion"), "30");
  EXPECT_EQ(health.restarts, (std::map<std::string, std::uint64_t>{{"expired", 1}}));
  EXPECT_EQ(health.last_error, "410 Expired: too old");
}

TEST(Reflector, SameNameWithAnotherUidIsRemovedFirst) {
  FakeClient client;
  client.lists = {list_of({object("a", "1")}, "10")};
  client.watches = {{{{WatchEventKind::Added, object("a", "2", "12")}}, std::nullopt}};
  EXPECT_EQ(play(client), (std::vector<std::string>{"+ a 1", "synced", "- n/a 1", "+ a 2"}));
}

TEST(Reflector, FailedPageIsNoList) {
  FakeClient client;
  client.lists = {list_of({object("a", "1")}, "10", "next"), ApiError{410, "Expired", "continue token too old", 0},
                  list_of({object("a", "1"), object("b", "2")}, "12")};
  EXPECT_EQ(play(client), (std::vector<std::string>{"+ a 1", "+ a 1", "+ b 2", "synced"}));
  EXPECT_FALSE(client.asked()[2].query.contains("resourceVersion"));
}

TEST(Reflector, ItemsOfAListGetItsKind) {
  FakeClient client;
  client.lists = {list_of({object("a", "1")}, "10")};
  Json seen;
  Reflector reflector(client, kPods, "", {}, {.upsert = [&](const Json& o) { seen = o; }, .removed = {}, .synced = {}});
  reflector.start();
  ASSERT_TRUE(client.wait_played());
  reflector.stop();
  EXPECT_EQ(seen.value("kind", ""), "Pod");
  EXPECT_EQ(seen.value("apiVersion", ""), "v1");
}

TEST(Reflector, RepliesThatAreNoListsOrObjectsAreCountedAndSurvived) {
  FakeClient client;
  client.lists = {Json::array(), list_of({1, Json::object(), {{"metadata", "x"}}, object("a", "1")}, "10")};
  client.watches = {{{{WatchEventKind::Added, Json::object()}}, std::nullopt}};
  WatchHealth health;
  EXPECT_EQ(play(client, &health), (std::vector<std::string>{"+ a 1", "synced"}));
  EXPECT_EQ(health.restarts.at("broken"), 1U);
}

TEST(Reflector, CallbackThatThrowsIsCountedAndTheNextObjectHeard) {
  FakeClient client;
  client.lists = {list_of({object("a", "1"), object("b", "2")}, "10")};
  std::vector<std::string> heard;
  Reflector reflector(client, kPods, "", {},
                      {.upsert =
                           [&](const Json& o) {
                             heard.push_back(o["metadata"]["name"]);
                             throw std::runtime_error("boom");
                           },
                       .removed = {},
                       .synced = {}});
  reflector.start();
  ASSERT_TRUE(client.wait_played());
  reflector.stop();
  EXPECT_EQ(heard, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(reflector.health().callback_failures, 2U);
  EXPECT_EQ(reflector.health().last_error, "a callback failed: boom");
}

TEST(Reflector, StopEndsABackOff) {
  FakeClient client;
  client.lists = {ApiError{429, "TooManyRequests", "", 3600}};
  Reflector reflector(client, kPods, "", {}, {});
  reflector.start();
  while (client.asked().empty()) std::this_thread::yield();
  const auto begin = std::chrono::steady_clock::now();
  reflector.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{5});
  EXPECT_FALSE(reflector.synced());
}

TEST(Cache, HoldsProjectionsByNameAndUid) {
  FakeClient client;
  client.lists = {list_of({object("a", "1"), object("b", "2"), object("bad", "3")}, "10")};
  client.watches = {{{{WatchEventKind::Modified, object("a", "1", "11")},
                      {WatchEventKind::Deleted, object("b", "2", "12")},
                      {WatchEventKind::Added, object("b", "22", "13")}},
                     std::nullopt}};
  std::vector<std::string> changes;
  Cache<std::string> cache(
      client, kPods, "n", {},
      [](const Json& o) -> Result<std::string> {
        EXPECT_FALSE(o["metadata"].contains("managedFields"));
        if (o["metadata"]["name"] == "bad") return Error{"spec.x: not a number"};
        return o["metadata"]["resourceVersion"].get<std::string>();
      },
      [&](const std::string& ns, const std::string& name, const auto& before, const auto& now) {
        changes.push_back(ns + '/' + name + ' ' + (before ? *before : "-") + ' ' + (now ? *now : "-"));
      });
  cache.start();
  ASSERT_TRUE(client.wait_played());
  cache.stop();
  EXPECT_EQ(changes, (std::vector<std::string>{"n/a - 1", "n/b - 1", "n/a 1 11", "n/b 1 -", "n/b - 13"}));
  EXPECT_EQ(cache.size(), 2U);
  EXPECT_EQ(*cache.get("n", "a"), "11");
  EXPECT_EQ(cache.get("n", "bad"), nullptr);
  EXPECT_EQ(cache.by_uid("22")->name, "b");
  EXPECT_FALSE(cache.by_uid("2").has_value()) << "of the object that is gone";
  EXPECT_EQ(cache.all("n").size(), 2U);
  EXPECT_TRUE(cache.all("m").empty());
  EXPECT_EQ(cache.undecodable(), (std::map<std::string, std::string>{{"n/bad", "spec.x: not a number"}}));
}

}  // namespace
}  // namespace rollcall::kube
