// The way to the desk: certificates, HTTP limits, interruptions, and what the log says of trouble.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <thread>

#include "probe/desk/client.h"
#include "probe/desk/http.h"
#include "probe/net/fd.h"
#include "probe/settings.h"
#include "probe/story.h"
#include "probe/support/process.h"
#include "probe/support/tls_server.h"

namespace rollcall::probe {
namespace {

using ::testing::AnyOf;
using testing::eventually;
using ::testing::HasSubstr;
using testing::http_reply;
using testing::HttpRequest;
using testing::make_authority;
using testing::make_server;
using testing::TlsServer;

constexpr auto kName = "rollcall-desk.rollcall-system.svc";

class Client : public ::testing::Test {
 protected:
  DeskClient to(const TlsServer& server, const std::string& ca, const std::string& name = kName) {
    DeskClient::Options options;
    options.desk = *SocketAddress::of("127.0.0.1", server.port());
    options.name = name;
    options.ca_pem = ca;
    options.token_file = files_.write("token", "a.b.c\n");
    options.connect = connect_;
    options.reply = reply_;
    return DeskClient(options);
  }

  std::string trouble_with(const testing::KeyPair& pair, const std::string& ca, const std::string& name = kName) {
    const auto server = TlsServer::start(pair, [](const HttpRequest&) { return http_reply(200, "heard"); });
    auto client = to(*server, ca, name);
    const auto reply = client.post("{}", wake_);
    return reply ? "" : reply.error().message;
  }

  std::string trouble_with_reply(const std::string& bytes) {
    const auto server = TlsServer::start(pair_, [&](const HttpRequest&) { return bytes; });
    auto client = to(*server, authority_.certificate);
    const auto reply = client.post("{}", wake_);
    return reply ? "" : reply.error().message;
  }

  std::chrono::milliseconds connect_{5'000}, reply_{15'000};
  testing::TemporaryDirectory files_;
  testing::KeyPair authority_ = make_authority("one");
  testing::KeyPair pair_ = make_server(authority_, kName);
  Wake wake_;
};

TEST_F(Client, OneConnectionCarriesManyAnswers) {
  std::string head;
  const auto server = TlsServer::start(pair_, [&](const HttpRequest& request) {
    head = request.head;
    return http_reply(200, request.body + " heard");
  });
  auto client = to(*server, authority_.certificate);
  for (int i = 0; i < 3; ++i) {
    const auto reply = client.post("{" + std::to_string(i) + "}", wake_);
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(*reply, "{" + std::to_string(i) + "} heard");
  }
  EXPECT_EQ(server->connections(), 1);
  EXPECT_THAT(head, HasSubstr("POST /v1/answer HTTP/1.1"));
  EXPECT_THAT(head, HasSubstr("Host: " + std::string(kName)));
  EXPECT_THAT(head, HasSubstr("Authorization: Bearer a.b.c"));
}

TEST_F(Client, AConnectionClosedWhileIdleIsMadeAnew) {
  int replies = 0;
  const auto server = TlsServer::start(
      pair_, [&](const HttpRequest&) { return ++replies == 2 ? std::string() : http_reply(200, "heard"); });
  auto client = to(*server, authority_.certificate);
  EXPECT_TRUE(client.post("{}", wake_));
  EXPECT_TRUE(client.post("{}", wake_)) << "the second try is on a new connection";
  EXPECT_EQ(server->connections(), 2);
}

TEST_F(Client, OldAndNewAuthorityAreBothTrusted) {
  const auto other = make_authority("two");
  EXPECT_EQ(trouble_with(pair_, other.certificate + authority_.certificate), "");
  EXPECT_THAT(trouble_with(pair_, other.certificate), HasSubstr("the desk's certificate was refused"));
  EXPECT_THAT(trouble_with(pair_, "no certificate"), HasSubstr("ROLLCALL_DESK_CA holds no PEM certificate"));
}

TEST_F(Client, TheNameIsVerified) {
  EXPECT_THAT(trouble_with(pair_, authority_.certificate, "another.svc"), HasSubstr("hostname mismatch"));
}

TEST_F(Client, WrongTimesAreToldAsPossibleClockSkew) {
  for (const auto& pair : {make_server(authority_, kName, 3600, 7200), make_server(authority_, kName, -7200, -3600)}) {
    const auto trouble = trouble_with(pair, authority_.certificate);
    EXPECT_THAT(trouble, HasSubstr("possible clock skew: this node's clock says "));
    EXPECT_THAT(trouble, HasSubstr("the certificate is valid from "));
  }
}

TEST_F(Client, ARefusalCarriesStatusAndWords) {
  const auto server = TlsServer::start(pair_, [](const HttpRequest&) { return http_reply(403, "uid in no roster"); });
  auto client = to(*server, authority_.certificate);
  const auto reply = client.post("{}", wake_);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, "403");
  EXPECT_THAT(reply.error().message, HasSubstr("status 403: uid in no roster"));
}

TEST_F(Client, ADeskThatDoesNotLeadIsLeftForANewConnection) {
  std::atomic<int> asked{0};
  const auto server = TlsServer::start(pair_, [&](const HttpRequest&) -> std::string {
    if (++asked > 1) return http_reply(200, "heard");
    return "HTTP/1.1 503 X\r\nConnection: close\r\nContent-Length: 3\r\n\r\nno.";
  });
  auto client = to(*server, authority_.certificate);
  const auto refused = client.post("{}", wake_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "503");
  EXPECT_TRUE(client.post("{}", wake_));
  EXPECT_EQ(server->connections(), 2);
}

TEST_F(Client, ADeskThatStandsStillIsLeftForANewConnection) {
  std::atomic<int> asked{0};
  Wake done;
  const auto server = TlsServer::start(pair_, [&](const HttpRequest&) {
    if (++asked == 1) done.wait_for(std::chrono::seconds(20));  // SIGSTOP: the connection stands, nothing comes
    return http_reply(200, "heard");
  });
  reply_ = std::chrono::milliseconds(1'000);
  auto client = to(*server, authority_.certificate);
  const auto silent = client.post("{}", wake_);
  ASSERT_FALSE(silent);
  EXPECT_EQ(silent.error().code, "ETIMEDOUT");
  EXPECT_TRUE(client.post("{}", wake_)) << "it waited on the old connection";
  EXPECT_EQ(server->connections(), 2);
  done.notify();
}

TEST_F(Client, ADeskThatTakesConnectionsAndNeverSpeaksIsGivenUp) {
  const Fd listening(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof any;
  ASSERT_EQ(::bind(listening.get(), reinterpret_cast<const sockaddr*>(&any), length), 0);
  ASSERT_EQ(::listen(listening.get(), 1), 0);
  ASSERT_EQ(::getsockname(listening.get(), reinterpret_cast<sockaddr*>(&any), &length), 0);
  DeskClient::Options options;
  options.desk = *SocketAddress::of("127.0.0.1", ntohs(any.sin_port));
  options.name = kName;
  options.ca_pem = authority_.certificate;
  options.token_file = files_.write("token", "a.b.c\n");
  options.connect = std::chrono::milliseconds(200);
  const auto reply = DeskClient(options).post("{}", wake_);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, "ETIMEDOUT");
  EXPECT_THAT(reply.error().message, HasSubstr("TLS handshake"));
}

TEST_F(Client, OddRepliesAreErrors) {
  EXPECT_THAT(trouble_with_reply("SMTP ready\r\n\r\n"), HasSubstr("not the HTTP expected"));
  EXPECT_THAT(trouble_with_reply("HTTP/1.1 200 OK\r\n\r\n"), HasSubstr("no Content-Length"));
  EXPECT_THAT(trouble_with_reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
              HasSubstr("Transfer-Encoding"));
  EXPECT_THAT(trouble_with_reply("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n"),
              HasSubstr("a body of 99999999 bytes"));
  EXPECT_THAT(trouble_with_reply("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
              HasSubstr("Content-Length: 2"));
  EXPECT_THAT(trouble_with_reply("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nabc"), HasSubstr("longer than it says"));
  EXPECT_THAT(trouble_with_reply("HTTP/1.1 200 OK\r\nX: " + std::string(40'000, 'x')),
              HasSubstr("headers without end"));
}

TEST_F(Client, NewsInterruptsAHeldReply) {
  std::atomic<bool> asked{false};
  Wake done;
  const auto server = TlsServer::start(pair_, [&](const HttpRequest&) {
    asked = true;
    done.wait_for(std::chrono::seconds(20));
    return http_reply(200, "late");
  });
  auto client = to(*server, authority_.certificate);
  std::thread news([&] {
    eventually([&] { return asked.load(); });
    wake_.notify();
  });
  const auto reply = client.post("{}", wake_);
  news.join();
  done.notify();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, kInterrupted);
}

TEST_F(Client, ATokenThatCannotBeOneIsNotSent) {
  const auto server = TlsServer::start(pair_, [](const HttpRequest&) { return http_reply(200, "heard"); });
  auto client = to(*server, authority_.certificate);
  files_.write("token", "a\r\nX-Admin: yes");
  EXPECT_THAT(client.post("{}", wake_).error().message, HasSubstr("no token has"));
  files_.write("token", "\n");
  EXPECT_THAT(client.post("{}", wake_).error().message, HasSubstr("is empty"));
  EXPECT_EQ(server->connections(), 0);
}

TEST(Address, LiteralsOnly) {
  EXPECT_EQ(SocketAddress::parse("10.96.3.4:443")->to_string(), "10.96.3.4:443");
  EXPECT_EQ(SocketAddress::parse("[fd00::4]:443")->to_string(), "[fd00::4]:443");
  for (const char* wrong :
       {"", "10.0.0.1", "desk.svc:443", "fd00::4:443", "10.0.0.1:", "10.0.0.1:0", "10.0.0.1:65536", "10.0.0.1:44x"}) {
    EXPECT_FALSE(SocketAddress::parse(wrong)) << wrong;
  }
}

std::map<std::string, std::string> least_environment() {
  return {{"ROLLCALL_DESK_ADDRESS", "10.96.3.4:443"},
          {"ROLLCALL_DESK_NAME", "n"},
          {"ROLLCALL_DESK_CA", "pem"},
          {"ROLLCALL_POD_UID", "u"},
          {"ROLLCALL_ATTEMPT", "2"},
          {"ROLLCALL_NODE_RANK", "1"},
          {"ROLLCALL_NNODES", "4"}};
}

TEST(Settings, WhatIsWrongIsNamedWithItsValue) {
  std::map<std::string, std::string> environment = least_environment();
  const GetEnv get = [&](const char* name) -> std::optional<std::string> {
    const auto at = environment.find(name);
    return at == environment.end() ? std::nullopt : std::optional(at->second);
  };
  const auto settings = settings_from(get);
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->attempt, 2);
  EXPECT_EQ(settings->give_up, std::chrono::seconds(2700)) << "the defaults of waitForPodsSeconds and holdSeconds";
  environment["ROLLCALL_NODE_RANK"] = "one";
  EXPECT_THAT(settings_from(get).error().message, HasSubstr("ROLLCALL_NODE_RANK is `one`; it must be a number"));
  environment["ROLLCALL_DESK_ADDRESS"] = "desk:443";
  EXPECT_THAT(settings_from(get).error().message, HasSubstr("ROLLCALL_DESK_ADDRESS: `desk` is not a literal"));
}

struct JobSetting {
  const char* name;
  const char* value;
  const char* fault;
};
class JobSettings : public ::testing::TestWithParam<JobSetting> {};

Result<Settings> settings_with(const std::map<std::string, std::string>& more) {
  auto environment = least_environment();
  for (const auto& [name, value] : more) environment[name] = value;
  return settings_from([&](const char* name) -> std::optional<std::string> {
    const auto at = environment.find(name);
    return at == environment.end() ? std::nullopt : std::optional(at->second);
  });
}

TEST_P(JobSettings, WhatIsWrongIsNamed) {
  const auto settings = settings_with({{GetParam().name, GetParam().value}});
  ASSERT_FALSE(settings);
  EXPECT_THAT(settings.error().message, HasSubstr(GetParam().name));
  EXPECT_THAT(settings.error().message, HasSubstr(GetParam().fault));
}
INSTANTIATE_TEST_SUITE_P(
    Settings, JobSettings,
    ::testing::Values(JobSetting{"ROLLCALL_NCCL", "Own", "is `Own`; it must be Job or Bundled"},
                      JobSetting{"ROLLCALL_DEADLINE_PERCENT", "0", "must be a number from 1 to 10000"},
                      JobSetting{"ROLLCALL_EXPORTS", "[]", "must be a JSON object of names and texts"},
                      JobSetting{"ROLLCALL_EXPORTS", R"({"A=B": "1"})", "`A=B` is no name"},
                      JobSetting{"ROLLCALL_EXPORTS", R"({"A": 1})", "A: must be a text"},
                      JobSetting{"ROLLCALL_EXPORTS", "{", "must be a JSON object"},
                      JobSetting{"ROLLCALL_CHECKS", R"([{"name": "c"}])", "check 1: command: must be a list"},
                      JobSetting{"ROLLCALL_CHECKS", R"([{"name": "c", "command": ["x"], "deadlineSeconds": 0}])",
                                 "check 1: deadlineSeconds: must be a number from 1 to"}));

TEST(Settings, TheJobsEnvironmentIsTakenByteForByte) {
  const auto settings = settings_with(
      {{"ROLLCALL_EXPORTS", R"({"NCCL_SOCKET_IFNAME": "eth0", "TWO": "a\nb"})"},
       {"ROLLCALL_SETUP", ". /etc/profile.d/fabric.sh\n"},
       {"ROLLCALL_FIDELITY", "the command sources /opt/env.sh"},
       {"ROLLCALL_NCCL", "Bundled"},
       {"ROLLCALL_DEADLINE_PERCENT", "250"},
       {"ROLLCALL_CHECKS",
        R"([{"name": "disk", "command": ["sh", "-c", "df\nexit 0"], "compare": true, "deadlineSeconds": 5}, {"name": "b", "command": ["b"]}])"}});
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->exports, (std::map<std::string, std::string>{{"NCCL_SOCKET_IFNAME", "eth0"}, {"TWO", "a\nb"}}));
  EXPECT_EQ(settings->setup, ". /etc/profile.d/fabric.sh\n");
  EXPECT_EQ(settings->fidelity, "partial: the command sources /opt/env.sh");
  EXPECT_TRUE(settings->bundled_nccl);
  EXPECT_EQ(settings->deadline_percent, 250);
  ASSERT_EQ(settings->checks.size(), 2U);
  EXPECT_EQ(settings->checks[0].command, (std::vector<std::string>{"sh", "-c", "df\nexit 0"}));
  EXPECT_EQ(settings->checks[0].deadline, std::chrono::seconds(5));
  EXPECT_EQ(settings->checks[1].deadline, std::chrono::seconds(60)) << "the schema's default";
}

TEST(Settings, WithoutTheJobsSettingsTheEnvironmentIsTheContainersOwn) {
  const auto settings = settings_with({});
  ASSERT_TRUE(settings);
  EXPECT_TRUE(settings->exports.empty() && settings->setup.empty() && settings->fidelity.empty());
  EXPECT_TRUE(settings->checks.empty() && !settings->bundled_nccl);
  EXPECT_EQ(settings->deadline_percent, 100);
}

TEST(Story, ASentenceIsToldOnceThenAtLeastEvery30Seconds) {
  Story story;
  roll_call::Instruction instruction;
  instruction.attempt = 1;
  instruction.stage = "Gathering";
  instruction.message = "waiting for node rank 5, 3 s so far";
  const Story::TimePoint start{};
  EXPECT_THAT(story.heard(instruction, start).value_or(""), HasSubstr("Gathering: waiting for node rank 5"));
  instruction.message = "waiting for node rank 5, 9.5 s so far";
  EXPECT_FALSE(story.heard(instruction, start + std::chrono::seconds(19))) << "only numbers differ";
  EXPECT_TRUE(story.heard(instruction, start + std::chrono::seconds(20)));
  instruction.stage = "Mesh";
  EXPECT_TRUE(story.heard(instruction, start + std::chrono::seconds(21))) << "a new stage is told at once";
}

TEST(Story, AMuteDeskNamesWhatToAllow) {
  Story story;
  const Story::TimePoint start{};
  const auto line =
      story.failed({"connecting: no answer", "ETIMEDOUT"}, "10.96.3.4:443", start, start + std::chrono::seconds(40));
  EXPECT_THAT(line.value_or(""), HasSubstr("for 40 s"));
  EXPECT_THAT(line.value_or(""), HasSubstr("NetworkPolicy may block this pod's egress: allow TCP to 10.96.3.4:443"));
}

}  // namespace
}  // namespace rollcall::probe
