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

}  // namespace rollcall::webhook::test
