// The client against a real API server, named by KUBECONFIG. What a real one cannot be made to do stands in tests/kube.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>

#include "kube/cache.h"
#include "kube/client.h"
#include "kube/events.h"

namespace rollcall::kube {
namespace {

using namespace std::chrono_literals;

const Resource kNamespaces{"", "v1", "namespaces", false};
const Resource kConfigMaps{"", "v1", "configmaps", true};

/// A namespace of its own for each test, deleted at its end.
class KubeClient : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* value = std::getenv("KUBECONFIG"); value == nullptr || *value == '\0') {
      GTEST_SKIP() << "KUBECONFIG is not set: no API server to test against (dev/cluster up prints the line to export)";
    }
    const auto credentials = kubeconfig_credentials();
    ASSERT_TRUE(credentials.ok()) << credentials.error().message;
    auto made = Client::make(*credentials);
    ASSERT_TRUE(made.ok()) << made.error().message;
    client_ = std::move(*made);
    static int tests = 0;
    ns_ = "kube-client-test-" + std::to_string(getpid()) + '-' + std::to_string(++tests);
    const auto created =
        client_->create(kNamespaces, "", {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", ns_}}}});
    ASSERT_TRUE(created.ok()) << created.error().text();
  }
  void TearDown() override {
    if (!client_ || ns_.empty()) return;
    const auto removed = client_->remove(kNamespaces, "", ns_);
    EXPECT_TRUE(removed.ok()) << removed.error().text();
  }

  Json config_map(const std::string& name, const std::string& value) const {
    return {{"apiVersion", "v1"},
            {"kind", "ConfigMap"},
            {"metadata", {{"name", name}, {"namespace", ns_}, {"labels", {{"test", "kube"}}}}},
            {"data", {{"value", value}}}};
  }

  std::unique_ptr<Client> client_;
  std::string ns_;
};

TEST_F(KubeClient, WritesReadsAndRefusesAsTheServerSays) {
  const auto created = client_->create(kConfigMaps, ns_, config_map("a", "1"));
  ASSERT_TRUE(created.ok()) << created.error().text();

  const auto again = client_->create(kConfigMaps, ns_, config_map("a", "1"));
  ASSERT_FALSE(again.ok());
  EXPECT_TRUE(again.error().already_exists()) << again.error().text();
  EXPECT_FALSE(again.error().conflict());

  Json newer = created.value();
  newer["data"]["value"] = "2";
  const auto replaced = client_->replace(kConfigMaps, ns_, "a", newer);
  ASSERT_TRUE(replaced.ok()) << replaced.error().text();
  const auto stale = client_->replace(kConfigMaps, ns_, "a", newer);
  ASSERT_FALSE(stale.ok());
  EXPECT_TRUE(stale.error().conflict()) << stale.error().text();

  const auto patched = client_->merge_patch(kConfigMaps, ns_, "a", {{"data", {{"value", nullptr}, {"other", "3"}}}});
  ASSERT_TRUE(patched.ok()) << patched.error().text();
  EXPECT_EQ(patched.value()["data"], Json({{"other", "3"}}));

  const auto wrong_uid = client_->remove(kConfigMaps, ns_, "a", {.uid = "00000000-0000-0000-0000-000000000000"});
  ASSERT_FALSE(wrong_uid.ok());
  EXPECT_TRUE(wrong_uid.error().conflict()) << wrong_uid.error().text();
  const auto removed = client_->remove(kConfigMaps, ns_, "a", {.uid = created.value()["metadata"]["uid"]});
  EXPECT_TRUE(removed.ok()) << removed.error().text();
  EXPECT_TRUE(client_->get(kConfigMaps, ns_, "a").error().not_found());
}

TEST_F(KubeClient, DryRunStoresNothingAndStrictNamesTheMisspeltField) {
  Json pod{{"apiVersion", "v1"},
           {"kind", "Pod"},
           {"metadata", {{"name", "p"}, {"namespace", ns_}}},
           {"spec", {{"containers", {{{"name", "c"}, {"image", "none"}}}}}}};
  // The namespace's default service account comes a moment after the namespace; until then pods are Forbidden.
  const Resource accounts{"", "v1", "serviceaccounts", true};
  bool there = false;
  const auto until = std::chrono::steady_clock::now() + 20s;
  while (!there && std::chrono::steady_clock::now() < until) {
    there = client_->get(accounts, ns_, "default").ok();
    std::this_thread::yield();
  }
  ASSERT_TRUE(there);
  const auto good = client_->create(kPods, ns_, pod, {.dry_run = true, .strict = true});
  ASSERT_TRUE(good.ok()) << good.error().text();
  EXPECT_TRUE(client_->get(kPods, ns_, "p").error().not_found());

  pod["spec"]["containers"][0]["resorces"] = Json::object();
  const auto bad = client_->create(kPods, ns_, pod, {.dry_run = true, .strict = true});
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().http, 400);
  EXPECT_NE(bad.error().message.find("resorces"), std::string::npos) << bad.error().text();

  const auto lax = client_->create(kPods, ns_, pod, {.dry_run = true});
  ASSERT_TRUE(lax.ok()) << lax.error().text();
  ASSERT_EQ(lax.warnings.size(), 1U);
  EXPECT_NE(lax.warnings[0].find("resorces"), std::string::npos) << lax.warnings[0];
}

TEST_F(KubeClient, ServerKeysAreReadRaw) {
  const auto keys = client_->raw_get("/openid/v1/jwks");
  ASSERT_TRUE(keys.ok()) << keys.error().text();
  EXPECT_FALSE(keys.value()["keys"].empty());
  const auto version = client_->raw_text("/version");
  ASSERT_TRUE(version.ok()) << version.error().message;
  EXPECT_NE(version->find("gitVersion"), std::string::npos);
}

TEST_F(KubeClient, TokenOfAServiceAccountIsReviewed) {
  const auto review = client_->create(kTokenReviews, "",
                                      {{"apiVersion", "authentication.k8s.io/v1"},
                                       {"kind", "TokenReview"},
                                       {"spec", {{"token", "not.a.token"}, {"audiences", {"rollcall"}}}}});
  ASSERT_TRUE(review.ok()) << review.error().text();
  EXPECT_FALSE(review.value()["status"].value("authenticated", false));
}

/// Waits for what the watch brings.
class Notice {
 public:
  void poke() {
    const std::lock_guard lock(mutex_);
    ++pokes_;
    changed_.notify_all();
  }
  template <typename P>
  bool wait_for(const P& condition, std::chrono::seconds longest = 20s) {
    std::unique_lock lock(mutex_);
    const auto until = std::chrono::steady_clock::now() + longest;
    while (!condition()) {
      const auto seen = pokes_;
      if (!changed_.wait_until(lock, until, [&] { return pokes_ != seen; })) return condition();
    }
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int pokes_ = 0;
};

TEST_F(KubeClient, CacheFollowsListAndWatch) {
  ASSERT_TRUE(client_->create(kConfigMaps, ns_, config_map("before", "1")).ok());
  Notice notice;
  std::mutex mutex;
  std::multiset<std::string> seen;
  Cache<std::string> cache(
      *client_, kConfigMaps, ns_, {{"labelSelector", "test=kube"}},
      [](const Json& object) -> Result<std::string> {
        if (object["metadata"].contains("managedFields")) return Error{"managedFields were not dropped"};
        if (object.value("kind", "") != "ConfigMap") return Error{"no kind"};
        return object["data"].value("value", std::string("none"));
      },
      [&](const std::string&, const std::string& name, const auto& before, const auto& now) {
        {
          const std::lock_guard lock(mutex);
          seen.insert(name + ' ' + (before ? *before : "-") + ' ' + (now ? *now : "-"));
        }
        notice.poke();
      });
  const auto saw = [&](const std::string& line) {
    return notice.wait_for([&] {
      const std::lock_guard lock(mutex);
      return seen.contains(line);
    });
  };
  cache.start();
  ASSERT_TRUE(saw("before - 1"));
  ASSERT_TRUE(client_->create(kConfigMaps, ns_, config_map("after", "1")).ok());
  ASSERT_TRUE(saw("after - 1"));
  EXPECT_TRUE(cache.synced());
  ASSERT_TRUE(client_->merge_patch(kConfigMaps, ns_, "after", {{"data", {{"value", "ü"}}}}).ok());
  ASSERT_TRUE(saw("after 1 ü"));
  ASSERT_TRUE(client_->remove(kConfigMaps, ns_, "before").ok());
  ASSERT_TRUE(saw("before 1 -"));

  ASSERT_EQ(cache.size(), 1U);
  EXPECT_EQ(*cache.get(ns_, "after"), "ü");
  EXPECT_EQ(cache.get(ns_, "before"), nullptr);
  const auto all = cache.all();
  EXPECT_EQ(cache.by_uid(all[0].uid)->name, "after");
  EXPECT_TRUE(cache.undecodable().empty());
  cache.stop();
  EXPECT_EQ(cache.health().lists, 1U);
  EXPECT_EQ(cache.health().callback_failures, 0U);
}

TEST_F(KubeClient, WatchEndsInGoodOrderAtTheServersTimeAndAtOnceWhenStopped) {
  const auto listed = client_->list(kConfigMaps, ns_);
  ASSERT_TRUE(listed.ok()) << listed.error().text();
  const std::string version = listed.value()["metadata"]["resourceVersion"];
  const auto end = client_->watch(
      kConfigMaps, ns_, {{"resourceVersion", version}, {"timeoutSeconds", "1"}}, [](WatchEvent) {},
      [] { return false; });
  EXPECT_FALSE(end.has_value()) << end->text();

  std::atomic<bool> stop = false;
  std::optional<ApiError> stopped;
  std::thread watcher([&] {
    stopped = client_->watch(
        kConfigMaps, ns_, {{"resourceVersion", version}, {"timeoutSeconds", "300"}}, [&](WatchEvent) { stop = true; },
        [&] { return stop.load(); });
  });
  ASSERT_TRUE(client_->create(kConfigMaps, ns_, config_map("stop", "1")).ok());
  watcher.join();
  ASSERT_TRUE(stopped.has_value());
  EXPECT_EQ(stopped->reason, "Stopped");
}

TEST_F(KubeClient, RepeatedEventIsOneEventWithItsCount) {
  const auto target = client_->create(kConfigMaps, ns_, config_map("target", "1"));
  ASSERT_TRUE(target.ok());
  const EventTarget about{"v1", "ConfigMap", ns_, "target", target.value()["metadata"]["uid"]};
  const auto record = [&](int times) {
    EventRecorder recorder(*client_, "kube-client-test");
    for (int i = 0; i < times; ++i) recorder.record(about, "Warning", "Tested", "the same words");
    EXPECT_TRUE(recorder.flush(20s));
    EXPECT_EQ(recorder.dropped(), 0U) << recorder.last_error();
  };
  record(3);
  record(2);  // as after a restart: the name is the same, the count goes on
  const auto events = client_->list(kEvents, ns_, {{"fieldSelector", "involvedObject.name=target"}});
  ASSERT_TRUE(events.ok()) << events.error().text();
  ASSERT_EQ(events.value()["items"].size(), 1U);
  EXPECT_EQ(events.value()["items"][0]["count"], 5);
  EXPECT_EQ(events.value()["items"][0]["reason"], "Tested");
}

}  // namespace
}  // namespace rollcall::kube
