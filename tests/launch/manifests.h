#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "launch/check.h"

namespace rollcall::launch::test {

/// The text of a file beside the tests: `launch/rules/gpu/…/wrong.yaml`.
inline std::string fixture(const std::string& name) {
  std::ifstream file(std::string(ROLLCALL_SOURCE_DIR) + "/tests/" + name);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Without those about /dev/shm: most manifests of the tests leave the volume out, to be short.
inline Findings without_shm(Findings findings) {
  std::erase_if(findings, [](const Finding& finding) { return finding.rule == "memory/no-shm"; });
  return findings;
}

/// The findings of a text that can be read.
inline Findings all_findings_of(const std::string& text) {
  const auto result = check_text(text, "job.yaml");
  EXPECT_TRUE(result.ok()) << result.error().message;
  return result.ok() ? *result : Findings{};
}
inline Findings findings_of(const std::string& text) { return without_shm(all_findings_of(text)); }

/// `rule@path`, one a line: what most tests compare.
inline std::string short_of(const Findings& findings) {
  std::string out;
  for (const Finding& finding : findings) {
    out += (out.empty() ? "" : "\n") + std::string(to_string(finding.severity)) + " " + finding.rule + " @ " +
           finding.place.path;
  }
  return out;
}

/// Both at once.
inline std::string found(const std::string& manifest) { return short_of(findings_of(manifest)); }

/// A headless Service for the pods of a Job `llama`, with a document's end.
inline const std::string kService =
    "apiVersion: v1\nkind: Service\nmetadata: {name: llama}\n"
    "spec: {clusterIP: None, publishNotReadyAddresses: true, selector: {job-name: llama}}\n---\n";

/// A TrainingJob of four nodes with 8 GPUs each. `spec` are lines of its spec (indented by two), `container` lines of
/// the trainer container (indented by ten), `pod` of the pod's spec (by six).
inline std::string job(const std::string& container, const std::string& spec = "", const std::string& pod = "") {
  return "apiVersion: rollcall.dev/v1alpha1\nkind: TrainingJob\nmetadata: {name: llama}\nspec:\n" +
         (spec.find("nnodes:") == std::string::npos ? std::string("  nnodes: 4\n") : "") + spec +
         "  template:\n    spec:\n" + pod +
         "      containers:\n        - name: trainer\n          image: train:1\n"
         "          resources: {limits: {nvidia.com/gpu: 8}}\n" +
         container;
}

/// The same with a command in exec form: `torchrun, --nnodes=2, train.py`.
inline std::string job_of(const std::string& command, const std::string& spec = "") {
  return job("          command: [" + command + "]\n", spec);
}

/// The same with a script.
inline std::string job_of_script(const std::string& script, const std::string& spec = "") {
  std::string indented;
  for (const char c : script) indented += c == '\n' ? std::string("\n              ") : std::string(1, c);
  return job("          command: [bash, -c]\n          args:\n            - |-\n              " + indented + "\n",
             spec);
}

}  // namespace rollcall::launch::test
