// Whole requests over TLS, as an API server sends them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/webhook/harness.h"

namespace rollcall::webhook {
namespace {

using serve::testing::CertificateDir;
using serve::testing::RawClient;
using test::Harness;
using test::job;
using test::json;
using test::post;
using test::review_of;

class OverTls : public testing::Test {
 protected:
  void SetUp() override {
    serve::Options options;
    options.certificate_file = certificate_.certificate();
    options.key_file = certificate_.key();
    options.limits.body_bytes = kMaxReviewBytes;
    options.limits.body_bytes_in_flight = 4 * kMaxReviewBytes;
    auto server = serve::Server::start(options, [this](serve::Request request, serve::Respond respond) {
      harness_.handler.handle(std::move(request), std::move(respond));
    });
    ASSERT_TRUE(server.ok()) << server.error().message;
    server_ = std::move(*server);
  }

  CertificateDir certificate_{1};
  Harness harness_;
  std::unique_ptr<serve::Server> server_;
};

TEST_F(OverTls, ReviewsOneAfterTheOtherOnOneConnection) {
  for (const bool v6 : {false, true}) {
    RawClient client(server_->port(), true, v6);
    ASSERT_TRUE(client.connected() && client.handshake()) << (v6 ? "IPv6" : "IPv4");
    for (int i = 0; i < 20; ++i) {
      const bool sound = i % 2 == 0;
      ASSERT_TRUE(client.send(post(review_of("CREATE", job(8, sound ? 8 : 4)).dump())));
      const auto reply = client.read_reply();
      ASSERT_EQ(reply.status, 200) << reply.body;
      EXPECT_EQ(json::parse(reply.body)["response"]["allowed"], sound);
    }
  }
}

TEST_F(OverTls, ABodyLargerThanTwoObjectsIsRefusedUnread) {
  RawClient client(server_->port(), true);
  ASSERT_TRUE(client.handshake());
  ASSERT_TRUE(client.send("POST /validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: " +
                          std::to_string(kMaxReviewBytes + 1) + "\r\n\r\n{"));
  EXPECT_EQ(client.read_reply().status, 413);
}

TEST_F(OverTls, AReviewOfTwoObjectsAtTheRequestLimitIsAnswered) {
  json object = job();
  object["metadata"]["annotations"] = {{"example.com/blob", std::string(3u << 20, 'b')}};
  json changed = object;
  changed["spec"]["nprocPerNode"] = 16;
  RawClient client(server_->port(), true);
  ASSERT_TRUE(client.handshake());
  ASSERT_TRUE(client.send(post(review_of("UPDATE", changed, object).dump())));
  const auto reply = client.read_reply();
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(json::parse(reply.body)["response"]["allowed"], false);
}

TEST_F(OverTls, OtherReviewsAreAnsweredWhileOneWaits) {
  harness_.policies.policy_changed("gpu-teams", test::policy_for_team("gpu/fewer-processes-than-gpus", Severity::deny));
  harness_.policies.namespace_changed("known", {});
  RawClient waits(server_->port(), true);
  RawClient other(server_->port(), true);
  ASSERT_TRUE(waits.handshake() && other.handshake());
  ASSERT_TRUE(waits.send(post(review_of("CREATE", job(4, 8)).dump())));
  json review = review_of("CREATE", job(4, 8));
  review["request"]["namespace"] = "known";
  ASSERT_TRUE(other.send(post(review.dump())));
  EXPECT_EQ(json::parse(other.read_reply().body)["response"]["allowed"], true);
  harness_.policies.namespace_changed("research", {{"team", "gpu"}});
  EXPECT_EQ(json::parse(waits.read_reply().body)["response"]["allowed"], false);
}

TEST_F(OverTls, ACertificateChangedUnderLoadLosesNoReview) {
  std::atomic<int> answered{0}, lost{0};
  std::atomic<bool> end{false};
  std::vector<std::thread> clients;
  for (int i = 0; i < 2; ++i) {
    clients.emplace_back([&, keep = i == 0] {
      while (!end) {
        RawClient client(server_->port(), true);
        bool good = client.handshake();
        for (int n = 0; good && n < (keep ? 10 : 1); ++n)
          good = client.send(post(review_of("CREATE", job()).dump())) && client.read_reply().status == 200;
        (good ? answered : lost)++;
      }
    });
  }
  for (long serial = 2; serial < 12; ++serial) {
    const int before = answered;
    certificate_.replace(serial);
    EXPECT_TRUE(server_->reload_certificate().ok());
    while (answered < before + 2 && lost == 0) std::this_thread::yield();
  }
  end = true;
  for (auto& client : clients) client.join();
  EXPECT_EQ(lost, 0);
  EXPECT_GE(answered, 20);
}

}  // namespace
}  // namespace rollcall::webhook
