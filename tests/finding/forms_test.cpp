// The forms in which lint prints: each by what its readers demand of it.
#include "finding/forms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "finding/sarif_rules.h"

namespace rollcall {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr RuleHelp kRules[] = {
    {"gpu/more-processes-than-gpus", Severity::deny, "more processes than GPUs", "Each needs one.", "8 with 4",
     "4 with 4"},
    {"env/handed-over-name", Severity::warn, "an entry without effect", "It is left out.", "NNODES: 4", "no entry"},
};

Finding denial() {
  Finding finding;
  finding.rule = "gpu/more-processes-than-gpus";
  finding.object = {"rollcall.dev/v1alpha1", "TrainingJob", "team-a", "llama"};
  finding.place = {"jobs/llama.yaml", 6, 3, 0, std::nullopt, "spec.nprocPerNode"};
  finding.message = "8 processes, but 4 GPUs.";
  finding.fix = "Write 4.";
  return finding;
}

Finding warning() {
  Finding finding = denial();
  finding.rule = "env/handed-over-name";
  finding.severity = Severity::warn;
  finding.place.path = "spec.template.spec.containers[0].env[2]";
  finding.place.line = 12;
  finding.message = "env NNODES is left out.";
  finding.fix = "Take it out.";
  return finding;
}

LintOutcome outcome(Findings findings) {
  LintOutcome out;
  out.files = {"jobs/llama.yaml"};
  out.documents = 1;
  out.judged = 1;
  out.findings = std::move(findings);
  return out;
}

json sarif(const LintOutcome& of) { return json::parse(to_sarif(of, kRules, "1.2.3")); }

TEST(TextForm, GroupsByObjectDenialsFirstAndSaysWhatToWriteOnALineOfItsOwn) {
  EXPECT_EQ(to_text(outcome({warning(), denial()})),
            "TrainingJob llama in namespace team-a\n"
            "  jobs/llama.yaml:6:3: deny: spec.nprocPerNode: 8 processes, but 4 GPUs.\n"
            "    Write 4. [gpu/more-processes-than-gpus]\n"
            "  jobs/llama.yaml:12:3: warn: spec.template.spec.containers[0].env[2]: env NNODES is left out.\n"
            "    Take it out. [env/handed-over-name]\n"
            "\n"
            "1 file, 1 document, 1 object judged: 1 denial, 1 warning\n");
}

TEST(TextForm, ShowsWhatWasSuppressedWithItsReason) {
  LintOutcome of = outcome({});
  of.suppressed.push_back({denial(), "two GPUs are for evaluation"});
  EXPECT_EQ(
      to_text(of),
      "Suppressed\n"
      "  jobs/llama.yaml:6:3: deny [gpu/more-processes-than-gpus] of TrainingJob llama in namespace team-a: two GPUs "
      "are for evaluation\n\n"
      "1 file, 1 document, 1 object judged: 0 denials, 0 warnings; 1 finding suppressed\n");
}

TEST(TextForm, AValueCannotSteerTheTerminalNorBreakALine) {
  Finding finding = denial();
  finding.object.name = "a\x1b[2Jb";
  finding.message = "`x\ny\xff` is wrong.";
  const std::string text = to_text(outcome({finding}));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_THAT(text, HasSubstr("`x?y?` is wrong."));
}

TEST(TextForm, OfNothingIsTheSummaryAlone) {
  EXPECT_EQ(to_text({}), "0 files, 0 documents, 0 objects judged: 0 denials, 0 warnings\n");
}

TEST(JsonForm, HasFindingsSuppressedErrorsAndCounts) {
  LintOutcome of = outcome({denial(), warning()});
  of.suppressed.push_back({warning(), "old"});
  of.errors = {"b.yaml: No such file or directory"};
  const json value = json::parse(to_json(of));
  EXPECT_EQ(value["findings"].size(), 2u);
  EXPECT_EQ(value["suppressed"][0]["reason"], "old");
  EXPECT_EQ(value["errors"], of.errors);
  EXPECT_EQ(value["summary"], json::parse(R"({"files": 1, "documents": 1, "judged": 1, "denials": 1, "warnings": 1,
                                              "infos": 0})"));
}

TEST(Sarif, KeepsToTheSchema) {
  LintOutcome of = outcome({denial(), warning()});
  of.findings[0].place.line = 0;
  of.findings[1].place.file = "/abs/ä b#.yaml";
  of.suppressed.push_back({warning(), "old"});
  of.errors = {"b.yaml: No such file or directory"};
  EXPECT_EQ(sarif_problems(sarif(of)), std::vector<std::string>{});
  EXPECT_EQ(sarif_problems(sarif({})), std::vector<std::string>{});
}

TEST(Sarif, TheRulesOfTheTestRefuseWhatTheSchemaRefuses) {
  json log = sarif(outcome({denial()}));
  log["runs"][0]["results"][0]["level"] = "deny";
  log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0;
  log["runs"][0]["results"][0]["unknown"] = 1;
  log["runs"][0]["results"][0]["ruleIndex"] = 7;
  log["runs"][0]["tool"]["driver"].erase("name");
  EXPECT_EQ(sarif_problems(log).size(), 5u);
}

TEST(Sarif, NamesRuleLevelPlaceAndTheSameSentence) {
  const json result = sarif(outcome({warning()}))["runs"][0]["results"][0];
  EXPECT_EQ(result["ruleId"], "env/handed-over-name");
  EXPECT_EQ(result["ruleIndex"], 1);
  EXPECT_EQ(result["level"], "warning");
  EXPECT_EQ(result["message"]["text"], sentence(warning()));
  const json& physical = result["locations"][0]["physicalLocation"];
  EXPECT_EQ(physical["artifactLocation"]["uri"], "jobs/llama.yaml");
  EXPECT_EQ(physical["region"], (json{{"startLine", 12}, {"startColumn", 3}}));
}

TEST(Sarif, UrisAreEscapedAndRelativeWhereTheNameIs) {
  LintOutcome of = outcome({denial(), denial(), denial()});
  of.findings[0].place.file = "./jobs/a b%.yaml";
  of.findings[1].place.file = "/tmp/x.yaml";
  of.findings[2].place.file = "<stdin>";
  const json results = sarif(of)["runs"][0]["results"];
  const auto uri = [&](std::size_t i) {
    return results[i]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].get<std::string>();
  };
  EXPECT_EQ(uri(0), "jobs/a%20b%25.yaml");
  EXPECT_EQ(uri(1), "file:///tmp/x.yaml");
  EXPECT_EQ(uri(2), "stdin");
}

TEST(Sarif, OfTooManyTheGravestStayAndTheCutIsTold) {
  Findings many(kMaxSarifResults + 10, warning());
  many.push_back(denial());
  const json run = sarif(outcome(std::move(many)))["runs"][0];
  EXPECT_EQ(run["results"].size(), kMaxSarifResults);
  EXPECT_EQ(run["results"].back()["level"], "error");
  EXPECT_THAT(run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"].get<std::string>(),
              HasSubstr("11 findings of the least severity are left out"));
}

TEST(Sarif, WhatIsSuppressedIsNoResult) {
  LintOutcome of = outcome({});
  of.suppressed.push_back({denial(), "two are for evaluation"});
  const json run = sarif(of)["runs"][0];
  EXPECT_TRUE(run["results"].empty());
  EXPECT_THAT(run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"].get<std::string>(),
              HasSubstr("two are for evaluation"));
}

TEST(Fingerprint, StaysWhenLinesListPlacesAndWordsMove) {
  Finding moved = warning();
  moved.place.line = 99;
  moved.place.document = 3;
  moved.place.path = "spec.template.spec.containers[1].env[14]";
  moved.message = "other values.";
  EXPECT_EQ(fingerprints({warning()}), fingerprints({moved}));
}

TEST(Fingerprint, DiffersByRuleFileObjectAndField) {
  const std::string one = fingerprints({warning()})[0];
  Finding other = warning();
  other.rule = "rank/constant-rank";
  EXPECT_NE(fingerprints({other})[0], one);
  other = warning();
  other.place.file = "jobs/other.yaml";
  EXPECT_NE(fingerprints({other})[0], one);
  other = warning();
  other.object.name = "other";
  EXPECT_NE(fingerprints({other})[0], one);
  other = warning();
  other.place.path = "spec.nnodes";
  EXPECT_NE(fingerprints({other})[0], one);
}

TEST(Fingerprint, EqualOnesAreNumbered) {
  const auto prints = fingerprints({warning(), warning()});
  EXPECT_TRUE(prints[0].ends_with(":1"));
  EXPECT_EQ(prints[1], prints[0].substr(0, 17) + "2");
}

TEST(Junit, OneSuiteAFileOneCaseAFinding) {
  LintOutcome of = outcome({denial(), warning()});
  of.files = {"a.yaml", "jobs/llama.yaml", "b.yaml"};
  of.suppressed.push_back({denial(), "<for & evaluation>"});
  of.errors = {"b.yaml:3:1: this is no YAML"};
  const std::string xml = to_junit(of, Severity::deny);
  EXPECT_THAT(xml, HasSubstr(R"(<testsuites name="rollcall lint" tests="5" failures="1" errors="1" skipped="1">)"));
  EXPECT_THAT(xml, HasSubstr(R"(<testsuite name="jobs/llama.yaml" tests="3" failures="1" errors="0" skipped="1">)"));
  EXPECT_THAT(xml, HasSubstr(R"(<testcase name="no finding" classname="a.yaml" file="a.yaml"/>)"));
  EXPECT_THAT(xml, HasSubstr(R"(<skipped message="&lt;for &amp; evaluation&gt;"/>)"));
  EXPECT_THAT(xml, HasSubstr(R"(<error type="unreadable" message="b.yaml:3:1: this is no YAML"/>)"));
}

TEST(Junit, FailsFromTheSeverityThatFails) {
  const LintOutcome of = outcome({denial(), warning()});
  EXPECT_THAT(to_junit(of, Severity::warn), HasSubstr(R"(failures="2")"));
  EXPECT_THAT(to_junit(of, std::nullopt), Not(HasSubstr("<failure")));
}

TEST(Junit, HoldsWhatXmlCannotSay) {
  Finding finding = denial();
  finding.message =
      "a\x01"
      "b\xef\xbf\xbf"
      "c\xff\"<&>";
  EXPECT_THAT(to_junit(outcome({finding}), Severity::deny),
              HasSubstr("message=\"a b?c\xef\xbf\xbd&quot;&lt;&amp;&gt;\""));
}

TEST(Github, OneCommandAFindingThatItsValuesCannotEnd) {
  Finding finding = denial();
  finding.place.file = "./a,b:c%.yaml";
  finding.message = "100%\n::error::forged.";
  EXPECT_EQ(to_github(outcome({finding})),
            "::error file=a%2Cb%3Ac%25.yaml,line=6,col=3,title=gpu/more-processes-than-gpus::spec.nprocPerNode: "
            "100%25%0A::error::forged. Write 4. [gpu/more-processes-than-gpus]\n"
            "1 file, 1 document, 1 object judged: 1 denial, 0 warnings\n");
}

TEST(Severity, ReachesWhatIsAsGraveOrLess) {
  EXPECT_TRUE(reaches(Severity::deny, Severity::deny));
  EXPECT_TRUE(reaches(Severity::deny, Severity::info));
  EXPECT_FALSE(reaches(Severity::warn, Severity::deny));
  EXPECT_TRUE(reaches(Severity::info, Severity::info));
}

}  // namespace
}  // namespace rollcall
