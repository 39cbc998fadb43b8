// The operator refuses what cannot work, in the words `rollcall lint` uses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>

#include "e2e/world.h"

namespace rollcall::e2e {
namespace {

std::string lint(const Json& job) {
  const std::string file =
      testing::TempDir() + "rollcall-e2e-lint-" + job["metadata"]["name"].get<std::string>() + ".json";
  std::ofstream(file) << job.dump();
  FILE* pipe = popen((std::string(ROLLCALL_BIN_DIR) + "/rollcall lint --format json " + file).c_str(), "r");
  std::string out;
  std::array<char, 4096> chunk{};
  while (const auto n = std::fread(chunk.data(), 1, chunk.size(), pipe)) out.append(chunk.data(), n);
  pclose(pipe);
  std::remove(file.c_str());
  return out;
}

struct Refused {
  std::string name;
  std::string rule;
  JobOptions options;
};

class Refusal : public testing::TestWithParam<Refused> {};

TEST_P(Refusal, IsFailedRefusedByRulesInTheWordsOfLint) {
  ROLLCALL_WORLD(world);
  const Json job = training_job(GetParam().name, GetParam().options);
  world.start(job);
  const Json refused = world.wait_for_phase(GetParam().name, "Failed", seconds(20));
  EXPECT_EQ(condition_reason(refused, "Failed"), "RefusedByRules");
  EXPECT_TRUE(world.pods(GetParam().name).empty());
  const Json findings = Json::parse(lint(job))["findings"];
  bool said = false;
  for (const Json& finding : findings) {
    if (finding["severity"] != "deny") continue;
    EXPECT_THAT(message(refused), testing::HasSubstr(finding["message"].get<std::string>()));
    EXPECT_THAT(message(refused), testing::HasSubstr(finding["fix"].get<std::string>()));
    said = said || finding["rule"] == GetParam().rule;
  }
  EXPECT_TRUE(said) << findings.dump(1);
}

INSTANTIATE_TEST_SUITE_P(
    BrokenJobs, Refusal,
    testing::Values(
        Refused{"too-many",
                "gpu/more-processes-than-gpus",
                {.spec = {{"nprocPerNode", 8}}, .trainer = {{"resources", {{"limits", {{"nvidia.com/gpu", 4}}}}}}}},
        Refused{"wrong-world", "world/size-is-not-the-product", {.spec = {{"worldSize", 7}}}},
        Refused{"host-name", "rendezvous/host-name", {.spec = {{"rendezvous", {{"masterAddr", "gpu-0.train"}}}}}},
        Refused{"flag",
                "torchrun/nnodes-against-spec",
                {.args = {}, .command = {"torchrun", "--nnodes=4", "--nproc-per-node=1", "train.py"}}}),
    [](const auto& instance) {
      std::string name = instance.param.name;
      std::erase(name, '-');
      return name;
    });

TEST(Refusal, ATypoInTheTemplateIsOneConditionAndNoPod) {
  ROLLCALL_WORLD(world);
  world.start(training_job("typo", {.trainer = {{"resorces", {{"limits", {{"cpu", "1"}}}}}}}));
  const Json job = world.wait_for("typo", "a message that names the field", seconds(20),
                                  [](const Json& seen) { return message(seen).find("resorces") != std::string::npos; });
  EXPECT_TRUE(world.pods("typo").empty());
}

}  // namespace
}  // namespace rollcall::e2e
