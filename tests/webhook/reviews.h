#pragma once

#include <nlohmann/json.hpp>
#include <string>

/// Reviews as an API server sends them.
namespace rollcall::webhook::test {

using nlohmann::json;

/// A TrainingJob as stored: what the API server adds stands beside what a person wrote.
inline json job(int processes = 8, int gpus = 8) {
  json object = json::parse(R"({
    "apiVersion": "rollcall.dev/v1alpha1",
    "kind": "TrainingJob",
    "metadata": {
      "name": "llama-ft", "namespace": "research", "uid": "0b8a3a0e-8a69-4f4e-a7e1-4f4f3d0f5f11",
      "resourceVersion": "4711", "generation": 1, "creationTimestamp": "2026-11-30T18:00:00Z",
      "managedFields": [{"manager": "kubectl", "operation": "Update", "fieldsV1": {"f:spec": {"f:nnodes": {}}}}]
    },
    "spec": {
      "nnodes": 4,
      "template": {"spec": {"containers": [
        {"name": "trainer", "image": "registry.example:5000/train:1", "command": ["torchrun", "train.py"]}
      ]}}
    }
  })");
  object["spec"]["nprocPerNode"] = processes;
  object["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] = gpus;
  return object;
}

inline json review_of(const std::string& operation, json object, json old_object = nullptr) {
  json review = json::parse(R"({
    "apiVersion": "admission.k8s.io/v1",
    "kind": "AdmissionReview",
    "request": {
      "uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
      "kind": {"group": "rollcall.dev", "version": "v1alpha1", "kind": "TrainingJob"},
      "resource": {"group": "rollcall.dev", "version": "v1alpha1", "resource": "trainingjobs"},
      "requestKind": {"group": "rollcall.dev", "version": "v1alpha1", "kind": "TrainingJob"},
      "requestResource": {"group": "rollcall.dev", "version": "v1alpha1", "resource": "trainingjobs"},
      "name": "llama-ft",
      "namespace": "research",
      "userInfo": {"username": "mara@example", "groups": ["system:authenticated"]},
      "dryRun": false,
      "options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"}
    }
  })");
  review["request"]["operation"] = operation;
  review["request"]["object"] = std::move(object);
  review["request"]["oldObject"] = std::move(old_object);
  return review;
}

/// A PyTorchJob of two pods, as somebody applied it. With 8 processes and 4 GPUs it cannot work.
inline json pytorch_job(int processes = 8, int gpus = 8) {
  json object = json::parse(R"({
    "apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "llama", "namespace": "research"},
    "spec": {"pytorchReplicaSpecs": {}}
  })");
  for (const char* role : {"Master", "Worker"}) {
    json& replica = object["spec"]["pytorchReplicaSpecs"][role];
    replica = json::parse(R"({"replicas": 1, "template": {"spec": {"containers": [
      {"name": "pytorch", "image": "registry.example.test/train:1", "command": ["torchrun"]}]}}})");
    json& container = replica["template"]["spec"]["containers"][0];
    container["args"] = {"--nproc-per-node=" + std::to_string(processes), "train.py"};
    container["resources"]["limits"]["nvidia.com/gpu"] = gpus;
    container["resources"]["limits"]["memory"] = "512Gi";
    replica["template"]["spec"]["volumes"] = {{{"name", "shm"}, {"emptyDir", {{"medium", "Memory"}}}}};
    container["volumeMounts"] = {{{"name", "shm"}, {"mountPath", "/dev/shm"}}};
  }
  return object;
}

/// The review of an object of any kind, as its own words name it.
inline json review_of_kind(const std::string& operation, const json& object, const json& old_object = nullptr) {
  json review = review_of(operation, object, old_object);
  const json& named = object.is_null() ? old_object : object;
  const std::string version = named.at("apiVersion");
  const std::size_t slash = version.find('/');
  review["request"]["kind"] = {{"group", slash == std::string::npos ? "" : version.substr(0, slash)},
                               {"version", slash == std::string::npos ? version : version.substr(slash + 1)},
                               {"kind", named.at("kind")}};
  return review;
}

}  // namespace rollcall::webhook::test
