#include "kube/credentials.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "kube/base64.h"
#include "kube/token_source.h"

namespace rollcall::kube {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

/// A folder that goes with the test; environment variables come back as they were.
class Folder : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/rollcall-kube-test-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    dir_ = name;
  }
  void TearDown() override {
    for (const auto& [name, value] : saved_) {
      if (value)
        ::setenv(name.c_str(), value->c_str(), 1);
      else
        ::unsetenv(name.c_str());
    }
    fs::remove_all(dir_);
  }
  void set(const std::string& name, const std::string& value) {
    const char* old = std::getenv(name.c_str());
    saved_.emplace(name, old == nullptr ? std::nullopt : std::optional<std::string>(old));
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(dir_ / name) << text;
    return (dir_ / name).string();
  }

  fs::path dir_;

 private:
  std::map<std::string, std::optional<std::string>> saved_;
};

class Kubeconfig : public Folder {
 protected:
  /// A sound file, with `cluster` and `user` as their bodies.
  std::string config(const std::string& cluster, const std::string& user) const {
    return file("config",
                "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts:\n"
                "- {name: other, context: {cluster: none, user: none}}\n"
                "- {name: c, context: {cluster: k, user: u, namespace: team}}\n"
                "clusters:\n- {name: k, cluster: {" +
                    cluster + "}}\nusers:\n- {name: u, user: {" + user + "}}\n");
  }
  std::string message(const std::string& cluster, const std::string& user) const {
    const auto out = kubeconfig_credentials(config(cluster, user));
    return out.ok() ? "accepted" : out.error().message;
  }
  const std::string cluster_ = "server: 'https://10.0.0.1:6443', certificate-authority-data: " + base64_encode("CA");
};

TEST_F(Kubeconfig, InlineDataAndToken) {
  const auto out = kubeconfig_credentials(config(cluster_, "token: secret"));
  ASSERT_TRUE(out.ok()) << out.error().message;
  EXPECT_EQ(out->server, "https://10.0.0.1:6443");
  EXPECT_EQ(out->ca_pem, "CA");
  EXPECT_EQ(out->token, "secret");
  EXPECT_EQ(out->default_namespace, "team");
}

TEST_F(Kubeconfig, FilesAreRelativeToIt) {
  file("ca.pem", "CA");
  file("cert.pem", "CERT");
  file("key.pem", "KEY");
  const auto out = kubeconfig_credentials(config("server: https://k, certificate-authority: ca.pem",
                                                 "client-certificate: cert.pem, client-key: key.pem, tokenFile: tok"));
  ASSERT_TRUE(out.ok()) << out.error().message;
  EXPECT_EQ(out->ca_pem, "CA");
  EXPECT_EQ(out->certificate_pem, "CERT");
  EXPECT_EQ(out->key_pem, "KEY");
  EXPECT_EQ(out->token_file, (dir_ / "tok").string());
}

TEST_F(Kubeconfig, WhatCannotBeUsedIsRefusedInWords) {
  const std::string token = "token: t";
  const struct {
    std::string cluster, user, words;
  } cases[] = {
      {cluster_ + ", insecure-skip-tls-verify: true", token, "insecure-skip-tls-verify: true is refused"},
      {cluster_ + ", proxy-url: 'http://p'", token, "proxy-url is not supported"},
      {cluster_ + ", tls-server-name: x", token, "tls-server-name is not supported"},
      {cluster_, "exec: {command: aws}", "exec.apiVersion: `` is none of"},
      {cluster_, "exec: {apiVersion: client.authentication.k8s.io/v1}", "exec.command is missing"},
      {cluster_, "exec: {apiVersion: client.authentication.k8s.io/v1, command: a, interactiveMode: Maybe}",
       "exec.interactiveMode: `Maybe` is none of"},
      {cluster_, "auth-provider: {name: gcp}", "come from `auth-provider`, which Kubernetes removed"},
      {cluster_, "username: a, password: b", "username and password are not supported"},
      {cluster_, "token: t, as: root", "impersonation"},
      {cluster_, "client-certificate-data: " + base64_encode("C"), "client-certificate and client-key belong together"},
      {cluster_, "client-certificate-data: '!', client-key-data: '!'", "client-certificate-data is not base64"},
      {cluster_, "x: y", "user `u` has neither token, tokenFile nor client-certificate"},
      {"server: https://k", token, "cluster `k` has no certificate-authority-data"},
      {"server: https://k, certificate-authority: gone.pem", token, "gone.pem cannot be read: No such file"},
      {"server: 'http://k:8080', certificate-authority-data: Q0E=", token, "does not start with https://"},
      {"server: 'https://[fd00::1]:6443', certificate-authority-data: Q0E=", token, "is an IPv6 literal"},
      {"server: 'https://', certificate-authority-data: Q0E=", token, "names no host"},
      {"certificate-authority-data: Q0E=", token, "the API server's address is empty"},
  };
  for (const auto& c : cases)
    EXPECT_NE(message(c.cluster, c.user).find(c.words), std::string::npos)
        << c.words << "\n in " << message(c.cluster, c.user);
}

TEST_F(Kubeconfig, MissingPartsAreNamed) {
  const auto words = [&](const std::string& text, const std::string& context = {}) {
    const auto out = kubeconfig_credentials(file("broken", text), context);
    return out.ok() ? std::string("accepted") : out.error().message;
  };
  EXPECT_NE(words("a: [").find("broken"), std::string::npos);
  EXPECT_NE(words("[]").find("not a mapping"), std::string::npos);
  EXPECT_NE(words("a: b").find("current-context is not set"), std::string::npos);
  EXPECT_NE(words("current-context: x").find("contexts has no entry named `x`"), std::string::npos);
  EXPECT_NE(words("contexts: [{name: y, context: {cluster: k}}]", "y").find("clusters has no entry named `k`"),
            std::string::npos);
  EXPECT_NE(kubeconfig_credentials((dir_ / "none").string()).error().message.find("No such file"), std::string::npos);
}

TEST_F(Kubeconfig, FirstExistingEntryOfTheEnvironmentIsRead) {
  set("KUBECONFIG", (dir_ / "missing").string() + ":" + config(cluster_, "token: t"));
  const auto out = kubeconfig_credentials();
  ASSERT_TRUE(out.ok()) << out.error().message;
  EXPECT_EQ(out->token, "t");
}

class InCluster : public Folder {
 protected:
  void SetUp() override {
    Folder::SetUp();
    file("ca.crt", "CA");
    file("token", "t\n");
    file("namespace", "rollcall-system\n");
    set("KUBERNETES_SERVICE_PORT", "443");
  }
};

TEST_F(InCluster, FilesOfTheServiceAccount) {
  set("KUBERNETES_SERVICE_HOST", "10.96.0.1");
  const auto out = in_cluster_credentials(dir_.string());
  ASSERT_TRUE(out.ok()) << out.error().message;
  EXPECT_EQ(out->server, "https://10.96.0.1:443");
  EXPECT_EQ(out->ca_file, (dir_ / "ca.crt").string());
  EXPECT_EQ(out->token_file, (dir_ / "token").string());
  EXPECT_EQ(out->default_namespace, "rollcall-system");
}

TEST_F(InCluster, Ipv6ClusterIsReachedByName) {
  set("KUBERNETES_SERVICE_HOST", "fd00:10:96::1");
  EXPECT_EQ(in_cluster_credentials(dir_.string())->server, "https://kubernetes.default.svc:443");
}

TEST_F(InCluster, OutsideAPodItSaysSo) {
  set("KUBERNETES_SERVICE_HOST", "");
  EXPECT_NE(in_cluster_credentials(dir_.string()).error().message.find("not a pod"), std::string::npos);
  set("KUBERNETES_SERVICE_HOST", "10.96.0.1");
  fs::remove(dir_ / "token");
  EXPECT_NE(in_cluster_credentials(dir_.string()).error().message.find("token"), std::string::npos);
}

class Tokens : public Folder {
 protected:
  TokenSource source(const std::string& path) {
    Credentials credentials;
    credentials.token_file = path;
    return TokenSource(credentials, [this] { return now_; });
  }
  std::chrono::steady_clock::time_point now_{1000s};
};

TEST_F(Tokens, FileIsReadAgainAfterTenSeconds) {
  auto tokens = source(file("token", "one\n"));
  EXPECT_EQ(*tokens.token(), "one");
  file("token", "two");
  now_ += 9s;
  EXPECT_EQ(*tokens.token(), "one");
  now_ += 1s;
  EXPECT_EQ(*tokens.token(), "two");
}

TEST_F(Tokens, LastGoodOneServesWhileTheFileCannotBeRead) {
  auto tokens = source(file("token", "one"));
  EXPECT_EQ(*tokens.token(), "one");
  fs::remove(dir_ / "token");
  now_ += 60s;
  EXPECT_EQ(*tokens.token(), "one");
  EXPECT_FALSE(source((dir_ / "never").string()).token().ok());
}

TEST_F(Tokens, EmptyOrTwoLinesAreNoToken) {
  EXPECT_NE(source(file("token", "\n")).token().error().message.find("is empty"), std::string::npos);
  EXPECT_NE(source(file("token", "a\r\nX-Evil: b")).token().error().message.find("more than one line"),
            std::string::npos);
}

TEST_F(Tokens, RefreshTellsWhetherItChanged) {
  auto tokens = source(file("token", "one"));
  EXPECT_EQ(*tokens.token(), "one");
  EXPECT_FALSE(tokens.refresh("one"));
  file("token", "two");
  EXPECT_TRUE(tokens.refresh("one"));
  EXPECT_EQ(*tokens.token(), "two");
}

}  // namespace
}  // namespace rollcall::kube
