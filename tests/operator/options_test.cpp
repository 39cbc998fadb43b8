#include "operator/options.h"

#include <gmock/gmock.h>

namespace rollcall::operator_ {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

std::variant<Options, int> parse(std::vector<const char*> args, std::string& said) {
  args.insert(args.begin(), "rollcall-operator");
  testing::internal::CaptureStderr();
  auto options = options_from(static_cast<int>(args.size()), args.data());
  said = testing::internal::GetCapturedStderr();
  return options;
}
Options good(std::vector<const char*> args) {
  args.insert(args.end(), {"--namespace=rollcall-system", "--probe-image=probe:1"});
  std::string said;
  auto options = parse(args, said);
  EXPECT_TRUE(std::holds_alternative<Options>(options)) << said;
  return std::holds_alternative<Options>(options) ? std::get<Options>(options) : Options{};
}
std::string refusal(std::vector<const char*> args) {
  args.insert(args.end(), {"--namespace=rollcall-system", "--probe-image=probe:1"});
  std::string said;
  const auto options = parse(args, said);
  return std::holds_alternative<int>(options) && std::get<int>(options) != 0 ? said : "accepted";
}

TEST(OperatorOptions, DefaultsAreClientGosAndTheChartsNames) {
  const auto options = good({});
  EXPECT_TRUE(options.leader_elect);
  EXPECT_EQ(options.lease.lease, 15s);
  EXPECT_EQ(options.lease.renew, 10s);
  EXPECT_EQ(options.lease.retry, 2s);
  EXPECT_EQ(options.webhook_service, "rollcall-webhook");
  EXPECT_THAT(options.webhook_configurations, testing::ElementsAre("rollcall"));
  EXPECT_TRUE(options.keep_ca_bundle);
  EXPECT_EQ(options.lifetimes.renew_before, 720h);
}

TEST(OperatorOptions, ExternalCertificatesLeaveTheCaBundleToOthersUnlessToldOtherwise) {
  EXPECT_FALSE(good({"--certificates=external"}).keep_ca_bundle);
  EXPECT_TRUE(good({"--certificates=external", "--keep-ca-bundle"}).keep_ca_bundle);
}

TEST(OperatorOptions, LifetimesAreCheckedAgainstEachOther) {
  EXPECT_EQ(good({"--leaf-validity-hours=30"}).lifetimes.renew_before, 10h);
  EXPECT_THAT(refusal({"--leaf-validity-hours=30", "--renew-before-hours=30"}),
              HasSubstr("--renew-before-hours=30 is not below --leaf-validity-hours=30"));
  EXPECT_THAT(refusal({"--ca-validity-hours=100"}), HasSubstr("--leaf-validity-hours=2160 is above"));
}

TEST(OperatorOptions, LeaseTimesThatCannotWorkAreRefused) {
  EXPECT_NE(refusal({"--lease-duration=10", "--renew-deadline=10"}), "accepted");
  EXPECT_NE(refusal({"--retry-period=9"}), "accepted");
  EXPECT_FALSE(good({"--leader-elect=false", "--retry-period=9"}).leader_elect) << "nobody reads them then";
}

TEST(OperatorOptions, RulesRefuseUnlessEnforcementIsLess) {
  EXPECT_TRUE(good({}).rules_refuse);
  EXPECT_TRUE(good({"--enforcement=deny"}).rules_refuse);
  EXPECT_FALSE(good({"--enforcement=warn"}).rules_refuse);
  EXPECT_FALSE(good({"--enforcement=dryrun"}).rules_refuse);
  EXPECT_NE(refusal({"--enforcement=no"}), "accepted");
}

TEST(OperatorOptions, ServicesAreNamesAndTheWebhooksMayBeNone) {
  EXPECT_EQ(good({"--webhook-service=none"}).webhook_service, "");
  EXPECT_THAT(refusal({"--webhook-service=", "--workers=3"}), HasSubstr("`--workers=3` is no name of a Service"));
  EXPECT_THAT(refusal({"--desk-service=rollcall-desk.other"}), HasSubstr("--desk-service: `rollcall-desk.other`"));
}

TEST(OperatorOptions, WhatIsNeededIsNamedButNotForAnUninstall) {
  std::string said;
  EXPECT_EQ(std::get<int>(parse({"--namespace=x"}, said)), 2);
  EXPECT_THAT(said, HasSubstr("--probe-image is needed"));
  EXPECT_EQ(std::get<Options>(parse({"--remove-webhooks=rollcall"}, said)).remove_webhooks, "rollcall");
}

}  // namespace
}  // namespace rollcall::operator_
