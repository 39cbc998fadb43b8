// Probe and desk as they ship: whole programs led by the real state machine, over TLS. Only what reads the API server
// is played here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>

#include "probe/net/listen.h"
#include "probe/net/wake.h"
#include "probe/support/scripted_desk.h"
#include "roll_call/desk.h"

namespace rollcall::probe::testing {
namespace {

using roll_call::Instruction;
using std::chrono::seconds;
using ::testing::HasSubstr;

roll_call::TimePoint now() {
  return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

/// The desk's adapter in small: one lock, replies held while the order stays Wait, verdicts stored at once.
class RealDesk {
 public:
  RealDesk(int nodes, int master_port)
      : authority_(make_authority("test")), desk_(roll_call_of(nodes, master_port), 1, "seed-of-the-test", now()) {
    for (int rank = 0; rank < nodes; ++rank) {
      roll_call::PodView pod;
      pod.uid = uid(rank);
      pod.name = "llama-" + std::to_string(rank);
      pod.node = "gpu-" + std::to_string(rank);
      pod.address = "127.0.0.1";
      pod.probe_running = true;
      pod.state = "Running";
      pod.scheduled_at = pod.probe_started_at = now();
      hear(roll_call::PodSeen{pod});
    }
    server_ = TlsServer::start(make_server(authority_, kDeskName),
                               [this](const HttpRequest& request) { return reply(request); });
    ticker_ = std::thread([this] {
      while (!stop_.wait_for(std::chrono::milliseconds(20))) {
        const std::lock_guard lock(mutex_);
        hear(roll_call::Tick{});
      }
    });
  }

  ~RealDesk() {
    stop_.notify();
    changed_.notify_all();
    ticker_.join();
  }

  std::map<std::string, std::string> environment(int rank) const {
    return {{"ROLLCALL_DESK_ADDRESS", "127.0.0.1:" + std::to_string(server_->port())},
            {"ROLLCALL_DESK_NAME", kDeskName},
            {"ROLLCALL_DESK_CA", authority_.certificate},
            {"ROLLCALL_ATTEMPT", "1"},
            {"ROLLCALL_NODE_RANK", std::to_string(rank)},
            {"ROLLCALL_NNODES", "3"},
            {"ROLLCALL_POD_UID", uid(rank)}};
  }

  api::RollCallStatus status() const {
    const std::lock_guard lock(mutex_);
    return desk_.status(now());
  }

 private:
  static std::string uid(int rank) { return "uid-" + std::to_string(rank); }

  static api::RollCall roll_call_of(int nodes, int master_port) {
    api::RollCall call;
    call.meta.name = "tj-llama-1";
    call.meta.namespace_name = "default";
    call.spec.job = {"rollcall.dev/v1alpha1", "TrainingJob", "llama", "job-uid"};
    call.spec.master_port = master_port;
    for (int rank = 0; rank < nodes; ++rank)
      call.spec.roster.push_back({rank, "llama-" + std::to_string(rank), uid(rank)});
    return call;
  }

  void hear(const roll_call::Event& event) {
    auto told = desk_.hear(event, now());
    while (told.write_verdict) told = desk_.hear(roll_call::VerdictStored{*told.write_verdict}, now());
    changed_.notify_all();
  }

  std::string reply(const HttpRequest& request) {
    const auto answer = roll_call::answer_from(request.body);
    if (!answer) return http_reply(400, answer.error().message);
    std::unique_lock lock(mutex_);
    hear(roll_call::AnswerHeard{*answer});
    std::optional<Instruction> instruction;
    changed_.wait_for(lock, seconds(20), [&] {
      instruction = desk_.instruction_for(answer->pod_uid, now());
      return stop_.notified() || !instruction || instruction->step != roll_call::Step::Wait;
    });
    return instruction ? http_reply(200, roll_call::to_json(*instruction)) : http_reply(403, "unknown");
  }

  KeyPair authority_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  roll_call::Desk desk_;
  Wake stop_;
  std::thread ticker_;
  std::unique_ptr<TlsServer> server_;
};

std::vector<std::unique_ptr<RunningProbe>> start_probes(const RealDesk& desk, int nodes) {
  std::vector<std::unique_ptr<RunningProbe>> probes;
  for (int rank = 0; rank < nodes; ++rank)
    probes.push_back(std::make_unique<RunningProbe>(desk.environment(rank), rank));
  return probes;
}

TEST(RealDesk, CallsThreeProbesAndReleasesThem) {
  const int port = listen_everywhere(0, 1)->port;
  const RealDesk desk(3, port);
  const auto probes = start_probes(desk, 3);
  ASSERT_TRUE(eventually([&] { return desk.status().master_addr == "127.0.0.1"; })) << probes[0]->process->output();
  for (const auto& probe : probes) probe->show(annotations_file(1, "127.0.0.1"));
  for (const auto& probe : probes) EXPECT_EQ(probe->process->wait(seconds(30)), 0) << probe->process->output();
  const auto status = desk.status();
  ASSERT_TRUE(status.verdict) << status.message;
  EXPECT_EQ(status.verdict->kind, api::VerdictKind::Released);
  for (const auto& stage : status.stages)
    EXPECT_THAT(stage.state, ::testing::AnyOf("Passed", "Skipped")) << stage.name << ": " << stage.reason;
}

TEST(RealDesk, HoldsOnABusyPortAndReleasesTheSameProbesWhenItIsFree) {
  auto busy = listen_everywhere(0, 1);
  ASSERT_TRUE(busy);
  const RealDesk desk(3, busy->port);
  const auto probes = start_probes(desk, 3);
  for (const auto& probe : probes) probe->show(annotations_file(1, "127.0.0.1"));
  ASSERT_TRUE(eventually([&] { return desk.status().stage == "Held"; }, seconds(30))) << desk.status().message;
  EXPECT_THAT(desk.status().message, HasSubstr("port " + std::to_string(busy->port)));
  EXPECT_TRUE(probes[1]->process->prints("Held", seconds(25))) << "every probe's log says it";
  busy->fd.reset();  // the next round is called by itself
  for (const auto& probe : probes) EXPECT_EQ(probe->process->wait(seconds(60)), 0) << probe->process->output();
}

}  // namespace
}  // namespace rollcall::probe::testing
