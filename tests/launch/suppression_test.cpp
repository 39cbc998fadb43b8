// What the annotation rollcall.dev/ignore passes over, and what is said of lines that pass over nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "launch/check.h"
#include "launch/rules/registry.h"

namespace rollcall::launch {
namespace {

using nlohmann::json;

json job(const std::string& ignore, int processes, const json& gpus, const std::string& command = "torchrun") {
  json object = json::parse(R"({"apiVersion": "rollcall.dev/v1alpha1", "kind": "TrainingJob",
    "metadata": {"name": "llama"}, "spec": {"nnodes": 2, "template": {"spec": {"containers": [
      {"name": "trainer", "image": "registry.example.test/train:1"}]}}}})");
  object["metadata"]["annotations"]["rollcall.dev/ignore"] = ignore;
  object["spec"]["nprocPerNode"] = processes;
  json& container = object["spec"]["template"]["spec"]["containers"][0];
  container["command"] = {command, "train.py"};
  container["resources"]["limits"]["nvidia.com/gpu"] = gpus;
  return object;
}

std::string rules_of(const json& object) {
  std::string out;
  for (const Finding& finding : check_by_kind(object).findings) out += (out.empty() ? "" : " ") + finding.rule;
  return out;
}

const std::string kTooMany = "gpu/more-processes-than-gpus";

TEST(Suppression, APassedOverFindingKeepsItsReason) {
  const Checked checked = check_by_kind(job(kTooMany + ": MPS shares them", 8, 4));
  EXPECT_TRUE(checked.findings.empty());
  ASSERT_EQ(checked.ignored.size(), 1U);
  EXPECT_EQ(checked.ignored[0].finding.rule, kTooMany);
  EXPECT_EQ(checked.ignored[0].reason, "MPS shares them");
}

TEST(Suppression, AnEmptyReasonIsAFindingAndTheRuleStillCounts) {
  for (const std::string& line : {kTooMany, kTooMany + ":", kTooMany + ":  "})
    EXPECT_EQ(rules_of(job(line, 8, 4)), kTooMany + " suppression/without-reason") << line;
}

TEST(Suppression, ALineThatPassesOverNothingIsAFinding) {
  EXPECT_EQ(rules_of(job(kTooMany + ": MPS shares them", 8, 8)), "suppression/of-nothing");
}

TEST(Suppression, WhereTheManifestDoesNotDecideNothingIsSaid) {
  // What container trains, how many GPUs it has, what it starts: not told, so the rule had nothing to look at.
  EXPECT_EQ(rules_of(job(kTooMany + ": MPS shares them", 8, "${GPUS}")), "");
  json script = job(kTooMany + ": MPS shares them", 8, 8);
  script["spec"]["template"]["spec"]["containers"][0]["command"] = {"sh", "-c", "exec $START"};
  EXPECT_EQ(rules_of(script), "");
  // Rules that look at Services and namespaces, which may stand elsewhere.
  EXPECT_EQ(rules_of(job("mesh/sidecar: the mesh lets these ports through", 8, 8)), "");
}

TEST(Suppression, ALineAboutSuppressionPassesOverThat) {
  EXPECT_EQ(rules_of(job(kTooMany + ": MPS shares them\nsuppression/of-nothing: kept for the next cluster", 8, 8)), "");
}

TEST(Suppression, ThePatchTakesTheLineOutAndLeavesTheOthers) {
  json object = job("gpu/fewer-processes-than-gpus: one drives two\n\n" + kTooMany + ": MPS shares them\n", 4, 8);
  const Checked checked = check_by_kind(object);
  ASSERT_EQ(checked.findings.size(), 1U);
  object = object.patch(json::parse(checked.findings[0].patch));
  EXPECT_EQ(object["metadata"]["annotations"]["rollcall.dev/ignore"], "gpu/fewer-processes-than-gpus: one drives two");
  EXPECT_EQ(rules_of(object), "");

  json alone = job(kTooMany + ": MPS shares them", 8, 8);
  alone = alone.patch(json::parse(check_by_kind(alone).findings.at(0).patch));
  EXPECT_FALSE(alone["metadata"]["annotations"].contains("rollcall.dev/ignore"));
}

// A rule that looks at other objects finds nothing where they are not known: its lines are never called useless.
TEST(Suppression, OfNothingKnowsEveryRuleThatLooksBesideItsObject) {
  namespace fs = std::filesystem;
  const fs::path rules = std::string(ROLLCALL_SOURCE_DIR) + "/src/launch/rules";
  const auto text_of = [](const fs::path& path) {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string list = text_of(rules / "suppression" / "of_nothing.cpp");
  int looking = 0;
  for (const Rule* rule : all_rules()) {
    std::string file(rule->id);
    std::replace(file.begin(), file.end(), '-', '_');
    const std::string source = text_of(rules / (file + ".cpp"));
    ASSERT_FALSE(source.empty()) << file;
    if (source.find("around") == std::string::npos && source.find("why_unresolvable") == std::string::npos) continue;
    const std::string family(rule->id.substr(0, rule->id.find('/') + 1));
    EXPECT_TRUE(list.find('"' + family + '"') != std::string::npos ||
                list.find('"' + std::string(rule->id) + '"') != std::string::npos)
        << rule->id << " looks beside its object: name it in rules/suppression/of_nothing.cpp";
    ++looking;
  }
  EXPECT_GE(looking, 4);
}

}  // namespace
}  // namespace rollcall::launch
