#include "report/fixtures.h"

#include <fmt/format.h>

#include <cmath>

#include "report/view.h"

namespace rollcall::report::testing {
namespace {

const std::vector<std::string> kStages{"Gathering",  "LocalFacts", "Comparison",     "Gpu",           "Nccl",
                                       "MasterPort", "Mesh",       "NodeCollective", "JobCollective", "Localisation",
                                       "Transport",  "Checks",     "AddressSeen"};
const double kSeconds[] = {41.2, 0.4, 0, 2.3, 0.6, 0.3, 1.1, 4.2, 9.8, 0, 0, 1.2, 0.4};

std::string at(double seconds) {
  return rfc3339(*rfc3339_from("2026-11-30T12:00:00Z") +
                 std::chrono::milliseconds{static_cast<std::int64_t>(seconds * 1000)});
}

/// Numbers that look like measurements and are the same each time.
double wobble(int seed, double width) { return width * std::sin(seed * 12.9898 + (seed % 7) * 78.233); }

api::RollCall base(int nodes) {
  api::RollCall r;
  r.meta.name = "tj-llama-ft-2";
  r.meta.namespace_name = "team-a";
  r.spec.job = {"rollcall.dev/v1alpha1", "TrainingJob", "llama-ft", "job-uid"};
  r.spec.attempt = 2;
  r.spec.nproc_per_node = 8;
  r.spec.gpus_per_pod = 8;
  for (int i = 0; i < nodes; ++i)
    r.spec.roster.push_back({i, fmt::format("llama-ft-{}-2", i), fmt::format("uid-{}", i)});
  r.status.round = "1.3";
  r.status.answered = fmt::format("{0}/{0}", nodes);
  r.status.master_addr = "10.0.0.1";
  return r;
}

std::string node_name(int i) { return fmt::format("gpu-{:02}", i + 1); }

void set_stages(api::RollCall& r, const std::string& letters) {
  double start = 28;
  for (std::size_t i = 0; i < kStages.size(); ++i) {
    api::StageLine line{kStages[i], state_word(letters[i]), "", "", 0};
    if (letters[i] == 'P' || letters[i] == 'F') {
      line.started_at = at(start);
      line.seconds = kSeconds[i];
      start += kSeconds[i];
    }
    r.status.stages.push_back(line);
  }
}

void skip(api::RollCall& r, const std::string& stage, const std::string& reason) {
  for (auto& each : r.status.stages) {
    if (each.name == stage) each.reason = reason;
  }
}

void add_times(api::RollCall& r) {
  auto& timeline = r.status.report->timeline;
  const int n = static_cast<int>(r.spec.roster.size());
  const int shown = std::min(n, n > 64 ? 20 : 64);
  const auto add = [&](const char* kind, const char* what, double from, double seconds, auto each) {
    timeline.push_back({kind, what, at(from), seconds, -1});
    for (int i = 0; i < shown; ++i) {
      const auto [begin, took] = each(i);
      timeline.push_back({kind, what, at(begin), took, i});
    }
  };
  add("Scheduling", "a place for the pod", 0, 6, [](int i) { return std::pair{0.0, 1.0 + i % 6}; });
  add("Starting", "sandbox, volumes, image of the installer", 1, 9, [](int i) {
    return std::pair{1.0 + i % 6, 3.0 + i % 2};
  });
  add("Pulling", "the job's image", 5, 60, [](int i) { return std::pair{5.0 + i % 6, 26.0 + (i % 5) * 7.0}; });
  for (const auto& stage : r.status.stages) {
    if (!stage.started_at.empty()) timeline.push_back({"Stage", stage.name, stage.started_at, stage.seconds, -1});
  }
}

/// All nodes as `letters`, all facts equal.
api::RollCall whole(int nodes, const std::string& letters) {
  api::RollCall r = base(nodes);
  set_stages(r, letters);
  api::Report report;
  report.simulated = true;
  report.stages = kStages;
  for (int i = 0; i < nodes; ++i) {
    report.nodes.push_back(node_name(i));
    report.states.push_back(letters);
    if (letters[7] == 'P') report.node_bus_gbytes.push_back(std::round((431 + wobble(i, 6)) * 10) / 10);
    if (letters[8] == 'P') report.job_bus_gbytes.push_back(std::round((356 + wobble(i + 3, 9)) * 10) / 10);
  }
  if (nodes <= 64) {
    for (int from = 0; from < nodes; ++from) {
      std::string row;
      for (int to = 0; to < nodes; ++to) {
        if (to > 0) row += ',';
        if (to != from) row += fmt::format("{:.1f}", 0.6 + std::abs(wobble(from * 64 + to, 0.35)));
      }
      report.matrix.push_back(row);
    }
  }
  report.groups = {{"GPUs", "8 x NVIDIA H100 80GB HBM3", nodes, false, {}},
                   {"Driver", "550.54.15", nodes, false, {}},
                   {"CUDA of the driver", "12.4", nodes, false, {}},
                   {"torch", "2.9.0", nodes, false, {}},
                   {"NCCL", "2.27.5", nodes, false, {}},
                   {"NCCL net plugin", "none", nodes, false, {}},
                   {"Interface NCCL takes", "eth0", nodes, false, {}},
                   {"RDMA devices", "8 x InfiniBand 400 Gb/s", nodes, false, {}},
                   {"Transport", "rdma by IB", nodes, false, {}},
                   {"MTU", "9000 (eth0)", nodes, false, {}},
                   {"Kernel", "6.8.0-1015-gke", nodes, false, {}}};
  report.transport = "rdma by IB, mlx5_0:1 … mlx5_7:1 (8)";
  report.gpus = "8 x NVIDIA H100 80GB HBM3 a node";
  r.status.report = report;
  return r;
}

void list_nodes(api::RollCall& r) {
  for (std::size_t i = 0; i < r.spec.roster.size(); ++i) {
    const int rank = static_cast<int>(i);
    const auto& letters = r.status.report->states[i];
    api::RollNode node{rank,
                       api::ranks_of(rank, 8),
                       r.spec.roster[i].pod,
                       node_name(rank),
                       fmt::format("10.0.{}.{}", rank / 250, rank % 250 + 1),
                       "Answered",
                       "",
                       {}};
    for (std::size_t s = 0; s < kStages.size(); ++s)
      node.stages.push_back({kStages[s], state_word(letters[s]), "", "", 0});
    if (letters.find('F') != std::string::npos) {
      node.state = "Failed";
      for (const auto& finding : r.status.findings) {
        if (std::find(finding.node_ranks.begin(), finding.node_ranks.end(), rank) == finding.node_ranks.end()) continue;
        node.detail = finding.rule + ": " + finding.message;
        break;
      }
    }
    if (r.spec.roster.size() > 64 && node.state == "Answered") continue;
    if (r.status.verdict) node.state = "Passed";
    r.status.nodes.push_back(node);
  }
}

void hold(api::RollCall& r) {
  r.status.stage = "Held";
  r.status.held_since = at(84);
  r.status.next_round_at = at(500);
  r.status.held_seconds = 75;
  r.status.report->timeline.push_back({"Held", "", r.status.held_since, 0, -1});
}

/// `row` of a matrix with the entry of `to` replaced.
void fail_cell(api::Report& report, int from, int to) {
  std::string out;
  const std::string& row = report.matrix[static_cast<std::size_t>(from)];
  std::size_t start = 0;
  for (int column = 0; start <= row.size(); ++column) {
    const std::size_t end = std::min(row.find(',', start), row.size());
    if (column > 0) out += ',';
    out += column == to ? "x" : row.substr(start, end - start);
    start = end + 1;
  }
  report.matrix[static_cast<std::size_t>(from)] = out;
}

void minority(api::Report& report, const std::string& what, const std::string& value, const std::vector<int>& ranks) {
  for (std::size_t i = 0; i < report.groups.size(); ++i) {
    if (report.groups[i].what != what) continue;
    report.groups[i].count -= static_cast<int>(ranks.size());
    report.groups.insert(report.groups.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                         {what, value, static_cast<int>(ranks.size()), true, ranks});
    return;
  }
}

}  // namespace

api::RollCall healthy(int nodes) {
  api::RollCall r = whole(nodes, "PPPPPPPPPSPSP");
  skip(r, "Localisation", "nothing to localise");
  skip(r, "Checks", "the job has no checks of its own");
  r.status.stage = "Released";
  r.status.message = fmt::format(
      "Released: all {} nodes answered, passed every stage that ran and see the address. MASTER_ADDR is 10.0.0.1, "
      "MASTER_PORT "
      "29500",
      nodes);
  r.status.verdict = api::Verdict{api::VerdictKind::Released, std::nullopt, r.status.message, at(96), "desk", false};
  list_nodes(r);
  add_times(r);
  r.status.report->timeline.push_back({"Released", "", at(96), 0, -1});
  return r;
}

api::RollCall failing_pair() {
  api::RollCall r = whole(8, "PPPPPPFPSSSSS");
  auto& report = *r.status.report;
  report.states.assign(8, "PPPPPPPPSSSSS");
  report.states[2] = report.states[5] = "PPPPPPFPSSSSS";
  report.node_bus_gbytes[6] = 341.7;
  fail_cell(report, 2, 5);
  report.pairs = {{2, 5, "Dropped", 3000, 0, "all 4 ports tried: Connection timed out"},
                  {7, 0, "Lossy", 9.4, 0, "2.1 % of segments sent again, 4.2 MB moved"}};
  minority(report, "NCCL", "2.21.5", {6});
  minority(report, "Kernel", "6.8.0-1010-gke", {1, 4});
  r.status.message =
      "gpu-06 (node rank 5, ranks 40-47) drops new connections from gpu-03 (node rank 2) to the 4 ephemeral ports we "
      "tried; 6 of 8 nodes are fine. The rendezvous port works, so training would start and then hang in NCCL.";
  r.status.findings = {
      {"mesh/dropped",
       "fail",
       "gpu-06 (node rank 5, ranks 40-47) drops new connections from gpu-03 (node rank 2) to the 4 ephemeral ports we "
       "tried. The rendezvous port works, so training would start and then hang in NCCL. Open 32768-60999 between the "
       "job's nodes (NetworkPolicy, security group).",
       {2, 5},
       "network"},
      {"mesh/lossy",
       "warn",
       "2.1 % of the segments between gpu-08 (node rank 7) and gpu-01 (node rank 0) were sent again (4.2 MB moved).",
       {0, 7},
       "network"},
      {"bandwidth/in-node",
       "warn",
       "gpu-07 (node rank 6, ranks 48-55) has 341.7 GB/s bus bandwidth in the node, 0.79 of the job's median of 431.2.",
       {6},
       "node"}};
  report.advice = api::Advice{
      "gpu-06 drops new connections from gpu-03 on ephemeral ports",
      at(84),
      "64 GPUs held for 8 min: 8.6 GPU-hours",
      "network",
      "kubectl get networkpolicies -n team-a -o wide",
      "no: the rendezvous works, then NCCL waits for ever for the connection from node rank 2 to node rank 5"};
  list_nodes(r);
  skip(r, "JobCollective", "not run: a stage before failed");
  add_times(r);
  hold(r);
  return r;
}

api::RollCall localised() {
  api::RollCall r = whole(8, "PPPPPPPPFFPSS");
  auto& report = *r.status.report;
  report.states.assign(8, "PPPPPPPPPPPSS");
  report.states[3] = "PPPPPPPPFFPSS";
  report.job_bus_gbytes.clear();
  for (int i = 0; i < 8; ++i) {
    for (int k = i + 1; k < 8; ++k) {
      if ((i + k) % 3 == 0 && i != 3 && k != 3) continue;
      const bool bad = i == 3 || k == 3;
      report.pairs.push_back({i, k, bad ? "CollectiveFailed" : "CollectiveOk", 0, bad ? 0 : 340 + wobble(i + k, 12),
                              bad ? "in ncclAllReduce large for 45 s" : ""});
    }
  }
  r.status.message =
      "The job-wide collective stopped in ncclAllReduce: gpu-04 (node rank 3, ranks 24-31) fails with each of two good "
      "nodes. With NCCL_IB_DISABLE=1 the pair works: its InfiniBand path is broken.";
  r.status.findings = {{"collective/node", "fail", r.status.message, {3}, "node"}};
  report.advice = api::Advice{"gpu-04's InfiniBand path is broken",
                              at(84),
                              "64 GPUs held for 8 min: 8.6 GPU-hours",
                              "node",
                              "kubectl cordon gpu-04",
                              "no: training would stop at the first all-reduce"};
  list_nodes(r);
  add_times(r);
  hold(r);
  return r;
}

api::RollCall partition() {
  api::RollCall r = whole(64, "PPPPPPFPSSSSS");
  auto& report = *r.status.report;
  std::vector<int> all;
  for (int from = 0; from < 64; ++from) {
    all.push_back(from);
    for (int to = 0; to < 64; ++to) {
      if ((from < 24) == (to < 24)) continue;
      fail_cell(report, from, to);
      if (report.pairs.size() < 500)
        report.pairs.push_back({from, to, "Dropped", 3000, 0, "all 4 ports tried: Connection timed out"});
    }
  }
  r.status.message =
      "The nodes are in two groups that do not reach each other: node ranks 0-23 (gpu-01 and 23 more) and 24-63 "
      "(gpu-25 "
      "and 39 more). Within each group everything works.";
  r.status.findings = {{"mesh/partition", "fail", r.status.message, all, "network"}};
  report.advice = api::Advice{
      "Two groups of nodes do not reach each other",      at(84),
      "512 GPUs held for 8 min: 68.3 GPU-hours",          "network",
      "kubectl get nodes -L topology.kubernetes.io/zone", "no: NCCL would wait for the other group for ever"};
  list_nodes(r);
  add_times(r);
  hold(r);
  return r;
}

api::RollCall thousand() {
  api::RollCall r = whole(1000, "PPPPPPFPSSSSS");
  auto& report = *r.status.report;
  report.states.assign(1000, "PPPPPPPPSSSSS");
  for (const int bad : {117, 118, 640}) {
    report.states[static_cast<std::size_t>(bad)] = "PPPPPPFPSSSSS";
    for (int i = 0; i < 160; ++i)
      report.pairs.push_back({(bad + 3 + i * 6) % 1000, bad, "Dropped", 3000, 0, "all 4 ports tried"});
  }
  for (int i = 0; i < 1000; ++i) {
    if (i % 97 == 5) report.node_bus_gbytes[static_cast<std::size_t>(i)] = 330 + wobble(i, 20);
  }
  report.node_bus_gbytes[640] = 190;
  minority(report, "NCCL", "2.21.5", {12, 13, 14, 700});
  minority(report, "Driver", "550.90.07", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20});
  r.status.message =
      "gpu-118, gpu-119 and gpu-641 drop new connections from every node that tried them; 997 of 1,000 nodes are fine.";
  r.status.findings = {{"mesh/dropped", "fail", r.status.message, {117, 118, 640}, "network"}};
  for (int i = 0; i < 20; ++i)
    r.status.findings.push_back({"bandwidth/in-node",
                                 "warn",
                                 fmt::format("{} has 0.7 of the median bus bandwidth in the node.", node_name(i * 50)),
                                 {i * 50},
                                 "node"});
  report.advice =
      api::Advice{"Three nodes drop new connections",           at(84),
                  "8,000 GPUs held for 8 min: 1,067 GPU-hours", "network",
                  "kubectl cordon gpu-118 gpu-119 gpu-641",     "no: NCCL would wait for these nodes for ever"};
  list_nodes(r);
  add_times(r);
  hold(r);
  return r;
}

api::RollCall waiting() {
  api::RollCall r = whole(4, "RWWWWWWWWWWWW");
  auto& report = *r.status.report;
  r.status.stages[0].started_at = at(4);
  report.simulated = false;
  report.groups.clear();
  report.matrix.clear();
  report.transport.clear();
  report.gpus.clear();
  report.states = {"PWWWWWWWWWWWW", "PWWWWWWWWWWWW", "RWWWWWWWWWWWW", "RWWWWWWWWWWWW"};
  report.nodes[3].clear();
  r.status.stage = "Gathering";
  r.status.answered = "2/4";
  r.status.message =
      "2 of 4 nodes have answered; node rank 2 (pod llama-ft-2-2 on gpu-03) has not started the probe: init container "
      "rollcall: ErrImagePull; node rank 3 (pod llama-ft-3-2) is not scheduled: 0/12 nodes have 8 free GPUs. Nothing "
      "was started.";
  r.status.nodes = {{2, "16-23", "llama-ft-2-2", "gpu-03", "", "Pulling", "init container rollcall: ErrImagePull", {}},
                    {3, "24-31", "llama-ft-3-2", "", "", "Unscheduled", "0/12 nodes have 8 free GPUs", {}}};
  for (auto& node : r.status.nodes) {
    const auto& letters = report.states[static_cast<std::size_t>(node.node_rank)];
    for (std::size_t i = 0; i < kStages.size(); ++i)
      node.stages.push_back({kStages[i], state_word(letters[i]), "", "", 0});
  }
  report.timeline = {{"Scheduling", "a place for the pod", at(0), 3, -1},
                     {"Scheduling", "a place for the pod", at(0), 2, 0},
                     {"Scheduling", "a place for the pod", at(0), 3, 1},
                     {"Starting", "sandbox, volumes, image of the installer", at(2), 4, -1},
                     {"Pulling", "the job's image", at(7), 55, -1},
                     {"Stage", "Gathering", at(4), 0, -1}};
  return r;
}

api::RollCall older() {
  api::RollCall r = failing_pair();
  r.status.report.reset();
  return r;
}

api::RollCall hostile(const std::string& text) {
  api::RollCall r = failing_pair();
  r.meta.name = r.meta.namespace_name = r.spec.job.name = r.spec.job.kind = text;
  auto& s = r.status;
  s.stage = s.round = s.message = s.master_addr = s.answered = text;
  for (auto& stage : s.stages) stage.reason = stage.name = text;
  for (auto& entry : r.spec.roster) entry.pod = text;
  for (auto& node : s.nodes) {
    node.ranks = node.pod = node.node = node.address = node.state = node.detail = text;
    for (auto& stage : node.stages) stage.name = stage.state = text;
  }
  for (auto& finding : s.findings) finding.rule = finding.severity = finding.message = finding.owner = text;
  s.verdict = api::Verdict{api::VerdictKind::Ended, api::EndReason::HoldExpired, text, text, text, false};
  s.end = api::End{api::EndReason::JobFinished, text, text};
  auto& report = *s.report;
  for (auto& name : report.stages) name = text;
  for (auto& name : report.nodes) name = text;
  for (auto& letters : report.states) letters = text;
  for (auto& row : report.matrix) row += text;
  for (auto& pair : report.pairs) pair.state = pair.text = text;
  report.pairs.push_back({0, 1, "Collective" + text, 1, 1, text});
  for (auto& group : report.groups) group.what = group.value = text;
  for (auto& moment : report.timeline) moment.what = text;
  report.timeline.push_back({text, text, text, 1, -1});
  report.transport = report.gpus = text;
  report.advice = api::Advice{text, text, text, text, text, text};
  return r;
}

}  // namespace rollcall::report::testing
