// NetworkPolicies beside a job: what cuts ranks off, what does not, and where the finding stands.
#include <gtest/gtest.h>

#include "tests/launch/manifests.h"

namespace rollcall::launch {
namespace {

using test::findings_of;
using test::short_of;

constexpr const char* kJob = R"(---
apiVersion: batch/v1
kind: Job
metadata: {name: llama, namespace: team}
spec:
  completionMode: Indexed
  completions: 4
  parallelism: 4
  template:
    metadata: {labels: {app: llama}}
    spec:
      subdomain: llama
      restartPolicy: Never
      containers:
        - name: trainer
          image: train:1
          command: [torchrun, --nnodes=4, --nproc-per-node=8, --rdzv-backend=c10d, "--rdzv-endpoint=llama-0.llama:29400", t.py]
          resources: {limits: {nvidia.com/gpu: 8}}
          volumeMounts: [{name: shm, mountPath: /dev/shm}]
      volumes: [{name: shm, emptyDir: {medium: Memory}}]
)";

/// The findings of the job beside one policy, whose spec is given in one line.
std::string beside(const std::string& spec, const std::string& name_space = "team") {
  return short_of(findings_of("apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: p, namespace: " +
                              name_space + "}\nspec: " + spec + "\n" + kJob));
}

const std::string kOwn = "{podSelector: {matchLabels: {app: llama}}}";

TEST(Policies, ThatAdmitAFewPorts) {
  const std::string few = "warn mesh/ports-not-admitted @ spec.ingress[0].ports";
  EXPECT_EQ(beside("{podSelector: {}, ingress: [{from: [" + kOwn + "], ports: [{port: 29400}]}]}"), few);
  EXPECT_EQ(beside("{podSelector: {}, ingress: [{ports: [{port: 22}, {port: 29400}]}]}"), few);
  EXPECT_EQ(beside("{podSelector: {}, ingress: [{from: [{podSelector: {}}], ports: [{port: 5000, endPort: 5010}]}]}"),
            few);
  EXPECT_EQ(beside("{podSelector: {matchLabels: {job-name: llama}}, ingress: [{ports: [{port: rdzv}]}]}"), few);
}

TEST(Policies, ThatAdmitManyPortsOrMay) {
  EXPECT_EQ(beside("{podSelector: {}, ingress: [{from: [{podSelector: {}}]}]}"), "");
  EXPECT_EQ(beside("{podSelector: {}, ingress: [{}]}"), "");
  EXPECT_EQ(beside("{podSelector: {}, ingress: [{ports: [{protocol: TCP}]}]}"), "");
  EXPECT_EQ(beside("{podSelector: {}, ingress: [{ports: [{port: 30000, endPort: 60999}]}]}"), "");
  EXPECT_EQ(beside("{podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 10.0.0.0/8}}]}]}"), "");
  EXPECT_EQ(beside("{podSelector: {}, ingress: [{from: [{namespaceSelector: {matchLabels: {team: a}}}]}]}"), "");
  EXPECT_EQ(
      beside("{podSelector: {}, ingress: [{from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: "
             "team}}}]}]}"),
      "");
}

TEST(Policies, ThatAdmitNobodyOfTheJob) {
  EXPECT_EQ(beside("{podSelector: {}}"), "warn mesh/ranks-cut-off @ spec.podSelector");
  EXPECT_EQ(beside("{podSelector: {}, ingress: [{from: [{podSelector: {matchLabels: {app: web}}}]}]}"),
            "warn mesh/ranks-cut-off @ spec.ingress");
  EXPECT_EQ(beside("{podSelector: {}, policyTypes: [Egress]}"), "warn mesh/ranks-cut-off @ spec.podSelector");
  EXPECT_EQ(
      beside("{podSelector: {}, ingress: [{from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: "
             "other}}}]}]}"),
      "warn mesh/ranks-cut-off @ spec.ingress");
}

TEST(Policies, ThatAreNotAboutThePods) {
  EXPECT_EQ(beside("{podSelector: {matchLabels: {app: web}}}"), "");
  EXPECT_EQ(beside("{podSelector: {}}", "other"), "");
  EXPECT_EQ(beside("{podSelector: {matchLabels: {kueue.x-k8s.io/podset: main}}}"), "");  // a controller may add it
  EXPECT_EQ(beside("{podSelector: {matchExpressions: [{key: app, operator: NotIn, values: [llama]}]}}"), "");
}

TEST(Policies, OfEgressNeedTheDns) {
  const std::string own = "{to: [" + kOwn + "]}";
  EXPECT_EQ(beside("{podSelector: {}, policyTypes: [Egress], egress: [" + own + "]}"),
            "warn mesh/no-dns @ spec.egress");
  EXPECT_EQ(
      beside("{podSelector: {}, policyTypes: [Egress], egress: [" + own + ", {ports: [{protocol: UDP, port: 53}]}]}"),
      "");
  EXPECT_EQ(beside("{podSelector: {}, policyTypes: [Egress], egress: [{}]}"), "");
}

TEST(Policies, AFindingStandsInThePolicy) {
  const Findings findings = findings_of(
      "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: p, namespace: team}\nspec:\n"
      "  podSelector: {}\n  ingress:\n    - ports: [{port: 22}]\n" +
      std::string(kJob));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].object.kind, "NetworkPolicy");
  EXPECT_EQ(findings[0].object.name, "p");
  EXPECT_EQ(findings[0].place.document, 0);
  EXPECT_EQ(findings[0].place.line, 7);
  EXPECT_NE(findings[0].message.find("Job llama"), std::string::npos);
}

}  // namespace
}  // namespace rollcall::launch
