// The desk against a real API server, named by KUBECONFIG: real tokens, real reviews, real keys, a real
// compare-and-swap. The pods are never scheduled; what a kubelet would report of them is written by the test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <map>
#include <mutex>
#include <thread>

#include "api/names.h"
#include "desk/service.h"
#include "desk/token/claims.h"
#include "kube/client.h"
#include "kube/reflector.h"
#include "roll_call/messages.h"

namespace rollcall::desk {
namespace {

using namespace std::chrono_literals;
using kube::Json;
using roll_call::Step;
using ::testing::HasSubstr;

const kube::Resource kNamespaces{"", "v1", "namespaces", false};

template <class Condition>
bool eventually(Condition condition) {
  const auto until = std::chrono::steady_clock::now() + 30s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::yield();
  }
  return true;
}

struct Said {
  int status = 0;
  std::string body;
  std::optional<roll_call::Instruction> instruction;
};

class DeskService : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const char* value = std::getenv("KUBECONFIG"); value == nullptr || *value == '\0')
      GTEST_SKIP() << "KUBECONFIG is not set: no API server to test against (dev/cluster up prints the line to export)";
    if (std::system("kubectl version --client >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "kubectl is not on PATH: it asks for the pods' tokens";
    const auto credentials = kube::kubeconfig_credentials();
    ASSERT_TRUE(credentials.ok()) << credentials.error().message;
    auto made = kube::Client::make(*credentials);
    ASSERT_TRUE(made.ok()) << made.error().message;
    client_ = std::move(*made);
    if (const auto crd = client_->list(kube::kRollCalls, "default", {{"limit", "1"}}); !crd) {
      client_.reset();
      GTEST_SKIP() << "the RollCall CRD is not installed (kubectl apply -f charts/rollcall/files/crds)";
    }
    static int tests = 0;
    ns_ = "desk-service-test-" + std::to_string(getpid()) + '-' + std::to_string(++tests);
    const auto created =
        client_->create(kNamespaces, "", {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", ns_}}}});
    ASSERT_TRUE(created.ok()) << created.error().text();
    ASSERT_TRUE(eventually([&] { return client_->get({"", "v1", "serviceaccounts"}, ns_, "default").ok(); }));
    start_desk();
  }

  void TearDown() override {
    stop_desk();
    if (!client_ || ns_.empty()) return;
    const auto removed = client_->remove(kNamespaces, "", ns_);
    EXPECT_TRUE(removed.ok()) << removed.error().text();
  }

  void start_desk() {
    Service::Options options;
    options.now = [] {
      return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
    };
    options.term = ++term_;
    options.nonce_seed = [] { return std::string("00112233445566778899aabbccddeeff"); };
    options.hold = 100ms;
    options.write_every = 50ms;
    options.numbers.asked = [this](std::string_view what, std::string_view result) {
      const std::lock_guard lock(mutex_);
      asked_[std::string(what) + " " + std::string(result)]++;
    };
    service_ = std::make_unique<Service>(*client_, std::move(options));
    roll_calls_ = std::make_unique<kube::Reflector>(
        *client_, kube::kRollCalls, ns_, std::map<std::string, std::string>{},
        kube::Reflector::Callbacks{.upsert = [this](const Json& object) { service_->roll_call_changed(object); },
                                   .removed = [this](const auto& ns, const auto& name,
                                                     const auto& uid) { service_->roll_call_removed(ns, name, uid); },
                                   .synced = {}});
    pods_ = std::make_unique<kube::Reflector>(
        *client_, kube::kPods, ns_, std::map<std::string, std::string>{{"labelSelector", api::names::kLabelJob}},
        kube::Reflector::Callbacks{.upsert = [this](const Json& object) { service_->pod_changed(object); },
                                   .removed = [this](const auto& ns, const auto& name,
                                                     const auto& uid) { service_->pod_removed(ns, name, uid); },
                                   .synced = {}});
    roll_calls_->start();
    pods_->start();
    ASSERT_TRUE(eventually([&] { return roll_calls_->synced() && pods_->synced(); }));
    service_->synced();
  }

  void stop_desk() {
    if (!service_) return;
    service_->let_go();
    roll_calls_.reset();
    pods_.reset();
    service_.reset();
  }

  /// Its uid. The scheduler never finds it a node; status is what a kubelet would say while the probe runs.
  std::string make_pod(const std::string& name) {
    const auto pod = client_->create(
        kube::kPods, ns_,
        {{"apiVersion", "v1"},
         {"kind", "Pod"},
         {"metadata", {{"name", name}, {"namespace", ns_}, {"labels", {{api::names::kLabelJob, "llama"}}}}},
         {"spec",
          {{"nodeSelector", {{"rollcall.dev/no-such-node", "true"}}},
           {"restartPolicy", "Never"},
           {"initContainers", Json::array({{{"name", "rollcall"}, {"image", "none"}}})},
           {"containers", Json::array({{{"name", "trainer"}, {"image", "none"}}})}}}});
    EXPECT_TRUE(pod.ok()) << pod.error().text();
    const auto status =
        client_->merge_patch(kube::kPods, ns_, name,
                             {{"status",
                               {{"podIP", "10.1.0.10"},
                                {"podIPs", Json::array({{{"ip", "10.1.0.10"}}})},
                                {"initContainerStatuses",
                                 Json::array({{{"name", "rollcall"},
                                               {"image", "none"},
                                               {"imageID", ""},
                                               {"ready", false},
                                               {"restartCount", 0},
                                               {"state", {{"running", {{"startedAt", "2026-01-01T00:00:00Z"}}}}}}})}}}},
                             "status");
    EXPECT_TRUE(status.ok()) << status.error().text();
    return pod.ok() ? pod.value()["metadata"]["uid"].get<std::string>() : "";
  }

  Json write_roll_call(int attempt, const std::vector<std::pair<std::string, std::string>>& pods) {
    Json roster = Json::array();
    for (std::size_t rank = 0; rank < pods.size(); ++rank)
      roster.push_back({{"nodeRank", rank}, {"pod", pods[rank].first}, {"uid", pods[rank].second}});
    const auto created = client_->create(
        kube::kRollCalls, ns_,
        {{"apiVersion", api::names::kApiVersion},
         {"kind", "RollCall"},
         {"metadata", {{"name", "tj-llama-" + std::to_string(attempt)}, {"namespace", ns_}}},
         {"spec",
          {{"job",
            {{"apiVersion", api::names::kApiVersion}, {"kind", "TrainingJob"}, {"name", "llama"}, {"uid", "job-1"}}},
           {"attempt", attempt},
           {"nprocPerNode", 1},
           {"masterPort", 29500},
           {"settings",
            {{"mode", "Off"},
             {"waitForPodsSeconds", 600},
             {"timeoutSeconds", 600},
             {"retries", 1},
             {"holdSeconds", 600}}},
           {"roster", roster}}}});
    EXPECT_TRUE(created.ok()) << created.error().text();
    EXPECT_TRUE(eventually([&] { return service_->figures().calls >= 1; }));
    return created.ok() ? created.value() : Json();
  }

  std::string token(const std::string& pod, const std::string& uid, const std::string& audience) {
    const std::string command = "kubectl -n " + ns_ +
                                " create token default --bound-object-kind Pod --bound-object-name " + pod +
                                " --bound-object-uid " + uid + (audience.empty() ? "" : " --audience " + audience);
    std::string out;
    std::FILE* pipe = ::popen(command.c_str(), "r");
    std::array<char, 4096> chunk;
    while (const auto n = std::fread(chunk.data(), 1, chunk.size(), pipe)) out.append(chunk.data(), n);
    EXPECT_EQ(::pclose(pipe), 0) << command;
    while (!out.empty() && out.back() == '\n') out.pop_back();
    return out;
  }

  Said post(const std::string& token, const std::string& uid, const std::string& seen = "") {
    roll_call::Answer answer;
    answer.pod_uid = uid;
    answer.boot_nonce = "0123456789abcdef0123456789abcdef";
    answer.sequence = ++sequence_;
    if (!seen.empty()) {
      answer.attempt = 1;
      answer.seen = roll_call::SeenState{1, seen};
    }
    std::promise<Said> promise;
    service_->handle(
        {"POST", "/v1/answer", "Bearer " + token, "application/json", roll_call::to_json(answer), "127.0.0.1"},
        [&](serve::Response response) {
          Said said{response.status, response.body, std::nullopt};
          if (auto read = roll_call::instruction_from(response.body); response.status == 200 && read.ok())
            said.instruction = *read;
          promise.set_value(std::move(said));
        });
    return promise.get_future().get();
  }

  int asked(const std::string& what) {
    const std::lock_guard lock(mutex_);
    return asked_[what];
  }

  std::unique_ptr<kube::Client> client_;
  std::string ns_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<kube::Reflector> roll_calls_, pods_;
  std::mutex mutex_;
  std::map<std::string, int> asked_;
  std::uint64_t sequence_ = 0;
  std::int64_t term_ = 0;
};

TEST_F(DeskService, ARealTokenIsVerifiedReviewedAndItsJobReleased) {
  const auto uid = make_pod("llama-0-1");
  write_roll_call(1, {{"llama-0-1", uid}});
  const auto mine = token("llama-0-1", uid, "rollcall");
  ASSERT_TRUE(eventually([&] {
    const Said said = post(mine, uid);
    EXPECT_EQ(said.status, 200) << said.body;
    return said.instruction && said.instruction->master_addr == "10.1.0.10";
  }));
  EXPECT_EQ(asked("review Good"), 1);
  EXPECT_EQ(asked("keys Good"), 1) << "the signature was checked with the cluster's own keys";

  ASSERT_TRUE(eventually([&] {
    const Said said = post(mine, uid, "10.1.0.10");
    return said.instruction && said.instruction->step == Step::Release;
  }));
  const auto stored = client_->get(kube::kRollCalls, ns_, "tj-llama-1");
  ASSERT_TRUE(stored.ok());
  EXPECT_EQ(stored.value()["status"]["verdict"]["kind"], "Released");
  EXPECT_EQ(stored.value()["status"]["masterAddr"], "10.1.0.10");

  // Its stage follows with the next status write; the verdict stays as it is, byte for byte.
  ASSERT_TRUE(eventually([&] {
    const auto now = client_->get(kube::kRollCalls, ns_, "tj-llama-1");
    return now.ok() && now.value()["status"]["stage"] == "Released" &&
           now.value()["status"]["verdict"] == stored.value()["status"]["verdict"];
  }));

  stop_desk();
  start_desk();
  ASSERT_TRUE(eventually([&] {
    const Said said = post(mine, uid);
    return said.instruction && said.instruction->step == Step::Release;
  })) << "a new desk tells the stored verdict";
}

TEST_F(DeskService, TheApiServersAudienceIsRefused) {
  const auto uid = make_pod("llama-0-1");
  write_roll_call(1, {{"llama-0-1", uid}});
  const Said said = post(token("llama-0-1", uid, ""), uid);
  EXPECT_EQ(said.status, 401);
  EXPECT_THAT(said.body, HasSubstr("WrongAudience"));
}

TEST_F(DeskService, ADeletedPodsTokenIsRefusedFromTheCache) {
  const auto uid = make_pod("llama-0-1");
  write_roll_call(1, {{"llama-0-1", uid}});
  const auto mine = token("llama-0-1", uid, "rollcall");
  ASSERT_TRUE(eventually([&] { return post(mine, uid).status == 200 && asked("review Good") == 1; }));
  ASSERT_TRUE(client_->remove(kube::kPods, ns_, "llama-0-1", {.uid = uid, .grace_seconds = 0}).ok());
  ASSERT_TRUE(eventually([&] {
    const Said said = post(mine, uid);
    return said.status == 403 && said.body.find("PodGone") != std::string::npos;
  }));
}

TEST_F(DeskService, APodWithOurLabelsAndNameInNoRosterIsToldToWaitWithoutAReview) {
  const auto uid = make_pod("llama-0-1");
  const auto forged = make_pod("llama-0-1-copy");
  write_roll_call(1, {{"llama-0-1", uid}});
  const Said said = post(token("llama-0-1-copy", forged, "rollcall"), forged);
  ASSERT_TRUE(said.instruction) << said.body;
  EXPECT_EQ(said.instruction->step, Step::Wait);
  EXPECT_EQ(said.instruction->attempt, 0);
  EXPECT_EQ(asked("review Good"), 0);
}

TEST_F(DeskService, TheOperatorsVerdictWinsAndIsTold) {
  const auto uid = make_pod("llama-0-1");
  write_roll_call(1, {{"llama-0-1", uid}});
  const auto mine = token("llama-0-1", uid, "rollcall");
  ASSERT_TRUE(eventually([&] { return post(mine, uid).instruction->master_addr == "10.1.0.10"; }));
  ASSERT_TRUE(eventually([&] {
    auto object = client_->get(kube::kRollCalls, ns_, "tj-llama-1");
    if (!object) return false;
    Json next = object.value();
    next["status"]["verdict"] = {
        {"kind", "Ended"}, {"reason", "Suspended"}, {"message", "by a person"}, {"by", "operator"}};
    return client_->replace_status(kube::kRollCalls, ns_, "tj-llama-1", next).ok();
  }));
  ASSERT_TRUE(eventually([&] {
    const Said said = post(mine, uid, "10.1.0.10");
    return said.instruction && said.instruction->step == Step::End;
  }));
  const auto stored = client_->get(kube::kRollCalls, ns_, "tj-llama-1");
  ASSERT_TRUE(stored.ok());
  EXPECT_EQ(stored.value()["status"]["verdict"]["by"], "operator");
}

TEST_F(DeskService, ADeletedRollCallsProbesAreToldSo) {
  const auto uid = make_pod("llama-0-1");
  write_roll_call(1, {{"llama-0-1", uid}});
  const auto mine = token("llama-0-1", uid, "rollcall");
  ASSERT_TRUE(eventually([&] { return post(mine, uid).instruction->attempt == 1; }));
  ASSERT_TRUE(client_->remove(kube::kRollCalls, ns_, "tj-llama-1").ok());
  ASSERT_TRUE(eventually([&] {
    const Said said = post(mine, uid);
    return said.instruction && said.instruction->step == Step::End;
  }));
}

}  // namespace
}  // namespace rollcall::desk
