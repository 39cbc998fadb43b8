// What a stranger can do to the server that webhook and desk stand on: nothing grows, nothing stalls, others are
// answered.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>
#include <vector>

#include "serve/client.h"
#include "serve/server.h"

namespace rollcall::serve {
namespace {

using namespace std::chrono_literals;
using testing::CertificateDir;
using ::testing::HasSubstr;
using testing::open_descriptors;
using testing::RawClient;
using Clock = std::chrono::steady_clock;

std::string get(const std::string& target) { return "GET " + target + " HTTP/1.1\r\nHost: desk\r\n\r\n"; }

template <class Condition>
bool eventually(Condition condition) {
  const auto until = Clock::now() + 20s;
  while (!condition()) {
    if (Clock::now() > until) return false;
    std::this_thread::yield();
  }
  return true;
}

std::size_t resident_bytes() {
  std::ifstream in("/proc/self/statm");
  std::size_t pages = 0, resident = 0;
  in >> pages >> resident;
  return resident * 4096;
}

class Attack : public ::testing::Test {
 protected:
  void SetUp() override {
    Options options;
    options.certificate_file = certificate_.certificate();
    options.key_file = certificate_.key();
    options.limits.write = 2s;  // what a test waits for
    auto made = Server::start(options, [](const Request& request, const Respond& respond) {
      respond({200, "text/plain", request.method + " " + request.target + " " + request.body, {}});
    });
    ASSERT_TRUE(made) << made.error().message;
    server_ = std::move(*made);
  }

  std::unique_ptr<RawClient> client(const std::string& from = {}) {
    auto made = std::make_unique<RawClient>(server_->port(), true, false, from);
    EXPECT_TRUE(made->connected() && made->handshake());
    return made;
  }
  /// Someone else, from another address, is answered while the attack lasts.
  void expect_others_are_answered() {
    auto other = client("127.0.0.99");
    ASSERT_TRUE(other->send(get("/other")));
    EXPECT_EQ(other->read_reply().status, 200);
  }
  std::string status_of(const std::string& bytes) {
    auto one = client();
    one->send(bytes);  // the server may close before it has all
    return std::to_string(one->read_reply().status);
  }

  CertificateDir certificate_{1};
  std::unique_ptr<Server> server_;
};

TEST_F(Attack, FiveHundredConnectionsClosedBeforeTheHandshakeLeaveNothing) {
  expect_others_are_answered();
  ASSERT_TRUE(eventually([&] { return server_->open_connections() == 0; }));
  const int descriptors = open_descriptors();
  for (int i = 0; i < 500; ++i) {
    RawClient aborted(server_->port(), true, false, "127.0.0." + std::to_string(2 + i % 5));
    ASSERT_TRUE(aborted.connected());
    if (i % 3 == 1) {
      RawClient half(server_->port(), false);
      ASSERT_TRUE(half.send("\x16\x03\x01"));  // a hello that goes no further
    }
  }
  expect_others_are_answered();
  ASSERT_TRUE(eventually([&] { return server_->open_connections() == 0; }));
  EXPECT_TRUE(eventually([&] { return open_descriptors() <= descriptors; }));
}

TEST_F(Attack, TwoHundredHalfSentRequestsStallNobody) {
  const std::vector<std::string> halves = {"GET / HT", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc",
                                           "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", ""};
  std::vector<std::unique_ptr<RawClient>> held;
  for (int i = 0; i < 200; ++i) {
    held.push_back(client("127.0.0." + std::to_string(2 + i % 4)));
    ASSERT_TRUE(held.back()->send(halves[static_cast<std::size_t>(i) % halves.size()]));
  }
  const auto begin = Clock::now();
  for (int i = 0; i < 20; ++i) expect_others_are_answered();
  EXPECT_LT(Clock::now() - begin, 10s);
  EXPECT_TRUE(eventually([&] { return server_->counters().requests == 20; }));
  held.clear();
  EXPECT_TRUE(eventually([&] { return server_->open_connections() == 0; }));
}

TEST_F(Attack, ABodyOfTwoHundredMegabytesIsNotTaken) {
  const auto before = resident_bytes();
  auto one = client();
  ASSERT_TRUE(one->send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 209715200\r\n\r\n"));
  const std::string megabyte(1 << 20, 'x');
  int sent = 0;
  while (sent < 200 && one->send(megabyte)) ++sent;
  EXPECT_LT(sent, 200) << "the server read it all";
  // The same without saying how much.
  auto chunked = client();
  ASSERT_TRUE(chunked->send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"));
  for (sent = 0; sent < 200 && chunked->send("100000\r\n" + megabyte + "\r\n");) ++sent;
  EXPECT_LT(sent, 200);
  expect_others_are_answered();
  EXPECT_LT(resident_bytes(), before + (std::size_t{32} << 20));
  EXPECT_EQ(server_->counters().requests, 1U) << "a handler saw it";
}

TEST_F(Attack, AMegabyteOfHeadersIsRefused) {
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(1 << 20, 'x') + "\r\n\r\n"), "431");
  std::string many = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (int i = 0; i < 100'000; ++i) many += "X: y\r\n";
  EXPECT_EQ(status_of(many + "\r\n"), "431");
  EXPECT_EQ(status_of("GET /" + std::string(1 << 20, 'x') + " HTTP/1.1\r\n\r\n"), "431");
  expect_others_are_answered();
}

TEST_F(Attack, WhatTwoReadersCouldUnderstandDifferentlyIsRefused) {
  const std::string post = "POST / HTTP/1.1\r\nHost: a\r\n";
  for (const std::string& odd : {
           post + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
           post + "Content-Length: 3, 4\r\n\r\nabcd",
           post + "Content-Length: -1\r\n\r\n",
           post + "Content-Length: 0x4\r\n\r\nabcd",
           post + "Content-Length: 99999999999999999999\r\n\r\n",
           post + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
           post + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
           post + "Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
           post + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nabc",
           post + "Content-Length : 3\r\n\r\nabc",
           post + "X: a\r\n b: c\x01\r\n\r\n",
           std::string("GET / HTTP/9.9\r\n\r\n"),
           std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
           std::string("\r\n\r\n\r\nnonsense\r\n\r\n"),
           std::string("GET /\0 HTTP/1.1\r\n\r\n", 19),
       }) {
    const auto status = status_of(odd);
    EXPECT_THAT((std::vector<std::string>{"400", "413", "0"}), ::testing::Contains(status)) << odd;
  }
  EXPECT_EQ(server_->counters().requests, 0U) << "a handler saw one of them";
  expect_others_are_answered();
}

TEST_F(Attack, PipelinedAndChunkedRequestsAreAnsweredInOrder) {
  auto one = client();
  std::string bytes;
  for (int i = 0; i < 50; ++i) {
    bytes += get("/" + std::to_string(i));
    bytes += "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    bytes +=
        "3;ext=\"x\"\r\nabc\r\n1\r\n" + std::string(1, static_cast<char>('0' + i % 10)) + "\r\n0\r\nTrailer: t\r\n\r\n";
  }
  ASSERT_TRUE(one->send(bytes));
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(one->read_reply().body, "GET /" + std::to_string(i) + " ");
    EXPECT_EQ(one->read_reply().body, "POST /c abc" + std::to_string(i % 10));
  }
}

TEST_F(Attack, PipeliningWithoutReadingEndsAtTheWriteDeadlineNotInMemory) {
  const auto before = resident_bytes();
  auto one = client();
  // Requests without end whose replies nobody reads: the server stops reading when it cannot write.
  std::string many;
  for (int i = 0; i < 1000; ++i) many += get("/" + std::string(900, 'x'));
  int sent = 0;
  std::thread sender([&] {
    while (sent < 100 && one->send(many)) ++sent;
  });
  for (int i = 0; i < 5; ++i) expect_others_are_answered();
  sender.join();
  EXPECT_LT(sent, 100) << "100 MB of requests were taken in without a reader for their replies";
  EXPECT_LT(resident_bytes(), before + (std::size_t{32} << 20));
}

TEST_F(Attack, ACertificateSwappedUnderLoadLosesNoRequest) {
  std::atomic<bool> done{false};
  std::atomic<int> answered{0}, lost{0};
  std::vector<std::thread> load;
  for (int i = 0; i < 4; ++i) {
    load.emplace_back([&, i] {
      const std::string from = "127.0.0." + std::to_string(10 + i);
      auto kept = std::make_unique<RawClient>(server_->port(), true, false, from);
      if (!kept->handshake()) ++lost;
      while (!done) {
        RawClient fresh(server_->port(), true, false, from);
        const bool fine = fresh.handshake() && fresh.send(get("/fresh")) && fresh.read_reply().status == 200 &&
                          kept->send(get("/kept")) && kept->read_reply().status == 200;
        ++(fine ? answered : lost);
      }
    });
  }
  for (long serial = 2; serial < 12; ++serial) {
    const int before = answered;
    certificate_.replace(serial);
    ASSERT_TRUE(server_->reload_certificate());
    ASSERT_TRUE(eventually([&] { return answered > before + 8; }));
    RawClient looks(server_->port(), true);
    ASSERT_TRUE(looks.handshake());
    EXPECT_EQ(looks.peer_serial(), std::to_string(serial));
  }
  done = true;
  for (auto& thread : load) thread.join();
  EXPECT_EQ(lost, 0);
  EXPECT_GT(answered, 80);
}

TEST_F(Attack, TlsIsNewEnoughAndAuthenticatesWhatItEncryptsOnBothFamilies) {
  for (const bool v6 : {false, true}) {
    RawClient old(server_->port(), true, v6);
    if (!old.connected()) continue;  // this machine has no IPv6
    EXPECT_FALSE(old.handshake(TLS1_VERSION, TLS1_1_VERSION));
    RawClient cbc(server_->port(), true, v6);
    EXPECT_FALSE(cbc.handshake(TLS1_2_VERSION, TLS1_2_VERSION, "ECDHE-ECDSA-AES128-SHA256:AES128-SHA"));
    RawClient twelve(server_->port(), true, v6);
    ASSERT_TRUE(twelve.handshake(TLS1_2_VERSION, TLS1_2_VERSION));
    EXPECT_THAT(twelve.cipher(), ::testing::AnyOf(HasSubstr("GCM"), HasSubstr("POLY1305")));
    RawClient thirteen(server_->port(), true, v6);
    ASSERT_TRUE(thirteen.handshake(TLS1_3_VERSION, TLS1_3_VERSION));
  }
}

}  // namespace
}  // namespace rollcall::serve
