#include <gmock/gmock.h>

#include "api/roll_call.h"
#include "api/training_job.h"

namespace rollcall::api {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json job_with(json spec) {
  spec["template"] = json::object();
  return {{"metadata", {{"name", "llama"}, {"namespace", "ml"}, {"uid", "u1"}}}, {"spec", std::move(spec)}};
}

TEST(TrainingJob, DefaultsAreThoseOfTheDesign) {
  const auto job = training_job_from(job_with({{"nnodes", 4}}));
  ASSERT_TRUE(job.ok()) << job.error().message;
  EXPECT_EQ(job->spec.nnodes, 4);
  EXPECT_FALSE(job->spec.nproc_per_node);
  EXPECT_EQ(job->spec.port, 29500);
  EXPECT_EQ(job->spec.roll_call, (RollCallSettings{RollCallMode::Enforce, 1800, 600, 5, 900, NcclSource::Job, {}, {}}));
  EXPECT_EQ(job->meta.namespace_name, "ml");
}

TEST(TrainingJob, AutoIsTheSameAsAbsent) {
  const auto job = training_job_from(job_with({{"nnodes", 1}, {"nprocPerNode", "auto"}}));
  ASSERT_TRUE(job.ok());
  EXPECT_FALSE(job->spec.nproc_per_node);
}

TEST(TrainingJob, UnknownFieldsArePassedOver) {
  EXPECT_TRUE(training_job_from(job_with({{"nnodes", 1}, {"fromTheFuture", {1, 2}}})).ok());
}

TEST(TrainingJob, TemplateIsKeptAsWritten) {
  auto object = job_with({{"nnodes", 1}});
  object["spec"]["template"] = {{"spec", {{"resorces", 1.50}, {"containers", json::array()}}}};
  const auto job = training_job_from(object);
  ASSERT_TRUE(job.ok());
  EXPECT_EQ(job->spec.pod_template, object["spec"]["template"]);
}

struct Wrong {
  const char* name;
  json spec;
  const char* says;
};
class TrainingJobErrors : public testing::TestWithParam<Wrong> {};

TEST_P(TrainingJobErrors, NameTheField) {
  const auto job = training_job_from(job_with(GetParam().spec));
  ASSERT_FALSE(job.ok());
  EXPECT_THAT(job.error().message, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Fields, TrainingJobErrors,
    testing::Values(Wrong{"NodesMissing", json::object(), "spec.nnodes: is missing"},
                    Wrong{"NodesAsText", {{"nnodes", "4"}}, "spec.nnodes: must be an integer, is string"},
                    Wrong{"NoNodes", {{"nnodes", 0}}, "spec.nnodes: 0 is out of range 1 to 4096"},
                    Wrong{"NodesBeyondInt", {{"nnodes", 4294967297}}, "spec.nnodes: 4294967297 is out of range"},
                    Wrong{"NodesBeyondInt64",
                          {{"nnodes", 18446744073709551615U}},
                          "spec.nnodes: 18446744073709551615 is out of range"},
                    Wrong{"ProcessesAsText",
                          {{"nnodes", 1}, {"nprocPerNode", "gpu"}},
                          "spec.nprocPerNode: must be an integer or auto, is \"gpu\""},
                    Wrong{"NoProcesses", {{"nnodes", 1}, {"nprocPerNode", 0}}, "spec.nprocPerNode: 0 is out of range"},
                    Wrong{"UnknownMode",
                          {{"nnodes", 1}, {"rollCall", {{"mode", "enforce"}}}},
                          "spec.rollCall.mode: `enforce` is none of Enforce, Observe, Off"},
                    Wrong{"NegativeRetries",
                          {{"nnodes", 1}, {"rollCall", {{"retries", -1}}}},
                          "spec.rollCall.retries: -1 is out of range"},
                    Wrong{"RendezvousAsList",
                          {{"nnodes", 1}, {"rendezvous", json::array()}},
                          "spec.rendezvous: must be an object, is array"},
                    Wrong{"PortAsText",
                          {{"nnodes", 1}, {"rendezvous", {{"port", "29500"}}}},
                          "spec.rendezvous.port: must be an integer"}),
    [](const auto& wrong) { return wrong.param.name; });

TEST(RollCall, RosterEntryWithoutUidIsAnErrorWithItsPlace) {
  const json object = {
      {"metadata", {{"name", "tj-a-1"}}},
      {"spec",
       {{"job", {{"name", "a"}}}, {"attempt", 1}, {"roster", json::array({{{"nodeRank", 0}, {"pod", "a-0-1"}}})}}}};
  const auto roll_call = roll_call_from(object);
  ASSERT_FALSE(roll_call.ok());
  EXPECT_THAT(roll_call.error().message, HasSubstr("spec.roster[0].uid: is missing"));
}

TEST(RollCall, NothingIsWrittenForWhatIsNotThere) {
  EXPECT_EQ(to_json(RollCallStatus{}), (json{{"heldSeconds", 0.0}}));
  EXPECT_FALSE(to_json(RollCallStatus{}).contains("verdict"));
}

TEST(RollCall, NameStartsWithTheKindsShortName) { EXPECT_EQ(roll_call_name("llama-ft", 3), "tj-llama-ft-3"); }

TEST(Ranks, AreARangeOnlyWithSeveralProcesses) {
  EXPECT_EQ(ranks_of(3, 8), "24-31");
  EXPECT_EQ(ranks_of(3, 1), "3");
  EXPECT_EQ(ranks_of(0, 2), "0-1");
}

TEST(Lists, AnEmptyStringKeepsItsPlace) {
  RollCallStatus status;
  status.report.emplace().nodes = {"node-1", "", "node-3"};
  EXPECT_EQ(to_json(status)["report"]["nodes"], (json{"node-1", "", "node-3"}));
  RollCallSpec spec;
  spec.settings.checks = {{"own", {"sh", "-c", ""}, false, 60}};
  EXPECT_EQ(to_json(spec)["settings"]["checks"][0]["command"], (json{"sh", "-c", ""}));
}

}  // namespace
}  // namespace rollcall::api
