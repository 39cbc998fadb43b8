// What a TrainJob refers to: which runtime it names, and when the cluster's runtimes are read.
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/kube/fake_client.h"
#include "webhook/start/runtime_watch.h"

namespace rollcall::webhook {
namespace {

using namespace std::chrono_literals;
using kube::Json;

Json runtime(const std::string& name, const std::string& ns = "") {
  Json object{{"apiVersion", "trainer.kubeflow.org/v1alpha1"},
              {"metadata", {{"name", name}, {"uid", "u"}, {"resourceVersion", "1"}}},
              {"spec", {{"mlPolicy", {{"numNodes", 2}}}}}};
  if (!ns.empty()) object["metadata"]["namespace"] = ns;
  return object;
}

Json train_job(Json reference) {
  return {{"apiVersion", "trainer.kubeflow.org/v1alpha1"},
          {"kind", "TrainJob"},
          {"spec", {{"runtimeRef", std::move(reference)}}}};
}

TEST(RuntimeBook, ATrainJobsRuntimeIsFoundByKindNameAndNamespace) {
  RuntimeBook book;
  book.changed("ClusterTrainingRuntime", runtime("torch"));
  book.changed("TrainingRuntime", runtime("torch", "research"));
  const auto kind = [&book](Json reference, const std::string& ns) {
    const auto found = book.of(train_job(std::move(reference)), ns);
    return found ? found->at("kind").get<std::string>() + "/" + found->at("metadata").value("namespace", "") : "none";
  };
  EXPECT_EQ(kind({{"name", "torch"}}, "research"), "ClusterTrainingRuntime/");
  EXPECT_EQ(kind({{"name", "torch"}, {"kind", "TrainingRuntime"}}, "research"), "TrainingRuntime/research");
  EXPECT_EQ(kind({{"name", "torch"}, {"kind", "TrainingRuntime"}}, "other"), "none");
  EXPECT_EQ(kind({{"name", "absent"}}, "research"), "none");
  EXPECT_EQ(kind({{"name", "torch"}, {"apiGroup", "example.com"}}, "research"), "none");
  EXPECT_EQ(kind(nullptr, "research"), "none");
  EXPECT_EQ(book.of({{"apiVersion", "v1"}, {"kind", "Pod"}}, "research"), nullptr);
}

TEST(RuntimeBook, WhatIsRemovedOrForgottenIsGone) {
  RuntimeBook book;
  book.changed("ClusterTrainingRuntime", runtime("a"));
  book.changed("ClusterTrainingRuntime", runtime("b"));
  book.changed("TrainingRuntime", runtime("a", "research"));
  EXPECT_EQ(book.size(), 3U);
  book.removed("ClusterTrainingRuntime", "", "a");
  EXPECT_EQ(book.size(), 2U);
  book.forget("TrainingRuntime");
  EXPECT_EQ(book.of(train_job({{"name", "b"}}), "")->at("spec"), runtime("b")["spec"]);
  EXPECT_EQ(book.size(), 1U);
}

/// An API server that serves the trainer's kinds, or does not, as the test says.
class Cluster : public kube::testing::FakeClient {
 public:
  enum class State { without, with, away };
  void is(State state) { state_ = state; }

  kube::Reply raw_get(const std::string& path) override {
    EXPECT_EQ(path, "/apis/trainer.kubeflow.org/v1alpha1");
    switch (state_.load()) {
      case State::without:
        return kube::ApiError{404, "NotFound", "404 page not found", 0};
      case State::away:
        return kube::ApiError{0, "Unreachable", "connection refused", 0};
      case State::with:
        break;
    }
    return Json::parse(R"({"resources": [{"name": "trainjobs", "kind": "TrainJob"}, {"name": "trainjobs/status",
      "kind": "TrainJob"}, {"name": "clustertrainingruntimes", "kind": "ClusterTrainingRuntime"}]})");
  }
  kube::Reply list(const kube::Resource& resource, std::string_view,
                   const std::map<std::string, std::string>&) override {
    EXPECT_EQ(resource.plural, "clustertrainingruntimes");
    return Json{{"metadata", {{"resourceVersion", "1"}}}, {"items", Json::array({runtime("torch")})}};
  }

 private:
  std::atomic<State> state_{State::without};
};

TEST(RuntimeWatch, FollowsATrainerThatComesLaterAndGoes) {
  Cluster cluster;
  RuntimeBook book;
  std::mutex mutex;
  std::condition_variable told;
  std::vector<bool> changes;
  RuntimeWatch watch(cluster, book, {.look_every = 1ms, .on_change = [&](bool served) {
                                       const std::lock_guard lock(mutex);
                                       changes.push_back(served);
                                       told.notify_all();
                                     }});
  const auto until = [&](std::size_t count) {
    std::unique_lock lock(mutex);
    return told.wait_for(lock, 20s, [&] { return changes.size() >= count; });
  };
  EXPECT_TRUE(watch.health().synced) << "a cluster without the trainer is as it should be";
  watch.start();
  cluster.is(Cluster::State::with);
  ASSERT_TRUE(until(1));
  const auto end = std::chrono::steady_clock::now() + 20s;
  while (book.size() == 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_EQ(book.size(), 1U);
  cluster.is(Cluster::State::away);  // takes nothing away
  cluster.is(Cluster::State::without);
  ASSERT_TRUE(until(2));
  watch.stop();
  EXPECT_EQ(book.size(), 0U);
  EXPECT_EQ(changes, (std::vector<bool>{true, false}));
}

}  // namespace
}  // namespace rollcall::webhook
