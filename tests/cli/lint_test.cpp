// `rollcall lint` and `rollcall explain` by their command lines.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command.h"

namespace rollcall::cli {
namespace {

const std::string kDenied = kRules + "rendezvous/host-name/wrong.yaml";
const std::string kWarned = kRules + "env/handed-over-name/wrong.yaml";
const std::string kSound = kRules + "rendezvous/host-name/right.yaml";

TEST(Lint, ExitCodeSaysDenialOrNot) {
  EXPECT_EQ(rollcall({"lint", kSound}).code, 0);
  EXPECT_EQ(rollcall({"lint", kWarned}).code, 0);
  EXPECT_EQ(rollcall({"lint", kDenied}).code, 1);
  EXPECT_EQ(rollcall({"lint", kSound, kDenied}).code, 1);
}

TEST(Lint, TextIsTheFindingsByObjectAndASummary) {
  const Outcome outcome = rollcall({"lint", kDenied});
  EXPECT_EQ(
      outcome.out,
      "TrainingJob llama\n  " + kDenied +
          ":7:28: deny: spec.rendezvous.masterAddr: `gpu-0.train` is a host name; nodes may resolve it "
          "differently (loopback on the node itself is the usual case).\n"
          "    Leave it out: the operator hands every rank the address of rank 0's pod. [rendezvous/host-name]\n\n"
          "1 file, 1 document, 1 object judged: 1 denial, 0 warnings\n");
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(rollcall({"lint", kSound}).out, "1 file, 1 document, 1 object judged: 0 denials, 0 warnings\n");
}

TEST(Lint, JsonHasTheSameFinding) {
  const Outcome outcome = rollcall({"lint", "--format", "json", kDenied});
  const auto json = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(json["findings"].size(), 1u);
  EXPECT_EQ(json["findings"][0]["rule"], "rendezvous/host-name");
  EXPECT_EQ(json["findings"][0]["file"], kDenied);
  EXPECT_EQ(json["findings"][0]["patch"][0]["path"], "/spec/rendezvous/masterAddr");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(nlohmann::json::parse(rollcall({"lint", "--format=json", kSound}).out)["findings"].size(), 0u);
}

TEST(Lint, ReadsStandardInput) {
  std::ifstream file(kDenied);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const Outcome outcome = rollcall({"lint", "-"}, text);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(outcome.out.find("  <stdin>:7:28: deny: ") != std::string::npos) << outcome.out;
}

TEST(Lint, ReadsDirectoriesByName) {
  const Outcome outcome = rollcall({"lint", kRules});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_LT(outcome.out.find("document/duplicate-key/wrong.yaml"),
            outcome.out.find("world/size-is-not-the-product/wrong.yaml"));
}

TEST(Lint, WhatCannotBeReadIsToldAndTheRestIsStillRead) {
  const auto directory = std::filesystem::path(testing::TempDir()) / "rollcall-lint-test";
  std::filesystem::create_directories(directory);
  const std::string broken = (directory / "broken.yaml").string();
  std::ofstream(broken) << "a: [1,\nb: 2\n";
  const Outcome outcome = rollcall({"lint", "--format", "json", broken, "/no/such/file.yaml", kDenied});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find(broken + ":3:1: "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("/no/such/file.yaml: No such file or directory"), std::string::npos) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["findings"].size(), 1u);
  std::filesystem::remove_all(directory);
}

TEST(Lint, SeveralFilesAreOneInput) {
  const auto directory = std::filesystem::path(testing::TempDir()) / "rollcall-lint-one-input";
  std::filesystem::create_directories(directory);
  std::ifstream file(kRules + "mesh/sidecar/wrong.yaml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t cut = text.find("\n---\n");
  ASSERT_NE(cut, std::string::npos);
  std::ofstream(directory / "z.yaml") << text.substr(0, cut);  // the namespace, read after the job
  std::ofstream(directory / "a.yaml") << text.substr(cut);
  const Outcome alone = rollcall({"lint", (directory / "a.yaml").string()});
  EXPECT_EQ(alone.out.find("[mesh/sidecar]"), std::string::npos) << alone.out;
  const Outcome both = rollcall({"lint", directory.string()});
  EXPECT_NE(both.out.find("[mesh/sidecar]"), std::string::npos) << both.out;
  std::filesystem::remove_all(directory);
}

TEST(Lint, NoFilesIsAUsageErrorWithAHint) {
  const Outcome outcome = rollcall({"lint"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("rollcall lint job.yaml"), std::string::npos);
}

TEST(Usage, UnknownVerbsAndFormatsAreRefused) {
  EXPECT_EQ(rollcall({}).code, 2);
  EXPECT_EQ(rollcall({"frobnicate"}).code, 2);
  EXPECT_EQ(rollcall({"lint", "--format", "xml", kSound}).code, 2);
}

TEST(Usage, HelpAndVersionGoToStandardOutput) {
  EXPECT_TRUE(rollcall({"--version"}).out.starts_with("rollcall 0."));
  const Outcome help = rollcall({"lint", "--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_NE(help.out.find("Exit status"), std::string::npos);
}

TEST(Explain, PrintsTheRuleOrTheList) {
  const Outcome one = rollcall({"explain", "gpu/more-processes-than-gpus"});
  EXPECT_EQ(one.code, 0);
  EXPECT_NE(one.out.find("invalid device ordinal"), std::string::npos);
  EXPECT_NE(rollcall({"explain"}).out.find("gpu/more-processes-than-gpus (deny): "), std::string::npos);
  EXPECT_EQ(rollcall({"explain", "no/rule"}).code, 2);
}

}  // namespace
}  // namespace rollcall::cli
