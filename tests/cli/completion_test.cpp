// Completions are made of the tables of flags; bash runs what is made for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <set>

#include "cli/command.h"
#include "cli/completion/scripts.h"

namespace rollcall::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

/// What bash offers for a command line whose last word is completed, one a line. `folder`: where it is.
std::vector<std::string> bash(const std::vector<std::string>& words, const std::string& folder = "/") {
  const Folder scripts;
  std::string script = "set -eu\ncd " + folder + "\n" + rollcall({"completion", "bash"}).out + "COMP_WORDS=(";
  for (const std::string& word : words) script += "'" + word + "' ";
  script += ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_rollcall\n";
  script += "for word in ${COMPREPLY[@]+\"${COMPREPLY[@]}\"}; do printf '%s\\n' \"$word\"; done\n";
  const std::string file = scripts.write("try.bash", script);
  std::vector<std::string> lines;
  FILE* pipe = ::popen(("/bin/bash " + file + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {"bash does not run"};
  std::string out;
  char block[4096];
  while (const auto read = std::fread(block, 1, sizeof block, pipe)) out.append(block, read);
  if (::pclose(pipe) != 0) out += "failed\n";
  std::istringstream in(out);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Bash, CompletesVerbs) {
  EXPECT_THAT(bash({"rollcall", "s"}), ElementsAre("status", "schema"));
  EXPECT_THAT(bash({"rollcall", "r"}), ElementsAre("report"));
  EXPECT_THAT(bash({"rollcall", ""}), Contains("lint"));
  EXPECT_THAT(bash({"rollcall", "--v"}), ElementsAre("--version"));
}

TEST(Bash, CompletesFlagsOfTheVerbAlone) {
  EXPECT_THAT(bash({"rollcall", "lint", "--f"}), Contains("--format"));
  EXPECT_THAT(bash({"rollcall", "explain", "--f"}), ElementsAre());
  EXPECT_THAT(bash({"rollcall", "status", "--"}), Contains("--namespace"));
}

TEST(Bash, CompletesWhatAFlagTakes) {
  EXPECT_THAT(bash({"rollcall", "lint", "--format", "s"}), ElementsAre("sarif"));
  EXPECT_THAT(bash({"rollcall", "lint", "--format", "=", "j"}), ElementsAre("json", "junit"));
  EXPECT_THAT(bash({"rollcall", "lint", "--fail-on", "="}), ElementsAre("deny", "warn", "info", "never"));
  EXPECT_THAT(bash({"rollcall", "status", "-n", "x"}), ElementsAre());
  EXPECT_THAT(bash({"rollcall", "report", "-o", ""}), ElementsAre("text", "json", "html"));
}

TEST(Bash, CompletesRulesAndFiles) {
  EXPECT_THAT(bash({"rollcall", "explain", "rendezvous/host-n"}), Contains("rendezvous/host-name"));
  const Folder folder;
  folder.write("a job.yaml", "");
  folder.write("other", "");
  EXPECT_THAT(bash({"rollcall", "lint", "a"}, folder.path().string()), ElementsAre("a job.yaml"));
  EXPECT_THAT(bash({"rollcall", "lint", "--output", "o"}, folder.path().string()), ElementsAre("other"));
}

TEST(Zsh, NamesVerbsFlagsAndChoices) {
  const std::string script = rollcall({"completion", "zsh"}).out;
  EXPECT_THAT(script, testing::StartsWith("#compdef rollcall"));
  EXPECT_THAT(script, HasSubstr("'*--format[The form findings are printed in]:FORM:(text json sarif junit github)'"));
  EXPECT_THAT(script, HasSubstr("'lint:Check manifests for launches that cannot work'"));
  EXPECT_THAT(script, HasSubstr("absent = the kubeconfig'\\''s"));
}

TEST(Fish, NamesVerbsFlagsAndChoices) {
  const std::string script = rollcall({"completion", "fish"}).out;
  EXPECT_THAT(script, HasSubstr("complete -c rollcall -n '__fish_seen_subcommand_from lint' -l format -x -a 'text json "
                                "sarif junit github' -d 'The form findings are printed in'\n"));
  EXPECT_THAT(script, HasSubstr("-s n -l namespace -x -d 'Its namespace; absent = the kubeconfig\\'s'"));
}

TEST(Completion, AnUnknownShellIsRefused) { EXPECT_EQ(rollcall({"completion", "csh"}).code, 2); }

/// A flag that is declared without the table would be missing in every shell.
TEST(Flags, EveryVerbDeclaresItsTableAndNothingElse) {
  for (const Verb& verb : all_verbs()) {
    CLI::App app;
    (void)verb.declare(app);
    std::set<std::string> declared;
    for (const CLI::Option* option : app.get_options()) {
      if (option->check_lname("help")) continue;
      declared.insert(option->get_name(true, true));
    }
    std::set<std::string> listed;
    for (const Flag& flag : verb.flags()) listed.insert(flag.names);
    EXPECT_EQ(declared, listed) << verb.name << ": declare its flags with cli/flags.h from the table that its line in "
                                << "run.cpp names";
    for (const Flag& flag : verb.flags()) EXPECT_EQ(flag.takes == Takes::choice, !flag.choices.empty()) << flag.names;
  }
}

}  // namespace
}  // namespace rollcall::cli
