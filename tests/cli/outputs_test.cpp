// `rollcall lint --format … --output …`: which form goes where, and what the exit code says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/lint/output.h"
#include "cli/write_file.h"
#include "finding/sarif_rules.h"

namespace rollcall::cli {
namespace {

using testing::HasSubstr;

const std::string kDenied = kRules + "rendezvous/host-name/wrong.yaml";
const std::string kWarned = kRules + "env/handed-over-name/wrong.yaml";

TEST(Outputs, EachGoesToTheFileBehindIt) {
  const Folder folder;
  const std::string sarif = (folder.path() / "x.sarif").string();
  const std::string junit = (folder.path() / "x.xml").string();
  const Outcome outcome = rollcall({"lint", "--format", "sarif", "--output", sarif, "--format=text", kDenied,
                                    "--format", "junit", "--output", junit});
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("TrainingJob llama\n"));
  EXPECT_EQ(sarif_problems(nlohmann::json::parse(text_of(sarif))), std::vector<std::string>{});
  EXPECT_THAT(text_of(junit), testing::StartsWith("<?xml version=\"1.0\""));
}

TEST(Outputs, AnOutputAloneIsText) {
  const Folder folder;
  const std::string file = (folder.path() / "x.txt").string();
  EXPECT_EQ(rollcall({"lint", "--output", file, kDenied}).out, "");
  EXPECT_THAT(text_of(file), HasSubstr("1 denial"));
}

TEST(Outputs, TwoFormsInOnePlaceAreRefused) {
  EXPECT_THAT(rollcall({"lint", "--format", "text", "--format", "json", kDenied}).err,
              HasSubstr("standard output has a form already"));
  EXPECT_THAT(rollcall({"lint", "--format", "json", "--output", "a", "--format", "text", "--output", "a", kDenied}).err,
              HasSubstr("two forms would be written to it"));
  EXPECT_THAT(
      rollcall({"lint", "--format", "json", "--output", "a", "--format", "text", "--output", "./a", kDenied}).err,
      HasSubstr("two forms would be written to it"));
  EXPECT_THAT(rollcall({"lint", "--format", "json", "--output", "a", "--output", "b", kDenied}).err,
              HasSubstr("--format json has --output a already"));
}

TEST(Outputs, AFileThatCannotBeWrittenIsNamed) {
  const Outcome outcome = rollcall({"lint", "--output", "/no/such/folder/x", kDenied});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("/no/such/folder/x: cannot be written: No such file or directory"));
}

TEST(Outputs, WhereNothingIsJudgedAFormForProgramsSaysSoAside) {
  const Outcome outcome = rollcall({"lint", "--format", "json", "-"}, "kind: Service\n---\nkind: ConfigMap\n");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("nothing was judged: 1 file, 2 documents, 0 objects judged"));
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["summary"]["documents"], 2);
}

TEST(FailOn, SaysFromWhichSeverityOnTheExitCodeIsOne) {
  EXPECT_EQ(rollcall({"lint", kWarned}).code, 0);
  EXPECT_EQ(rollcall({"lint", "--fail-on", "warn", kWarned}).code, 1);
  EXPECT_EQ(rollcall({"lint", "--fail-on", "info", kWarned}).code, 1);
  EXPECT_EQ(rollcall({"lint", "--fail-on", "never", kDenied}).code, 0);
  EXPECT_EQ(rollcall({"lint", "--fail-on", "never", "/no/such/file"}).code, 2);
  EXPECT_EQ(rollcall({"lint", "--fail-on", "sometimes", kDenied}).code, 2);
}

TEST(WriteFile, KeepsModeAndLinkAndLeavesNothingBeside) {
  const Folder folder;
  const std::string file = folder.write("a.yaml", "before");
  ASSERT_EQ(::chmod(file.c_str(), 0640), 0);
  const std::string link = (folder.path() / "link.yaml").string();
  std::filesystem::create_symlink("a.yaml", link);
  ASSERT_TRUE(write_file(link, "after").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(text_of(file), "after");
  struct stat now {};
  ASSERT_EQ(::stat(file.c_str(), &now), 0);
  EXPECT_EQ(now.st_mode & 07777, 0640u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
}

TEST(WriteFile, DevicesAreWrittenTo) {
  EXPECT_TRUE(write_file("/dev/null", "x").ok());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_FALSE(write_file("/tmp", "x").ok());
}

}  // namespace
}  // namespace rollcall::cli
