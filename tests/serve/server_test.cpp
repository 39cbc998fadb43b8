#include "serve/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <thread>
#include <vector>

#include "serve/client.h"

namespace rollcall::serve {
namespace {

using namespace std::chrono_literals;
using testing::Answered;
using testing::CertificateDir;
using ::testing::HasSubstr;
using testing::open_descriptors;
using testing::RawClient;

std::string get(const std::string& target) { return "GET " + target + " HTTP/1.1\r\nHost: desk\r\n\r\n"; }
std::string post(const std::string& body) {
  return "POST /v1/answer HTTP/1.1\r\nHost: desk\r\nAuthorization: Bearer abc\r\nContent-Type: "
         "application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

void echo(Request request, Respond respond) {
  respond({200,
           "text/plain",
           request.method + " " + request.target + " " + request.authorization + " " + request.body,
           {}});
}

/// Waits for `condition` in small steps; the bound only matters when the test fails.
template <class Condition>
bool eventually(Condition condition) {
  const auto until = std::chrono::steady_clock::now() + 10s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::yield();
  }
  return true;
}

class ServeTest : public ::testing::Test {
 protected:
  std::unique_ptr<Server> start(Options options, Handler handler) {
    auto server = Server::start(options, std::move(handler));
    EXPECT_TRUE(server.ok()) << (server.ok() ? "" : server.error().message);
    return server.ok() ? std::move(*server) : nullptr;
  }
  Options tls_options() {
    Options options;
    options.certificate_file = certificate.certificate();
    options.key_file = certificate.key();
    return options;
  }
  CertificateDir certificate{1};
};

TEST_F(ServeTest, AnswersOverTls) {
  auto server = start(tls_options(), echo);
  RawClient client(server->port(), true);
  ASSERT_TRUE(client.handshake());
  ASSERT_TRUE(client.send(post("hello")));
  const Answered reply = client.read_reply();
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "POST /v1/answer Bearer abc hello");
}

TEST_F(ServeTest, AnswersPlainHttpWithoutACertificate) {
  auto server = start({}, echo);
  RawClient client(server->port(), false);
  ASSERT_TRUE(client.send(get("/healthz")));
  EXPECT_EQ(client.read_reply().body, "GET /healthz  ");
}

TEST_F(ServeTest, OneSocketServesBothFamilies) {
  std::atomic<int> as_v4{0};
  auto server = start({}, [&](Request request, Respond respond) {
    if (request.peer == "127.0.0.1") as_v4++;
    respond({});
  });
  RawClient v4(server->port(), false);
  ASSERT_TRUE(v4.send(get("/")));
  EXPECT_EQ(v4.read_reply().status, 200);
  EXPECT_EQ(as_v4, 1) << "an IPv4 peer is named in dotted form";
  RawClient v6(server->port(), false, true);
  if (!v6.connected()) GTEST_SKIP() << "this machine has no ::1";
  ASSERT_TRUE(v6.send(get("/")));
  EXPECT_EQ(v6.read_reply().status, 200);
}

TEST_F(ServeTest, RefusesOldTlsAndSuitesWithoutAead) {
  auto server = start(tls_options(), echo);
  RawClient old(server->port(), true);
  EXPECT_FALSE(old.handshake(TLS1_VERSION, TLS1_1_VERSION));
  RawClient cbc(server->port(), true);
  EXPECT_FALSE(cbc.handshake(TLS1_2_VERSION, TLS1_2_VERSION, "ECDHE-ECDSA-AES128-SHA256"));
  RawClient gcm(server->port(), true);
  EXPECT_TRUE(gcm.handshake(TLS1_2_VERSION, TLS1_2_VERSION));
  EXPECT_THAT(gcm.cipher(), HasSubstr("GCM"));
  RawClient v13(server->port(), true);
  EXPECT_TRUE(v13.handshake(TLS1_3_VERSION, TLS1_3_VERSION));
}

TEST_F(ServeTest, KeepsTheConnectionAndAnswersPipelinedRequestsInOrder) {
  auto server = start(tls_options(), echo);
  RawClient client(server->port(), true);
  ASSERT_TRUE(client.handshake());
  ASSERT_TRUE(client.send(get("/1") + post("two") + get("/3")));
  EXPECT_EQ(client.read_reply().body, "GET /1  ");
  EXPECT_EQ(client.read_reply().body, "POST /v1/answer Bearer abc two");
  EXPECT_EQ(client.read_reply().body, "GET /3  ");
  EXPECT_EQ(server->counters().accepted, 1u);
}

TEST_F(ServeTest, ABodyTooLargeIsRefusedBeforeItIsSent) {
  Options options = tls_options();
  options.limits.body_bytes = 1000;
  auto server = start(options, echo);
  RawClient client(server->port(), true);
  ASSERT_TRUE(client.handshake());
  ASSERT_TRUE(client.send("POST / HTTP/1.1\r\nHost: desk\r\nContent-Length: 1001\r\n\r\n"));
  const Answered reply = client.read_reply();
  EXPECT_EQ(reply.status, 413);
  EXPECT_THAT(reply.body, HasSubstr("1000 bytes"));
  EXPECT_TRUE(client.closed_by_server());
  EXPECT_EQ(server->counters().requests, 0u);
}

TEST_F(ServeTest, AClientThatSendsItsWholeBodyFirstStillReadsThe413) {
  Options options = tls_options();
  options.limits.body_bytes = 1000;
  auto server = start(options, echo);
  RawClient client(server->port(), true);
  ASSERT_TRUE(client.handshake());
  client.send(post(std::string(2'000'000, 'x')));
  EXPECT_EQ(client.read_reply().status, 413);
}

TEST_F(ServeTest, AChunkedBodyIsLimitedToo) {
  Options options = tls_options();
  options.limits.body_bytes = 1000;
  auto server = start(options, echo);
  RawClient client(server->port(), true);
  ASSERT_TRUE(client.handshake());
  client.send("POST / HTTP/1.1\r\nHost: desk\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n" + std::string(2000, 'x') +
              "\r\n0\r\n\r\n");
  EXPECT_EQ(client.read_reply().status, 413);
}

TEST_F(ServeTest, BigHeadersAreRefused) {
  Options options = tls_options();
  options.limits.header_bytes = 2048;
  auto server = start(options, echo);
  RawClient client(server->port(), true);
  ASSERT_TRUE(client.handshake());
  client.send("GET / HTTP/1.1\r\nHost: desk\r\nX: " + std::string(4096, 'x') + "\r\n\r\n");
  EXPECT_EQ(client.read_reply().status, 431);
  EXPECT_TRUE(client.closed_by_server());
}

TEST_F(ServeTest, WhatIsNotHttpGets400) {
  auto server = start(tls_options(), echo);
  RawClient client(server->port(), true);
  ASSERT_TRUE(client.handshake());
  client.send("SSH-2.0-OpenSSH_9.2\r\n\r\n");
  EXPECT_EQ(client.read_reply().status, 400);
  EXPECT_EQ(server->counters().bad_requests, 1u);
}

TEST_F(ServeTest, BodiesInFlightHaveABudget) {
  Options options = tls_options();
  options.limits.body_bytes_in_flight = 1500;
  auto server = start(options, echo);
  RawClient parked(server->port(), true);
  ASSERT_TRUE(parked.handshake());
  ASSERT_TRUE(parked.send("POST / HTTP/1.1\r\nHost: desk\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n\r\n"));
  EXPECT_EQ(parked.read_reply().status, 100) << "told to go on: its 1,000 bytes are reserved";
  RawClient second(server->port(), true);
  ASSERT_TRUE(second.handshake());
  second.send("POST / HTTP/1.1\r\nHost: desk\r\nContent-Length: 1000\r\n\r\n");
  EXPECT_EQ(second.read_reply().status, 503);
  ASSERT_TRUE(parked.send(std::string(1000, 'x')));
  EXPECT_EQ(parked.read_reply().status, 200);
  RawClient third(server->port(), true);
  ASSERT_TRUE(third.handshake());
  third.send(post(std::string(1000, 'x')));
  EXPECT_EQ(third.read_reply().status, 200) << "the budget is given back";
}

TEST_F(ServeTest, AbortedHandshakesLeaveNothingBehind) {
  auto server = start(tls_options(), echo);
  {
    RawClient first(server->port(), true);  // what is opened once stays open
    ASSERT_TRUE(first.handshake());
  }
  ASSERT_TRUE(eventually([&] { return server->open_connections() == 0; }));
  const int before = open_descriptors();
  for (int i = 0; i < 500; ++i) RawClient(server->port(), false).close();
  EXPECT_TRUE(eventually([&] { return server->counters().accepted + server->counters().refused >= 501; }));
  EXPECT_TRUE(eventually([&] { return server->open_connections() == 0; }));
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(ServeTest, AHandshakeThatNeverBeginsIsEnded) {
  Options options = tls_options();
  options.limits.handshake = 100ms;
  auto server = start(options, echo);
  RawClient silent(server->port(), false);
  EXPECT_TRUE(silent.closed_by_server());
  EXPECT_TRUE(eventually([&] { return server->counters().timed_out == 1 && server->open_connections() == 0; }));
}

TEST_F(ServeTest, AHalfSentRequestIsEnded) {
  Options options = tls_options();
  options.limits.read = 100ms;
  auto server = start(options, echo);
  for (const std::string half : {"GET / HT", "POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc", ""}) {
    RawClient client(server->port(), true);
    ASSERT_TRUE(client.handshake());
    ASSERT_TRUE(client.send(half));
    EXPECT_TRUE(client.closed_by_server()) << half;
  }
  EXPECT_TRUE(eventually([&] { return server->counters().timed_out == 3; }));
  EXPECT_EQ(server->counters().requests, 0u);
}

TEST_F(ServeTest, AnIdleConnectionIsEnded) {
  Options options = tls_options();
  options.limits.idle = 100ms;
  auto server = start(options, echo);
  RawClient client(server->port(), true);
  ASSERT_TRUE(client.handshake());
  ASSERT_TRUE(client.send(get("/")));
  EXPECT_EQ(client.read_reply().status, 200);
  EXPECT_TRUE(client.closed_by_server());
}

TEST_F(ServeTest, OnePeerCannotTakeAllPlaces) {
  Options options = tls_options();
  options.limits.connections_per_peer = 3;
  auto server = start(options, echo);
  std::vector<std::unique_ptr<RawClient>> held;
  for (int i = 0; i < 3; ++i) {
    held.push_back(std::make_unique<RawClient>(server->port(), true));
    ASSERT_TRUE(held.back()->handshake());
    ASSERT_TRUE(held.back()->send(get("/")));
    ASSERT_EQ(held.back()->read_reply().status, 200);
  }
  RawClient fourth(server->port(), true);
  EXPECT_FALSE(fourth.handshake());
  EXPECT_EQ(server->counters().refused, 1u);
  held.pop_back();
  EXPECT_TRUE(eventually([&] { return server->open_connections() == 2; }));
  RawClient fifth(server->port(), true);
  EXPECT_TRUE(fifth.handshake());
}

TEST_F(ServeTest, AboveAllPlacesNewConnectionsAreClosed) {
  Options options = tls_options();
  options.limits.connections = 1;
  auto server = start(options, echo);
  RawClient first(server->port(), true);
  ASSERT_TRUE(first.handshake());
  ASSERT_TRUE(first.send(get("/")));
  ASSERT_EQ(first.read_reply().status, 200);
  RawClient second(server->port(), true);
  EXPECT_FALSE(second.handshake());
}

TEST_F(ServeTest, WhoSaysNothingKeepsNobodyOut) {
  for (const bool of_one_peer : {true, false}) {
    Options options = tls_options();
    (of_one_peer ? options.limits.connections_per_peer : options.limits.connections) = 3;
    auto server = start(options, echo);
    std::vector<std::unique_ptr<RawClient>> silent;
    for (int i = 0; i < 3; ++i) {
      silent.push_back(std::make_unique<RawClient>(server->port(), true));
      ASSERT_TRUE(silent.back()->handshake());
    }
    RawClient honest(server->port(), true);
    ASSERT_TRUE(honest.handshake());
    EXPECT_TRUE(silent[0]->closed_by_server()) << "the oldest gives its place";
    ASSERT_TRUE(honest.send(get("/")));
    EXPECT_EQ(honest.read_reply().status, 200);
    for (int i = 0; i < 10; ++i) {
      silent.push_back(std::make_unique<RawClient>(server->port(), true));
      ASSERT_TRUE(silent.back()->handshake());
    }
    ASSERT_TRUE(honest.send(get("/again")));
    EXPECT_EQ(honest.read_reply().status, 200) << "who was answered loses its place to nobody";
    EXPECT_EQ(server->counters().evicted, 11U);
    EXPECT_EQ(server->counters().refused, 0U);
    EXPECT_TRUE(eventually([&] { return server->open_connections() == 3; }));
  }
}

TEST_F(ServeTest, AReplyThatVouchesForNobodyAndAHoldThatDoes) {
  Options options = tls_options();
  options.limits.connections_per_peer = 1;
  std::mutex mutex;
  std::vector<Respond> held;
  auto server = start(options, [&](Request request, Respond respond) {
    if (request.target == "/held") {
      request.vouch();
      const std::lock_guard lock(mutex);
      held.push_back(std::move(respond));
      return;
    }
    Response refusal{401, "text/plain", "who are you?", {}};
    refusal.vouched = false;
    respond(std::move(refusal));
  });
  RawClient refused(server->port(), true);
  ASSERT_TRUE(refused.handshake());
  ASSERT_TRUE(refused.send(get("/")));
  ASSERT_EQ(refused.read_reply().status, 401);
  RawClient waiting(server->port(), true);
  ASSERT_TRUE(waiting.handshake());
  EXPECT_TRUE(refused.closed_by_server());
  ASSERT_TRUE(waiting.send(get("/held")));
  ASSERT_TRUE(eventually([&] {
    const std::lock_guard lock(mutex);
    return !held.empty();
  }));
  RawClient third(server->port(), true);
  EXPECT_FALSE(third.handshake()) << "its place would have been that of a held reply";
  held[0]({});
  EXPECT_EQ(waiting.read_reply().status, 200);
}

TEST_F(ServeTest, AReplyThatClosesEndsItsConnectionAfterIt) {
  auto server = start(tls_options(), [](const Request&, const Respond& respond) {
    Response response{503, "text/plain", "not here", {}};
    response.close = true;
    respond(std::move(response));
  });
  RawClient client(server->port(), true);
  ASSERT_TRUE(client.handshake());
  ASSERT_TRUE(client.send(get("/")));
  const auto reply = client.read_reply();
  EXPECT_EQ(reply.status, 503);
  EXPECT_THAT(reply.head, HasSubstr("Connection: close"));
  EXPECT_TRUE(client.closed_by_server());
}

TEST_F(ServeTest, KnowsWhenItsCertificateEnds) {
  auto server = start(tls_options(), echo);
  const auto left = *server->certificate_end() - std::chrono::system_clock::now();
  EXPECT_GT(left, 59min);
  EXPECT_LE(left, 60min);
  EXPECT_FALSE(start({}, echo)->certificate_end());
}

TEST_F(ServeTest, AHandlerThatThrowsGives500AndTheServerLives) {
  Options options = tls_options();
  std::atomic<int> told{0};
  options.on_error = [&](const std::string& what) {
    if (what.find("no such node") != std::string::npos) told++;
  };
  auto server = start(options, [](Request request, Respond respond) {
    if (request.target == "/throw") throw std::runtime_error("no such node");
    if (request.target == "/throw-int") throw 7;
    respond({});
  });
  RawClient client(server->port(), true);
  ASSERT_TRUE(client.handshake());
  ASSERT_TRUE(client.send(get("/throw") + get("/throw-int") + get("/fine")));
  EXPECT_EQ(client.read_reply().status, 500);
  EXPECT_EQ(client.read_reply().status, 500);
  EXPECT_EQ(client.read_reply().status, 200);
  EXPECT_EQ(told, 1);
  EXPECT_EQ(server->counters().handler_failures, 2u);
}

TEST_F(ServeTest, AReplyLetGoGives500) {
  auto server = start(tls_options(), [](Request, Respond) {});
  RawClient client(server->port(), true);
  ASSERT_TRUE(client.handshake());
  ASSERT_TRUE(client.send(get("/")));
  EXPECT_EQ(client.read_reply().status, 500);
}

/// Keeps the replies a handler was given.
struct Held {
  std::mutex mutex;
  std::vector<Respond> replies;
  Handler handler() {
    return [this](Request, Respond respond) {
      const std::lock_guard lock(mutex);
      replies.push_back(std::move(respond));
    };
  }
  std::size_t size() {
    const std::lock_guard lock(mutex);
    return replies.size();
  }
};

TEST_F(ServeTest, AHeldReplyIsGivenFromAnotherThreadOnce) {
  Held held;
  auto server = start(tls_options(), held.handler());
  RawClient client(server->port(), true);
  ASSERT_TRUE(client.handshake());
  ASSERT_TRUE(client.send(get("/")));
  ASSERT_TRUE(eventually([&] { return held.size() == 1; }));
  std::thread([&] {
    held.replies[0]({200, "text/plain", "first", {{"Retry-After", "2"}}});
    held.replies[0]({200, "text/plain", "second", {}});
  }).join();
  const Answered reply = client.read_reply();
  EXPECT_EQ(reply.body, "first");
  EXPECT_THAT(reply.head, HasSubstr("Retry-After: 2"));
  ASSERT_TRUE(client.send(get("/")));
  ASSERT_TRUE(eventually([&] { return held.size() == 2; }));
  held.replies[0]({200, "text/plain", "late", {}});
  held.replies[1]({200, "text/plain", "own", {}});
  EXPECT_EQ(client.read_reply().body, "own");
  held.replies.clear();
}

TEST_F(ServeTest, AReplyHeldTooLongGives503AndComesToNothing) {
  Held held;
  Options options = tls_options();
  options.limits.respond = 50ms;
  auto server = start(options, held.handler());
  RawClient client(server->port(), true);
  ASSERT_TRUE(client.handshake());
  ASSERT_TRUE(client.send(get("/")));
  EXPECT_EQ(client.read_reply().status, 503);
  held.replies[0]({200, "text/plain", "late", {}});
  ASSERT_TRUE(client.send(get("/")));
  EXPECT_EQ(client.read_reply().status, 503);
  held.replies.clear();
}

TEST_F(ServeTest, AClientThatLeavesWhileItsReplyIsHeldGivesItsPlaceBack) {
  Held held;
  auto server = start(tls_options(), held.handler());
  auto client = std::make_unique<RawClient>(server->port(), true);
  ASSERT_TRUE(client->handshake());
  ASSERT_TRUE(client->send(get("/")));
  ASSERT_TRUE(eventually([&] { return held.size() == 1; }));
  EXPECT_EQ(server->open_connections(), 1);
  client.reset();
  EXPECT_TRUE(eventually([&] { return server->open_connections() == 0; }));
  held.replies[0]({});
  held.replies.clear();
}

TEST_F(ServeTest, AClientThatSaysGoodbyeAndThenLeavesWhileItsReplyIsHeldGivesItsPlaceBack) {
  Held held;
  auto server = start(tls_options(), held.handler());
  auto client = std::make_unique<RawClient>(server->port(), true);
  ASSERT_TRUE(client->handshake());
  ASSERT_TRUE(client->send(get("/")));
  ASSERT_TRUE(eventually([&] { return held.size() == 1; }));
  client->say_goodbye();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // not to synchronise: the gap is what is tried
  EXPECT_EQ(server->open_connections(), 1);
  client.reset();
  EXPECT_TRUE(eventually([&] { return server->open_connections() == 0; }));
  held.replies[0]({});
  held.replies.clear();
}

TEST_F(ServeTest, ANewCertificateIsServedToNewConnectionsUnderLoad) {
  auto server = start(tls_options(), echo);
  std::atomic<bool> done{false};
  std::atomic<int> failures{0}, successes{0};
  std::vector<std::thread> load;
  for (int i = 0; i < 3; ++i)
    load.emplace_back([&] {
      while (!done) {
        RawClient client(server->port(), true);
        const bool good = client.handshake() && client.send(get("/")) && client.read_reply().status == 200;
        (good ? successes : failures)++;
      }
    });
  RawClient kept(server->port(), true);
  ASSERT_TRUE(kept.handshake());
  for (long serial = 2; serial <= 10; ++serial) {
    certificate.replace(serial);
    ASSERT_TRUE(server->reload_certificate().ok());
    RawClient client(server->port(), true);
    ASSERT_TRUE(client.handshake());
    EXPECT_EQ(client.peer_serial(), std::to_string(serial));
  }
  ASSERT_TRUE(kept.send(get("/"))) << "a connection made before stays";
  EXPECT_EQ(kept.read_reply().status, 200);
  EXPECT_TRUE(eventually([&] { return successes > 20; }));
  done = true;
  for (auto& thread : load) thread.join();
  EXPECT_EQ(failures, 0);
}

TEST_F(ServeTest, ABadPairIsRefusedAndTheOldStays) {
  auto server = start(tls_options(), echo);
  const CertificateDir other(9);
  std::ifstream from(other.key());
  std::ofstream(certificate.key()) << from.rdbuf();
  const Status mismatch = server->reload_certificate();
  ASSERT_FALSE(mismatch.ok());
  EXPECT_THAT(mismatch.error().message, HasSubstr(certificate.key()));
  std::ofstream(certificate.certificate()) << "no PEM";
  const Status unreadable = server->reload_certificate();
  ASSERT_FALSE(unreadable.ok());
  EXPECT_THAT(unreadable.error().message, HasSubstr(certificate.certificate()));
  RawClient client(server->port(), true);
  ASSERT_TRUE(client.handshake());
  EXPECT_EQ(client.peer_serial(), "1");
}

TEST_F(ServeTest, AMissingCertificateOrATakenPortIsNamed) {
  Options missing;
  missing.certificate_file = "/nowhere/tls.crt";
  missing.key_file = "/nowhere/tls.key";
  const auto without = Server::start(missing, echo);
  ASSERT_FALSE(without.ok());
  EXPECT_THAT(without.error().message, HasSubstr("/nowhere/tls.crt"));
  EXPECT_THAT(without.error().message, HasSubstr("No such file"));
  auto first = start({}, echo);
  Options taken;
  taken.port = first->port();
  const auto second = Server::start(taken, echo);
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().message, HasSubstr(std::to_string(first->port())));
}

TEST_F(ServeTest, StopLetsAHeldReplyOutWithinItsGrace) {
  Held held;
  auto server = start(tls_options(), held.handler());
  RawClient idle(server->port(), true), busy(server->port(), true);
  ASSERT_TRUE(idle.handshake());
  ASSERT_TRUE(busy.handshake());
  ASSERT_TRUE(busy.send(get("/")));
  ASSERT_TRUE(eventually([&] { return held.size() == 1; }));
  std::thread stopping([&] { server->stop(10s); });
  EXPECT_TRUE(idle.closed_by_server()) << "idle connections go at once";
  held.replies[0]({200, "text/plain", "last", {}});
  const Answered reply = busy.read_reply();
  EXPECT_EQ(reply.body, "last");
  EXPECT_THAT(reply.head, HasSubstr("Connection: close"));
  busy.close();
  stopping.join();
  EXPECT_EQ(server->open_connections(), 0);
  EXPECT_FALSE(RawClient(server->port(), false).connected());
}

TEST_F(ServeTest, StopEndsWhatOutlivesItsGrace) {
  Held held;
  auto server = start(tls_options(), held.handler());
  RawClient client(server->port(), true);
  ASSERT_TRUE(client.handshake());
  ASSERT_TRUE(client.send(get("/")));
  ASSERT_TRUE(eventually([&] { return held.size() == 1; }));
  server->stop(50ms);
  EXPECT_EQ(server->open_connections(), 0);
  EXPECT_TRUE(client.closed_by_server());
  server.reset();
  held.replies[0]({});  // after the server's end: nothing happens
  held.replies.clear();
}

}  // namespace
}  // namespace rollcall::serve
