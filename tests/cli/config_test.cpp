// `.rollcall.yaml`: where it is looked for, what it changes, and that what it gets wrong is told by line.
#include "cli/lint/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.h"

namespace rollcall::cli {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

const std::string kDenied = kRules + "rendezvous/host-name/wrong.yaml";
const std::string kWarned = kRules + "env/handed-over-name/wrong.yaml";

std::string error_of(const std::string& text) {
  const Folder folder;
  const std::string file = folder.write("c.yaml", text);
  const auto config = read_config(file);
  if (config.ok()) return "";
  std::string message = config.error().message;
  for (auto at = message.find(file); at != std::string::npos; at = message.find(file))
    message.replace(at, file.size(), "C");
  return message;
}

Outcome with_config(const std::string& text, std::vector<std::string> arguments) {
  const Folder folder;
  arguments.insert(arguments.begin(), {"lint", "--config", folder.write("c.yaml", text)});
  return rollcall(std::move(arguments));
}

TEST(Config, ChangesSeveritiesAndSaysSo) {
  const std::string text = "severities:\n- {rule: env/handed-over-name, severity: Deny}\n";
  const Outcome outcome = with_config(text, {kWarned});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, testing::ContainsRegex("\\[env/handed-over-name: deny instead of warn by /[^ ]*/c.yaml\\]"));
}

TEST(Config, WhatIsOffIsShownAsSuppressed) {
  const Outcome outcome = with_config("severities: [{rule: rendezvous/host-name, severity: \"Off\"}]\n", {kDenied});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("Suppressed\n"));
  EXPECT_THAT(outcome.out, testing::ContainsRegex("off instead of deny by /[^ ]*/c.yaml\n"));
}

TEST(Config, WhatIsNotToBeIgnoredIsAFindingAgain) {
  const std::string ignoring = kRules + "suppression/of-no-rule/right.yaml";
  EXPECT_THAT(with_config("{}", {ignoring}).out, HasSubstr("Suppressed\n"));
  const Outcome outcome = with_config("neverIgnore: [gpu/fewer-processes-than-gpus]\n", {ignoring});
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr("Suppressed\n")));
  EXPECT_THAT(outcome.out,
              testing::ContainsRegex("\\[gpu/fewer-processes-than-gpus: not to be ignored by /[^ ]*/c.yaml\\]"));
}

TEST(Config, CanForbidThatARuleIsIgnored) {
  const Folder folder;
  const std::string job = folder.write("job.yaml", R"(apiVersion: rollcall.dev/v1alpha1
kind: TrainingJob
metadata: {name: llama, annotations: {rollcall.dev/ignore: "env/handed-over-name: as before"}}
spec:
  nnodes: 2
  template:
    spec:
      containers:
      - name: trainer
        image: registry.example.test/train:1
        command: [torchrun, train.py]
        env: [{name: NNODES, value: "2"}]
)");
  EXPECT_THAT(rollcall({"lint", job}).out, HasSubstr("1 finding suppressed"));
  const Outcome outcome = with_config("neverIgnore: [env/handed-over-name]\n", {"--fail-on", "warn", job});
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_THAT(outcome.out, testing::ContainsRegex("env/handed-over-name: not to be ignored by /[^ ]*/c.yaml\\]"));
}

TEST(Config, IsThatOfTheClusterInTheSameWords) {
  EXPECT_EQ(error_of("mode: Observe\nthresholds: {minOpenFiles: 65536}\n"
                     "images: {registry: \"registry.example.test:5000/mirror\", pullSecrets: [mirror]}\n"),
            "");
  EXPECT_EQ(error_of(""), "");
}

TEST(Config, EverythingWrongIsToldByLine) {
  EXPECT_EQ(
      error_of("severities:\n"
               "- {rule: rendezvous/host-nam, severity: Off}\n"
               "- {rule: rendezvous/host-name, severity: deny}\n"
               "- {severity: Deny}\n"
               "tresholds: {}\n"
               "thresholds: {minOpenFiles: 0}\n"
               "namespaceSelector: {}\n"),
      "C:2:10: severities[0].rule: there is no `rendezvous/host-nam`; did you mean `rendezvous/host-name`? `rollcall "
      "explain` lists the rules\n"
      "C:2:41: severities[0].severity: `false` is not of type string; write \"Off\" in quotes, YAML reads a bare Off "
      "as false\n"
      "C:3:42: severities[1].severity: there is no `deny`; there are Deny, Warn, Info, Off\n"
      "C:4:3: severities[2]: the field rule is missing\n"
      "C:5:12: tresholds: there is no such field; did you mean `thresholds`?\n"
      "C:6:28: thresholds.minOpenFiles: 0 is less than 1\n"
      "C:7:20: namespaceSelector: lint does not know the namespaces' labels; this file is for all that is linted");
}

TEST(Config, WhatIsNoConfigIsRefused) {
  EXPECT_THAT(error_of("- a\n"), HasSubstr("C:1:1: `[\"a\"]` is not of type object"));
  EXPECT_THAT(error_of("a: [\n"), HasSubstr("C:2:1: this is no YAML"));
  EXPECT_THAT(error_of("mode: Observe\n---\nmode: Observe\n"), HasSubstr("has several documents"));
  EXPECT_THAT(error_of("mode: Observe\nmode: Enforce\n"), HasSubstr("mode: stands in line 1 already"));
  const Outcome missing = rollcall({"lint", "--config", "/no/such.yaml", kDenied});
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.err, HasSubstr("/no/such.yaml: No such file or directory"));
}

TEST(Config, IsLookedForUpToTheRootOfTheRepository) {
  const Folder folder;
  const fs::path root = folder.path();
  const std::string above = folder.write(".rollcall.yaml", "mode: Observe\n");
  const std::string own = folder.write("repo/.rollcall.yaml", "mode: Observe\n");
  fs::create_directories(root / "repo/.git");
  fs::create_directories(root / "repo/jobs/deep");
  EXPECT_EQ(find_config(root / "repo/jobs/deep"), own);
  EXPECT_EQ(find_config(root / "repo"), own);
  fs::remove(own);
  EXPECT_EQ(find_config(root / "repo/jobs"), std::nullopt) << "what lies above the repository is somebody else's";
  fs::remove_all(root / "repo/.git");
  EXPECT_EQ(find_config(root / "repo/jobs"), std::nullopt) << "outside of a repository nothing above counts";
  EXPECT_EQ(find_config(root), above);
}

}  // namespace
}  // namespace rollcall::cli
