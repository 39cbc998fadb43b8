#include <nlohmann/json.hpp>
#include <string>

#include "finding/finding.h"
#include "fuzz/target.h"
#include "fuzz/targets.h"
#include "launch/check.h"

// What stands where Kubernetes takes a quantity: devices, memory, processors, the size of /dev/shm. The first byte
// chooses text or, where the bytes are JSON, whatever they say. The rules end and say the same twice.
namespace rollcall::fuzz {
namespace {

using nlohmann::json;

json job_with(const json& quantity) {
  const json resources = {{"limits", {{"nvidia.com/gpu", quantity}, {"memory", quantity}, {"cpu", quantity}}},
                          {"requests", {{"nvidia.com/gpu", quantity}, {"ephemeral-storage", quantity}}}};
  const json container = {{"name", "trainer"},
                          {"image", "trainer:1"},
                          {"command", {"torchrun", "--nnodes=2", "--nproc-per-node=auto", "train.py"}},
                          {"resources", resources},
                          {"volumeMounts", {{{"name", "shm"}, {"mountPath", "/dev/shm"}}}}};
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", {{"name", "fuzz"}}},
          {"spec",
           {{"completionMode", "Indexed"},
            {"parallelism", quantity},
            {"template",
             {{"spec",
               {{"containers", {container}},
                {"volumes", {{{"name", "shm"}, {"emptyDir", {{"medium", "Memory"}, {"sizeLimit", quantity}}}}}}}}}}}}};
}

}  // namespace

void fuzz_quantities(std::string_view bytes) {
  if (bytes.empty()) return;
  const bool text = bytes.front() % 2 == 0;
  bytes.remove_prefix(1);
  // Values that are long or deep are for the target `manifests`.
  if (bytes.size() > 256) return;
  json quantity = std::string(bytes);
  if (!text) quantity = json::parse(bytes, nullptr, false);
  if (quantity.is_discarded()) return;
  const json job = job_with(quantity);
  const Findings findings = launch::check_by_kind(job).findings;
  for (const Finding& finding : findings)
    must(!finding.rule.empty() && !sentence(finding).empty(), "a finding has a rule and words");
  must(to_json(findings) == to_json(launch::check_by_kind(job).findings), "the same job is judged the same twice");
}

}  // namespace rollcall::fuzz

ROLLCALL_FUZZ_TARGET(quantities);
