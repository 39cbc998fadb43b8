// What short calls do when the server, or somebody on the way, misbehaves.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "kube/certificates.h"
#include "kube/client.h"
#include "kube/https_server.h"

namespace rollcall::kube::testing {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

std::unique_ptr<Client> client_of(const Credentials& credentials, ClientOptions options = {}) {
  auto made = Client::make(credentials, std::move(options));
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
  return made.ok() ? std::move(*made) : nullptr;
}

/// A file that goes with the test.
class TemporaryFile {
 public:
  TemporaryFile() {
    char name[] = "/tmp/rollcall-kube-test-XXXXXX";
    const int fd = ::mkstemp(name);
    EXPECT_GE(fd, 0);
    ::close(fd);
    path_ = name;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  void write(const std::string& text) const { std::ofstream(path_) << text; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

const Json kPod{{"metadata", {{"name", "p"}}}};

TEST(ClientCalls, AreToldOfWithMethodHostAndCode) {
  HttpsServer server(each_request([&](const Request&, Connection& c) { c.reply(404, R"({"kind":"Status"})"); }));
  std::vector<std::string> told;
  ClientOptions options;
  options.on_request = [&](const RequestSent& sent) {
    EXPECT_GE(sent.seconds, 0);
    told.push_back(std::string(sent.method) + " " + std::string(sent.host) + " " + std::to_string(sent.code));
  };
  const auto client = client_of(server.credentials(), options);
  EXPECT_FALSE(client->get(kPods, "a", "b").ok());
  EXPECT_FALSE(client->remove(kPods, "a", "b").ok());
  const auto host = server.credentials().server.substr(std::string("https://").size());
  EXPECT_EQ(told, (std::vector<std::string>{"GET " + host + " 404", "DELETE " + host + " 404"}));
}

TEST(ClientCalls, AboveTheRateAreRefusedWhenTheirTurnIsPastTheDeadline) {
  std::atomic<int> requests{0};
  HttpsServer server(each_request([&](const Request&, Connection& c) {
    ++requests;
    c.reply(200, R"({"kind":"Pod"})");
  }));
  ClientOptions options;
  options.deadline = 2s;
  options.qps = 0.1;
  options.burst = 1;
  const auto client = client_of(server.credentials(), options);
  EXPECT_TRUE(client->get(kPods, "a", "b").ok());
  const auto reply = client->get(kPods, "a", "b");
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().reason, "Deadline");
  EXPECT_EQ(requests, 1);
}

TEST(ClientCalls, SendTheTokenAndNeverAskForCompression) {
  Request seen;
  HttpsServer server(each_request([&](const Request& request, Connection& c) {
    seen = request;
    c.reply(200, R"({"kind":"Pod"})", "Warning: 299 - \"first\", 299 - \"sec\\\"ond\"\r\n");
  }));
  const auto client = client_of(server.credentials());
  const auto reply = client->get(kPods, "a/b", "..");
  ASSERT_TRUE(reply.ok()) << reply.error().text();
  EXPECT_EQ(reply.value()["kind"], "Pod");
  EXPECT_EQ(reply.warnings, (std::vector<std::string>{"first", "sec\"ond"}));
  EXPECT_EQ(seen.target, "/api/v1/namespaces/a%2Fb/pods/%2E%2E");
  EXPECT_EQ(seen.headers["authorization"], "Bearer secret");
  EXPECT_EQ(seen.headers["user-agent"], "rollcall");
  EXPECT_FALSE(seen.headers.contains("accept-encoding"));
}

TEST(ClientCalls, KeepTheServersBasePath) {
  std::string target;
  HttpsServer server(each_request([&](const Request& request, Connection& c) {
    target = request.target;
    c.reply(200, "{}");
  }));
  auto credentials = server.credentials();
  credentials.server += "/k8s/clusters/c-1";
  ASSERT_TRUE(client_of(credentials)->list(kPods, "n", {{"labelSelector", "a=b,c in (d)"}}).ok());
  EXPECT_EQ(target, "/k8s/clusters/c-1/api/v1/namespaces/n/pods?labelSelector=a%3Db%2Cc%20in%20%28d%29");
}

TEST(ClientCalls, RedirectIsReportedAndTheTokenStaysHere) {
  HttpsServer thief(each_request([](const Request&, Connection& c) { c.reply(200, "{}"); }));
  HttpsServer server(each_request(
      [&](const Request&, Connection& c) { c.reply(307, "", "Location: " + thief.url() + "/api/v1/pods\r\n"); }));
  const auto reply = client_of(server.credentials())->list(kPods, "");
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().http, 307);
  EXPECT_EQ(reply.error().reason, "Redirect");
  EXPECT_NE(reply.error().message.find(thief.url()), std::string::npos) << reply.error().message;
  EXPECT_FALSE(reply.error().transient());
  EXPECT_EQ(thief.connections(), 0);
}

TEST(ClientCalls, OnlyTheGivenCaIsTrustedNotTheSystems) {
  HttpsServer server(each_request([](const Request&, Connection& c) { c.reply(200, "{}"); }));
  const TemporaryFile system_cas;
  system_cas.write(certificates().ca.certificate);
  ::setenv("SSL_CERT_FILE", system_cas.path().c_str(), 1);
  auto credentials = server.credentials();
  credentials.ca_pem = stranger().certificate;
  const auto reply = client_of(credentials)->list(kPods, "");
  ::unsetenv("SSL_CERT_FILE");
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().reason, "Certificate") << reply.error().text();
  EXPECT_NE(reply.error().message.find("certificate verify failed"), std::string::npos) << reply.error().text();
}

TEST(ClientCalls, CertificateOfAnotherNameIsRefused) {
  HttpsServer server(each_request([](const Request&, Connection& c) { c.reply(200, "{}"); }));
  auto credentials = server.credentials();
  credentials.server = "https://localhost:" + std::to_string(server.port());  // it names 127.0.0.1 only
  const auto reply = client_of(credentials)->list(kPods, "");
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().reason, "Certificate") << reply.error().text();
}

TEST(ClientCalls, BadCredentialsAreNamedBeforeTheFirstConnection) {
  Credentials credentials;
  credentials.server = "https://127.0.0.1:1";
  const auto message = [&] {
    const auto made = Client::make(credentials);
    return made.ok() ? std::string("made") : made.error().message;
  };
  EXPECT_EQ(message(), "no CA certificate for the API server is named");
  credentials.ca_pem = "no certificate";
  EXPECT_NE(message().find("CA certificate cannot be used"), std::string::npos) << message();
  credentials.ca_pem = certificates().ca.certificate;
  credentials.certificate_pem = certificates().server.certificate;
  credentials.key_pem = stranger().key;
  EXPECT_NE(message().find("client certificate or its key cannot be used"), std::string::npos) << message();
}

TEST(ClientCalls, NobodyListeningIsUnreachable) {
  auto credentials = HttpsServer([](Connection&) {}).credentials();  // gone by the end of this line
  const auto reply = client_of(credentials)->list(kPods, "");
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().http, 0);
  EXPECT_EQ(reply.error().reason, "Unreachable") << reply.error().text();
  EXPECT_TRUE(reply.error().transient());
}

TEST(ClientCalls, SlowBytesEndAtTheDeadlineOverAll) {
  HttpsServer server(each_request([](const Request&, Connection& c) {
    c.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n");
    while (!c.wait_closed(20ms) && c.send(" ")) {
    }
  }));
  const auto begin = steady_clock::now();
  const auto reply = client_of(server.credentials(), {.deadline = 300ms})->list(kPods, "");
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().reason, "Deadline") << reply.error().text();
  EXPECT_TRUE(reply.error().transient());
  EXPECT_LT(steady_clock::now() - begin, 5s);
}

TEST(ClientCalls, SilenceInTheHandshakeEndsAtTheDeadline) {
  // A port whose backlog takes connections and whose program never does.
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listener, 8), 0);
  ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  Credentials credentials;
  credentials.server = "https://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  credentials.ca_pem = certificates().ca.certificate;
  const auto reply = client_of(credentials, {.deadline = 200ms})->list(kPods, "");
  ::close(listener);
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().reason, "Deadline") << reply.error().text();
}

TEST(ClientCalls, CallGivenUpClosesItsConnection) {
  std::atomic<bool> closed = false;
  HttpsServer server([&](Connection& c) {
    // On a slow machine the deadline may fall into the handshake: then there is no request, only the close.
    closed = !c.read() || c.wait_closed(10s);
  });
  auto client = client_of(server.credentials(), {.deadline = 1s});
  const auto reply = client->create(kPods, "n", kPod);
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().reason, "Deadline") << reply.error().text();
  const auto until = steady_clock::now() + 20s;
  while (!closed && steady_clock::now() < until) std::this_thread::yield();
  EXPECT_TRUE(closed) << "a call that was given up must close its connection";
}

TEST(ClientCalls, ReplyAboveTheLimitIsRefusedWithoutReadingItAll) {
  std::atomic<std::size_t> sent = 0;
  HttpsServer server(each_request([&](const Request&, Connection& c) {
    c.begin_chunks();
    sent = c.flood(std::size_t{64} << 20);
  }));
  const auto reply = client_of(server.credentials(), {.max_reply = 1 << 20})->list(kPods, "");
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().reason, "ResponseTooLarge") << reply.error().text();
  EXPECT_LT(sent, std::size_t{16} << 20);
}

TEST(ClientCalls, RefusalsCarryReasonMessageAndRetryAfter) {
  HttpsServer server(each_request([](const Request&, Connection& c) {
    c.reply(429, R"({"kind":"Status","reason":"TooManyRequests","message":"wait","code":429})", "Retry-After: 7\r\n");
  }));
  const auto reply = client_of(server.credentials())->list(kPods, "");
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().text(), "429 TooManyRequests: wait");
  EXPECT_EQ(reply.error().retry_after_seconds, 7);
  EXPECT_TRUE(reply.error().transient());
}

TEST(ClientCalls, ReplyThatIsNoJsonIsAnError) {
  HttpsServer server(each_request([](const Request&, Connection& c) { c.reply(200, "<html>a proxy</html>"); }));
  const auto reply = client_of(server.credentials())->list(kPods, "");
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().text(), "BrokenStream: the reply is not JSON: <html>a proxy</html>");
}

TEST(ClientCalls, RotatedTokenIsReadAgainAfterARefusal) {
  const TemporaryFile token;
  token.write("old\n");
  std::vector<std::string> seen;
  HttpsServer server(each_request([&](const Request& request, Connection& c) {
    seen.push_back(request.headers.at("authorization"));
    if (seen.size() == 1) {
      c.reply(200, "{}");
      token.write("new\n");
    } else {
      c.reply(seen.back() == "Bearer new" ? 200 : 401, "{}");
    }
  }));
  auto credentials = server.credentials();
  credentials.token.clear();
  credentials.token_file = token.path();
  const auto client = client_of(credentials);
  ASSERT_TRUE(client->list(kPods, "").ok());
  const auto reply = client->list(kPods, "");  // within the 10 s that a token read is used for
  ASSERT_TRUE(reply.ok()) << reply.error().text();
  EXPECT_EQ(seen, (std::vector<std::string>{"Bearer old", "Bearer old", "Bearer new"}));
}

TEST(ClientCalls, RefusedTokenThatHasNotChangedIsNotSentAgain) {
  const TemporaryFile token;
  token.write("old");
  std::atomic<int> requests = 0;
  HttpsServer server(each_request([&](const Request&, Connection& c) {
    ++requests;
    c.reply(401, R"({"kind":"Status","reason":"Unauthorized","message":"Unauthorized"})");
  }));
  auto credentials = server.credentials();
  credentials.token_file = token.path();
  const auto reply = client_of(credentials)->list(kPods, "");
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().http, 401);
  EXPECT_EQ(requests, 1);
}

// Not what we want but what the library does: it is why creates need names and replaces a resourceVersion.
TEST(ClientWrites, PostOnAKeptConnectionThatEndsIsSentOnceOrTwiceUnderOneName) {
  std::mutex mutex;
  std::vector<std::string> posts;
  HttpsServer server([&](Connection& c) {
    while (const auto request = c.read()) {
      if (request->method == "GET") {
        c.reply(200, "{}");
        continue;
      }
      const std::lock_guard lock(mutex);
      posts.push_back(request->body);
      if (posts.size() == 1) return;  // accepted, then the connection ends without an answer
      c.reply(409, R"({"kind":"Status","reason":"AlreadyExists","message":"pods \"p\" already exists"})");
    }
  });
  const auto client = client_of(server.credentials());
  ASSERT_TRUE(client->list(kPods, "n").ok());
  const auto reply = client->create(kPods, "n", kPod);
  ASSERT_FALSE(reply.ok());
  // cpprestsdk sends again by itself when it had kept the connection, which it may not have yet: both ends must be
  // harmless.
  const std::lock_guard lock(mutex);
  if (posts.size() == 1) {
    EXPECT_TRUE(reply.error().transient()) << reply.error().text();
    return;
  }
  EXPECT_TRUE(reply.error().already_exists()) << reply.error().text();
  ASSERT_EQ(posts.size(), 2U);
  EXPECT_EQ(posts[0], posts[1]);
}

TEST(ClientWrites, ResetAfterThePostWasAcceptedIsNoAnswerAndNotSentAgain) {
  std::atomic<int> posts = 0;
  HttpsServer server([&](Connection& c) {
    if (c.read()) ++posts;
    c.reset();
  });
  const auto reply = client_of(server.credentials())->create(kPods, "n", kPod);
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().http, 0) << reply.error().text();
  EXPECT_TRUE(reply.error().transient());
  EXPECT_EQ(posts, 1);
}

TEST(ClientWrites, WhatCannotBeSentTwiceIsNotSent) {
  HttpsServer server(each_request([](const Request&, Connection& c) { c.reply(200, "{}"); }));
  const auto client = client_of(server.credentials());
  const auto create = client->create(kPods, "n", {{"metadata", {{"generateName", "p-"}}}});
  EXPECT_EQ(create.error().reason, "BadRequest");
  EXPECT_NE(create.error().message.find("metadata.name"), std::string::npos);
  const auto put = client->replace(kPods, "n", "p", kPod);
  EXPECT_NE(put.error().message.find("resourceVersion"), std::string::npos);
  EXPECT_FALSE(client->replace_status(kRollCalls, "n", "p", kPod).ok());
  EXPECT_FALSE(client->remove(kPods, "n", "").ok());
  EXPECT_FALSE(client->merge_patch(kPods, "n", "", Json::object()).ok());
  EXPECT_EQ(server.connections(), 0);
}

TEST(ClientWrites, CarryWhatWasAskedFor) {
  std::vector<Request> seen;
  HttpsServer server(each_request([&](const Request& request, Connection& c) {
    seen.push_back(request);
    c.reply(200, "{}");
  }));
  const auto client = client_of(server.credentials());
  ASSERT_TRUE(client->create(kPods, "n", kPod, {.dry_run = true, .strict = true}).ok());
  ASSERT_TRUE(client->replace_status(kRollCalls, "n", "r", {{"metadata", {{"resourceVersion", "7"}}}}).ok());
  ASSERT_TRUE(client->merge_patch(kPods, "n", "p", {{"a", nullptr}}).ok());
  ASSERT_TRUE(client->remove(kPods, "n", "p", {.uid = "u", .grace_seconds = 0, .propagation = "Background"}).ok());
  ASSERT_TRUE(client->create(kTokenReviews, "", {{"spec", {{"token", "t"}}}}).ok());
  ASSERT_EQ(seen.size(), 5U);
  EXPECT_EQ(seen[0].method + ' ' + seen[0].target,
            "POST /api/v1/namespaces/n/pods?dryRun=All&fieldManager=rollcall&fieldValidation=Strict");
  EXPECT_EQ(seen[1].method + ' ' + seen[1].target,
            "PUT /apis/rollcall.dev/v1alpha1/namespaces/n/rollcalls/r/status?fieldManager=rollcall");
  EXPECT_EQ(seen[2].method + ' ' + seen[2].target, "PATCH /api/v1/namespaces/n/pods/p?fieldManager=rollcall");
  EXPECT_EQ(seen[2].headers["content-type"], "application/merge-patch+json");
  EXPECT_EQ(Json::parse(seen[3].body), (Json{{"kind", "DeleteOptions"},
                                             {"apiVersion", "v1"},
                                             {"preconditions", {{"uid", "u"}}},
                                             {"gracePeriodSeconds", 0},
                                             {"propagationPolicy", "Background"}}));
  EXPECT_EQ(seen[4].target, "/apis/authentication.k8s.io/v1/tokenreviews");
}

}  // namespace
}  // namespace rollcall::kube::testing
