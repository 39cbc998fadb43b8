// GPU stages on real kubelets, with doubles of NVIDIA's libraries in the job's image: each fault, what Rollcall says of
// it, and whom it blames. The same wide table over network faults runs without a cluster in tests/faults.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "e2e/add_on.h"
#include "e2e/simulated.h"

namespace rollcall::e2e {
namespace {

using testing::HasSubstr;

/// The doubles answer in milliseconds, and a hang shall not take minutes.
const Json kShortDeadlines = {{"thresholds", {{"deadlinePercent", 15}}}};

struct Fault {
  std::string name;
  Simulated job;
  std::string verdict;            ///< Held, Released, or the reason of an end
  std::string stage;              ///< that tells it
  std::string state;              ///< of that stage
  std::set<std::string> blamed;   ///< nodes that failing findings name; empty = nobody by name
  std::vector<std::string> says;  ///< words of the first failing finding
};

Json checks_of(const std::string& script, bool compare = false) {
  return {{"checks",
           Json::array(
               {{{"name", "own"}, {"command", {"sh", "-c", script}}, {"compare", compare}, {"deadlineSeconds", 20}}})}};
}

constexpr auto kNeedsSetup = "[unless NCCL_FABRIC_READY]\nerror_in = ncclAllReduce\n";
constexpr auto kWrongSum = "[node node-3 gpu 0]\nwrong_sum = yes\n";

std::vector<Fault> faults() {
  return {
      {"fabric manager down",
       {.scenario = "[node node-2]\ncuda_init = 802\n"},
       "Held",
       "Gpu",
       "Failed",
       {"node-2"},
       {"802"}},
      {"driver upgraded under the container",
       {.scenario = "[node node-3]\ncuda_init = 803\nnvml_init = 18\n"},
       "Held",
       "Gpu",
       "Failed",
       {"node-3"},
       {"803"}},
      {"cuInit hangs", {.scenario = "[node node-1]\nhang = cuInit\n"}, "Held", "Gpu", "Failed", {"node-1"}, {"cuInit"}},
      {"one GPU twice in a pod",
       {.scenario = "[node node-3]\nuuid = GPU-7d1f2c30-0000-4000-8000-00000000cafe\n"},
       "Held",
       "Gpu",
       "Failed",
       {"node-3"},
       {"GPU-7d1f2c30-0000-4000-8000-00000000cafe"}},
      {"NCCL versions differ",
       {.scenario = "[node node-3]\nnccl_version = 22105\n"},
       "Held",
       "Nccl",
       "Failed",
       {"node-3"},
       {"2.21.5"}},
      {"net plugin on one node", {.plugin = true}, "Held", "Comparison", "Failed", {"node-2"}, {"plugin"}},
      {"hang in init",
       {.scenario = "[node node-2 gpu 1]\nhang = ncclCommInitRank\n"},
       "Held",
       "NodeCollective",
       "Failed",
       {"node-2"},
       {"ncclCommInitRank"}},
      {"wrong sum of one GPU among four",
       {.gpus = 4, .scenario = "[node node-1 gpu 2]\nwrong_sum = yes\n"},
       "Held",
       "NodeCollective",
       "Failed",
       {"node-1"},
       {"GPU 2"}},
      {"wrong sum", {.scenario = kWrongSum}, "Held", "NodeCollective", "Failed", {"node-3"}, {"node-3"}},
      {"the job's own check fails",
       {.roll_call = checks_of("test $ROLLCALL_SCENARIO_NODE != node-1")},
       "Held",
       "Checks",
       "Failed",
       {"node-1"},
       {"own"}},
      {"the job's own check differs",
       {.roll_call = checks_of("test $ROLLCALL_SCENARIO_NODE = node-2 && echo two || echo one", true)},
       "Held",
       "Checks",
       "Failed",
       {"node-2"},
       {"own"}},
      {"setup makes the fabric",
       {.scenario = kNeedsSetup, .roll_call = {{"setup", "export NCCL_FABRIC_READY=1"}}},
       "Released",
       "JobCollective",
       "Passed",
       {},
       {}},
      {"wrong sum, mode Observe",
       {.scenario = kWrongSum, .roll_call = {{"mode", "Observe"}}},
       "Released",
       "NodeCollective",
       "Failed",
       {"node-3"},
       {}},
  };
}

/// Names of nodes that the failing findings name.
std::set<std::string> blamed_in(const Json& roll_call) {
  std::map<int, std::string> node;
  for (const Json& one : roll_call["status"].value("nodes", Json::array()))
    node[one.value("nodeRank", -1)] = one.value("node", "?");
  std::set<std::string> blamed;
  for (const Json& finding : roll_call["status"].value("findings", Json::array())) {
    if (finding.value("severity", "") != "fail") continue;
    for (const Json& rank : finding.value("nodeRanks", Json::array())) blamed.insert(node[rank.get<int>()]);
  }
  return blamed;
}

std::string first_failure(const Json& roll_call) {
  for (const Json& finding : roll_call["status"].value("findings", Json::array()))
    if (finding.value("severity", "") == "fail") return finding.value("rule", "") + ": " + finding.value("message", "");
  return "-";
}

std::string verdict_of(const Json& roll_call) {
  const Json verdict = roll_call["status"].value("verdict", Json::object());
  if (verdict.empty()) return "Held";
  return verdict.value("kind", "") == "Ended" ? verdict.value("reason", "") : verdict.value("kind", "");
}

void look_at(World& world, const Fault& fault, const std::string& job) {
  const Json call = judged(world, job, seconds(150));
  if (!call.is_object() || !call.contains("status")) return;
  const Json stage = stage_of(call, fault.stage);
  const std::string failure = first_failure(call);
  std::printf("| %-36s | %-8s | %-14s | %-7s | %s |\n", fault.name.c_str(), verdict_of(call).c_str(),
              fault.stage.c_str(), stage.value("state", "?").c_str(), failure.c_str());
  std::fflush(stdout);
  EXPECT_EQ(verdict_of(call), fault.verdict) << fault.name << ": " << message(world.job(job));
  EXPECT_EQ(stage.value("state", ""), fault.state) << fault.name << ": " << call["status"]["stages"].dump(1);
  EXPECT_EQ(blamed_in(call), fault.blamed) << fault.name << ": " << failure;
  for (const std::string& word : fault.says) EXPECT_THAT(failure, HasSubstr(word)) << fault.name;
}

TEST(Gpu, AHealthyJobPassesEveryStageAndSaysThatItIsSimulated) {
  ROLLCALL_WORLD(world);
  claim_gpus(64);
  start_simulated(world, "healthy", {});
  const Json job = world.wait_for_phase("healthy", "Succeeded", seconds(180));
  const Json call = world.roll_call("healthy");
  for (const char* name : {"Gpu", "Nccl", "NodeCollective", "JobCollective", "Transport"}) {
    EXPECT_EQ(stage_of(call, name).value("state", ""), "Passed") << name << ": " << stage_of(call, name).dump();
  }
  ASSERT_TRUE(call["status"].contains("report")) << call["status"].dump(1);
  EXPECT_EQ(call["status"]["report"]["simulated"], true);
  EXPECT_EQ(call["status"].value("findings", Json::array()).dump(), "[]");
}

TEST(Gpu, EachFaultIsToldAndOnlyThoseAreBlamedWhoHaveIt) {
  ROLLCALL_WORLD(world);
  claim_gpus(64);
  NamespacePolicy policy(world, "gpus", kShortDeadlines);
  const auto all = faults();
  std::printf("| %-36s | %-8s | %-14s | %-7s | %s |\n", "fault (SIMULATED GPUs)", "verdict", "stage", "state",
              "first failing finding");
  // Three at a time: each job has six ranks, and the machine two cores.
  constexpr std::size_t kAtOnce = 3;
  for (std::size_t first = 0; first < all.size(); first += kAtOnce) {
    const std::size_t end = std::min(first + kAtOnce, all.size());
    for (std::size_t i = first; i < end; ++i) start_simulated(world, fmt::format("fault-{}", i), all[i].job);
    for (std::size_t i = first; i < end; ++i) look_at(world, all[i], fmt::format("fault-{}", i));
    for (std::size_t i = first; i < end; ++i)
      static_cast<void>(world.api().remove(kube::kTrainingJobs, world.ns(), fmt::format("fault-{}", i)));
  }
}

TEST(Gpu, AnImageInWhichTheChildCannotRunIsAFindingAndItsStagesAreSkipped) {
  ROLLCALL_WORLD(world);
  claim_gpus(64);
  start_simulated(world, "static", {.image = "rollcall/e2e-trainer:dev"});
  const Json call = judged(world, "static", seconds(120));
  std::printf("| %-36s | %-8s | %-14s | %-7s | %s |\n", "child cannot run in the image", verdict_of(call).c_str(),
              "Gpu", stage_of(call, "Gpu").value("state", "?").c_str(), message(world.job("static")).c_str());
  for (const char* name : {"NodeCollective", "JobCollective"}) {
    const Json stage = stage_of(call, name);
    EXPECT_EQ(stage.value("state", ""), "Skipped") << name;
    EXPECT_NE(stage.value("reason", ""), "") << name;
  }
}

}  // namespace
}  // namespace rollcall::e2e
