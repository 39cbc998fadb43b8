#include "desk/leader/endpoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "kube/leader/lease_server.h"

namespace rollcall::desk {
namespace {

using namespace std::chrono_literals;
using kube::ApiError;
using kube::testing::LeaseServer;
using ::testing::HasSubstr;
using Json = nlohmann::json;

const Endpoint kHere{"rollcall-system", "rollcall-desk", "rollcall-desk-a", "10.244.1.7", 8443};
const auto kAlways = [] { return true; };
const auto kNever = [] { return false; };

/// As the API server gives it back: with what it fills in.
Json as_stored(Json slice) {
  slice["metadata"]["uid"] = "u-1";
  slice["metadata"]["generation"] = 1;
  slice["ports"][0]["appProtocol"] = nullptr;
  slice["endpoints"][0]["nodeName"] = "gpu-1";
  return slice;
}

TEST(Slice, LeadsTheServiceToOnePod) {
  const auto slice = slice_of(kHere);
  ASSERT_TRUE(slice);
  EXPECT_EQ((*slice)["metadata"]["name"], "rollcall-desk-leader");
  EXPECT_EQ((*slice)["metadata"]["labels"]["kubernetes.io/service-name"], "rollcall-desk");
  EXPECT_EQ((*slice)["addressType"], "IPv4");
  EXPECT_EQ((*slice)["ports"], (Json::array({{{"name", "https"}, {"port", 8443}, {"protocol", "TCP"}}})));
  EXPECT_EQ((*slice)["endpoints"][0]["addresses"], Json::array({"10.244.1.7"}));
  EXPECT_EQ((*slice)["endpoints"][0]["conditions"]["ready"], true);
}

TEST(Slice, HasTheFamilyOfItsAddress) {
  Endpoint v6 = kHere;
  v6.address = "fd00:10:244::7";
  EXPECT_EQ(slice_of(v6).value()["addressType"], "IPv6");
  v6.address = "desk.example";
  const auto none = slice_of(v6);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("POD_IP is `desk.example`"));
  v6.address = "";
  EXPECT_FALSE(slice_of(v6));
}

TEST(Slice, WhatTheApiServerFillsInIsNoDifference) {
  const auto wanted = slice_of(kHere).value();
  EXPECT_TRUE(leads_there(as_stored(wanted), wanted));
}

TEST(Slice, EveryDifferenceThatMattersIsSeen) {
  const auto wanted = slice_of(kHere).value();
  const std::vector<std::pair<const char*, std::function<void(Json&)>>> changes = {
      {"another address", [](Json& s) { s["endpoints"][0]["addresses"] = Json::array({"10.244.2.9"}); }},
      {"a second address", [](Json& s) { s["endpoints"].push_back(s["endpoints"][0]); }},
      {"none", [](Json& s) { s["endpoints"] = nullptr; }},
      {"not ready", [](Json& s) { s["endpoints"][0]["conditions"]["ready"] = false; }},
      {"another port", [](Json& s) { s["ports"][0]["port"] = 9999; }},
      {"another port's name", [](Json& s) { s["ports"][0]["name"] = "http"; }},
      {"no ports", [](Json& s) { s.erase("ports"); }},
      {"another Service", [](Json& s) { s["metadata"]["labels"]["kubernetes.io/service-name"] = "other"; }},
      {"no labels", [](Json& s) { s["metadata"].erase("labels"); }},
      {"another's management",
       [](Json& s) { s["metadata"]["labels"]["endpointslice.kubernetes.io/managed-by"] = "endpointslice-controller"; }},
      {"another family", [](Json& s) { s["addressType"] = "IPv6"; }},
      {"another pod", [](Json& s) { s["endpoints"][0]["targetRef"]["name"] = "rollcall-desk-b"; }},
      {"nonsense", [](Json& s) { s["endpoints"] = "all of them"; }},
  };
  for (const auto& [what, change] : changes) {
    Json found = as_stored(wanted);
    change(found);
    EXPECT_FALSE(leads_there(found, wanted)) << what;
  }
}

TEST(KeepEndpoint, CreatesItOnceAndThenOnlyLooks) {
  LeaseServer server;
  EXPECT_TRUE(keep_endpoint(server, kHere, kAlways).value());
  const auto stored = *server.lease();
  EXPECT_FALSE(keep_endpoint(server, kHere, kAlways).value());
  EXPECT_EQ(*server.lease(), stored);
}

TEST(KeepEndpoint, ANewLeaderAdoptsTheSliceOfTheOld) {
  LeaseServer server;
  Endpoint before = kHere;
  before.pod = "rollcall-desk-b";
  before.address = "10.244.2.9";
  ASSERT_TRUE(keep_endpoint(server, before, kAlways).value());
  const auto uid = (*server.lease())["metadata"]["uid"];
  EXPECT_TRUE(keep_endpoint(server, kHere, kAlways).value());
  EXPECT_EQ((*server.lease())["metadata"]["uid"], uid) << "changed in place: kube-proxy sees one step";
  EXPECT_EQ((*server.lease())["endpoints"][0]["addresses"][0], "10.244.1.7");
}

TEST(KeepEndpoint, ASliceOfTheOtherFamilyIsMadeAnew) {
  LeaseServer server;
  Endpoint v6 = kHere;
  v6.address = "fd00::9";
  ASSERT_TRUE(keep_endpoint(server, v6, kAlways).value());
  EXPECT_TRUE(keep_endpoint(server, kHere, kAlways).value());
  EXPECT_EQ((*server.lease())["addressType"], "IPv4");
}

TEST(KeepEndpoint, OthersLabelsStay) {
  LeaseServer server;
  ASSERT_TRUE(keep_endpoint(server, kHere, kAlways).value());
  server.change([](std::optional<Json>& slice) {
    (*slice)["metadata"]["labels"]["team"] = "a";
    (*slice)["endpoints"] = Json::array();
  });
  EXPECT_TRUE(keep_endpoint(server, kHere, kAlways).value());
  EXPECT_EQ((*server.lease())["metadata"]["labels"]["team"], "a");
  EXPECT_EQ((*server.lease())["endpoints"].size(), 1U);
}

TEST(KeepEndpoint, WhoDoesNotLeadWritesNothing) {
  LeaseServer server;
  EXPECT_FALSE(keep_endpoint(server, kHere, kNever).value());
  EXPECT_FALSE(server.lease());
  Endpoint other = kHere;
  other.address = "10.244.2.9";
  ASSERT_TRUE(keep_endpoint(server, other, kAlways).value());
  EXPECT_FALSE(keep_endpoint(server, kHere, kNever).value());
  EXPECT_EQ((*server.lease())["endpoints"][0]["addresses"][0], "10.244.2.9");
}

TEST(KeepEndpoint, AStoppedLeaderThatIsWokenBeforeItsWriteUndoesNothing) {
  LeaseServer server;
  Endpoint successor = kHere;
  successor.address = "10.244.2.9";
  ASSERT_TRUE(keep_endpoint(server, kHere, kAlways).value());
  server.change([](std::optional<Json>& slice) { (*slice)["endpoints"] = Json::array(); });
  // The lead was asked for, then the process stood still while its successor wrote.
  const auto asked_and_stopped = [&] {
    EXPECT_TRUE(keep_endpoint(server, successor, kAlways).value());
    return true;
  };
  const auto done = keep_endpoint(server, kHere, asked_and_stopped);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("409 Conflict"));
  EXPECT_EQ((*server.lease())["endpoints"][0]["addresses"][0], "10.244.2.9");
}

TEST(KeepEndpoint, ARefusalIsAnErrorThatSaysWhat) {
  LeaseServer server;
  server.set_fault([](const std::string& verb) -> std::optional<ApiError> {
    if (verb != "create") return std::nullopt;
    return ApiError{403, "Forbidden", "endpointslices is forbidden", 0};
  });
  const auto done = keep_endpoint(server, kHere, kAlways);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("creating EndpointSlice rollcall-desk-leader: 403 Forbidden"));
}

TEST(EndpointKeeper, SetsRightWhatIsChangedOrDeletedUntilItIsStopped) {
  LeaseServer server;
  std::atomic<int> wrote{0};
  EndpointKeeper keeper(server, {.endpoint = kHere, .may = kAlways, .every = 10ms, .wrote = [&] { ++wrote; }});
  keeper.start();
  const auto right = [](const std::optional<Json>& slice) { return slice && (*slice)["endpoints"].size() == 1; };
  ASSERT_TRUE(server.wait(right));
  server.change([](std::optional<Json>& slice) { (*slice)["endpoints"] = Json::array(); });
  ASSERT_TRUE(server.wait(right));
  server.change([](std::optional<Json>& slice) { slice.reset(); });
  ASSERT_TRUE(server.wait(right));
  keeper.stop();
  EXPECT_EQ(wrote, 3);
  server.change([](std::optional<Json>& slice) { slice.reset(); });
  keeper.start();
  keeper.stop();
  EXPECT_FALSE(server.lease()) << "it wrote after its stop";
}

}  // namespace
}  // namespace rollcall::desk
