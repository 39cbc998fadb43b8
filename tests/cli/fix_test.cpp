// `rollcall lint --fix`: files are mended in place, standard input comes out mended.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/command.h"

namespace rollcall::cli {
namespace {

using testing::HasSubstr;

constexpr auto kJob = R"(# ours
apiVersion: rollcall.dev/v1alpha1
kind: TrainingJob
metadata: {name: llama}
spec:
  nnodes: 2
  nprocPerNode: 8        # all of them
  rendezvous:
    masterAddr: gpu-0.train
  template:
    spec:
      containers:
      - name: trainer
        image: registry.example.test/train:1
        command: [torchrun, --nnodes=4, train.py]
        env:
        - {name: NNODES, value: "2"}   # for the old launcher
        - name: DATA
          value: /data
        - {name: NODE_RANK, value: "0"}
        resources: {limits: {nvidia.com/gpu: 4}}
)";
constexpr auto kFixed = R"(# ours
apiVersion: rollcall.dev/v1alpha1
kind: TrainingJob
metadata: {name: llama}
spec:
  nnodes: 2
  nprocPerNode: 4        # all of them
  rendezvous: {}
  template:
    spec:
      containers:
      - name: trainer
        image: registry.example.test/train:1
        command: [torchrun, train.py]
        env:
        - name: DATA
          value: /data
        resources: {limits: {nvidia.com/gpu: 4}}
)";

TEST(Fix, MendsAFileInPlaceUntilNothingIsLeftToMend) {
  const Folder folder;
  const std::string file = folder.write("job.yaml", kJob);
  const Outcome outcome = rollcall({"lint", "--fix", file});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(text_of(file), kFixed);
  EXPECT_THAT(outcome.err, HasSubstr(file + ": 5 fixes written"));
  EXPECT_THAT(outcome.out, HasSubstr("0 denials, 0 warnings"));
}

TEST(Fix, AFileNamedTwiceIsOneJobAndMendedOnce) {
  const Folder folder;
  const std::string file = folder.write("job.yaml", kJob);
  std::filesystem::create_symlink("job.yaml", folder.path() / "link.yaml");
  const std::string other = (folder.path() / "." / "job.yaml").string();
  EXPECT_THAT(rollcall({"lint", folder.path().string(), file, other}).out, HasSubstr("1 file, 1 document"));
  const Outcome outcome = rollcall({"lint", "--fix", file, other, folder.path().string()});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(text_of(file), kFixed);
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path() / "link.yaml"));
}

TEST(Fix, StandardInputComesOutMendedAndFindingsAside) {
  const Outcome outcome = rollcall({"lint", "--fix", "-"}, kJob);
  EXPECT_EQ(outcome.out, kFixed);
  EXPECT_THAT(outcome.err, HasSubstr("1 file, 1 document, 1 object judged: 0 denials, 0 warnings"));
  EXPECT_EQ(rollcall({"lint", "--fix", "-"}, kFixed).out, kFixed);
}

TEST(Fix, ASoundFileIsNotTouched) {
  const Folder folder;
  const std::string file = folder.write("job.yaml", kFixed);
  const auto before = std::filesystem::last_write_time(file);
  EXPECT_EQ(rollcall({"lint", "--fix", file}).code, 0);
  EXPECT_EQ(std::filesystem::last_write_time(file), before);
}

TEST(Fix, WhatCannotBeMendedSoIsNamedAndLeft) {
  const Folder folder;
  std::string text = kJob;
  text.replace(text.find("nprocPerNode: 8 "), 16, "nprocPerNode: &n 8\n  worldSize: *n\n ");
  const std::string file = folder.write("job.yaml", text);
  const Outcome outcome = rollcall({"lint", "--fix", file});
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_THAT(outcome.err, HasSubstr("the fix was not written: "));
  EXPECT_THAT(text_of(file), HasSubstr("rendezvous: {}"));
}

TEST(Fix, AFileThatCannotBeWrittenFailsAndTheOthersAreMended) {
  if (::geteuid() == 0 && std::filesystem::exists("/proc/self/fd")) {
    // Root writes anywhere: a folder that is gone stands in for one that is read-only.
    const Folder folder;
    const std::string good = folder.write("good.yaml", kJob);
    const Outcome outcome = rollcall({"lint", "--fix", good, "/no/such.yaml"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(text_of(good), kFixed);
  } else {
    const Folder folder;
    const std::string file = folder.write("sub/job.yaml", kJob);
    std::filesystem::permissions(folder.path() / "sub",
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    EXPECT_EQ(rollcall({"lint", "--fix", file}).code, 2);
    std::filesystem::permissions(folder.path() / "sub", std::filesystem::perms::owner_all);
    EXPECT_EQ(text_of(file), kJob);
  }
}

TEST(Fix, WhatIsSuppressedOrOffStaysAsItIs) {
  const Folder folder;
  const std::string config = folder.write("c.yaml", "severities: [{rule: env/handed-over-name, severity: \"Off\"}]\n");
  const std::string file = folder.write("job.yaml", kJob);
  EXPECT_EQ(rollcall({"lint", "--fix", "--config", config, file}).code, 0);
  EXPECT_THAT(text_of(file), HasSubstr("NNODES"));
}

}  // namespace
}  // namespace rollcall::cli
