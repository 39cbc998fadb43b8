#include "launch/pod/make_pod.h"

#include <gmock/gmock.h>

#include "api/names.h"
#include "launch/handed_over.h"
#include "launch/pod/qos.h"

namespace rollcall::launch {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
namespace names = api::names;

const ProbeSettings kProbe{.image = "rollcall/probe:1",
                           .image_pull_policy = "IfNotPresent",
                           .desk_address = "10.96.3.4:443",
                           .desk_name = "rollcall-desk.rollcall-system.svc",
                           .desk_ca = "PEM"};

api::TrainingJob job_of(json pod_template) {
  api::TrainingJob job;
  job.meta.name = "llama";
  job.meta.namespace_name = "ml";
  job.meta.uid = "job-uid";
  job.spec.nnodes = 4;
  job.spec.pod_template = std::move(pod_template);
  return job;
}

Plan plan_for(std::string launcher, int processes = 1) {
  Plan plan;
  plan.trainer = "trainer";
  plan.launcher = std::move(launcher);
  plan.nnodes = 4;
  plan.nproc_per_node = processes;
  return plan;
}

json simple_template() {
  return json::parse(
      R"({"spec": {"containers": [{"name": "trainer", "image": "train:1", "command": ["python", "train.py"]}]}})");
}

json pod_of(const json& pod_template, const Plan& plan = plan_for("none"), int node_rank = 2, int attempt = 3) {
  const auto pod = make_pod(job_of(pod_template), plan, node_rank, attempt, kProbe);
  EXPECT_TRUE(pod.ok()) << pod.error().message;
  return pod.ok() ? *pod : json();
}

std::map<std::string, std::string> env_of(const json& container) {
  std::map<std::string, std::string> env;
  for (const auto& entry : container["env"]) {
    env[entry["name"]] = entry.contains("value")
                             ? entry["value"].get<std::string>()
                             : "<" + entry["valueFrom"]["fieldRef"]["fieldPath"].get<std::string>() + ">";
  }
  return env;
}

const json& installer_of(const json& pod) { return pod["spec"]["initContainers"].front(); }
const json& probe_of(const json& pod) { return pod["spec"]["initContainers"].back(); }
const json& trainer_of(const json& pod) { return pod["spec"]["containers"][0]; }

TEST(MakePod, IsTheSamePodAsLastTime) {
  const auto golden = json::parse(R"({
    "apiVersion": "v1", "kind": "Pod",
    "metadata": {
      "name": "llama-2-3", "namespace": "ml",
      "labels": {"rollcall.dev/job-name": "llama", "rollcall.dev/job-uid": "job-uid", "rollcall.dev/node-rank": "2", "rollcall.dev/attempt": "3"},
      "ownerReferences": [{"apiVersion": "rollcall.dev/v1alpha1", "kind": "TrainingJob", "name": "llama", "uid": "job-uid", "controller": true}]},
    "spec": {
      "restartPolicy": "Never",
      "initContainers": [
        {"name": "rollcall-install", "image": "rollcall/probe:1", "imagePullPolicy": "IfNotPresent",
         "command": ["/rollcall-probe", "install", "/rollcall/bin"],
         "terminationMessagePolicy": "FallbackToLogsOnError",
         "securityContext": {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}, "readOnlyRootFilesystem": true,
                             "runAsNonRoot": true, "seccompProfile": {"type": "RuntimeDefault"}},
         "volumeMounts": [{"name": "rollcall-bin", "mountPath": "/rollcall/bin"}]},
        {"name": "rollcall", "image": "train:1", "command": ["/rollcall/bin/rollcall-probe", "answer"],
         "terminationMessagePolicy": "FallbackToLogsOnError",
         "env": [{"name": "ROLLCALL_DESK_ADDRESS", "value": "10.96.3.4:443"},
                 {"name": "ROLLCALL_DESK_NAME", "value": "rollcall-desk.rollcall-system.svc"},
                 {"name": "ROLLCALL_DESK_CA", "value": "PEM"},
                 {"name": "ROLLCALL_JOB", "value": "tj/ml/llama"},
                 {"name": "ROLLCALL_ATTEMPT", "value": "3"},
                 {"name": "ROLLCALL_NODE_RANK", "value": "2"},
                 {"name": "ROLLCALL_NNODES", "value": "4"},
                 {"name": "ROLLCALL_GIVE_UP_SECONDS", "value": "2700"},
                 {"name": "ROLLCALL_POD_UID", "valueFrom": {"fieldRef": {"fieldPath": "metadata.uid"}}},
                 {"name": "ROLLCALL_POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
         "volumeMounts": [{"name": "rollcall-bin", "mountPath": "/rollcall/bin", "readOnly": true},
                          {"name": "rollcall-token", "mountPath": "/rollcall/token", "readOnly": true},
                          {"name": "rollcall-pod", "mountPath": "/rollcall/pod", "readOnly": true}]}],
      "containers": [
        {"name": "trainer", "image": "train:1", "command": ["python", "train.py"],
         "env": [{"name": "MASTER_ADDR", "valueFrom": {"fieldRef": {"fieldPath": "metadata.annotations['rollcall.dev/master-addr']"}}},
                 {"name": "MASTER_PORT", "value": "29500"}, {"name": "NNODES", "value": "4"}, {"name": "NODE_RANK", "value": "2"},
                 {"name": "NPROC_PER_NODE", "value": "1"}, {"name": "RANK", "value": "2"}, {"name": "LOCAL_RANK", "value": "0"},
                 {"name": "WORLD_SIZE", "value": "4"}],
         "volumeMounts": [{"name": "rollcall-bin", "mountPath": "/rollcall/address", "subPathExpr": "$(MASTER_ADDR)/seen", "readOnly": true}]}],
      "volumes": [
        {"name": "rollcall-bin", "emptyDir": {"sizeLimit": "64Mi"}},
        {"name": "rollcall-token", "projected": {"sources": [{"serviceAccountToken": {"audience": "rollcall", "expirationSeconds": 3600, "path": "token"}}]}},
        {"name": "rollcall-pod", "downwardAPI": {"items": [{"path": "annotations", "fieldRef": {"fieldPath": "metadata.annotations"}}]}}]}})");
  EXPECT_EQ(pod_of(simple_template()), golden) << json::diff(golden, pod_of(simple_template())).dump(1);
}

struct LauncherCase {
  const char* launcher;
  int processes;
  std::map<std::string, std::string> handed;
  std::vector<std::string> absent;
};
class LaunchValues : public testing::TestWithParam<LauncherCase> {};

TEST_P(LaunchValues, AreThoseOfTheLauncher) {
  const auto& c = GetParam();
  const auto pod = pod_of(simple_template(), plan_for(c.launcher, c.processes));
  const auto env = env_of(trainer_of(pod));
  for (const auto& [name, value] : c.handed) EXPECT_EQ(env.contains(name) ? env.at(name) : "(absent)", value) << name;
  for (const auto& name : c.absent) EXPECT_FALSE(env.contains(name)) << name;
  EXPECT_EQ(env.size(), handed_over_names(c.launcher, c.processes).size())
      << "every name that is promised is handed over";
}

INSTANTIATE_TEST_SUITE_P(
    Table, LaunchValues,
    testing::Values(LauncherCase{"torchrun",
                                 8,
                                 {{"MASTER_ADDR", "<metadata.annotations['rollcall.dev/master-addr']>"},
                                  {"NPROC_PER_NODE", "8"},
                                  {"PET_NNODES", "4"},
                                  {"PET_NODE_RANK", "2"},
                                  {"PET_NPROC_PER_NODE", "8"},
                                  {"PET_MASTER_ADDR", "$(MASTER_ADDR)"},
                                  {"PET_MASTER_PORT", "29500"},
                                  {"PET_RDZV_BACKEND", "static"}},
                                 {"RANK", "WORLD_SIZE", "JAX_PROCESS_ID"}},
                    LauncherCase{"accelerate", 8, {{"PET_NNODES", "4"}}, {"RANK"}},
                    LauncherCase{"jax",
                                 1,
                                 {{"JAX_COORDINATOR_ADDRESS", "<metadata.annotations['rollcall.dev/master-endpoint']>"},
                                  {"JAX_NUM_PROCESSES", "4"},
                                  {"JAX_PROCESS_ID", "2"}},
                                 {"PET_NNODES", "RANK"}},
                    LauncherCase{"none", 1, {{"RANK", "2"}, {"LOCAL_RANK", "0"}, {"WORLD_SIZE", "4"}}, {"PET_NNODES"}},
                    LauncherCase{"none", 8, {{"NODE_RANK", "2"}}, {"RANK", "LOCAL_RANK", "WORLD_SIZE"}},
                    LauncherCase{"unknown", 1, {{"PET_NNODES", "4"}, {"RANK", "2"}}, {"JAX_PROCESS_ID"}},
                    LauncherCase{"deepspeed", 8, {{"MASTER_PORT", "29500"}}, {"PET_NNODES", "RANK"}}));

TEST(MakePod, AUsersEntryOfAHandedOverNameIsLeftOutAndTheRestFollows) {
  auto pod_template = simple_template();
  pod_template["spec"]["containers"][0]["env"] = json::parse(
      R"([{"name": "MASTER_ADDR", "value": "gpu-0"}, {"name": "URL", "value": "tcp://$(MASTER_ADDR):1"}, {"name": "RANK", "value": "9"}])");
  const auto pod = pod_of(pod_template);
  const auto& env = trainer_of(pod)["env"];
  EXPECT_EQ(env.front()["name"], "MASTER_ADDR");
  EXPECT_EQ(env.back(), json::parse(R"({"name": "URL", "value": "tcp://$(MASTER_ADDR):1"})"));
  EXPECT_EQ(env_of(trainer_of(pod)).at("RANK"), "2");
  EXPECT_EQ(env.size(), 9U);
}

TEST(MakePod, ProbeSeesWhatTheTrainerSees) {
  auto pod_template = simple_template();
  pod_template["spec"]["containers"][0].update(json::parse(R"({
      "imagePullPolicy": "Always",
      "env": [{"name": "NCCL_DEBUG", "value": "INFO"}, {"name": "ROLLCALL_ATTEMPT", "value": "99"}],
      "envFrom": [{"configMapRef": {"name": "nccl"}}],
      "resources": {"limits": {"cpu": 4, "memory": "8Gi", "nvidia.com/gpu": 8, "rdma/ib": 1}, "claims": [{"name": "fabric"}]},
      "securityContext": {"capabilities": {"add": ["IPC_LOCK"]}},
      "volumeMounts": [{"name": "shm", "mountPath": "/dev/shm"}],
      "volumeDevices": [{"name": "disk", "devicePath": "/dev/xvda"}],
      "workingDir": "/workspace",
      "ports": [{"containerPort": 29500, "hostPort": 29500}],
      "livenessProbe": {"tcpSocket": {"port": 1}}})"));
  auto plan = plan_for("torchrun", 8);
  plan.gpu_resource = "nvidia.com/gpu";
  plan.gpus_per_pod = 8;
  const auto pod = pod_of(pod_template, plan);
  const auto& probe = probe_of(pod);
  const auto& trainer = pod_template["spec"]["containers"][0];
  for (const char* same :
       {"image", "imagePullPolicy", "envFrom", "resources", "securityContext", "volumeDevices", "workingDir"}) {
    EXPECT_EQ(probe[same], trainer[same]) << same;
  }
  EXPECT_FALSE(probe.contains("ports")) << "a host port would be taken twice";
  EXPECT_FALSE(probe.contains("livenessProbe")) << "not allowed in an init container";
  EXPECT_EQ(env_of(probe).at("NCCL_DEBUG"), "INFO");
  EXPECT_EQ(env_of(probe).at("ROLLCALL_ATTEMPT"), "3") << "ours wins over the user's";
  EXPECT_EQ(env_of(probe).at("ROLLCALL_GPU_RESOURCE"), "nvidia.com/gpu");
  EXPECT_EQ(env_of(probe).at("ROLLCALL_GPUS"), "8");
  EXPECT_EQ(probe["volumeMounts"].front(), trainer["volumeMounts"].front());
  EXPECT_EQ(probe["volumeMounts"].size(), 4U);
  EXPECT_EQ(installer_of(pod)["resources"], json::parse(R"({"limits": {"cpu": 4, "memory": "8Gi"}})"))
      << "no device for the installer";
}

TEST(MakePod, ProbeIsToldWhatTheCommandExportsAndWhatTheJobWantsRun) {
  auto job = job_of(simple_template());
  job.spec.roll_call.setup = ". /opt/profile.sh $(uname -m) $$";
  job.spec.roll_call.checks = {{"nfs", {"sh", "-c", "stat $(PATHS)"}, true, 30}};
  auto plan = plan_for("torchrun");
  plan.exports = {{"NCCL_SOCKET_IFNAME", "eth0"}};
  plan.partial_environment = "the command runs `. $A`";
  auto settings = kProbe;
  settings.deadline_percent = 150;
  const auto pod = make_pod(job, plan, 0, 1, settings);
  ASSERT_TRUE(pod.ok()) << pod.error().message;
  const auto env = env_of(probe_of(*pod));
  EXPECT_EQ(env.at("ROLLCALL_EXPORTS"), R"({"NCCL_SOCKET_IFNAME":"eth0"})");
  EXPECT_EQ(env.at("ROLLCALL_SETUP"), ". /opt/profile.sh $$(uname -m) $$$$") << "the kubelet makes it the job's text";
  EXPECT_EQ(env.at("ROLLCALL_FIDELITY"), "the command runs `. $$A`");
  EXPECT_EQ(json::parse(env.at("ROLLCALL_CHECKS")), (json::array({{{"name", "nfs"},
                                                                   {"command", {"sh", "-c", "stat $$(PATHS)"}},
                                                                   {"compare", true},
                                                                   {"deadlineSeconds", 30}}})));
  EXPECT_EQ(env.at("ROLLCALL_DEADLINE_PERCENT"), "150");
  EXPECT_FALSE(env.contains("ROLLCALL_NCCL")) << "the job's own";
  EXPECT_FALSE(env_of(trainer_of(*pod)).contains("ROLLCALL_SETUP")) << "the trainer is left as it is";
}

TEST(MakePod, BundledNcclComesByAnImageOfItsOwnWithRoomForIt) {
  auto job = job_of(simple_template());
  job.spec.roll_call.nccl = api::NcclSource::Bundled;
  const auto refused = make_pod(job, plan_for("none"), 0, 1, kProbe);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("spec.rollCall.nccl"));
  auto settings = kProbe;
  settings.bundled_image = "rollcall/probe-nccl:1";
  const auto pod = make_pod(job, plan_for("none"), 0, 1, settings);
  ASSERT_TRUE(pod.ok()) << pod.error().message;
  EXPECT_EQ(installer_of(*pod)["image"], "rollcall/probe-nccl:1");
  EXPECT_EQ(env_of(probe_of(*pod)).at("ROLLCALL_NCCL"), "Bundled");
  EXPECT_EQ((*pod)["spec"]["volumes"][0]["emptyDir"]["sizeLimit"], "576Mi");
}

TEST(MakePod, InstallerIsFirstAndProbeIsLast) {
  auto pod_template = simple_template();
  pod_template["spec"]["initContainers"] =
      json::parse(R"([{"name": "data", "image": "d"}, {"name": "mesh", "image": "m", "restartPolicy": "Always"}])");
  const auto pod = pod_of(pod_template);
  std::vector<std::string> order;
  for (const auto& container : pod["spec"]["initContainers"]) order.push_back(container["name"]);
  EXPECT_EQ(order, (std::vector<std::string>{"rollcall-install", "data", "mesh", "rollcall"}));
}

TEST(MakePod, AddressOfATemplateNeverReachesTheTrainer) {
  auto pod_template = simple_template();
  pod_template["metadata"]["annotations"] = {{names::kAnnotationMasterAddr, "10.9.9.9"},
                                             {names::kAnnotationReleased, "3"},
                                             {names::kAnnotationAttempt, "3"},
                                             {"team", "nlp"}};
  EXPECT_EQ(pod_of(pod_template)["metadata"]["annotations"], (json{{"team", "nlp"}}));
}

TEST(MakePod, PerContainerAnnotationsCountForTheProbeToo) {
  auto pod_template = simple_template();
  pod_template["metadata"]["annotations"] = {
      {"container.apparmor.security.beta.kubernetes.io/trainer", "unconfined"},
      {"container.apparmor.security.beta.kubernetes.io/other", "runtime/default"},
      {"devices.gke.io/container.trainer", "- path: /dev/x"}};
  const auto annotations = pod_of(pod_template)["metadata"]["annotations"];
  EXPECT_EQ(annotations["container.apparmor.security.beta.kubernetes.io/rollcall"], "unconfined");
  EXPECT_EQ(annotations["devices.gke.io/container.rollcall"], "- path: /dev/x");
  EXPECT_EQ(annotations.size(), 5U);
}

TEST(MakePod, LabelsOfTheTemplateStayAndCannotSpeakForUs) {
  auto pod_template = simple_template();
  pod_template["metadata"] = {{"name", "x"}, {"labels", {{"app", "llama"}, {names::kLabelNodeRank, "0"}}}};
  const auto metadata = pod_of(pod_template)["metadata"];
  EXPECT_EQ(metadata["labels"]["app"], "llama");
  EXPECT_EQ(metadata["labels"][names::kLabelNodeRank], "2");
  EXPECT_EQ(metadata["name"], "llama-2-3");
}

TEST(MakePod, RootByTheTemplatesWordIsNotArguedWith) {
  auto pod_template = simple_template();
  pod_template["spec"]["securityContext"] = {{"runAsUser", 0}, {"seccompProfile", {{"type", "Unconfined"}}}};
  const auto pod = pod_of(pod_template);
  const auto& security = installer_of(pod)["securityContext"];
  EXPECT_FALSE(security.contains("runAsNonRoot"));
  EXPECT_FALSE(security.contains("seccompProfile"));
}

TEST(MakePod, FieldsWeDoNotKnowAreKept) {
  auto pod_template = simple_template();
  pod_template["spec"].update(
      json::parse(R"({"resorces": {"x": 1}, "hostNetwork": true, "schedulingGates": [{"name": "q"}]})"));
  const auto pod = pod_of(pod_template);
  for (const char* kept : {"resorces", "hostNetwork", "schedulingGates"})
    EXPECT_EQ(pod["spec"][kept], pod_template["spec"][kept]);
}

struct QosCase {
  const char* name;
  const char* spec;
  const char* qos;
};
class Qos : public testing::TestWithParam<QosCase> {};

TEST_P(Qos, ClassAndEffectiveRequestsAreThoseOfTheTemplate) {
  using namespace testing_qos;
  const auto spec = json::parse(GetParam().spec);
  const auto pod = pod_of({{"spec", spec}});
  EXPECT_EQ(qos_class(spec), GetParam().qos) << "the test's own arithmetic";
  EXPECT_EQ(qos_class(pod["spec"]), qos_class(spec));
  EXPECT_EQ(effective(pod["spec"], "requests"), effective(spec, "requests"));
  EXPECT_EQ(effective(pod["spec"], "limits"), effective(spec, "limits"));
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, Qos,
    testing::Values(
        QosCase{"NoResources", R"({"containers": [{"name": "trainer"}]})", "BestEffort"},
        QosCase{
            "Guaranteed",
            R"({"containers": [{"name": "trainer", "resources": {"limits": {"cpu": 4, "memory": "8Gi", "nvidia.com/gpu": 8}}}]})",
            "Guaranteed"},
        QosCase{
            "GuaranteedRequestsSpeltOut",
            R"({"containers": [{"name": "trainer", "resources": {"limits": {"cpu": "4", "memory": "8Gi"}, "requests": {"cpu": 4, "memory": "8Gi"}}}]})",
            "Guaranteed"},
        QosCase{
            "Burstable",
            R"({"containers": [{"name": "trainer", "resources": {"requests": {"cpu": "500m"}, "limits": {"memory": "1Gi"}}}]})",
            "Burstable"},
        QosCase{"GpuAlone", R"({"containers": [{"name": "trainer", "resources": {"limits": {"nvidia.com/gpu": 1}}}]})",
                "BestEffort"},
        QosCase{
            "TwoContainers",
            R"({"containers": [{"name": "trainer", "resources": {"limits": {"cpu": 2, "memory": "4Gi"}}}, {"name": "log", "resources": {"limits": {"cpu": "100m", "memory": "64Mi"}}}]})",
            "Guaranteed"},
        QosCase{
            "LargeInitContainer",
            R"({"initContainers": [{"name": "data", "resources": {"requests": {"cpu": 16, "memory": "64Gi"}}}], "containers": [{"name": "trainer", "resources": {"requests": {"cpu": 2, "memory": "4Gi"}}}]})",
            "Burstable"},
        QosCase{
            "Sidecar",
            R"({"initContainers": [{"name": "mesh", "restartPolicy": "Always", "resources": {"requests": {"cpu": 1, "memory": "1Gi"}}}], "containers": [{"name": "trainer", "resources": {"requests": {"cpu": 2, "memory": "4Gi"}}}]})",
            "Burstable"}),
    [](const auto& shape) { return std::string(shape.param.name); });

struct ClashCase {
  const char* name;
  const char* spec;
  const char* says;
};
class Clashes : public testing::TestWithParam<ClashCase> {};

TEST_P(Clashes, NameTheField) {
  const auto pod = make_pod(job_of({{"spec", json::parse(GetParam().spec)}}), plan_for("none"), 0, 1, kProbe);
  ASSERT_FALSE(pod.ok());
  EXPECT_THAT(pod.error().message, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Table, Clashes,
    testing::Values(
        ClashCase{
            "InitContainer", R"({"initContainers": [{"name": "rollcall"}], "containers": [{"name": "trainer"}]})",
            "spec.template.spec.initContainers[0].name: `rollcall` is the name of a container that Rollcall adds"},
        ClashCase{"Container", R"({"containers": [{"name": "trainer"}, {"name": "rollcall-install"}]})",
                  "spec.template.spec.containers[1].name: `rollcall-install`"},
        ClashCase{"Volume", R"({"volumes": [{"name": "rollcall-bin"}], "containers": [{"name": "trainer"}]})",
                  "spec.template.spec.volumes[0].name: `rollcall-bin` is the name of a volume"},
        ClashCase{
            "MountBelow",
            R"({"containers": [{"name": "trainer", "volumeMounts": [{"name": "x", "mountPath": "/rollcall/bin/"}]}]})",
            "spec.template.spec.containers[0].volumeMounts[0].mountPath: `/rollcall/bin` covers /rollcall"},
        ClashCase{"RestartPolicy", R"({"restartPolicy": "OnFailure", "containers": [{"name": "trainer"}]})",
                  "spec.template.spec.restartPolicy: `OnFailure`"},
        ClashCase{"ContainersAsObject", R"({"containers": {"name": "trainer"}})",
                  "spec.template.spec.containers: must be a list, is object"},
        ClashCase{"ContainerAsText", R"({"containers": ["trainer"]})",
                  "spec.template.spec.containers[0]: must be an object"},
        ClashCase{"NoContainer", R"({"containers": []})", "spec.template.spec.containers: has no item 0"},
        ClashCase{"EnvAsObject", R"({"containers": [{"name": "trainer", "env": {"A": "b"}}]})",
                  "containers[0].env: must be a list"}),
    [](const auto& clash) { return std::string(clash.param.name); });

TEST(MakePod, AListThatIsNullIsOneThatIsAbsent) {
  auto pod_template = simple_template();
  auto& trainer = pod_template["spec"]["containers"][0];
  for (const char* list : {"env", "volumeMounts", "ports", "resources", "securityContext"}) trainer.erase(list);
  auto with_nulls = pod_template;
  for (const char* list : {"env", "volumeMounts", "ports"}) with_nulls["spec"]["containers"][0][list] = nullptr;
  for (const char* list : {"initContainers", "volumes"}) with_nulls["spec"][list] = nullptr;
  const auto pod = pod_of(with_nulls);
  const auto same = pod_of(pod_template);
  EXPECT_EQ(pod["spec"]["containers"][0]["env"], same["spec"]["containers"][0]["env"]);
  EXPECT_EQ(pod["spec"]["containers"][0]["volumeMounts"], same["spec"]["containers"][0]["volumeMounts"]);
  EXPECT_EQ(pod["spec"]["initContainers"], same["spec"]["initContainers"]);
  EXPECT_EQ(pod["spec"]["volumes"], same["spec"]["volumes"]);
}

TEST(MakePod, RestartPolicyNeverIsAccepted) {
  auto pod_template = simple_template();
  pod_template["spec"]["restartPolicy"] = "Never";
  EXPECT_EQ(pod_of(pod_template)["spec"]["restartPolicy"], "Never");
}

// ------------------------------------------------------------------------------------------------- the host network
json ports_of(const json& pod_template, int node_rank, bool host_network = true) {
  auto plan = plan_for("none");
  plan.host_network = host_network;
  return pod_of(pod_template, plan, node_rank)["spec"]["containers"][0].value("ports", json::array());
}

TEST(MasterPort, IsAHostPortOfNodeRankZeroOnTheHostNetworkAlone) {
  EXPECT_EQ(
      ports_of(simple_template(), 0),
      json::parse(R"([{"name": "rollcall-master", "containerPort": 29500, "hostPort": 29500, "protocol": "TCP"}])"));
  EXPECT_EQ(ports_of(simple_template(), 1), json::array());
  EXPECT_EQ(ports_of(simple_template(), 0, false), json::array());
}

TEST(MasterPort, IsLeftToATemplateThatDeclaresIt) {
  struct Case {
    const char* name;
    const char* ports;
    std::size_t in_all;
  };
  const Case cases[] = {
      {"declared as a container port", R"([{"containerPort": 29500}])", 1},
      {"declared as TCP", R"([{"containerPort": 29500, "hostPort": 29500, "protocol": "TCP"}])", 1},
      {"the same number of another protocol", R"([{"containerPort": 29500, "protocol": "UDP"}])", 2},
      {"another port", R"([{"containerPort": 8080}])", 2},
  };
  for (const auto& each : cases) {
    auto pod_template = simple_template();
    pod_template["spec"]["containers"][0]["ports"] = json::parse(each.ports);
    EXPECT_EQ(ports_of(pod_template, 0).size(), each.in_all) << each.name;
  }
}

TEST(MasterPort, ASidecarsDeclarationCountsAndATakenNameIsNotTakenTwice) {
  auto pod_template = simple_template();
  pod_template["spec"]["containers"].push_back(
      json::parse(R"({"name": "proxy", "ports": [{"name": "rollcall-master", "containerPort": 1}]})"));
  EXPECT_EQ(ports_of(pod_template, 0),
            json::parse(R"([{"containerPort": 29500, "hostPort": 29500, "protocol": "TCP"}])"));
  pod_template["spec"]["containers"][1]["ports"][0]["containerPort"] = 29500;
  EXPECT_EQ(ports_of(pod_template, 0), json::array());
}

// ---------------------------------------------------------------------------------------------------- pull secrets
TEST(PullSecrets, OfAPolicyAreAddedToTheTemplatesOwn) {
  auto probe = kProbe;
  probe.pull_secrets = {"mirror", "team"};
  auto pod_template = simple_template();
  pod_template["spec"]["imagePullSecrets"] = json::parse(R"([{"name": "team"}])");
  const auto pod = make_pod(job_of(pod_template), plan_for("none"), 0, 1, probe);
  ASSERT_TRUE(pod.ok());
  EXPECT_EQ((*pod)["spec"]["imagePullSecrets"], json::parse(R"([{"name": "team"}, {"name": "mirror"}])"));
  EXPECT_FALSE(pod_of(simple_template())["spec"].contains("imagePullSecrets"));
}

TEST(Annotations, OfTheRollCallAreNotTakenFromATemplate) {
  auto pod_template = simple_template();
  pod_template["metadata"]["annotations"] = {{names::kAnnotationMasterAddr, "10.0.0.66"},
                                             {names::kAnnotationMasterEndpoint, "10.0.0.66:1"},
                                             {names::kAnnotationAttempt, "3"},
                                             {names::kAnnotationReleased, "3"},
                                             {"own", "kept"}};
  EXPECT_EQ(pod_of(pod_template)["metadata"]["annotations"], (json{{"own", "kept"}}));
}

}  // namespace
}  // namespace rollcall::launch
