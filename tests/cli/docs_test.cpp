// What docs/lint.md, the GitHub Action and the pre-commit hooks tell people to run is run as it stands, by the program
// that was built, in a repository with a good and a bad chart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "launch/document/document.h"

namespace rollcall::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::string kRoot = ROLLCALL_SOURCE_DIR;
const std::string kSound = kRules + "rendezvous/host-name/right.yaml";
const std::string kDenied = kRules + "rendezvous/host-name/wrong.yaml";

/// The fenced blocks of docs/lint.md of one language.
std::vector<std::string> blocks(const std::string& language) {
  std::istringstream in(text_of(kRoot + "/docs/lint.md"));
  std::vector<std::string> out;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line == "```" + language) {
      inside = true;
      out.emplace_back();
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      out.back() += line + "\n";
    }
  }
  return out;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

nlohmann::json yaml(const std::string& text) {
  nlohmann::json value;
  EXPECT_TRUE(launch::read_documents(text, [&](launch::Document document) { value = std::move(document.value); }).ok());
  return value;
}

/// A repository in which the documented commands have what they name: manifests, a chart, an overlay, and on PATH the
/// program and stand-ins for what the tests' machine may lack.
class Repository {
 public:
  explicit Repository(const std::string& manifest) {
    const std::string text = text_of(manifest);
    for (const char* name : {"job.yaml", "manifests/job.yaml", "chart/rendered.yaml", "overlays/prod/rendered.yaml"})
      folder_.write(name, text);
    program("helm", "[ \"$1\" = template ] && exec cat \"$2/rendered.yaml\"\nexit 9\n");
    program("kustomize", "[ \"$1\" = build ] && exec cat \"$2/rendered.yaml\"\nexit 9\n");
    // What stands behind the image's name is the program; what comes before is for docker alone.
    program("docker",
            "while [ \"$1\" != registry.example.test/team/rollcall/rollcall:dev ]; do shift; done\nshift\nexec "
            "rollcall \"$@\"\n");
    fs::create_symlink(std::string(ROLLCALL_BIN_DIR) + "/rollcall", folder_.path() / "bin/rollcall");
  }

  /// Exit status and output of a command line as a person or a runner would start it.
  Outcome run(const std::string& script, const std::string& environment = "") const {
    const std::string file = folder_.write("script.sh", script);
    const std::string line = "cd " + folder_.path().string() + " && PATH=" + (folder_.path() / "bin").string() +
                             ":$PATH " + environment + " /bin/bash -eo pipefail " + file + " 2>&1";
    FILE* pipe = ::popen(line.c_str(), "r");
    Outcome outcome;
    if (pipe == nullptr) return outcome;
    char block[4096];
    while (const auto read = std::fread(block, 1, sizeof block, pipe)) outcome.out.append(block, read);
    const int status = ::pclose(pipe);
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return outcome;
  }
  std::string text(const std::string& name) const { return text_of(folder_.path() / name); }
  bool has(const std::string& name) const { return fs::exists(folder_.path() / name); }

 private:
  void program(const std::string& name, const std::string& script) {
    const std::string file = folder_.write("bin/" + name, "#!/bin/sh\n" + script);
    fs::permissions(file, fs::perms::owner_all);
  }
  Folder folder_;
};

TEST(LintDocs, EveryShellLineRunsAsItStands) {
  const Repository sound(kSound);
  int run = 0;
  for (const std::string& block : blocks("sh")) {
    for (const std::string& line : lines_of(block)) {
      const Outcome outcome = sound.run(line);
      EXPECT_EQ(outcome.code, 0) << line << "\n" << outcome.out;
      ++run;
    }
  }
  EXPECT_GE(run, 13);
  for (const char* made : {"rollcall.sarif", "rollcall.xml", "fixed.yaml", "trainingjob.schema.json", "rollcall.bash"})
    EXPECT_TRUE(sound.has(made)) << made;
}

TEST(LintDocs, TheLinesThatGateFailOnADeniedJob) {
  for (const char* line :
       {"rollcall lint job.yaml", "rollcall lint manifests/", "helm template ./chart | rollcall lint -",
        "kustomize build overlays/prod | rollcall lint -", "rollcall lint --format github manifests/"}) {
    EXPECT_THAT(text_of(kRoot + "/docs/lint.md"), HasSubstr(std::string("\n") + line + "\n"));
    EXPECT_EQ(Repository(kDenied).run(line).code, 1) << line;
  }
}

TEST(LintDocs, TheConfigIsOne) {
  const auto configs = blocks("yaml");
  ASSERT_THAT(configs[0], HasSubstr("severities:"));
  const Repository denied(kDenied);
  const Outcome outcome = denied.run("cat > .rollcall.yaml <<'END'\n" + configs[0] + "END\nrollcall lint job.yaml\n");
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("1 denial"));
}

TEST(LintDocs, GitLabsScriptWritesTheReportThatItNames) {
  const auto job = yaml(blocks("yaml")[2])["rollcall"];
  const Repository denied(kDenied);
  EXPECT_EQ(denied.run(job["script"][0].get<std::string>()).code, 1);
  EXPECT_THAT(denied.text(job["artifacts"]["reports"]["junit"]), HasSubstr("<failure type=\"deny\""));
}

/// The composite action's script, with the environment that its inputs make.
Outcome act(const Repository& repository, std::map<std::string, std::string> inputs) {
  const auto action = yaml(text_of(kRoot + "/action.yml"));
  for (const auto& [name, input] : action["inputs"].items())
    inputs.try_emplace(name, input["default"].get<std::string>());
  const auto& step = action["runs"]["steps"][0];
  std::string environment;
  for (const auto& [name, value] : step["env"].items()) {
    const std::string text = value.get<std::string>();
    const std::string input = text.substr(11, text.size() - 14);  // ${{ inputs.NAME }}
    EXPECT_EQ(text, "${{ inputs." + input + " }}");
    environment += name + "='" + inputs.at(input) + "' ";
  }
  return repository.run(step["run"].get<std::string>(), environment);
}

TEST(Action, RunsTheProgramOrTheImageAndFailsTheStep) {
  const Repository sound(kSound);
  EXPECT_EQ(act(sound, {{"paths", "manifests"}}).code, 0);
  const Repository denied(kDenied);
  const auto with = yaml(blocks("yaml")[1])["jobs"]["rollcall"]["steps"][1]["with"];
  std::map<std::string, std::string> inputs;
  for (const auto& [name, value] : with.items()) inputs[name] = value.get<std::string>();
  const Outcome outcome = act(denied, inputs);
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("::error file=manifests/job.yaml,line=7"));
  EXPECT_EQ(nlohmann::json::parse(denied.text("rollcall.sarif"))["runs"][0]["results"].size(), 1u);
  EXPECT_EQ(act(denied, {{"paths", "manifests\njob.yaml"}, {"fail-on", "never"}}).code, 0);
}

TEST(Action, AnInputIsNeverACommand) {
  const Repository sound(kSound);
  EXPECT_EQ(act(sound, {{"paths", "$(touch made) ; touch made"}}).code, 2);
  EXPECT_FALSE(sound.has("made"));
  EXPECT_THAT(text_of(kRoot + "/action.yml").substr(text_of(kRoot + "/action.yml").find("run: |")),
              testing::Not(HasSubstr("${{")));
}

TEST(PreCommit, HooksRunOnTheFilesThatTheyAreGiven) {
  const auto hooks = yaml(text_of(kRoot + "/.pre-commit-hooks.yaml"));
  const auto named = yaml(blocks("yaml")[3])["repos"][0]["hooks"][0]["id"];
  EXPECT_EQ(hooks[0]["id"], named);
  const Repository denied(kDenied);
  EXPECT_EQ(denied.run(hooks[0]["entry"].get<std::string>() + " job.yaml manifests/job.yaml").code, 1);
  EXPECT_EQ(denied.run(hooks[1]["entry"].get<std::string>() + " job.yaml manifests/job.yaml").code, 0);
  EXPECT_EQ(denied.run(hooks[0]["entry"].get<std::string>() + " job.yaml").code, 0);
}

}  // namespace
}  // namespace rollcall::cli
