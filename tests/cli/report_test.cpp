#include "cli/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/roll_calls_client.h"

namespace rollcall::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

Outcome ask(RollCalls& client, ReportForm form, const std::string& output = "", std::optional<int> attempt = {}) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  const ReportRequest request{{"report", "llama", "team-a", attempt}, form, output, {}};
  const int code = report(client, request, *rollcall::rfc3339_from("2026-11-30T12:00:00Z"), {in, out, err});
  return {code, out.str(), err.str()};
}

kube::Json two_attempts() {
  return {{"items", {roll_call("llama", 1, "2026-11-30T10:00:00Z"), roll_call("llama", 2, "2026-11-30T11:00:00Z")}}};
}

TEST(Report, ComesInThreeForms) {
  RollCalls client;
  client.answer = two_attempts();
  EXPECT_THAT(ask(client, ReportForm::text).out, HasSubstr("team-a/llama, attempt 2"));
  EXPECT_EQ(kube::Json::parse(ask(client, ReportForm::json).out)["attempt"], 2);
  EXPECT_THAT(ask(client, ReportForm::html).out, StartsWith("<!doctype html>"));
}

TEST(Report, AFormerAttemptCanBeAskedFor) {
  RollCalls client;
  client.answer = two_attempts();
  EXPECT_EQ(kube::Json::parse(ask(client, ReportForm::json, "", 1).out)["attempt"], 1);
  const auto missing = ask(client, ReportForm::json, "", 9);
  EXPECT_EQ(missing.code, kFailed);
  EXPECT_THAT(missing.err, HasSubstr("rollcall report: attempt 9 of llama is not kept; there are: 2, 1"));
}

TEST(Report, AFileIsWrittenWholeAndOneThatCannotBeIsSaid) {
  RollCalls client;
  client.answer = two_attempts();
  const auto file = std::filesystem::temp_directory_path() / ("rollcall-report-" + std::to_string(::getpid()));
  const auto said = ask(client, ReportForm::html, file.string());
  EXPECT_EQ(said.code, kOk) << said.err;
  EXPECT_EQ(said.out, "");
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("</html>"));
  std::filesystem::remove(file);
  const auto failed = ask(client, ReportForm::html, "/nowhere/at/all/page.html");
  EXPECT_EQ(failed.code, kFailed);
  EXPECT_THAT(failed.err, HasSubstr("/nowhere/at/all/page.html"));
}

TEST(Report, NoneIsSaidWithWhatToLookAt) {
  RollCalls client;
  const auto said = ask(client, ReportForm::text);
  EXPECT_EQ(said.code, kFailed);
  EXPECT_THAT(said.err, HasSubstr("rollcall report: there is no roll call of TrainingJob llama in namespace team-a"));
}

TEST(Report, TheKindIsATrainingJobInAnyOfKubectlsWords) {
  for (const char* target : {"tj/llama", "trainingjob/llama", "trainingjobs.rollcall.dev/llama", "llama"})
    EXPECT_EQ(job_of(target).value(), "llama") << target;
  for (const char* target : {"pytorchjob/llama", "tj/", "tj/a/b", ""}) {
    ASSERT_FALSE(job_of(target).ok()) << target;
    EXPECT_THAT(job_of(target).error().message, HasSubstr("write tj/NAME"));
  }
}

}  // namespace
}  // namespace rollcall::cli
