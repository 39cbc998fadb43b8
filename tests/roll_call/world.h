#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "roll_call/desk.h"
#include "roll_call/machines.h"
#include "roll_call/schedule.h"

/// A job of fake probes round a Desk, on a clock that only the test moves. Faults are functions of the test.
namespace rollcall::roll_call::testing {

using namespace std::chrono_literals;

inline constexpr auto kUser = "a person said why";

struct Probe {
  std::string uid;
  std::string nonce;
  std::uint64_t sequence = 0;
  int attempt = 0;
  std::optional<RoundId> round;
  Answer results;       ///< what it would post for `round`
  bool asleep = false;  ///< posts nothing
  bool running = true;  ///< PodView says so
  Step last = Step::Wait;
  std::string last_stage;
  std::string last_message;
};

class World {
 public:
  explicit World(int nnodes, const std::function<void(api::RollCall&)>& change = {}) {
    roll_call.meta.name = "tj-llama-ft-2";
    roll_call.meta.namespace_name = "team-a";
    roll_call.spec.job = {"rollcall.dev/v1alpha1", "TrainingJob", "llama-ft", "job-uid"};
    roll_call.spec.attempt = 2;
    roll_call.spec.nproc_per_node = 8;
    roll_call.spec.gpus_per_pod = 0;
    for (int i = 0; i < nnodes; ++i)
      roll_call.spec.roster.push_back({i, "llama-ft-" + std::to_string(i) + "-2", "uid-" + std::to_string(i)});
    if (change) change(roll_call);
    for (int i = 0; i < nnodes; ++i) {
      Probe probe;
      probe.uid = roll_call.spec.roster[static_cast<std::size_t>(i)].uid;
      probe.nonce = "nonce-" + std::to_string(i) + "-0";
      probes.push_back(probe);
    }
    facts = [](int node) {
      LocalFacts f;
      f.hostname = "h" + std::to_string(node);
      f.kernel = "6.1.0";
      f.architecture = "x86_64";
      f.shm_bytes = 64 << 20;
      f.nofile = 1048576;
      f.port_range = "32768 60999";
      f.interfaces = {{"eth0", 1500, true, {"10.0.0." + std::to_string(node + 1)}}};
      f.libraries = {{"nccl", "/usr/lib/libnccl.so.2", "2.27.5", "aa"}, {"torch", "/usr/lib/torch", "2.9.0", ""}};
      return f;
    };
    edge = [](int, int) { return EdgeOutcome::Ok; };
    master = [this](int) { return MasterPortState{roll_call.spec.master_port, true, "", ""}; };
    reach = [](int) { return EdgeOutcome::Ok; };
    sees = [](int) { return true; };
    gpu = [this](int node) { return sound_gpus(node, roll_call.spec.gpus_per_pod); };
    nccl = sound_nccl;
    collective = sound_collective;
    new_desk();
  }

  void new_desk(std::int64_t term = 1) {
    desk.emplace(roll_call, term, "0123456789abcdef0123456789abcdef", now);
    asked.reset();
  }

  PodView view(int node) const {
    PodView pod;
    pod.uid = probes[static_cast<std::size_t>(node)].uid;
    pod.name = roll_call.spec.roster[static_cast<std::size_t>(node)].pod;
    pod.node = "gpu-" + std::to_string(node + 1);
    pod.address = "10.0.0." + std::to_string(node + 1);
    pod.probe_running = probes[static_cast<std::size_t>(node)].running;
    pod.state = pod.probe_running ? "Running" : "Pulling";
    pod.waiting = pod.probe_running ? "" : "pulling image";
    pod.scheduled_at = start;
    if (pod.probe_running) pod.probe_started_at = now;
    return pod;
  }

  Instructions hear(const Event& event) {
    if (const auto* heard = std::get_if<AnswerHeard>(&event); heard != nullptr && on_answer) on_answer(heard->answer);
    Instructions said = desk->hear(event, now);
    wake_at = said.wake_at;
    if (said.write_verdict) {
      ++writes;
      asked = said.write_verdict;
      if (on_write) on_write(*said.write_verdict);
    }
    return said;
  }

  void see_all() {
    for (int i = 0; i < nnodes(); ++i) hear(PodSeen{view(i)});
  }

  int nnodes() const { return static_cast<int>(probes.size()); }

  Answer answer_of(int node) {
    Probe& probe = probes[static_cast<std::size_t>(node)];
    Answer answer = probe.results;
    answer.pod_uid = probe.uid;
    answer.boot_nonce = probe.nonce;
    answer.sequence = ++probe.sequence;
    answer.attempt = probe.attempt;
    answer.round = probe.round;
    return answer;
  }

  void post(int node) { hear(AnswerHeard{answer_of(node)}); }

  /// The probe asks and does what it is told.
  void obey(int node) {
    if (const auto said = desk->instruction_for(probes[static_cast<std::size_t>(node)].uid, now)) obey(node, *said);
  }

  void obey(int node, const Instruction& order) {
    Probe& probe = probes[static_cast<std::size_t>(node)];
    const Instruction* said = &order;
    probe.last = said->step;
    probe.last_stage = said->stage;
    probe.last_message = said->message;
    if (probe.attempt != said->attempt || probe.round != said->round) {
      const auto seen = probe.attempt == said->attempt ? probe.results.seen : std::nullopt;
      probe.results = {};
      probe.results.seen = seen;
      probe.attempt = said->attempt;
      probe.round = said->round;
    }
    Answer& results = probe.results;
    switch (said->step) {
      case Step::Facts:
        results.facts = facts(node);
        break;
      case Step::ListenMaster:
        results.master_port = master(node);
        break;
      case Step::ReachMaster: {
        const EdgeOutcome outcome = reach(node);
        results.master_port_reached = Edge{0, outcome, said->master_port, 1, outcome == EdgeOutcome::Ok ? 0 : 1, 1, ""};
        break;
      }
      case Step::ListenMesh:
        if (!results.mesh)
          results.mesh = MeshState{
              {40000 + node % 1000, 41000 + node % 1000, 42000 + node % 1000, 43000 + node % 1000}, 0, 0, {}, 0, false};
        break;
      case Step::ConnectMesh:
        if (!results.mesh || results.mesh->done) break;
        results.mesh->done = true;
        for (const Peer& peer : said->peers) {
          const EdgeOutcome outcome = edge(node, peer.node_rank);
          ++results.mesh->attempted;
          if (outcome == EdgeOutcome::Ok) {
            ++results.mesh->ok;
          } else if (results.mesh->failed.size() < kMaxEdges) {
            results.mesh->failed.push_back(
                {peer.node_rank, outcome, peer.ports.empty() ? 0 : peer.ports.front(), 4, 4, 3000, ""});
          }
        }
        break;
      case Step::Gpu:
        if (gpu) results.gpu = gpu(node);
        break;
      case Step::Nccl:
        if (nccl) results.nccl = nccl(node);
        break;
      case Step::Collective:
        if (collective && said->collective) results.collective = collective(node, *said->collective);
        break;
      case Step::SeeAddress:
        if (sees(node)) results.seen = SeenState{said->attempt, said->master_addr};
        break;
      default:
        break;
    }
    if (on_order) on_order(node, *said, results);
  }

  /// Every probe that is awake posts and obeys, `times` times over, on a clock that stands still.
  void exchange(int times = 1) {
    for (int t = 0; t < times; ++t) {
      for (int i = 0; i < nnodes(); ++i) {
        if (probes[static_cast<std::size_t>(i)].asleep || !probes[static_cast<std::size_t>(i)].running) continue;
        post(i);
        obey(i);
      }
    }
  }

  /// Enough exchanges for a whole round.
  void round() { exchange(40); }

  /// Moves the clock in steps of a second, ticking when the desk wants it, the probes exchanging.
  void pass(std::chrono::seconds time, bool exchanging = true) {
    for (auto t = 0s; t < time; ++t) {
      now += 1s;
      if (wake_at && *wake_at <= now) hear(Tick{});
      if (exchanging) exchange();
    }
  }

  /// The API server takes the verdict that was asked for.
  void store() {
    if (!asked) return;
    const api::Verdict verdict = *asked;
    asked.reset();
    roll_call.status.verdict = verdict;
    hear(VerdictStored{verdict});
  }

  api::RollCallStatus status() const { return desk->status(now); }
  bool has_finding(const std::string& rule) const {
    for (const auto& each : status().findings) {
      if (each.rule == rule) return true;
    }
    return false;
  }
  std::string finding(const std::string& rule) const {
    for (const auto& each : status().findings) {
      if (each.rule == rule) return each.message;
    }
    return "no finding " + rule;
  }
  std::string stage_state(const std::string& name) const {
    for (const auto& each : status().stages) {
      if (each.name == name) return each.state + (each.reason.empty() ? "" : ": " + each.reason);
    }
    return "no stage " + name;
  }

  api::RollCall roll_call;
  TimePoint start = *rfc3339_from("2026-11-30T12:00:00Z");
  TimePoint now = *rfc3339_from("2026-11-30T12:00:05Z");
  std::optional<Desk> desk;
  std::vector<Probe> probes;
  std::optional<TimePoint> wake_at;
  std::optional<api::Verdict> asked;
  int writes = 0;
  std::function<void(const api::Verdict&)> on_write;
  std::function<void(const Answer&)> on_answer;
  /// After the probe did what it was told: what a test's own probes do besides.
  std::function<void(int, const Instruction&, Answer&)> on_order;

  // Faults.
  std::function<LocalFacts(int)> facts;
  std::function<GpuFacts(int)> gpu;    ///< unset = the probe never answers that step
  std::function<NcclFacts(int)> nccl;  ///< as above
  std::function<CollectiveState(int, const CollectiveOrder&)> collective;
  std::function<EdgeOutcome(int, int)> edge;
  std::function<MasterPortState(int)> master;
  std::function<EdgeOutcome(int)> reach;
  std::function<bool(int)> sees;
};

}  // namespace rollcall::roll_call::testing
