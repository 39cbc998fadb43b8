// What cannot work is refused at admission, and by the operator where admission did not see it, in the words that
// `rollcall lint` uses.
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

/// Whether `text` has every denial of `rollcall lint` with its fix, and one of `rule` is among them.
void expect_words_of_lint(const Json& job, const std::string& text, const std::string& rule) {
  const Json findings = Json::parse(lint(job))["findings"];
  bool said = false;
  for (const Json& finding : findings) {
    if (finding["severity"] != "deny") continue;
    EXPECT_THAT(text, testing::HasSubstr(finding["message"].get<std::string>()));
    EXPECT_THAT(text, testing::HasSubstr(finding["fix"].get<std::string>()));
    said = said || finding["rule"] == rule;
  }
  EXPECT_TRUE(said) << findings.dump(1);
}

TEST_P(Refusal, IsSaidAtAdmissionInTheWordsOfLint) {
  ROLLCALL_WORLD(world);
  const Json job = training_job(GetParam().name, GetParam().options);
  const auto reply = world.api().create(kube::kTrainingJobs, world.ns(), job);
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().http, 403);
  expect_words_of_lint(job, reply.error().message, GetParam().rule);
}

/// The webhook is not asked about jobs in Rollcall's own namespace.
TEST_P(Refusal, WhereAdmissionDidNotSeeItIsFailedRefusedByRulesInTheWordsOfLint) {
  ROLLCALL_WORLD(world);
  const Json job = training_job(GetParam().name, GetParam().options);
  kube::Client& api = world.api();
  const std::string ns = "rollcall-system";
  (void)api.remove(kube::kTrainingJobs, ns, GetParam().name);
  ASSERT_TRUE(World::eventually(seconds(20), [&] {
    return api.get(kube::kTrainingJobs, ns, GetParam().name).error().not_found();
  })) << "of an earlier run";
  ASSERT_TRUE(api.create(kube::kTrainingJobs, ns, job).ok());
  Json seen;
  EXPECT_TRUE(World::eventually(seconds(20), [&] {
    auto reply = api.get(kube::kTrainingJobs, ns, GetParam().name);
    if (reply) seen = std::move(reply.value());
    return reply && !condition_reason(seen, "Failed").empty();
  })) << seen.dump(1);
  EXPECT_EQ(condition_reason(seen, "Failed"), "RefusedByRules");
  expect_words_of_lint(job, message(seen), GetParam().rule);
  const auto pods = api.list(kube::kPods, ns, {{"labelSelector", "rollcall.dev/job-name=" + GetParam().name}});
  ASSERT_TRUE(pods.ok()) << pods.error().text();
  EXPECT_TRUE(pods.value()["items"].empty());
  EXPECT_TRUE(api.remove(kube::kTrainingJobs, ns, GetParam().name).ok());
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
