#include "report/report_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/printable.h"
#include "report/fixtures.h"
#include "report/report_json.h"

namespace rollcall::report {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

struct Golden {
  const char* name;
  api::RollCall roll_call;
  TextOptions options;
};

class ReportText : public ::testing::TestWithParam<Golden> {};

// Set ROLLCALL_UPDATE_GOLDEN=1 to write the files anew, then read the diff.
TEST_P(ReportText, IsAsInTheGoldenFile) {
  const std::string file = std::string(ROLLCALL_SOURCE_DIR) + "/tests/report/golden/" + GetParam().name + ".txt";
  const std::string text = report_text(GetParam().roll_call, kNow, GetParam().options);
  if (std::getenv("ROLLCALL_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << text;
  std::stringstream golden;
  golden << std::ifstream(file).rdbuf();
  EXPECT_EQ(text, golden.str());
}

INSTANTIATE_TEST_SUITE_P(Each, ReportText,
                         ::testing::Values(Golden{"report_pair", failing_pair(), {100, false}},
                                           Golden{"report_healthy", healthy(), {100, true}},
                                           Golden{"report_thousand", thousand(), {100, false}},
                                           Golden{"report_waiting", waiting(), {80, false}},
                                           Golden{"report_older", older(), {100, false}}),
                         [](const auto& each) { return each.param.name; });

/// The sample of docs/report.md is what the program says.
TEST(ReportTextDocs, TheSampleIsTrue) {
  std::stringstream docs;
  docs << std::ifstream(std::string(ROLLCALL_SOURCE_DIR) + "/docs/report.md").rdbuf();
  EXPECT_THAT(docs.str(), HasSubstr("```text\n" + report_text(failing_pair(), kNow, {100, false}) + "```"));
}

TEST(ReportTextWidth, LinesFitTheTerminalButForCommands) {
  for (const std::size_t width : {80u, 100u, 120u}) {
    std::istringstream lines(report_text(failing_pair(), kNow, {width, false}));
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind("Release", 0) == 0 || line.rfind("Next", 0) == 0) continue;
      EXPECT_LE(display_width(line), std::max<std::size_t>(width, 96)) << line;
    }
  }
}

TEST(ReportTextSafety, NoEscapeSequenceReachesTheTerminal) {
  const auto text = report_text(hostile("a\x1b[2Jb"), kNow);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("a?[2Jb"));
}

TEST(ReportJson, HasAllThatTheOthersShow) {
  const auto json = report_json(failing_pair(), kNow);
  EXPECT_EQ(json["formatVersion"], 1);
  EXPECT_EQ(json["nodes"][5]["stages"]["Mesh"], "Failed");
  EXPECT_EQ(json["nodes"][5]["name"], "gpu-06");
  EXPECT_EQ(json["nodes"][6]["nodeBusGigabytes"], 341.7);
  EXPECT_EQ(json["matrixMilliseconds"][2][5], "failed");
  EXPECT_TRUE(json["matrixMilliseconds"][2][2].is_null());
  EXPECT_EQ(json["pairs"][0]["state"], "Dropped");
  EXPECT_EQ(json["advice"]["owner"], "network");
  EXPECT_EQ(json["bandwidth"]["inNode"]["belowNodeRanks"], nlohmann::json({6}));
  EXPECT_EQ(json["simulated"], true);
  EXPECT_EQ(json["findings"][0]["rule"], "mesh/dropped");
}

TEST(ReportJson, AnOlderRollCallIsNotComplete) {
  const auto json = report_json(older(), kNow);
  EXPECT_EQ(json["complete"], false);
  EXPECT_THAT(json["nodes"], SizeIs(8));
  EXPECT_EQ(json["nodes"][5]["stages"]["Mesh"], "Failed");
}

}  // namespace
}  // namespace rollcall::report
