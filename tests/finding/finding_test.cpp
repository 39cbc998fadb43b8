#include "finding/finding.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace rollcall {
namespace {

Finding sample() {
  Finding finding;
  finding.rule = "gpu/more-processes-than-gpus";
  finding.severity = Severity::deny;
  finding.object = {"rollcall.dev/v1alpha1", "TrainingJob", "team-a", "llama"};
  finding.place = {"job.yaml", 6, 3, 1, std::nullopt, "spec.nprocPerNode"};
  finding.message = "8 processes per node, but the pod requests 4 nvidia.com/gpu.";
  finding.fix = "Write 4 or fewer processes, or request 8 GPUs.";
  finding.patch = R"([{"op":"replace","path":"/spec/nprocPerNode","value":4}])";
  return finding;
}

constexpr auto kSentence =
    "spec.nprocPerNode: 8 processes per node, but the pod requests 4 nvidia.com/gpu. Write 4 or fewer processes, or "
    "request 8 "
    "GPUs. [gpu/more-processes-than-gpus]";

TEST(Sentence, HasPathMessageFixAndRule) { EXPECT_EQ(sentence(sample()), kSentence); }

TEST(Sentence, LeavesOutWhatIsNotKnown) {
  Finding finding = sample();
  finding.place.path.clear();
  finding.fix.clear();
  EXPECT_EQ(sentence(finding),
            "8 processes per node, but the pod requests 4 nvidia.com/gpu. [gpu/more-processes-than-gpus]");
}

TEST(TerminalLine, IsThePlaceThenTheSameSentence) {
  EXPECT_EQ(terminal_line(sample()), std::string("job.yaml:6:3: deny: ") + kSentence);
}

TEST(TerminalLine, WithoutAFileOrALine) {
  Finding finding = sample();
  finding.place.line = 0;
  EXPECT_EQ(terminal_line(finding), std::string("job.yaml: deny: ") + kSentence);
  finding.place.file.clear();
  EXPECT_EQ(terminal_line(finding), std::string("deny: ") + kSentence);
}

TEST(TerminalLine, AValueCannotBreakTheLineOrSteerTheTerminal) {
  Finding finding = sample();
  finding.message = "`a\nb\x1b[31m` is a host name.";
  EXPECT_EQ(terminal_line(finding).find_first_of("\n\x1b"), std::string::npos);
}

TEST(Policy, WhatItChangedStandsInEveryForm) {
  Finding finding = sample();
  finding.policy = "deny instead of warn by RollcallPolicy gpu-teams";
  const std::string tail = "[gpu/more-processes-than-gpus: deny instead of warn by RollcallPolicy gpu-teams]";
  EXPECT_TRUE(sentence(finding).ends_with(tail));
  EXPECT_TRUE(terminal_line(finding).ends_with(tail));
  EXPECT_EQ(nlohmann::json::parse(to_json({finding}))["findings"][0]["policy"], finding.policy);
}

TEST(Json, HasEveryFieldInAFixedOrder) {
  const auto text = to_json({sample()});
  const auto json = nlohmann::ordered_json::parse(text);
  std::vector<std::string> keys;
  for (const auto& [key, value] : json["findings"][0].items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"rule", "severity", "message", "fix", "patch", "file", "line", "column",
                                            "document", "item", "path", "object"}));
  const auto& finding = json["findings"][0];
  EXPECT_EQ(finding["severity"], "deny");
  EXPECT_EQ(finding["patch"][0]["op"], "replace");
  EXPECT_EQ(finding["line"], 6);
  EXPECT_EQ(finding["document"], 1);
  EXPECT_TRUE(finding["item"].is_null());
  EXPECT_EQ(finding["object"]["name"], "llama");
}

TEST(Json, NoFindingsAreAnEmptyListAndNoPatchIsNull) {
  EXPECT_EQ(nlohmann::json::parse(to_json({})), nlohmann::json::parse(R"({"findings": []})"));
  Finding finding = sample();
  finding.patch.clear();
  EXPECT_TRUE(nlohmann::json::parse(to_json({finding}))["findings"][0]["patch"].is_null());
}

TEST(Json, BytesThatAreNoUtf8AreReplaced) {
  Finding finding = sample();
  finding.message = "\xff is a host name";
  EXPECT_TRUE(nlohmann::json::accept(to_json({finding})));
}

TEST(Severities, AreReadAndWritten) {
  for (const auto severity : {Severity::deny, Severity::warn, Severity::info}) {
    EXPECT_EQ(severity_from(to_string(severity)), severity);
  }
  EXPECT_EQ(severity_from("error"), std::nullopt);
}

TEST(AnyDenial, IsADenialAmongWarnings) {
  Finding warning = sample();
  warning.severity = Severity::warn;
  EXPECT_FALSE(any_denial({}));
  EXPECT_FALSE(any_denial({warning}));
  EXPECT_TRUE(any_denial({warning, sample()}));
}

}  // namespace
}  // namespace rollcall
