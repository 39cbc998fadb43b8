// The parts round the service: log lines, metrics, certificate files, and a whole exchange over TLS.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "desk/metrics.h"
#include "desk/support/world.h"
#include "roll_call/messages.h"
#include "serve/certificate_watch.h"
#include "serve/client.h"
#include "serve/server.h"
#include "telemetry/log.h"

namespace rollcall::desk {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using Json = nlohmann::json;
using serve::testing::CertificateDir;
using serve::testing::RawClient;

TEST(Log, ALineIsJsonWhateverIsInIt) {
  const Json line = Json::parse(
      "{" + log::line("caller refused", {{"peer", "10.0.0.1"}, {"text", "a\"b\n\xff"}, {"count", 3}, {"yes", true}}) +
      "}");
  EXPECT_EQ(line["msg"], "caller refused");
  EXPECT_EQ(line["peer"], "10.0.0.1");
  EXPECT_EQ(line["text"], "a\"b\n\xef\xbf\xbd");
  EXPECT_EQ(line["count"], 3);
  EXPECT_EQ(line["yes"], true);
}

TEST(Log, SparinglyLetsOneThroughAndCountsTheRest) {
  log::Sparingly sparingly(10s);
  const auto now = std::chrono::steady_clock::time_point(1h);
  EXPECT_TRUE(sparingly.turn("a", now).now);
  EXPECT_FALSE(sparingly.turn("a", now + 9s).now);
  EXPECT_FALSE(sparingly.turn("a", now + 9s).now);
  EXPECT_TRUE(sparingly.turn("b", now + 9s).now);
  const auto turn = sparingly.turn("a", now + 10s);
  EXPECT_TRUE(turn.now);
  EXPECT_EQ(turn.held_back, 2);
}

TEST(Metrics, HaveWhatWasCounted) {
  Metrics metrics;
  const Numbers numbers = metrics.numbers();
  int connections = 5;
  serve::Counters counters;
  counters.accepted = 7;
  metrics.follow([] { return Service::Figures{1, 2, 3, 4}; });
  metrics.follow([&] { return counters; }, [&] { return connections; });
  numbers.answer("Admitted");
  numbers.answer("Admitted");
  numbers.asked("review", "Good");
  numbers.write("Conflict");
  numbers.verdict({api::VerdictKind::Ended, api::EndReason::HoldExpired, "", "", "desk", false});
  numbers.verdict({api::VerdictKind::Released, std::nullopt, "", "", "desk", true});
  numbers.stage({"Mesh", "Failed", "", "", 12.5});
  metrics.endpoint(true);
  metrics.registry().text();
  counters.accepted = 9;
  const std::string text = metrics.registry().text();
  for (const char* line :
       {"rollcall_desk_answers_total{outcome=\"Admitted\"} 2", "rollcall_desk_writes_total{result=\"Conflict\"} 1",
        "rollcall_verdicts_total{kind=\"Ended\",reason=\"HoldExpired\"} 1",
        "rollcall_verdicts_total{kind=\"Released\",reason=\"\"} 1", "rollcall_overrides_total 1",
        "rollcall_stage_duration_seconds_bucket{stage=\"Mesh\",state=\"Failed\",le=\"20\"} 1",
        "rollcall_stage_duration_seconds_bucket{stage=\"Mesh\",state=\"Failed\",le=\"10\"} 0",
        "rollcall_desk_endpoint_writes_total{result=\"Written\"} 1", "rollcall_desk_objects{kind=\"pods\"} 3",
        "rollcall_desk_objects{kind=\"connections\"} 5", "rollcall_desk_server_total{event=\"accepted\"} 9"})
    EXPECT_THAT(text, HasSubstr(line));
}

TEST(CertificateWatch, ReloadsWhatChangedAndTriesAgainWhatFailed) {
  CertificateDir files(1);
  int reloads = 0;
  Status result = Done{};
  serve::CertificateWatch watch(files.certificate(), files.key(), [&]() -> Status {
    ++reloads;
    return result;
  });
  EXPECT_EQ(watch.look(), serve::CertificateWatch::Look::Same);
  files.replace(2);
  result = Error{"key does not belong to certificate"};
  EXPECT_EQ(watch.look(), serve::CertificateWatch::Look::Failed);
  EXPECT_THAT(watch.error(), HasSubstr("does not belong"));
  result = Done{};
  EXPECT_EQ(watch.look(), serve::CertificateWatch::Look::Reloaded);
  EXPECT_EQ(watch.look(), serve::CertificateWatch::Look::Same);
  EXPECT_EQ(reloads, 2);
}

TEST(WholeDesk, AnswersAProbeOverTls) {
  testing::World world([](Service::Options& options) { options.hold = 5ms; });
  world.job(1, 2);
  CertificateDir files(1);
  serve::Options options;
  options.certificate_file = files.certificate();
  options.key_file = files.key();
  auto server = serve::Server::start(options, [&](serve::Request request, serve::Respond respond) {
    world.service().handle(std::move(request), std::move(respond));
  });
  ASSERT_TRUE(server.ok());
  RawClient probe((*server)->port(), true);
  ASSERT_TRUE(probe.handshake());
  for (int i = 0; i < 3; ++i) {
    const std::string body = roll_call::to_json(world.answer(1));
    ASSERT_TRUE(probe.send("POST /v1/answer HTTP/1.1\r\nHost: desk\r\nAuthorization: Bearer " + world.token(1) +
                           "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body));
    const auto reply = probe.read_reply();
    ASSERT_EQ(reply.status, 200) << reply.body;
    const auto instruction = roll_call::instruction_from(reply.body);
    ASSERT_TRUE(instruction.ok());
    EXPECT_EQ(instruction->node_rank, 1);
  }
  world.service().let_go();
  (*server)->stop(1s);
}

}  // namespace
}  // namespace rollcall::desk
