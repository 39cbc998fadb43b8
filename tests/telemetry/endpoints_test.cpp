#include "telemetry/endpoints.h"

#include <gmock/gmock.h>

#include "serve/client.h"

namespace rollcall::telemetry {
namespace {

using testing::HasSubstr;

using serve::testing::RawClient;

serve::testing::Answered ask(std::uint16_t port, const std::string& path, const std::string& method = "GET") {
  RawClient client(port, false);
  EXPECT_TRUE(client.send(method + " " + path + " HTTP/1.1\r\nHost: x\r\n\r\n"));
  return client.read_reply();
}

TEST(Health, ReadinessSaysWhyNot) {
  std::optional<std::string> why = "the caches are not complete yet";
  auto server = serve_health(0, [&] { return why; });
  ASSERT_TRUE(server.ok()) << server.error().message;
  const auto port = (*server)->port();
  const auto not_ready = ask(port, "/readyz");
  EXPECT_EQ(not_ready.status, 503);
  EXPECT_EQ(not_ready.body, "the caches are not complete yet\n");
  EXPECT_EQ(ask(port, "/healthz").status, 200) << "a program that is not ready is alive";
  why.reset();
  EXPECT_EQ(ask(port, "/readyz?verbose").status, 200);
}

TEST(Health, AliveIsAnotherQuestion) {
  auto server = serve_health(0, {}, [] { return std::optional<std::string>("a watch thread ended"); });
  ASSERT_TRUE(server.ok()) << server.error().message;
  EXPECT_EQ(ask((*server)->port(), "/readyz").status, 200);
  EXPECT_EQ(ask((*server)->port(), "/healthz").body, "a watch thread ended\n");
}

TEST(Health, OtherPathsAndMethodsAreRefusedInWords) {
  auto server = serve_health(0, {});
  ASSERT_TRUE(server.ok()) << server.error().message;
  EXPECT_EQ(ask((*server)->port(), "/metrics").status, 404);
  EXPECT_EQ(ask((*server)->port(), "/readyz", "DELETE").status, 405);
}

TEST(MetricsPort, ServesTheRegistryAsItIsNow) {
  Registry registry("rollcall-test");
  auto& count = registry.counters("x_total", "x").Add({});
  auto server = serve_metrics(0, registry);
  ASSERT_TRUE(server.ok()) << server.error().message;
  count.Increment();
  const auto reply = ask((*server)->port(), "/metrics");
  EXPECT_EQ(reply.status, 200);
  EXPECT_THAT(reply.head, HasSubstr("version=0.0.4"));
  EXPECT_THAT(reply.body, HasSubstr("x_total 1"));
  EXPECT_EQ(ask((*server)->port(), "/healthz").status, 404);
}

TEST(MetricsPort, TakenPortIsNamed) {
  Registry registry("rollcall-test");
  auto first = serve_metrics(0, registry);
  ASSERT_TRUE(first.ok());
  const auto second = serve_metrics((*first)->port(), registry);
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().message, HasSubstr(std::to_string((*first)->port())));
}
}  // namespace
}  // namespace rollcall::telemetry
