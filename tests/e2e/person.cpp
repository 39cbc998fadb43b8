#include "e2e/person.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>

#include "e2e/command.h"

namespace rollcall::e2e {
namespace {

std::string line_of(const Said& said) {
  EXPECT_TRUE(said.ok()) << said.text;
  return said.text.substr(0, said.text.find('\n'));
}

}  // namespace

Person::Person(World& world, const std::string& name, const std::string& role) {
  const std::string& ns = world.ns();
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"-n", ns, "create", "serviceaccount", name},
                                             {"-n", ns, "create", "rolebinding", name, "--clusterrole=" + role,
                                              fmt::format("--serviceaccount={}:{}", ns, name)}}) {
    const Said said = kubectl(words);
    EXPECT_TRUE(said.ok()) << said.text;
  }
  auto credentials = kube::kubeconfig_credentials(std::getenv("KUBECONFIG"));
  if (!credentials) throw std::runtime_error(credentials.error().message);
  credentials->certificate_pem.clear();
  credentials->key_pem.clear();
  credentials->token_file.clear();
  credentials->token = line_of(kubectl({"-n", ns, "create", "token", name, "--duration=10m"}));
  auto client = kube::Client::make(*credentials);
  if (!client) throw std::runtime_error(client.error().message);
  api_ = std::move(client).value();
  EXPECT_TRUE(World::eventually(seconds(20), [&] { return may("get", "", "pods", ns); })) << role << " does not hold";
}

bool Person::may(const std::string& verb, const std::string& group, const std::string& resource,
                 const std::string& ns) {
  const kube::Resource reviews{"authorization.k8s.io", "v1", "selfsubjectaccessreviews", false};
  const auto slash = resource.find('/');
  Json what = {{"verb", verb}, {"group", group}, {"resource", resource.substr(0, slash)}};
  if (slash != std::string::npos) what["subresource"] = resource.substr(slash + 1);
  if (!ns.empty()) what["namespace"] = ns;
  const auto reply = api_->create(reviews, "",
                                  {{"apiVersion", "authorization.k8s.io/v1"},
                                   {"kind", "SelfSubjectAccessReview"},
                                   {"spec", {{"resourceAttributes", what}}}});
  EXPECT_TRUE(reply.ok()) << reply.error().text();
  return reply.ok() && reply.value()["status"].value("allowed", false);
}

std::string pod_token(const World& world, const std::string& pod) {
  return line_of(kubectl({"-n", world.ns(), "create", "token", "default", "--audience=rollcall",
                          "--bound-object-kind=Pod", "--bound-object-name=" + pod, "--duration=10m"}));
}

}  // namespace rollcall::e2e
