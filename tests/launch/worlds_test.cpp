// Edges of the rules about one world of pods: what is denied, and what looks like it and is sound.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/launch/manifests.h"

namespace rollcall::launch {
namespace {

using test::findings_of;
using test::found;

/// The rules of the findings alone, one a word.
std::string rules(const std::string& manifest) {
  std::string out;
  for (const Finding& finding : findings_of(manifest)) out += (out.empty() ? "" : " ") + finding.rule;
  return out;
}

std::string service(const std::string& name, const std::string& spec) {
  return "apiVersion: v1\nkind: Service\nmetadata: {name: " + name + "}\nspec: {clusterIP: None, " + spec + "}\n---\n";
}

/// A container of one GPU; `more` are further fields in flow style.
std::string container(const std::string& command, const std::string& more = "") {
  return "{name: c, image: 't:1', command: " + command + ", resources: {limits: {nvidia.com/gpu: 1}}" +
         (more.empty() ? "" : ", " + more) + "}";
}

std::string torchrun(const std::string& nodes, const std::string& rank, const std::string& master,
                     const std::string& more = "") {
  return "[torchrun, '--nnodes=" + nodes + "', --nproc-per-node=1, '--node-rank=" + rank +
         "', '--master-addr=" + master + "'" + more + ", t.py]";
}

struct RoleOf {
  std::string name;
  int replicas;
  int pods;
  std::string command;
};

std::string job_set(const std::vector<RoleOf>& roles, const std::string& spec = "") {
  std::string out = "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: js}\nspec:\n" + spec +
                    "  replicatedJobs:\n";
  for (const RoleOf& role : roles)
    out += "    - {name: " + role.name + ", replicas: " + std::to_string(role.replicas) +
           ", template: {spec: {parallelism: " + std::to_string(role.pods) +
           ", completions: " + std::to_string(role.pods) + ", template: {spec: {containers: [" +
           container(role.command) + "]}}}}}\n";
  return out;
}

std::string stateful_set(const std::string& command, const std::string& spec = "  podManagementPolicy: Parallel\n",
                         const std::string& more = "", const std::string& beside = "") {
  return "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: sts}\nspec:\n  replicas: 4\n  serviceName: pods\n" +
         spec + "  selector: {matchLabels: {app: t}}\n  template:\n    metadata: {labels: {app: t}}\n" +
         "    spec: {containers: [" + container(command, more) + beside + "]}\n";
}

std::string groups(const std::string& master, int replicas = 1, const std::string& spec = "",
                   const std::string& rank = "$(LWS_WORKER_INDEX)") {
  return "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {name: lws}\nspec:\n" + spec +
         "  replicas: " + std::to_string(replicas) +
         "\n  leaderWorkerTemplate: {size: 4, workerTemplate: {spec: {containers: [" +
         container(torchrun("4", rank, master)) + "]}}}\n";
}

const std::string kIndex = "$(JOB_COMPLETION_INDEX)";
const std::string kOrdinal =
    "[bash, -c, 'exec torchrun --nnodes=4 --nproc-per-node=1 --node-rank=${HOSTNAME##*-} "
    "--master-addr=MASTER t.py']";

std::string ordinal(const std::string& master) {
  std::string command = kOrdinal;
  return command.replace(command.find("MASTER"), 6, master);
}

TEST(NamesOfPods, OfAJobSet) {
  const auto at = [](const std::string& master) {
    return rules(job_set({{"workers", 1, 4, torchrun("4", kIndex, master)}}));
  };
  for (const char* sound : {"js-workers-0-0.js", "js-workers-0-0.js.default.svc.cluster.local", "js-workers-0-3.js",
                            "js-coordinator", "other-workers-0-0.other", "$(LEADER)"})
    EXPECT_EQ(at(sound), "") << sound;
  for (const char* faulty :
       {"js-worker-0-0.js", "js-workers-0-4.js", "js-workers-1-0.js", "js-workers-0-0", "js-workers-0-0.trainers"})
    EXPECT_EQ(at(faulty), "rendezvous/name-of-no-pod") << faulty;
  EXPECT_EQ(at("10.1.2.3"), "rendezvous/written-down-address");
  EXPECT_EQ(
      rules(job_set({{"workers", 1, 4, torchrun("4", kIndex, "js-workers-0-0.sub")}}, "  network: {subdomain: sub}\n")),
      "");
}

TEST(NamesOfPods, OfAStatefulSet) {
  const auto at = [](const std::string& master) { return rules(stateful_set(ordinal(master))); };
  // Without a dot, or behind one, a Service and a namespace may be meant that are not in the input.
  for (const char* sound : {"sts-0.pods", "sts-0", "sts-0.training", "sts-3.pods.ml.svc"})
    EXPECT_EQ(at(sound), "") << sound;
  for (const char* faulty : {"sts-0.sts", "sts-4.pods"}) EXPECT_EQ(at(faulty), "rendezvous/name-of-no-pod") << faulty;
  EXPECT_EQ(rules(service("sts-0", "selector: {app: t}") + stateful_set(ordinal("sts-0.sts"))), "");
}

TEST(NamesOfPods, OfAGroup) {
  for (const char* sound : {"$(LWS_LEADER_ADDRESS)", "lws-0.lws", "lws-0"})
    EXPECT_EQ(rules(groups(sound)), "") << sound;
  EXPECT_EQ(rules(groups("lws-1.lws")), "rendezvous/name-of-no-pod");
  const std::string unique = "  networkConfig: {subdomainPolicy: UniquePerReplica}\n";
  EXPECT_EQ(rules(groups("lws-0.lws-0", 1, unique)), "");
  EXPECT_EQ(rules(groups("lws-0.lws", 1, unique)), "rendezvous/name-of-no-pod");
  EXPECT_EQ(rules(groups("lws-0.lws", 2)), "rendezvous/one-leader-for-all-groups");
  EXPECT_EQ(rules(groups("$(LWS_LEADER_ADDRESS)", 2)), "");
}

TEST(Variables, OfAnotherKind) {
  EXPECT_EQ(rules(groups("$(LWS_LEADER_ADDRESS)", 1, "", "$(LWS_POD_INDEX)")), "rank/variable-of-another-kind");
  EXPECT_EQ(rules(groups("$(LWS_LEADER_ADDRESS)", 1, "", kIndex)), "rank/variable-of-another-kind");
  const std::string own =
      "env: [{name: JOB_COMPLETION_INDEX, valueFrom: {fieldRef: {fieldPath: \"metadata.labels['i']\"}}}]";
  EXPECT_EQ(rules(stateful_set(torchrun("4", kIndex, "sts-0.pods"), "  podManagementPolicy: Parallel\n", own)), "");
  // A script may make the variable by itself.
  EXPECT_EQ(
      rules(stateful_set("[bash, -c, 'JOB_COMPLETION_INDEX=${HOSTNAME##*-}; torchrun --nnodes=4 --nproc-per-node=1 "
                         "--node-rank=$JOB_COMPLETION_INDEX --master-addr=sts-0.pods t.py']")),
      "");
}

TEST(Ranks, OfSeveralRoles) {
  const std::string master = "js-leader-0-0.js";
  const auto beside = [&](const std::string& rank, int pods, const std::string& more = "") {
    return rules(job_set(
        {{"leader", 1, 1, torchrun("3", "0", master)}, {"worker", 1, pods, torchrun("3", rank, master, more)}}));
  };
  EXPECT_EQ(beside(kIndex, 2), "rank/same-rank-twice");
  EXPECT_EQ(beside("0", 1), "rank/same-rank-twice");
  EXPECT_EQ(beside("1", 1), "");
  EXPECT_EQ(beside("3", 1), "rank/outside-the-world");
  EXPECT_EQ(beside("$(RANK_OF_MINE)", 2), "");
  EXPECT_EQ(rules(job_set({{"w", 2, 2, torchrun("4", kIndex, "js-w-0-0.js")}})), "rank/same-rank-twice");
  EXPECT_EQ(rules(job_set({{"w", 2, 2, torchrun("2", kIndex, "js-w-0-0.js")}})), "");
}

TEST(Ready, WhatElseMayAnswerAProbeIsNotDenied) {
  const std::string ordered = "  podManagementPolicy: OrderedReady\n";
  const auto with = [&](const std::string& probe, const std::string& beside = "") {
    return rules(stateful_set(ordinal("sts-0.pods"), ordered, "readinessProbe: " + probe, beside));
  };
  EXPECT_EQ(with("{httpGet: {port: 8080}}"), "scheduling/next-pod-waits-for-ready");
  EXPECT_EQ(with("{grpc: {port: 8080}}"), "scheduling/next-pod-waits-for-ready");
  for (const char* open :
       {"{exec: {command: [test, -f, /ready]}}", "{tcpSocket: {port: 29500}}", "{httpGet: {host: 10.0.0.1, port: 80}}"})
    EXPECT_EQ(with(open), "") << open;
  EXPECT_EQ(with("{httpGet: {port: 8080}}", ", {name: metrics, image: 'm:1', command: [metrics]}"), "");
  std::string server = ordinal("sts-0.pods");
  server.replace(server.find("exec "), 5, "python serve.py & ");
  EXPECT_EQ(rules(stateful_set(server, ordered, "readinessProbe: {httpGet: {port: 8080}}")), "");
  EXPECT_EQ(rules(stateful_set(ordinal("sts-0.pods"), ordered)), "");
}

TEST(Ready, ANameThatIsThereBeforeIsFine) {
  const std::string probe = "readinessProbe: {httpGet: {port: 8080}}";
  const std::string parallel = "  podManagementPolicy: Parallel\n";
  const std::string pods = stateful_set(ordinal("sts-0.pods"), parallel, probe);
  EXPECT_EQ(rules(service("pods", "selector: {app: t}") + pods), "rendezvous/names-only-when-ready");
  EXPECT_EQ(rules(service("pods", "publishNotReadyAddresses: true, selector: {app: t}") + pods), "");
  EXPECT_EQ(rules(pods), "");  // the Service may be in the cluster
}

TEST(Alone, PodsThatCallThemselvesMayEachTrain) {
  const auto each = [](const std::string& master) {
    return rules(job_set({{"w", 1, 4, "[torchrun, --nproc-per-node=1, '--master-addr=" + master + "', t.py]"}}));
  };
  EXPECT_EQ(each("localhost"), "");
  EXPECT_EQ(each("0.0.0.0"), "");
  EXPECT_EQ(each("js-w-0-0.js"), "torchrun/nodes-not-told");
}

TEST(Gang, NoughtIsAllPodsForVolcano) {
  const auto least = [](int number) {
    return rules("apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: v}\nspec:\n  minAvailable: " +
                 std::to_string(number) +
                 "\n  plugins: {svc: [], env: []}\n  tasks:\n    - {name: n, replicas: 2, template: " +
                 "{spec: {containers: [" + container(torchrun("2", "$(VC_TASK_INDEX)", "v-n-0.v")) + "]}}}\n");
  };
  EXPECT_EQ(least(0), "");
  EXPECT_EQ(least(1), "scheduling/gang-smaller-than-job");
  EXPECT_EQ(least(2), "");
  EXPECT_EQ(least(3), "scheduling/gang-larger-than-job");
}

TEST(Ports, OfOtherKinds) {
  const auto port = [](const std::string& number) {
    return found(job_set({{"w", 1, 4, torchrun("4", kIndex, "js-w-0-0.js", ", --master-port=" + number)}}));
  };
  EXPECT_EQ(port("29500"), "");
  EXPECT_EQ(port("0").substr(0, 33), "deny rendezvous/port-out-of-range");
  EXPECT_EQ(port("70000").substr(0, 33), "deny rendezvous/port-out-of-range");
  EXPECT_EQ(port("40000").substr(0, 30), "warn rendezvous/ephemeral-port");
}

}  // namespace
}  // namespace rollcall::launch
