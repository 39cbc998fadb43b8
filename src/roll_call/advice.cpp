#include "roll_call/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "api/names.h"
#include "roll_call/words.h"

namespace rollcall::roll_call {
namespace {

constexpr std::string_view kHang = "no: the job would start and hang, with every GPU held";
constexpr std::string_view kFail = "no: the job would fail at its start, and again after each restart";
constexpr std::string_view kSlow = "yes, at a price: the job would run, but slower than its hardware";
constexpr std::string_view kUnknown = "not known: nothing proves that the job would run";

constexpr std::string_view kNodeSmi =
    "kubectl debug node/{node} -it --image=busybox --profile=sysadmin -- chroot /host nvidia-smi -q";
constexpr std::string_view kNodeLog =
    "kubectl debug node/{node} -it --image=busybox --profile=sysadmin -- chroot /host dmesg -T";
constexpr std::string_view kRdma =
    "kubectl debug node/{node} -it --image=busybox --profile=sysadmin -- chroot /host ibstat";
constexpr std::string_view kPolicies = "kubectl get networkpolicies -n {namespace} -o yaml";
constexpr std::string_view kImages =
    "kubectl get pods -n {namespace} -o custom-columns=POD:.metadata.name,IMAGE:.status.containerStatuses[*].imageID";
constexpr std::string_view kJob = "kubectl get tj {job} -n {namespace} -o yaml";
constexpr std::string_view kPod = "kubectl describe pod {pod} -n {namespace}";
constexpr std::string_view kProbeLog = "kubectl logs {pod} -c {probe} -n {namespace}";

struct Family {
  std::string_view rule;  ///< a whole rule, or what it begins with
  std::string_view command;
  std::string_view safe;
};

/// The first that a rule begins with: exceptions stand before their family.
constexpr Family kFamilies[] = {
    {"mesh/", kPolicies, kHang},
    {"network/", kPolicies, kHang},
    {"address/", kPod, kHang},
    {"master-port/in-use", kPod, kFail},
    {"master-port/unreachable", kPolicies, kHang},
    {"master-port/", kJob, kFail},
    {"master-addr/", kJob, kHang},
    {"nccl/version", kImages, kHang},
    {"nccl/build", kImages, kHang},
    {"nccl/net-plugin", kImages, kHang},
    {"nccl/interface", kJob, kHang},
    {"nccl/address-not-bindable", kJob, kHang},
    {"nccl/shared-memory", kJob, kFail},
    {"nccl/no-answer", kNodeLog, kHang},
    {"nccl/", kJob, kFail},
    {"env/", kJob, kHang},
    {"gpu/remap", kNodeSmi,
     "yes, at a risk: the job runs until it comes upon the failed memory, then it dies and the others wait"},
    {"gpu/not-visible", kPod, kFail},
    {"gpu/no-libcuda", kPod, kFail},
    {"gpu/duplicate", kJob, kFail},
    {"gpu/driver-older-than-torch", kImages, kFail},
    {"gpu/", kNodeSmi, kFail},
    {"cuda/stub-library", kImages, kFail},
    {"cuda/forward-compatibility", kImages, kFail},
    {"cuda/no-device", kPod, kFail},
    {"cuda/", kNodeSmi, kFail},
    {"nvml/", kNodeSmi, kFail},
    {"transport/mixed", kRdma, kUnknown},
    {"transport/", kRdma, kSlow},
    {"rdma/retries-exceeded", kRdma, kHang},
    {"rdma/memory-access", kNodeLog, kFail},
    {"rdma/", kRdma, kSlow},
    {"bandwidth/", kNodeSmi, kSlow},
    {"collective/slow", kNodeSmi, kSlow},
    {"collective/below-floor", kNodeSmi, kSlow},
    {"collective/wrong-value", kNodeSmi, "no: the job would learn from wrong numbers, without a word"},
    {"collective/", kNodeLog, kHang},
    {"check", kProbeLog, "yours to say: it is the job's own check"},
    {"node/shm", kJob, "yes, at a risk: a policy asks for more; the job may run out of shared memory"},
    {"node/nofile", kNodeLog, "yes, at a risk: a policy asks for more; the job may run out of open files"},
    {"pod/", kPod, kHang},
    {"probe/mute", kPolicies, kUnknown},
    {"probe/", kProbeLog, kUnknown},
};

const Family& family_of(std::string_view rule) {
  static constexpr Family kOther{"", kProbeLog, kUnknown};
  const auto found = std::find_if(std::begin(kFamilies), std::end(kFamilies),
                                  [&](const Family& each) { return rule.substr(0, each.rule.size()) == each.rule; });
  return found == std::end(kFamilies) ? kOther : *found;
}

void replace(std::string& text, std::string_view name, const std::string& value) {
  for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size()))
    text.replace(at, name.size(), value);
}

const StageFinding* first_failure(const Roll& roll) {
  const auto found = std::find_if(roll.findings.begin(), roll.findings.end(),
                                  [](const StageFinding& each) { return each.finding.severity == "fail"; });
  return found == roll.findings.end() ? nullptr : &*found;
}

/// "24 GPUs held for 4 min: 1.6 GPU-hours".
std::string cost_words(const Roll& roll, std::chrono::milliseconds held) {
  const auto nodes = static_cast<std::size_t>(roll.nnodes());
  const std::string what = roll.spec.gpus_per_pod > 0
                               ? counted(nodes * static_cast<std::size_t>(roll.spec.gpus_per_pod), "GPU", "GPUs")
                               : counted(nodes, "pod", "pods");
  return fmt::format("{} held for {}: {}", what, duration_words(held), cost(roll, held));
}

/// The attempt ended for something that no finding names: pods that did not start, an address that changed.
void from_verdict(const Roll& roll, api::Advice& advice) {
  advice.what = roll.verdict->message;
  advice.owner = "cluster";
  const auto late = std::find_if(roll.pods.begin(), roll.pods.end(), [](const Pod& pod) { return !pod.started_at; });
  api::NodeFinding finding{"pod/not-started", "fail", "", {}, "cluster"};
  finding.node_ranks = {late == roll.pods.end() ? 0 : late->node_rank};
  advice.next_command = next_command(roll, finding);
  advice.override_safe = "nothing is left to release: the attempt has ended";
}

}  // namespace

std::string next_command(const Roll& roll, const api::NodeFinding& finding) {
  const int rank = finding.node_ranks.empty() ? 0 : finding.node_ranks.front();
  const Pod& pod = roll.pods[static_cast<std::size_t>(std::clamp(rank, 0, roll.nnodes() - 1))];
  std::string_view command = family_of(finding.rule).command;
  // Without a node there is nothing to debug: the pod tells why.
  if (pod.node().empty() && command.find("{node}") != std::string_view::npos) command = kPod;
  std::string text(command);
  replace(text, "{node}", pod.node());
  replace(text, "{pod}", pod.name);
  replace(text, "{job}", roll.spec.job.name);
  replace(text, "{namespace}", roll.namespace_name);
  replace(text, "{probe}", std::string(api::names::kProbe));
  return text;
}

std::string_view override_safe(const api::NodeFinding& finding) { return family_of(finding.rule).safe; }

std::optional<api::Advice> advice_for(const Roll& roll, TimePoint now) {
  const bool held = !roll.verdict && roll.phase == Phase::Held;
  const bool ended = roll.verdict && roll.verdict->kind == api::VerdictKind::Ended;
  if (!held && !ended) return std::nullopt;
  api::Advice advice;
  advice.since = held ? rfc3339(now - held_for(roll, now)) : roll.verdict->at;
  if (held && roll.held_since && roll.held_before.count() == 0) advice.since = rfc3339(*roll.held_since);
  advice.cost = cost_words(roll, held ? held_for(roll, now) : roll.held_before);
  const StageFinding* failure = first_failure(roll);
  if (failure == nullptr) {
    if (!ended) return std::nullopt;
    from_verdict(roll, advice);
    return advice;
  }
  advice.what = failure->finding.message;
  advice.owner = failure->finding.owner;
  advice.next_command = next_command(roll, failure->finding);
  advice.override_safe =
      ended ? "nothing is left to release: the attempt has ended" : std::string(override_safe(failure->finding));
  return advice;
}

}  // namespace rollcall::roll_call
