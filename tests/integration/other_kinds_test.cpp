// Other projects' kinds at a real API server, asked about as the chart says: its rules, selectors and conditions, with
// CRDs of ours in place of the projects' own.
#include "launch/document/document.h"
#include "tests/integration/webhook_world.h"

namespace rollcall::webhook_test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

const kube::Resource kCrds{"apiextensions.k8s.io", "v1", "customresourcedefinitions", false};
const kube::Resource kPyTorchJobs{"kubeflow.org", "v1", "pytorchjobs", true};
const kube::Resource kTrainJobs{"trainer.kubeflow.org", "v1alpha1", "trainjobs", true};
const kube::Resource kRuntimes{"trainer.kubeflow.org", "v1alpha1", "clustertrainingruntimes", false};
const kube::Resource kJobs{"batch", "v1", "jobs", true};
const kube::Resource kStatefulSets{"apps", "v1", "statefulsets", true};

/// Helm as dev/deps --tools makes it, else the one on PATH.
std::string helm() {
  const char* cache = std::getenv("ROLLCALL_CACHE");
  const char* home = std::getenv("HOME");
  const std::string made =
      (cache != nullptr ? cache : std::string(home == nullptr ? "" : home) + "/.cache/rollcall") + "/bin/helm";
  return std::filesystem::exists(made) ? made : "helm";
}

/// The webhooks of the chart's configuration; empty when it cannot be rendered.
Json webhooks_of_the_chart() {
  Json webhooks = Json::array();
  const std::string text = output_of(helm() + " template rollcall " + ROLLCALL_SOURCE_DIR +
                                     "/charts/rollcall --namespace rollcall-system --kube-version 1.34.0"
                                     " --show-only templates/webhook/configuration.yaml 2>/dev/null");
  const auto read = launch::read_documents(text, [&webhooks](const launch::Document& document) {
    if (document.value.value("kind", "") == "ValidatingWebhookConfiguration") webhooks = document.value["webhooks"];
  });
  EXPECT_TRUE(read.ok()) << text;
  return webhooks;
}

class OtherKindsAtTheApiServer : public Webhook {
 protected:
  void SetUp() override {
    Webhook::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    Json webhooks = webhooks_of_the_chart();
    if (webhooks.empty()) GTEST_SKIP() << "Helm is not there to render the chart (dev/deps --tools)";
    make_crd(kPyTorchJobs, "PyTorchJob");
    ASSERT_TRUE(eventually([this] { return client_->list(kPyTorchJobs, run_).ok(); }));
    for (Json& webhook : webhooks) {
      webhook["namespaceSelector"]["matchLabels"][kLabel] = run_;
      webhook["clientConfig"] = {{"url", "https://" + host_ + ":" + std::to_string(program_->port) + "/validate"},
                                 {"caBundle", base64(program_->ca)}};
    }
    ASSERT_EQ(webhooks.size(), 3U);
    const auto created = client_->create(kube::kWebhookConfigurations, "",
                                         {{"apiVersion", "admissionregistration.k8s.io/v1"},
                                          {"kind", "ValidatingWebhookConfiguration"},
                                          {"metadata", {{"name", run_}}},
                                          {"webhooks", webhooks}});
    ASSERT_TRUE(created.ok()) << created.error().text();
    ASSERT_TRUE(eventually([this] { return !try_to(kPyTorchJobs, pytorch_job(4)).warnings.empty(); }))
        << "the API server does not ask the webhook\n"
        << program_->log();
  }

  void TearDown() override {
    for (const std::string& crd : crds_) {
      const auto removed = client_->remove(kCrds, "", crd);
      EXPECT_TRUE(removed.ok()) << removed.error().text();
    }
    Webhook::TearDown();
  }

  /// Takes whatever fields an object has. One that stands already may be somebody's: it does for the test, and stays.
  void make_crd(const kube::Resource& resource, const std::string& kind) {
    const std::string name = resource.plural + "." + resource.group;
    Json version = Json::parse(R"({"served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object",
      "x-kubernetes-preserve-unknown-fields": true}}})");
    version["name"] = resource.version;
    const Json names{{"kind", kind}, {"listKind", kind + "List"}, {"plural", resource.plural}};
    const Json crd{{"apiVersion", "apiextensions.k8s.io/v1"},
                   {"kind", "CustomResourceDefinition"},
                   {"metadata", {{"name", name}}},
                   {"spec",
                    {{"group", resource.group},
                     {"scope", resource.namespaced ? "Namespaced" : "Cluster"},
                     {"names", names},
                     {"versions", Json::array({version})}}}};
    if (client_->create(kCrds, "", crd).ok()) crds_.push_back(name);
    ASSERT_TRUE(eventually([&] { return client_->list(resource, "").ok(); })) << name;
  }

  static Json container(const char* name, int gpus) {
    Json object = Json::parse(R"({"image": "registry.example.test/train:1",
      "command": ["torchrun", "--standalone", "--nproc-per-node=8", "train.py"]})");
    object["name"] = name;
    for (const char* kind : {"limits", "requests"}) object["resources"][kind]["nvidia.com/gpu"] = gpus;
    return object;
  }
  Json object_of(const char* version, const char* kind, Json spec) const {
    return {{"apiVersion", version},
            {"kind", kind},
            {"metadata", {{"name", "llama"}, {"namespace", run_}}},
            {"spec", std::move(spec)}};
  }
  Json pytorch_job(int gpus) const {
    Json replica{{"replicas", 1},
                 {"template", {{"spec", {{"containers", Json::array({container("pytorch", gpus)})}}}}}};
    return object_of("kubeflow.org/v1", "PyTorchJob", {{"pytorchReplicaSpecs", {{"Worker", std::move(replica)}}}});
  }
  Json job_of(int gpus) const {
    Json pod{{"restartPolicy", "Never"}, {"containers", Json::array({container("trainer", gpus)})}};
    return object_of("batch/v1", "Job", {{"template", {{"spec", std::move(pod)}}}, {"suspend", true}});
  }
  Json pod_of(int gpus) const {
    return object_of("v1", "Pod", {{"containers", Json::array({container("trainer", gpus)})}});
  }
  Json stateful_set_of(int gpus) const {
    Json set = object_of("apps/v1", "StatefulSet", {{"serviceName", "llama"}, {"replicas", 1}});
    set["spec"]["selector"]["matchLabels"]["app"] = "llama";
    set["spec"]["template"]["metadata"]["labels"]["app"] = "llama";
    set["spec"]["template"]["spec"]["containers"] = Json::array({container("trainer", gpus)});
    return set;
  }
  kube::Reply try_to(const kube::Resource& resource, const Json& object) {
    return client_->create(resource, run_, object, {.dry_run = true});
  }
  /// Until the webhook has heard of it.
  void label_namespace() {
    const auto labelled = client_->merge_patch(kube::kNamespaces, "", run_,
                                               {{"metadata", {{"labels", {{"rollcall.dev/enforce", "deny"}}}}}});
    ASSERT_TRUE(labelled.ok()) << labelled.error().text();
    ASSERT_TRUE(eventually([this] { return !try_to(kPyTorchJobs, pytorch_job(4)).ok(); })) << program_->log();
  }

 private:
  std::vector<std::string> crds_;
};

TEST_F(OtherKindsAtTheApiServer, AreWarnedOfUntilTheNamespaceIsLabelledThenRefused) {
  for (const auto& [resource, object] : {std::pair(kPyTorchJobs, pytorch_job(4)), std::pair(kJobs, job_of(4))}) {
    const auto admitted = try_to(resource, object);
    ASSERT_TRUE(admitted.ok()) << admitted.error().text();
    EXPECT_THAT(admitted.warnings, Contains(HasSubstr("[gpu/more-processes-than-gpus]"))) << resource.plural;
  }
  label_namespace();
  for (const auto& [resource, object] : {std::pair(kPyTorchJobs, pytorch_job(4)), std::pair(kJobs, job_of(4))}) {
    const auto refused = try_to(resource, object);
    ASSERT_FALSE(refused.ok()) << resource.plural;
    EXPECT_THAT(refused.error().message, HasSubstr("jobs.rollcall.dev"));
    EXPECT_THAT(refused.error().message, HasSubstr("[gpu/more-processes-than-gpus]"));
  }
  for (const auto& [resource, object] : {std::pair(kPyTorchJobs, pytorch_job(8)), std::pair(kJobs, job_of(8))})
    EXPECT_TRUE(try_to(resource, object).ok()) << resource.plural;
}

TEST_F(OtherKindsAtTheApiServer, PodsAndStatefulSetsAreAskedAboutInLabelledNamespacesAlone) {
  const auto each = [this](auto check) {
    check(try_to(kube::kPods, pod_of(4)), "a pod");
    check(try_to(kStatefulSets, stateful_set_of(4)), "a StatefulSet");
  };
  // A pod can be made once its namespace has a service account.
  ASSERT_TRUE(eventually([this] { return try_to(kube::kPods, pod_of(4)).ok(); }));
  each([](const kube::Reply& reply, const char* what) {
    EXPECT_TRUE(reply.ok()) << what << ": " << reply.error().text();
    EXPECT_THAT(reply.warnings, IsEmpty()) << what;
  });
  label_namespace();
  each([](const kube::Reply& reply, const char* what) {
    EXPECT_FALSE(reply.ok()) << what;
    EXPECT_THAT(reply.error().message, HasSubstr("pods.rollcall.dev")) << what;
  });
  EXPECT_TRUE(try_to(kube::kPods, pod_of(8)).ok());
}

TEST_F(OtherKindsAtTheApiServer, WhatAControllerMadeIsNotJudgedAgain) {
  label_namespace();
  Json owner{{"apiVersion", "jobset.x-k8s.io/v1alpha2"},
             {"kind", "JobSet"},
             {"name", "llama"},
             {"uid", "0b8a3a0e-8a69-4f4e-a7e1-4f4f3d0f5f11"},
             {"controller", true}};
  Json made = job_of(4), pod = pod_of(4);
  made["metadata"]["ownerReferences"] = pod["metadata"]["ownerReferences"] = Json::array({owner});
  for (const auto& [resource, object] : {std::pair(kJobs, made), std::pair(kube::kPods, pod)}) {
    const auto admitted = try_to(resource, object);
    EXPECT_TRUE(admitted.ok()) << admitted.error().text();
    EXPECT_THAT(admitted.warnings, IsEmpty());
  }
  owner["controller"] = false;
  made["metadata"]["ownerReferences"] = Json::array({owner});
  EXPECT_FALSE(try_to(kJobs, made).ok());
}

TEST_F(OtherKindsAtTheApiServer, AnUpdateIsRefusedForWhatItBringsAndAnOldFaultIsNot) {
  ASSERT_TRUE(client_->create(kJobs, run_, job_of(4)).ok());
  label_namespace();
  const auto change = [this](const Json& patch) { return client_->merge_patch(kJobs, run_, "llama", patch); };
  const auto labelled = change({{"metadata", {{"labels", {{"team", "a"}}}}}});
  EXPECT_TRUE(labelled.ok()) << labelled.error().text();
  EXPECT_THAT(labelled.warnings, IsEmpty());
  const auto inherited = change({{"spec", {{"backoffLimit", 0}}}});
  EXPECT_TRUE(inherited.ok()) << inherited.error().text();
  EXPECT_THAT(inherited.warnings, Contains(HasSubstr("[gpu/more-processes-than-gpus]")));
  EXPECT_TRUE(client_->remove(kJobs, run_, "llama").ok());
}

TEST_F(OtherKindsAtTheApiServer, ATrainJobIsJudgedWithItsRuntimeOnceTheTrainerIsInstalled) {
  label_namespace();
  make_crd(kTrainJobs, "TrainJob");
  make_crd(kRuntimes, "ClusterTrainingRuntime");
  Json job = object_of("trainer.kubeflow.org/v1alpha1", "TrainJob",
                       {{"runtimeRef", {{"name", run_}}}, {"trainer", {{"numNodes", 2}, {"numProcPerNode", 8}}}});
  EXPECT_TRUE(try_to(kTrainJobs, job).ok()) << "what its runtime says is not known";
  Json runtime = Json::parse(R"({"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "ClusterTrainingRuntime",
    "spec": {"mlPolicy": {"torch": {}}, "template": {"spec": {"replicatedJobs": [{"name": "node", "template": {
      "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
      "spec": {"template": {"spec": {}}}}}]}}}})");
  runtime["metadata"]["name"] = run_;
  Json node = container("node", 4);
  node["command"] = {"torchrun", "train.py"};
  runtime["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["containers"] =
      Json::array({node});
  ASSERT_TRUE(client_->create(kRuntimes, "", runtime).ok());
  kube::Reply refused = kube::ApiError{};
  // The webhook asks every 30 s what is served.
  ASSERT_TRUE(eventually(
      [&] {
        refused = try_to(kTrainJobs, job);
        return !refused.ok();
      },
      std::chrono::seconds(90)))
      << program_->log();
  EXPECT_THAT(refused.error().message, HasSubstr("spec.trainer.numProcPerNode: 8 processes per node"));
  job["spec"]["trainer"]["numProcPerNode"] = 4;
  EXPECT_TRUE(try_to(kTrainJobs, job).ok());
}

// Sound ones: a Rollcall that is installed on the cluster is asked too, and would refuse what is faulty.
TEST_F(OtherKindsAtTheApiServer, AWebhookThatIsGoneKeepsNobodyOut) {
  label_namespace();
  program_->end();
  for (const auto& [resource, object] :
       {std::pair(kPyTorchJobs, pytorch_job(8)), std::pair(kJobs, job_of(8)), std::pair(kube::kPods, pod_of(8)),
        std::pair(kStatefulSets, stateful_set_of(8))}) {
    const auto admitted = try_to(resource, object);
    EXPECT_TRUE(admitted.ok()) << resource.plural << ": " << admitted.error().text();
  }
}

}  // namespace
}  // namespace rollcall::webhook_test
