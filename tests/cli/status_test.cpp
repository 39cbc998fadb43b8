#include "cli/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/roll_calls_client.h"

namespace rollcall::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

Outcome ask(RollCalls& client, StatusRequest request) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  request.namespace_name = "team-a";
  const int code = status(client, request, *rollcall::rfc3339_from("2026-11-30T12:00:00Z"), {in, out, err});
  return {code, out.str(), err.str()};
}

TEST(Status, ShowsTheLatestAttempt) {
  RollCalls client;
  client.answer =
      kube::Json{{"items",
                  {roll_call("llama", 1, "2026-11-30T10:00:00Z"), roll_call("llama", 2, "2026-11-30T11:00:00Z"),
                   roll_call("other", 9, "2026-11-30T11:30:00Z")}}};
  const auto said = ask(client, {.job = "llama", .namespace_name = {}, .attempt = {}, .json = false, .text = {}});
  EXPECT_EQ(said.code, kOk) << said.err;
  EXPECT_EQ(client.asked_namespace, "team-a");
  EXPECT_THAT(said.out, HasSubstr("attempt 2"));
  EXPECT_THAT(said.out, Not(HasSubstr("attempt 9")));
}

TEST(Status, AJobMadeAnewUnderTheSameNameCountsFromOne) {
  RollCalls client;
  client.answer = kube::Json{
      {"items", {roll_call("llama", 4, "2026-11-30T10:00:00Z"), roll_call("llama", 1, "2026-11-30T11:00:00Z")}}};
  EXPECT_THAT(ask(client, {.job = "llama", .namespace_name = {}, .attempt = {}, .json = false, .text = {}}).out,
              HasSubstr("attempt 1"));
}

TEST(Status, AFormerAttemptCanBeAskedFor) {
  RollCalls client;
  client.answer = kube::Json{
      {"items", {roll_call("llama", 1, "2026-11-30T10:00:00Z"), roll_call("llama", 2, "2026-11-30T11:00:00Z")}}};
  EXPECT_THAT(ask(client, {.job = "llama", .namespace_name = {}, .attempt = 1, .json = false, .text = {}}).out,
              HasSubstr("attempt 1"));
  const auto missing = ask(client, {.job = "llama", .namespace_name = {}, .attempt = 7, .json = false, .text = {}});
  EXPECT_EQ(missing.code, kFailed);
  EXPECT_THAT(missing.err, HasSubstr("attempt 7 of llama is not kept; there are: 2, 1"));
}

TEST(Status, SaysWhenThereIsNoneAndWhatToLookAt) {
  RollCalls client;
  const auto said = ask(client, {.job = "llama", .namespace_name = {}, .attempt = {}, .json = false, .text = {}});
  EXPECT_EQ(said.code, kFailed);
  EXPECT_THAT(said.err, HasSubstr("there is no roll call of TrainingJob llama in namespace team-a"));
  EXPECT_THAT(said.err, HasSubstr("kubectl describe tj llama -n team-a"));
}

TEST(Status, ARefusalIsRepeatedInTheApiServersWords) {
  RollCalls client;
  client.answer = kube::ApiError{403, "Forbidden", "rollcalls.rollcall.dev is forbidden", 0};
  const auto said = ask(client, {.job = "llama", .namespace_name = {}, .attempt = {}, .json = false, .text = {}});
  EXPECT_EQ(said.code, kFailed);
  EXPECT_THAT(said.err, HasSubstr("rollcalls.rollcall.dev is forbidden"));
}

TEST(Status, AnUnreadableRollCallDoesNotHideTheOthers) {
  RollCalls client;
  client.answer =
      kube::Json{{"items", {{{"metadata", kube::Json::object()}}, roll_call("llama", 1, "2026-11-30T10:00:00Z")}}};
  const auto said = ask(client, {.job = "llama", .namespace_name = {}, .attempt = {}, .json = false, .text = {}});
  EXPECT_EQ(said.code, kOk);
  EXPECT_THAT(said.err, HasSubstr("could not be read"));
}

TEST(Status, JsonIsTheObjectAsStored) {
  RollCalls client;
  const auto object = roll_call("llama", 1, "2026-11-30T10:00:00Z");
  client.answer = kube::Json{{"items", {object}}};
  EXPECT_EQ(kube::Json::parse(
                ask(client, {.job = "llama", .namespace_name = {}, .attempt = {}, .json = true, .text = {}}).out),
            object);
}

}  // namespace
}  // namespace rollcall::cli
