#include "launch/policy/policy.h"

#include <gmock/gmock.h>

#include "launch/rules/registry.h"

namespace rollcall::launch {
namespace {

using api::LabelSelector;
using api::RollcallPolicy;
using testing::ElementsAre;
using testing::IsEmpty;

RollcallPolicy named(const std::string& name) {
  RollcallPolicy policy;
  policy.name = name;
  return policy;
}

Finding finding_of(const std::string& rule, Severity severity) {
  Finding finding;
  finding.rule = rule;
  finding.severity = severity;
  finding.message = "Wrong.";
  return finding;
}

TEST(Selector, SelectsAsKubernetesDoes) {
  struct Case {
    const char* name;
    LabelSelector selector;
    bool matches;
  };
  const std::map<std::string, std::string> labels{{"team", "vision"}, {"tier", "gpu"}};
  const Case cases[] = {
      {"empty selects everything", {}, true},
      {"equal label", {{{"team", "vision"}}, {}}, true},
      {"other value", {{{"team", "text"}}, {}}, false},
      {"all labels must match", {{{"team", "vision"}, {"zone", "a"}}, {}}, false},
      {"In", {{}, {{"team", "In", {"text", "vision"}}}}, true},
      {"In of a missing label", {{}, {{"zone", "In", {"a"}}}}, false},
      {"NotIn", {{}, {{"team", "NotIn", {"vision"}}}}, false},
      {"NotIn of a missing label", {{}, {{"zone", "NotIn", {"a"}}}}, true},
      {"Exists", {{}, {{"tier", "Exists", {}}}}, true},
      {"DoesNotExist", {{}, {{"tier", "DoesNotExist", {}}}}, false},
      {"labels and expressions together", {{{"team", "vision"}}, {{"zone", "Exists", {}}}}, false},
  };
  for (const auto& each : cases) EXPECT_EQ(each.selector.matches(labels), each.matches) << each.name;
}

TEST(PolicyFor, TheFirstByNameThatSaysSomethingHasTheWord) {
  auto b = named("b-all");
  b.severities = {{"rendezvous/host-name", Severity::deny}, {"gpu/fewer-processes-than-gpus", Severity::info}};
  b.mode = api::RollCallMode::Observe;
  b.thresholds.min_open_files = 1024;
  b.thresholds.min_bus_bandwidth_gigabytes = 100;
  b.thresholds.deadline_percent = 200;
  auto a = named("a-team");
  a.severities = {{"rendezvous/host-name", std::nullopt}};
  a.thresholds.min_shared_memory_mebibytes = 2048;
  a.thresholds.deadline_percent = 50;
  a.images = {"mirror.example", {"pull"}};
  const auto policy = policy_for(std::vector{b, a}, {});
  EXPECT_EQ(policy.rules.at("rendezvous/host-name").severity, std::nullopt);
  EXPECT_EQ(policy.rules.at("rendezvous/host-name").policy, "a-team");
  EXPECT_EQ(policy.rules.at("gpu/fewer-processes-than-gpus").policy, "b-all");
  EXPECT_EQ(policy.mode, api::RollCallMode::Observe);
  EXPECT_EQ(policy.mode_policy, "b-all");
  EXPECT_EQ(policy.thresholds.min_open_files->value, 1024);
  EXPECT_EQ(policy.thresholds.min_open_files->policy, "b-all");
  EXPECT_EQ(policy.thresholds.min_shared_memory_mebibytes->policy, "a-team");
  EXPECT_EQ(policy.thresholds.min_bus_bandwidth_gigabytes->value, 100);
  EXPECT_EQ(policy.thresholds.min_bus_bandwidth_gigabytes->policy, "b-all");
  EXPECT_EQ(policy.thresholds.deadline_percent->value, 50);
  EXPECT_EQ(policy.thresholds.deadline_percent->policy, "a-team");
  EXPECT_EQ(policy.images.registry, "mirror.example");
}

TEST(PolicyFor, PassesOverPoliciesOfOtherNamespaces) {
  auto policy = named("vision");
  policy.namespace_selector.match_labels = {{"team", "vision"}};
  policy.mode = api::RollCallMode::Off;
  EXPECT_EQ(policy_for(std::vector{policy}, {{"team", "text"}}).mode, std::nullopt);
  EXPECT_EQ(policy_for(std::vector{policy}, {{"team", "vision"}}).mode, api::RollCallMode::Off);
}

TEST(ApplyPolicy, WhatItChangedStandsInTheFindingAndInItsSentence) {
  auto from = named("gpu-teams");
  from.severities = {{"a/warns", Severity::deny}, {"b/denies", std::nullopt}, {"c/same", Severity::warn}};
  Findings findings{finding_of("a/warns", Severity::warn), finding_of("b/denies", Severity::deny),
                    finding_of("c/same", Severity::warn), finding_of("d/other", Severity::info)};
  const auto off = apply_policy(policy_for(std::vector{from}, {}), findings);
  ASSERT_EQ(findings.size(), 3U);
  EXPECT_EQ(findings[0].severity, Severity::deny);
  EXPECT_EQ(findings[0].policy, "deny instead of warn by RollcallPolicy gpu-teams");
  EXPECT_EQ(sentence(findings[0]), "Wrong. [a/warns: deny instead of warn by RollcallPolicy gpu-teams]");
  EXPECT_EQ(findings[1].policy, "");
  EXPECT_EQ(findings[2].severity, Severity::info);
  ASSERT_EQ(off.size(), 1U);
  EXPECT_EQ(off[0].rule, "b/denies");
  EXPECT_EQ(off[0].policy, "off instead of deny by RollcallPolicy gpu-teams");
}

TEST(ApplyPolicy, WhatIsNotToBeIgnoredIsAFindingThatNamesThePolicy) {
  auto first = named("a-owner"), second = named("b-team");
  first.never_ignore = {"a/denies", "c/warns"};
  second.never_ignore = {"a/denies"};
  second.severities = {{"c/warns", Severity::deny}};
  Checked checked;
  checked.findings = {finding_of("d/other", Severity::warn)};
  checked.ignored = {{finding_of("a/denies", Severity::deny), "known"},
                     {finding_of("b/denies", Severity::deny), "known"},
                     {finding_of("c/warns", Severity::warn), "known"}};
  EXPECT_THAT(apply_policy(policy_for(std::vector{second, first}, {}), checked), IsEmpty());
  ASSERT_EQ(checked.ignored.size(), 1U);
  EXPECT_EQ(checked.ignored[0].finding.rule, "b/denies");
  ASSERT_EQ(checked.findings.size(), 3U);
  EXPECT_EQ(sentence(checked.findings[1]), "Wrong. [a/denies: not to be ignored by RollcallPolicy a-owner]");
  EXPECT_EQ(checked.findings[2].severity, Severity::deny);
  EXPECT_EQ(checked.findings[2].policy,
            "not to be ignored by RollcallPolicy a-owner, deny instead of warn by RollcallPolicy b-team");
}

TEST(ApplyPolicy, ARuleThatTheCatalogueDoesNotHaveChangesNothing) {
  auto from = named("old");
  from.severities = {{"gpu/no-such-rule", Severity::deny}, {"rendezvous/host-name", Severity::deny}};
  from.never_ignore = {"rendezvous/localhost", "gpu/nor-this"};
  EXPECT_THAT(unknown_rules(from), ElementsAre("gpu/no-such-rule", "gpu/nor-this"));
  Findings findings{finding_of("rendezvous/localhost", Severity::warn)};
  EXPECT_THAT(apply_policy(policy_for(std::vector{from}, {}), findings), IsEmpty());
  EXPECT_EQ(findings[0].severity, Severity::warn);
}

}  // namespace
}  // namespace rollcall::launch
