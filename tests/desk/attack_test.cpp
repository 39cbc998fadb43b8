// The whole desk over TLS on loopback, under a flood by one tenant, beside an honest job. The figures need a machine
// with nothing else to do, so these run only with ROLLCALL_LONG=1; each ends by itself within a minute.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "desk/support/world.h"
#include "serve/client.h"
#include "serve/server.h"

namespace rollcall::desk {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using roll_call::Step;
using serve::testing::CertificateDir;
using serve::testing::RawClient;
using testing::World;

std::string request(const std::string& token, const std::string& body) {
  return "POST /v1/answer HTTP/1.1\r\nHost: desk\r\nAuthorization: Bearer " + token +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// CPU time of this process, both ends of every connection: what other work on the machine does not change.
double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// 127.0.BLOCK.n, the address of the n-th pod: as many pods as connect() calls for.
std::string address(int block, int n) {
  return "127.0." + std::to_string(block + n / 250) + "." + std::to_string(2 + n % 250);
}

class DeskUnderAttack : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const char* value = std::getenv("ROLLCALL_LONG"); value == nullptr || std::string(value) != "1")
      GTEST_SKIP() << "set ROLLCALL_LONG=1 on a machine with nothing else to do";
    // Both ends of up to 3,000 connections are in this process.
    rlimit files{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
    files.rlim_cur = files.rlim_max;
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &files), 0);
    if (files.rlim_cur < 8192) GTEST_SKIP() << "8,192 open files are needed, " << files.rlim_cur << " are allowed";

    serve::Options options;
    options.certificate_file = certificate_.certificate();
    options.key_file = certificate_.key();
    auto made = serve::Server::start(options, [this](serve::Request request, serve::Respond respond) {
      world_.service().handle(std::move(request), std::move(respond));
    });
    ASSERT_TRUE(made) << made.error().message;
    server_ = std::move(*made);
  }
  void TearDown() override {
    if (!server_) return;
    world_.service().let_go();
    server_->stop(1s);
  }

  std::string forged_token(int n) {
    return testing::make_token(
        forger_,
        {.expires = world_.now_seconds() + 3000, .pod_uid = testing::pod_uid(n % 2, 1), .pod_name = "llama-0-1"});
  }

  /// Calls and releases a job of two nodes as two probes do, each over its connection; how long that took.
  double release_seconds(int attempt) {
    world_.job(attempt, 2);
    const auto begin = Clock::now();
    std::vector<std::thread> probes;
    for (int rank : {0, 1}) {
      // Made here: the world's tokens and sequence numbers belong to one thread.
      const auto token = world_.token(rank, attempt);
      auto answer = world_.answer(rank, attempt);
      probes.emplace_back([this, rank, attempt, token, answer]() mutable {
        RawClient probe(server_->port(), true, false, "127.0.0." + std::to_string(50 + rank));
        ASSERT_TRUE(probe.connected() && probe.handshake());
        for (int i = 0; i < 1'000; ++i) {
          ++answer.sequence;
          ASSERT_TRUE(probe.send(request(token, roll_call::to_json(answer))));
          const auto reply = probe.read_reply();
          ASSERT_EQ(reply.status, 200) << reply.body;
          const auto instruction = roll_call::instruction_from(reply.body);
          ASSERT_TRUE(instruction);
          if (instruction->step == Step::Release) return;
          if (!instruction->master_addr.empty()) {
            answer.attempt = attempt;
            answer.seen = roll_call::SeenState{attempt, instruction->master_addr};
          }
        }
        FAIL() << "not released after 1,000 answers";
      });
    }
    for (auto& probe : probes) probe.join();
    return seconds_since(begin);
  }

  World world_{[](Service::Options& options) {
    options.hold = 200ms;
    options.refusal_pause = 1s;
  }};
  testing::SigningKey forger_ = testing::SigningKey::ec("cluster");  // it names the cluster's key, and has another
  CertificateDir certificate_{1};
  std::unique_ptr<serve::Server> server_;
};

TEST_F(DeskUnderAttack, ForgedTokensAndIdleConnectionsDelayNobodyAndAskNobody) {
  const double alone = release_seconds(1);
  const int reviews_alone = world_.api.reviews();

  // 2,000 connections that say nothing, of ten pods of one tenant.
  std::vector<std::unique_ptr<RawClient>> idle;
  for (int i = 0; i < 2'000; ++i) {
    idle.push_back(std::make_unique<RawClient>(server_->port(), false, false, address(1, i % 10)));
    ASSERT_TRUE(idle.back()->connected());
  }
  // 5,000 forged tokens a second for five seconds, on 50 kept connections of ten other pods of it; sent whether or not
  // the former ones were answered.
  std::atomic<bool> done{false};
  std::atomic<int> offered{0};
  std::vector<std::thread> forgers;
  for (int thread = 0; thread < 5; ++thread) {
    forgers.emplace_back([&, thread] {
      std::vector<std::unique_ptr<RawClient>> kept;
      for (int i = 0; i < 10; ++i) {
        kept.push_back(std::make_unique<RawClient>(server_->port(), true, false, address(9, i)));
        if (!kept.back()->connected() || !kept.back()->handshake()) return;
      }
      const auto bytes = request(forged_token(thread), "{}");
      const auto begin = Clock::now();
      while (!done && seconds_since(begin) < 20) {
        for (const auto& one : kept)
          if (offered < 5'000 * seconds_since(begin) && one->send(bytes)) ++offered;
      }
    });
  }
  // Until the flood fills every buffer on the way.
  const auto flooded = Clock::now();
  ASSERT_TRUE(testing::eventually([&] { return seconds_since(flooded) > 3; }));
  double attacked = 0;
  for (int attempt = 2; attempt < 7; ++attempt) attacked = std::max(attacked, release_seconds(attempt));
  const int reviews = world_.api.reviews() - reviews_alone;
  done = true;
  for (auto& thread : forgers) thread.join();
  std::cout << "release alone " << alone << " s, worst of five under attack " << attacked << " s, " << offered
            << " forged tokens offered, " << world_.count("BadSignature") << " judged, " << reviews << " reviews\n";
  EXPECT_LT(attacked, alone + 1.0);
  EXPECT_LE(reviews, 10) << "two honest pods in five attempts";
}

TEST_F(DeskUnderAttack, AThousandHonestPodsAtOnceAreAnsweredWithinFiveSeconds) {
  constexpr int kPods = 1'000, kThreads = 4;
  world_.job(1, kPods);
  std::vector<std::string> requests;
  for (int rank = 0; rank < kPods; ++rank)
    requests.push_back(request(world_.token(rank), roll_call::to_json(world_.answer(rank))));
  std::atomic<int> answered{0};
  const auto begin = Clock::now();
  const double cpu = cpu_seconds();
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      std::vector<std::unique_ptr<RawClient>> pods;
      for (int rank = thread; rank < kPods; rank += kThreads) {
        pods.push_back(std::make_unique<RawClient>(server_->port(), true, false, address(20, rank)));
        ASSERT_TRUE(pods.back()->connected() && pods.back()->handshake());
        ASSERT_TRUE(pods.back()->send(requests[static_cast<std::size_t>(rank)]));
      }
      for (const auto& pod : pods) {
        const auto reply = pod->read_reply();
        ASSERT_EQ(reply.status, 200) << reply.body;
        ++answered;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  const double took = seconds_since(begin);
  const double work = cpu_seconds() - cpu;
  std::cout << answered << " pods answered within " << took << " s, " << work << " s of CPU for both ends, "
            << world_.api.reviews() << " reviews, " << world_.count("Capped") << " told to ask again by the caps\n";
  EXPECT_EQ(answered, kPods);
  // On a machine with other work, what it would have taken on a core of its own.
  EXPECT_LT(std::min(took, work), 5.0);
  EXPECT_EQ(world_.count("Admitted"), kPods) << "some were told to ask again";
}

}  // namespace
}  // namespace rollcall::desk
