#include "report/status_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace rollcall::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const WallTime kNow = *rfc3339_from("2026-11-30T12:06:05Z");

api::RollCall base() {
  api::RollCall r;
  r.meta.namespace_name = "team-a";
  r.meta.name = "tj-llama-ft-2";
  r.spec.job = {"rollcall.dev/v1alpha1", "TrainingJob", "llama-ft", "u"};
  r.spec.attempt = 2;
  r.spec.nproc_per_node = 8;
  r.spec.gpus_per_pod = 8;
  for (int i = 0; i < 3; ++i)
    r.spec.roster.push_back({i, "llama-ft-" + std::to_string(i) + "-2", "uid-" + std::to_string(i)});
  r.status.round = "1.3";
  r.status.answered = "3/3";
  r.status.master_addr = "10.0.0.1";
  return r;
}

std::vector<api::StageLine> stages(const std::vector<std::string>& states) {
  const std::vector<std::string> names{"Gathering",  "LocalFacts", "Comparison", "Gpu",
                                       "MasterPort", "Mesh",       "AddressSeen"};
  std::vector<api::StageLine> lines;
  for (std::size_t i = 0; i < names.size(); ++i)
    lines.push_back({names[i], states[i], "", "2026-11-30T12:00:00Z", 0.3});
  return lines;
}

api::RollCall held() {
  api::RollCall r = base();
  r.status.stage = "Held";
  r.status.held_since = "2026-11-30T12:00:05Z";
  r.status.next_round_at = "2026-11-30T12:06:20Z";
  r.status.held_seconds = 360;
  r.status.message =
      "gpu-3 (node rank 2, ranks 16-23) drops new connections from gpu-2 (node rank 1) to the 4 ephemeral ports we "
      "tried, 1 of 3 nodes are fine.";
  r.status.stages = stages({"Passed", "Passed", "Passed", "Skipped", "Passed", "Failed", "Skipped"});
  r.status.stages[3].reason = "CUDA and NCCL stages are not part of this version";
  r.status.stages[5].reason = "mesh/dropped";
  r.status.nodes = {{0, "0-7", "llama-ft-0-2", "gpu-1", "10.0.0.1", "Answered", "",
                     stages({"Passed", "Passed", "Passed", "Skipped", "Passed", "Passed", "Skipped"})},
                    {1, "8-15", "llama-ft-1-2", "gpu-2", "10.0.0.2", "Failed",
                     "mesh/dropped: gpu-3 (node rank 2, ranks 16-23) drops new connections from gpu-2",
                     stages({"Passed", "Passed", "Passed", "Skipped", "Passed", "Failed", "Skipped"})},
                    {2, "16-23", "llama-ft-2-2", "gpu-3", "10.0.0.3", "Failed", "mesh/dropped: gpu-3",
                     stages({"Passed", "Passed", "Passed", "Skipped", "Passed", "Failed", "Skipped"})}};
  r.status.findings = {
      {"mesh/dropped",
       "fail",
       "gpu-3 (node rank 2, ranks 16-23) drops new connections from gpu-2 (node rank 1) to the 4 ephemeral ports we "
       "tried.",
       {1, 2},
       "network"},
      {"node/kernel",
       "warn",
       "1 of 3 nodes has kernel 6.1.0: gpu-1; the other 2 have kernel 6.8.0. That alone breaks nothing",
       {0},
       "cluster"}};
  return r;
}

api::RollCall waiting() {
  api::RollCall r = base();
  r.spec.gpus_per_pod = 0;
  r.status.stage = "Gathering";
  r.status.answered = "2/3";
  r.status.message =
      "2 of 3 nodes have answered; node rank 2 (pod llama-ft-2-2) is not scheduled: 0/12 nodes have 8 free GPUs. "
      "Nothing was started.";
  r.status.stages = stages({"Running", "Waiting", "Waiting", "Waiting", "Waiting", "Waiting", "Waiting"});
  r.status.nodes = {{0, "0-7", "llama-ft-0-2", "gpu-1", "10.0.0.1", "Answered", "",
                     stages({"Passed", "Waiting", "Waiting", "Waiting", "Waiting", "Waiting", "Waiting"})},
                    {2, "16-23", "llama-ft-2-2", "", "", "Unscheduled", "0/12 nodes have 8 free GPUs",
                     stages({"Running", "Waiting", "Waiting", "Waiting", "Waiting", "Waiting", "Waiting"})}};
  return r;
}

api::RollCall released() {
  api::RollCall r = base();
  r.status.stage = "Released";
  r.status.message = "Released: by a person (it is fine), with the address seen on all 3 nodes.";
  r.status.stages = stages({"Passed", "Passed", "Passed", "Skipped", "Passed", "Passed", "Passed"});
  r.status.verdict = api::Verdict{api::VerdictKind::Released, std::nullopt, "released by a person",
                                  "2026-11-30T12:05:00Z",     "desk",       true};
  r.status.end = api::End{api::EndReason::JobFinished, "every trainer ended with 0", "2026-11-30T12:06:00Z"};
  return r;
}

struct Golden {
  const char* name;
  api::RollCall (*make)();
  TextOptions options;
};

class StatusText : public ::testing::TestWithParam<Golden> {};

// Set ROLLCALL_UPDATE_GOLDEN=1 to write the files anew, then read the diff.
TEST_P(StatusText, IsAsInTheGoldenFile) {
  const std::string file = std::string(ROLLCALL_SOURCE_DIR) + "/tests/report/golden/" + GetParam().name + ".txt";
  const std::string text = status_text(GetParam().make(), kNow, GetParam().options);
  if (std::getenv("ROLLCALL_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << text;
  std::stringstream golden;
  golden << std::ifstream(file).rdbuf();
  EXPECT_EQ(text, golden.str());
}

INSTANTIATE_TEST_SUITE_P(Each, StatusText,
                         ::testing::Values(Golden{"held", held, {140, false}},
                                           Golden{"held_unicode_narrow", held, {80, true}},
                                           Golden{"waiting", waiting, {120, false}},
                                           Golden{"released", released, {120, false}}),
                         [](const auto& each) { return each.param.name; });

TEST(StatusText, AStatusThatNoDeskWroteYetSaysSo) {
  api::RollCall r = base();
  r.status = {};
  EXPECT_THAT(status_text(r, kNow), HasSubstr("not begun: the desk has not read this roll call yet"));
}

TEST(StatusText, LinesKeepToTheWidthExceptTheCommandToCopy) {
  std::istringstream lines(status_text(held(), kNow, {80, false}));
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("Release", 0) == 0 || line.find("DETAIL") != std::string::npos ||
        line.find("llama-ft-") != std::string::npos)
      continue;
    EXPECT_LE(line.size(), 80u) << line;
  }
}

TEST(StatusText, EscapesInAStatusDoNotReachTheTerminal) {
  api::RollCall r = held();
  r.status.message = "\x1b[2Jgone";
  r.status.nodes[0].detail = "\x1b]0;title\x07";
  r.status.findings[0].message =
      "a\x9b"
      "b";
  const std::string text = status_text(r, kNow);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\x9b")));
}

}  // namespace
}  // namespace rollcall::report
