// Servers that ask their clients for certificates.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "serve/server.h"

namespace rollcall::serve {
namespace {

/// Certificates made by the openssl program, in a folder of their own.
class ClientTrust : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = std::filesystem::temp_directory_path() / ("rollcall-client-trust-" + std::to_string(::getpid()));
    std::filesystem::create_directory(dir_);
    authority("ca");
    authority("other-ca");
    leaf("server", "ca", "/CN=localhost", "IP:127.0.0.1", "serverAuth");
    leaf("api", "ca", "/CN=kube-apiserver", "DNS:x.example", "clientAuth");
    leaf("named", "ca", "/CN=someone", "DNS:api.example", "clientAuth");
    leaf("stranger", "ca", "/CN=someone", "DNS:y.example", "clientAuth");
    leaf("foreign", "other-ca", "/CN=kube-apiserver", "DNS:api.example", "clientAuth");
    leaf("serving", "ca", "/CN=kube-apiserver", "DNS:api.example", "serverAuth");
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  std::string file(const std::string& name) const { return (dir_ / name).string(); }
  void shell(const std::string& command) const {
    ASSERT_EQ(std::system(("cd " + dir_.string() + " && " + command + " 2>/dev/null").c_str()), 0) << command;
  }
  void authority(const std::string& name) const {
    shell("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=" + name +
          " -keyout " + name + ".key -out " + name + ".crt");
  }
  void leaf(const std::string& name, const std::string& ca, const std::string& subject, const std::string& names,
            const std::string& usage) const {
    std::ofstream(dir_ / "extensions") << "subjectAltName=" << names << "\nextendedKeyUsage=" << usage << "\n";
    shell("openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj " + subject + " -keyout " + name +
          ".key -out " + name + ".csr");
    shell("openssl x509 -req -in " + name + ".csr -CA " + ca + ".crt -CAkey " + ca +
          ".key -CAcreateserial -days 1 -extfile extensions -out " + name + ".crt");
  }

  std::unique_ptr<Server> start(std::vector<std::string> names) const {
    Options options;
    options.certificate_file = file("server.crt");
    options.key_file = file("server.key");
    options.client_ca_file = file("ca.crt");
    options.client_names = std::move(names);
    auto server = Server::start(options, [](Request, Respond respond) { respond({200, "text/plain", "in\n", {}}); });
    EXPECT_TRUE(server.ok()) << (server.ok() ? "" : server.error().message);
    return server.ok() ? std::move(*server) : nullptr;
  }
  /// What a client with this certificate is told; nothing when it is not let in.
  std::string ask(const Server& server, const std::string& certificate) const {
    std::string command = "curl -s --max-time 10 --cacert " + file("ca.crt");
    if (!certificate.empty())
      command += " --cert " + file(certificate + ".crt") + " --key " + file(certificate + ".key");
    command += " https://127.0.0.1:" + std::to_string(server.port()) + "/";
    std::string out;
    FILE* pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) return "no curl";
    char chunk[256];
    for (std::size_t n = 0; (n = std::fread(chunk, 1, sizeof chunk, pipe)) > 0;) out.append(chunk, n);
    ::pclose(pipe);
    return out;
  }

  std::filesystem::path dir_;
};

TEST_F(ClientTrust, OnlyTheNamedClientsOfTheAuthorityAreLetIn) {
  const auto server = start({"kube-apiserver", "api.example"});
  ASSERT_TRUE(server);
  EXPECT_EQ(ask(*server, "api"), "in\n") << "by its common name";
  EXPECT_EQ(ask(*server, "named"), "in\n") << "by its DNS name";
  EXPECT_EQ(ask(*server, "stranger"), "");
  EXPECT_EQ(ask(*server, "foreign"), "");
  EXPECT_EQ(ask(*server, "serving"), "") << "a server's certificate is no client's";
  EXPECT_EQ(ask(*server, ""), "");
  EXPECT_EQ(server->counters().requests, 2U);
}

TEST_F(ClientTrust, WithoutNamesEveryClientOfTheAuthorityIsLetIn) {
  const auto server = start({});
  ASSERT_TRUE(server);
  EXPECT_EQ(ask(*server, "stranger"), "in\n");
  EXPECT_EQ(ask(*server, "foreign"), "");
  EXPECT_EQ(ask(*server, ""), "");
}

TEST_F(ClientTrust, AnAuthorityThatChangesIsReadWithTheCertificate) {
  const auto server = start({});
  ASSERT_TRUE(server);
  std::filesystem::copy_file(file("other-ca.crt"), file("ca.crt"), std::filesystem::copy_options::overwrite_existing);
  ASSERT_TRUE(server->reload_certificate().ok());
  EXPECT_EQ(server->counters().requests, 0U);
  std::ofstream(file("ca.crt")) << "nonsense";
  const auto broken = server->reload_certificate();
  ASSERT_FALSE(broken.ok());
  EXPECT_NE(broken.error().message.find("clients' authority"), std::string::npos) << broken.error().message;
}

}  // namespace
}  // namespace rollcall::serve
