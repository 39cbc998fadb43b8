// Reviews to answers: when rules are asked, what an update inherits, what each enforcement and policy makes of
// findings.
#include "webhook/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/webhook/reviews.h"
#include "webhook/words.h"

namespace rollcall::webhook {
namespace {

using test::job;
using test::json;
using test::pytorch_job;
using test::review_of;
using test::review_of_kind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Decision decided(const json& review, const launch::Policy& policy = {}, Enforcement enforcement = Enforcement::deny) {
  auto read = read_review(review.dump());
  EXPECT_TRUE(read.ok()) << (read.ok() ? "" : read.error().message);
  return read.ok() ? decide(*read, policy, enforcement) : Decision{};
}

/// `rule=outcome`, in order.
std::vector<std::string> outcomes(const Decision& decision) {
  std::vector<std::string> out;
  for (const auto& [rule, outcome] : decision.findings) out.push_back(rule + "=" + std::string(to_string(outcome)));
  return out;
}

launch::Policy policy_of(const std::string& rule, std::optional<Severity> severity) {
  launch::Policy policy;
  policy.rules[rule] = {severity, "gpu-teams"};
  return policy;
}

const std::string kTooMany = "gpu/more-processes-than-gpus";
const std::string kTooFew = "gpu/fewer-processes-than-gpus";

TEST(Decide, ASoundJobIsAdmittedWithoutAWord) {
  const Decision decision = decided(review_of("CREATE", job()));
  EXPECT_TRUE(decision.answer.allowed);
  EXPECT_THAT(decision.answer.warnings, IsEmpty());
  EXPECT_THAT(decision.answer.audit, IsEmpty());
  EXPECT_THAT(decision.findings, IsEmpty());
}

TEST(Decide, ARefusalShowsEveryDenialWithPathAndFixOneALine) {
  json object = job(8, 4);
  object["spec"]["worldSize"] = 99;
  object["spec"]["rendezvous"] = {{"masterAddr", "gpu-0.train"}};
  const Decision decision = decided(review_of("CREATE", object));
  EXPECT_FALSE(decision.answer.allowed);
  EXPECT_THAT(outcomes(decision),
              ElementsAre(kTooMany + "=denied", "world/size-is-not-the-product=denied", "rendezvous/host-name=denied"));
  EXPECT_THAT(decision.answer.message,
              testing::StartsWith("TrainingJob research/llama-ft cannot work, for 3 reasons:\n"
                                  "- spec.nprocPerNode: 8 processes per node, but the pod requests 4 nvidia.com/gpu. "
                                  "Write 4 or fewer processes, or request 8 GPUs. [gpu/more-processes-than-gpus]\n"
                                  "- spec.worldSize: "));
  EXPECT_EQ(std::count(decision.answer.message.begin(), decision.answer.message.end(), '\n'), 3);
  EXPECT_EQ(decision.answer.audit.at("denied"),
            "gpu/more-processes-than-gpus at spec.nprocPerNode; world/size-is-not-the-product at spec.worldSize; "
            "rendezvous/host-name at spec.rendezvous.masterAddr");
}

TEST(Decide, AWarningIsShownAndTheJobAdmitted) {
  const Decision decision = decided(review_of("CREATE", job(4, 8)));
  EXPECT_TRUE(decision.answer.allowed);
  ASSERT_THAT(decision.answer.warnings, SizeIs(1));
  EXPECT_THAT(decision.answer.warnings[0], HasSubstr("spec.nprocPerNode: "));
  EXPECT_THAT(outcomes(decision), ElementsAre(kTooFew + "=warned"));
}

TEST(Decide, AnUpdateIsRefusedOnlyForWhatItBrings) {
  json old = job(8, 4);
  json now = old;
  now["spec"]["nnodes"] = 5;
  const Decision inherited = decided(review_of("UPDATE", now, old));
  EXPECT_TRUE(inherited.answer.allowed);
  EXPECT_THAT(outcomes(inherited), ElementsAre(kTooMany + "=before"));
  EXPECT_THAT(inherited.answer.warnings, ElementsAre(HasSubstr("8 processes per node")));

  now["spec"]["worldSize"] = 99;
  const Decision brings = decided(review_of("UPDATE", now, old));
  EXPECT_FALSE(brings.answer.allowed);
  EXPECT_THAT(outcomes(brings), ElementsAre(kTooMany + "=before", "world/size-is-not-the-product=denied"));
  EXPECT_THAT(brings.answer.message, testing::Not(HasSubstr("8 processes per node")));

  // The same rule at the same place, with other values, is another finding.
  now = job(16, 4);
  EXPECT_THAT(outcomes(decided(review_of("UPDATE", now, old))), ElementsAre(kTooMany + "=denied"));
}

TEST(Decide, AnUnchangedLaunchIsAdmittedWhateverTheRulesSay) {
  json old = job(8, 4);
  json now = old;
  now["metadata"]["labels"] = {{"team", "a"}};
  now["metadata"]["annotations"] = {{"rollcall.dev/release", "the switch is being replaced"}};
  now["metadata"]["finalizers"] = {"example.com/x"};
  now["metadata"]["resourceVersion"] = "4712";
  now["status"] = {{"phase", "Failed"}};
  const Decision decision = decided(review_of("UPDATE", now, old));
  EXPECT_TRUE(decision.answer.allowed);
  EXPECT_THAT(decision.answer.warnings, IsEmpty());
  EXPECT_EQ(decision.answer.audit.count("unchanged"), 1U);
}

TEST(Decide, AnUnchangedLaunchIsAdmittedAfterAPolicyBecameStricter) {
  const json old = job(4, 8);
  EXPECT_TRUE(decided(review_of("UPDATE", old, old), policy_of(kTooFew, Severity::deny)).answer.allowed);
  json now = old;
  now["spec"]["nnodes"] = 5;
  EXPECT_THAT(outcomes(decided(review_of("UPDATE", now, old), policy_of(kTooFew, Severity::deny))),
              ElementsAre(kTooFew + "=before"));
}

TEST(Decide, TakingTheIgnoreAnnotationAwayBringsNoDenial) {
  json old = job(8, 4);
  old["metadata"]["annotations"] = {{"rollcall.dev/ignore", kTooMany + ": MPS shares the GPUs"}};
  EXPECT_THAT(outcomes(decided(review_of("UPDATE", job(8, 4), old))), ElementsAre(kTooMany + "=before"));
}

TEST(Decide, AnObjectBeingDeletedIsAdmittedAndItsFindingsStandInTheAudit) {
  json old = job();
  old["metadata"]["deletionTimestamp"] = "2026-11-30T18:01:00Z";
  const Decision decision = decided(review_of("UPDATE", job(8, 4), old));
  EXPECT_TRUE(decision.answer.allowed);
  EXPECT_THAT(outcomes(decision), ElementsAre(kTooMany + "=deleting"));
  EXPECT_EQ(decision.answer.audit.at("deleting"), kTooMany + " at spec.nprocPerNode");
}

TEST(Decide, WhatIsIgnoredIsAdmittedAndItsReasonStandsInTheAudit) {
  json object = job(8, 4);
  object["metadata"]["annotations"] = {{"rollcall.dev/ignore", kTooMany + ": MPS shares the GPUs"}};
  const Decision decision = decided(review_of("CREATE", object));
  EXPECT_TRUE(decision.answer.allowed);
  EXPECT_THAT(outcomes(decision), ElementsAre(kTooMany + "=ignored"));
  EXPECT_EQ(decision.answer.audit.at("ignored"), kTooMany + " at spec.nprocPerNode: MPS shares the GPUs");
}

TEST(Decide, WhatAPolicyForbidsToIgnoreIsRefusedAndThePolicyNamed) {
  json object = job(8, 4);
  object["metadata"]["annotations"] = {{"rollcall.dev/ignore", kTooMany + ": MPS shares the GPUs"}};
  launch::Policy policy;
  policy.never_ignore[kTooMany] = "gpu-teams";
  const Decision decision = decided(review_of("CREATE", object), policy);
  EXPECT_FALSE(decision.answer.allowed);
  EXPECT_THAT(decision.answer.message, HasSubstr("[" + kTooMany + ": not to be ignored by RollcallPolicy gpu-teams]"));
  EXPECT_THAT(outcomes(decision), ElementsAre(kTooMany + "=denied"));
  EXPECT_EQ(decision.answer.audit.count("ignored"), 0U);
}

TEST(Decide, APolicyChangesSeveritiesAndIsNamed) {
  const Decision stricter = decided(review_of("CREATE", job(4, 8)), policy_of(kTooFew, Severity::deny));
  EXPECT_FALSE(stricter.answer.allowed);
  EXPECT_THAT(stricter.answer.message, HasSubstr("by RollcallPolicy gpu-teams"));
  EXPECT_THAT(stricter.answer.audit.at("policy"), HasSubstr("deny instead of warn by RollcallPolicy gpu-teams"));

  const Decision milder = decided(review_of("CREATE", job(8, 4)), policy_of(kTooMany, Severity::warn));
  EXPECT_TRUE(milder.answer.allowed);
  EXPECT_THAT(milder.answer.warnings, ElementsAre(HasSubstr("8 processes per node")));

  const Decision off = decided(review_of("CREATE", job(8, 4)), policy_of(kTooMany, std::nullopt));
  EXPECT_TRUE(off.answer.allowed);
  EXPECT_THAT(off.answer.warnings, IsEmpty());
  EXPECT_THAT(outcomes(off), ElementsAre(kTooMany + "=off"));
  EXPECT_THAT(off.answer.audit.at("off"), HasSubstr("gpu-teams"));
}

TEST(Decide, EnforcementWarnTellsAndDryrunDoesNot) {
  const Decision warn = decided(review_of("CREATE", job(8, 4)), {}, Enforcement::warn);
  EXPECT_TRUE(warn.answer.allowed);
  EXPECT_THAT(warn.answer.warnings, SizeIs(1));
  EXPECT_THAT(outcomes(warn), ElementsAre(kTooMany + "=not_enforced"));

  const Decision dryrun = decided(review_of("CREATE", job(8, 4)), {}, Enforcement::dryrun);
  EXPECT_TRUE(dryrun.answer.allowed);
  EXPECT_THAT(dryrun.answer.warnings, IsEmpty());
  EXPECT_EQ(dryrun.answer.audit.at("not-enforced"), kTooMany + " at spec.nprocPerNode");
  EXPECT_THAT(outcomes(dryrun), ElementsAre(kTooMany + "=not_enforced"));
}

TEST(Decide, WhatIsNotReadIsAdmittedAndNamed) {
  const auto named = [](json review) {
    const Decision decision = decided(review);
    EXPECT_TRUE(decision.answer.allowed);
    return decision.answer.audit.count("not-read") == 0 ? "" : decision.answer.audit.at("not-read");
  };
  EXPECT_EQ(named(review_of("DELETE", nullptr, job(8, 4))), "DELETE of TrainingJob of group rollcall.dev");
  EXPECT_EQ(named(review_of("CONNECT", nullptr)), "CONNECT of TrainingJob of group rollcall.dev");
  json status = review_of("UPDATE", job(8, 4), job());
  status["request"]["subResource"] = "status";
  EXPECT_EQ(named(status), "UPDATE of TrainingJob/status of group rollcall.dev");
  json other = review_of("CREATE", job(8, 4));
  other["request"]["kind"] = {{"group", ""}, {"version", "v1"}, {"kind", "Service"}};
  EXPECT_EQ(named(other), "CREATE of Service of group core");
  json version = review_of_kind("CREATE", pytorch_job(8, 4));
  version["request"]["kind"]["version"] = "v2";
  EXPECT_EQ(named(version), "CREATE of PyTorchJob of group kubeflow.org");
  json scale = review_of_kind("UPDATE", pytorch_job(8, 4), pytorch_job());
  scale["request"]["subResource"] = "scale";
  EXPECT_EQ(named(scale), "UPDATE of PyTorchJob/scale of group kubeflow.org");
}

// Kinds of other projects: refused only where their namespace asks for it.
Decision decided_beside(const json& review, const Beside& beside, Enforcement enforcement = Enforcement::deny) {
  auto read = read_review(review.dump());
  EXPECT_TRUE(read.ok()) << (read.ok() ? "" : read.error().message);
  return read.ok() ? decide(*read, {}, enforcement, beside) : Decision{};
}

TEST(OtherKinds, ASoundJobIsAdmittedWithoutAWord) {
  const Decision decision = decided_beside(review_of_kind("CREATE", pytorch_job()), {.others_denied = true});
  EXPECT_TRUE(decision.answer.allowed);
  EXPECT_THAT(outcomes(decision), IsEmpty());
}

TEST(OtherKinds, ADenialIsAWarningUntilTheNamespaceAsksForMore) {
  const json review = review_of_kind("CREATE", pytorch_job(8, 4));
  const Decision shown = decided_beside(review, {});
  EXPECT_TRUE(shown.answer.allowed);
  EXPECT_THAT(outcomes(shown), testing::Contains(kTooMany + "=not_enforced"));
  EXPECT_THAT(shown.answer.warnings, testing::Contains(HasSubstr("[" + kTooMany + "]")));
  EXPECT_THAT(shown.answer.audit.at("not-enforced"), HasSubstr(kTooMany));

  const Decision refused = decided_beside(review, {.others_denied = true});
  EXPECT_FALSE(refused.answer.allowed);
  EXPECT_THAT(refused.answer.message, testing::StartsWith("PyTorchJob research/llama"));
  EXPECT_THAT(outcomes(refused), testing::Contains(kTooMany + "=denied"));
}

TEST(OtherKinds, TheLabelDoesNotOutweighTheInstallationsEnforcement) {
  const json review = review_of_kind("CREATE", pytorch_job(8, 4));
  EXPECT_TRUE(decided_beside(review, {.others_denied = true}, Enforcement::warn).answer.allowed);
  const Decision dryrun = decided_beside(review, {.others_denied = true}, Enforcement::dryrun);
  EXPECT_TRUE(dryrun.answer.allowed);
  EXPECT_THAT(dryrun.answer.warnings, IsEmpty());
}

TEST(OtherKinds, WhatAControllerMadeIsNotJudgedAgain) {
  json made = pytorch_job(8, 4);
  made["metadata"]["ownerReferences"] = {{{"kind", "TrainJob"}, {"controller", true}}};
  const Decision decision = decided_beside(review_of_kind("CREATE", made), {.others_denied = true});
  EXPECT_TRUE(decision.answer.allowed);
  EXPECT_EQ(decision.answer.audit.at("not-read"), "CREATE of PyTorchJob of group kubeflow.org, made by a TrainJob");
  // An owner that only wants it to be deleted with itself is no maker; and a TrainingJob is read whoever made it.
  made["metadata"]["ownerReferences"][0]["controller"] = false;
  EXPECT_FALSE(decided_beside(review_of_kind("CREATE", made), {.others_denied = true}).answer.allowed);
  json ours = job(8, 4);
  ours["metadata"]["ownerReferences"] = {{{"kind", "Workflow"}, {"controller", true}}};
  EXPECT_FALSE(decided(review_of("CREATE", ours)).answer.allowed);
}

TEST(OtherKinds, AnUpdateIsRefusedOnlyForWhatItBrings) {
  const Beside denied{.others_denied = true};
  json old = pytorch_job(8, 4);
  json now = old;
  now["metadata"]["labels"] = {{"team", "a"}};
  now["status"] = {{"conditions", json::array()}};
  EXPECT_EQ(decided_beside(review_of_kind("UPDATE", now, old), denied).answer.audit.count("unchanged"), 1U);
  now["spec"]["runPolicy"] = {{"suspend", true}};
  const Decision inherited = decided_beside(review_of_kind("UPDATE", now, old), denied);
  EXPECT_TRUE(inherited.answer.allowed);
  EXPECT_THAT(outcomes(inherited), testing::Each(testing::EndsWith("=before")));
  EXPECT_FALSE(decided_beside(review_of_kind("UPDATE", old, pytorch_job()), denied).answer.allowed);
  EXPECT_TRUE(decided_beside(review_of_kind("UPDATE", pytorch_job(), old), denied).answer.allowed);
}

TEST(OtherKinds, WhatTrainsNothingIsNothing) {
  const auto pod = json::parse(R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"},
    "spec": {"containers": [{"name": "web", "image": "nginx", "command": ["nginx", "-g", "daemon off;"]}]}})");
  const Decision decision = decided_beside(review_of_kind("CREATE", pod), {.others_denied = true});
  EXPECT_TRUE(decision.answer.allowed);
  EXPECT_THAT(decision.answer.audit, IsEmpty());
}

TEST(Decide, AtMostThreeWarningsAndACount) {
  json object = job(4, 8);
  for (const char* key : {"nodeselector", "tolerationz", "affinityy", "hostnetwork"})
    object["spec"]["template"]["spec"][key] = json::object();
  const Decision decision = decided(review_of("CREATE", object));
  ASSERT_THAT(decision.answer.warnings, SizeIs(4));
  EXPECT_EQ(decision.answer.warnings[3], "and 2 more: `rollcall lint` shows all");
  for (const std::string& warning : decision.answer.warnings) EXPECT_LE(warning.size(), kWarningBytes);
}

TEST(Words, ALongWarningLosesItsFixBeforeItsRule) {
  Finding finding;
  finding.rule = "family/rule";
  finding.place.path = "spec.x";
  finding.message = "something is wrong.";
  finding.fix = std::string(400, 'f');
  EXPECT_THAT(warnings({finding}), ElementsAre("spec.x: something is wrong. [family/rule]"));
  finding.message = std::string(400, 'm');
  const auto cut = warnings({finding});
  ASSERT_THAT(cut, SizeIs(1));
  EXPECT_LE(cut[0].size(), kWarningBytes);
  EXPECT_THAT(cut[0], testing::StartsWith("spec.x: mmmm"));
  EXPECT_THAT(cut[0], testing::EndsWith("m … [family/rule]"));
}

TEST(Words, AnEnormousRefusalIsCutAndCounted) {
  Findings many(500);
  for (std::size_t i = 0; i < many.size(); ++i) {
    many[i].rule = "family/rule";
    many[i].place.path = "spec.x[" + std::to_string(i) + "]";
    many[i].message = std::string(100, 'm') + ".";
  }
  const std::string text = refusal({"", "TrainingJob", "a", "b"}, many);
  EXPECT_LE(text.size(), kRefusalBytes + 200);
  EXPECT_THAT(text, testing::EndsWith("and 460 more: `rollcall lint` shows all"));
  for (Finding& finding : many) finding.message = std::string(100'000, 'm');
  EXPECT_LE(refusal({"", "TrainingJob", "a", "b"}, many).size(), kRefusalBytes + 200);
}

TEST(Answer, KeysOfTheAuditAreNamesWithoutAPrefix) {
  // The API server puts `NAME/` before each and refuses what is then no qualified name.
  for (const Enforcement enforcement : {Enforcement::deny, Enforcement::warn}) {
    json object = job(8, 4);
    object["spec"]["nodes"] = 3;
    const Decision decision = decided(review_of("CREATE", object), policy_of(kTooMany, Severity::warn), enforcement);
    ASSERT_FALSE(decision.answer.audit.empty());
    for (const auto& [key, value] : decision.answer.audit) {
      EXPECT_EQ(key.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string::npos) << key;
      EXPECT_LE(value.size(), kAuditBytes + 32);
    }
  }
}

TEST(Answer, CarriesTheUidOfTheRequestAndNoPatch) {
  const Decision decision = decided(review_of("CREATE", job(8, 4)));
  const json body = json::parse(answer_body("some-uid", decision.answer));
  EXPECT_EQ(body["apiVersion"], "admission.k8s.io/v1");
  EXPECT_EQ(body["kind"], "AdmissionReview");
  EXPECT_EQ(body["response"]["uid"], "some-uid");
  EXPECT_EQ(body["response"]["allowed"], false);
  EXPECT_EQ(body["response"]["status"]["code"], 403);
  EXPECT_EQ(body["response"]["status"]["message"], decision.answer.message);
  EXPECT_FALSE(body["response"].contains("patch"));
  EXPECT_FALSE(body["response"].contains("patchType"));

  const json allowed = json::parse(answer_body("u", {}));
  EXPECT_EQ(allowed["response"], json({{"uid", "u"}, {"allowed", true}}));
}

}  // namespace
}  // namespace rollcall::webhook
