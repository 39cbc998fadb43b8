#include "child/support/child.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "probe/support/process.h"

namespace rollcall::child::testing {

std::vector<std::string> Run::steps() const {
  std::vector<std::string> all;
  for (const auto& line : lines)
    if (!line.step.empty()) all.push_back(line.step);
  return all;
}

const roll_call::GpuFacts& Run::gpu() const {
  static const roll_call::GpuFacts kNone;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line)
    if (line->gpu) return *line->gpu;
  ADD_FAILURE() << "no line with facts of GPUs in:\n" << output;
  return kNone;
}

const roll_call::NcclFacts& Run::nccl() const {
  static const roll_call::NcclFacts kNone;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line)
    if (line->nccl) return *line->nccl;
  ADD_FAILURE() << "no line with facts of NCCL in:\n" << output;
  return kNone;
}

Run run(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment) {
  probe::testing::Process process(command, environment);
  Run run;
  const auto code = process.wait(std::chrono::seconds(60));
  run.output = process.output();
  EXPECT_TRUE(code) << "it has not ended after 60 s:\n" << run.output;
  run.code = code.value_or(-1);
  std::istringstream lines(run.output);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() != '{') continue;  // standard error
    auto read = roll_call::child_line_from(line);
    EXPECT_TRUE(read) << read.error().message << ": " << line;
    if (read) run.lines.push_back(*read);
  }
  return run;
}

std::string child_program() { return ROLLCALL_BIN_DIR "/rollcall-probe-child"; }

Doubles::Doubles(const std::string& text) {
  std::string path = std::filesystem::temp_directory_path() / "rollcall-scenario-XXXXXX";
  const int fd = mkstemp(path.data());
  EXPECT_GE(fd, 0) << path;
  close(fd);
  std::ofstream(path) << text;
  scenario_ = path;
}

Doubles::~Doubles() { std::filesystem::remove(scenario_); }

std::map<std::string, std::string> Doubles::environment() const {
  return {{"LD_LIBRARY_PATH", ROLLCALL_DOUBLES_DIR},
          {"ROLLCALL_SCENARIO", scenario_},
          {"ROLLCALL_SCENARIO_NODE", "gpu-17"}};
}

}  // namespace rollcall::child::testing
