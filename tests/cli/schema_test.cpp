// `rollcall schema`: the schemas are those of the chart, in JSON Schema's words, and hold what they should.
#include "cli/schema/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.h"
#include "cli/schema/crds.h"
#include "cli/schema/nearest.h"
#include "cli/schema/validate.h"
#include "launch/document/document.h"

namespace rollcall::cli {
namespace {

using nlohmann::json;

std::vector<std::string> problems(const json& value, std::string_view schema) {
  std::vector<std::string> out;
  for (const SchemaProblem& problem : problems_of(value, *schema_of(schema)))
    out.push_back(problem.path + ": " + problem.message);
  return out;
}

/// The one document of a text.
json document(const std::string& text) {
  json value;
  EXPECT_TRUE(launch::read_documents(text, [&](launch::Document read) { value = std::move(read.value); }).ok());
  return value;
}

TEST(Schema, TheProgramHoldsTheChartsDefinitions) {
  for (const std::string plural : {"trainingjobs", "rollcalls", "rollcallpolicies"}) {
    EXPECT_EQ(crd_text(plural),
              text_of(std::string(ROLLCALL_SOURCE_DIR) + "/charts/rollcall/files/crds/" + plural + ".yaml"))
        << plural;
  }
  EXPECT_EQ(crd_text("others"), "");
}

TEST(Schema, IsPrintedAsJsonSchema) {
  for (const std::string name : kSchemas) {
    const Outcome outcome = rollcall({"schema", name});
    EXPECT_EQ(outcome.code, 0);
    const json schema = json::parse(outcome.out);
    EXPECT_EQ(schema["$schema"], "http://json-schema.org/draft-07/schema#");
    EXPECT_EQ(schema["type"], "object");
    EXPECT_EQ(outcome.out.find("x-kubernetes"), std::string::npos) << name;
  }
  EXPECT_EQ(rollcall({"schema", "pod"}).code, 2);
}

TEST(Schema, TakesEveryTrainingJobOfTheExamples) {
  int jobs = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(ROLLCALL_SOURCE_DIR "/examples/jobs")) {
    if (entry.path().extension() != ".yaml") continue;
    const auto read = launch::read_documents(text_of(entry.path()), [&](const launch::Document& one) {
      if (one.value.value("kind", "") != "TrainingJob") return;
      ++jobs;
      EXPECT_THAT(problems(one.value, "trainingjob"), testing::IsEmpty()) << entry.path();
    });
    EXPECT_TRUE(read.ok());
  }
  EXPECT_GE(jobs, 5);
}

TEST(Schema, RefusesMisspeltFieldsAndWrongTypes) {
  const json job = document(R"(
apiVersion: rollcall.dev/v1alpha1
kind: TrainingJob
metadata: {name: llama}
spec:
  nnode: 2
  nprocPerNode: 8
  launcher: mpirun
  template: {anything: goes}
  rendezvous: {port: "29500"}
)");
  EXPECT_THAT(problems(job, "trainingjob"),
              testing::UnorderedElementsAre(
                  "spec.nnode: there is no such field; did you mean `nnodes`?", "spec: the field nnodes is missing",
                  "spec.launcher: there is no `mpirun`; there are torchrun, accelerate, deepspeed, jax, none",
                  "spec.rendezvous.port: `29500` is not of type integer"));
}

TEST(Schema, APolicyIsTheConfigAndASelector) {
  const json spec = document("severities: [{rule: rendezvous/host-name, severity: Warn}]\nmode: Observe\n");
  EXPECT_THAT(problems(spec, "config"), testing::IsEmpty());
  EXPECT_THAT(problems({{"apiVersion", "rollcall.dev/v1alpha1"},
                        {"kind", "RollcallPolicy"},
                        {"metadata", {{"name", "a"}}},
                        {"spec", spec}},
                       "rollcallpolicy"),
              testing::IsEmpty());
  EXPECT_THAT(problems({{"kind", "TrainingJob"}, {"spec", {{"namespaceSelector", {{"matchLabels", {{"a", 1}}}}}}}},
                       "rollcallpolicy"),
              testing::SizeIs(4));
}

TEST(Nearest, IsAWordFewLettersAway) {
  EXPECT_EQ(nearest("tresholds", {"mode", "thresholds"}), "thresholds");
  EXPECT_EQ(nearest("colour", {"mode", "thresholds"}), "");
  EXPECT_EQ(nearest(std::string(1000, 'a'), {"a"}), "");
}

}  // namespace
}  // namespace rollcall::cli
