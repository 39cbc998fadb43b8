#include "operator/pod_facts.h"

#include <algorithm>
#include <charconv>

#include "api/names.h"
#include "launch/pod/make_pod.h"

namespace rollcall::operator_ {

using nlohmann::json;
namespace names = api::names;

namespace {

const json kNothing = json::object();

const json& member(const json& object, const char* name) {
  if (!object.is_object()) return kNothing;
  const auto at = object.find(name);
  return at == object.end() ? kNothing : *at;
}

std::string text(const json& object, const char* name) {
  const auto& value = member(object, name);
  return value.is_string() ? value.get<std::string>() : "";
}

std::optional<WallTime> time(const json& object, const char* name) { return rfc3339_from(text(object, name)); }

int number(const json& object, const char* name, int otherwise) {
  const auto& value = member(object, name);
  return value.is_number_integer() ? value.get<int>() : otherwise;
}

int label_number(const std::string& value, int otherwise) {
  int parsed = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
  return error == std::errc() && end == value.data() + value.size() && parsed >= 0 ? parsed : otherwise;
}

ContainerFacts container_facts(const json& status) {
  ContainerFacts facts;
  facts.name = text(status, "name");
  facts.image_id = text(status, "imageID");
  const auto& state = member(status, "state");
  if (state.contains("running")) {
    facts.phase = ContainerPhase::Running;
    facts.started_at = time(state["running"], "startedAt");
  } else if (state.contains("terminated")) {
    const auto& end = state["terminated"];
    facts.phase = ContainerPhase::Terminated;
    facts.reason = text(end, "reason");
    facts.message = text(end, "message");
    facts.exit_code = number(end, "exitCode", 0);
    facts.started_at = time(end, "startedAt");
    facts.finished_at = time(end, "finishedAt");
  } else {
    facts.reason = text(member(state, "waiting"), "reason");
    facts.message = text(member(state, "waiting"), "message");
  }
  return facts;
}

std::vector<ContainerFacts> all_containers(const json& status, const char* list) {
  std::vector<ContainerFacts> containers;
  const auto& statuses = member(status, list);
  if (!statuses.is_array()) return containers;
  for (const auto& item : statuses) containers.push_back(container_facts(item));
  return containers;
}

void read_owner(const json& metadata, PodFacts& facts) {
  const auto& owners = member(metadata, "ownerReferences");
  if (!owners.is_array()) return;
  for (const auto& owner : owners) {
    if (member(owner, "controller") != true) continue;
    facts.owner_kind = text(owner, "kind");
    facts.owner_name = text(owner, "name");
    facts.owner_uid = text(owner, "uid");
  }
}

void read_conditions(const json& status, PodFacts& facts) {
  const auto& conditions = member(status, "conditions");
  if (!conditions.is_array()) return;
  for (const auto& condition : conditions) {
    const auto type = text(condition, "type");
    const bool is_true = text(condition, "status") == "True";
    if (type == "PodScheduled" && is_true) facts.scheduled_at = time(condition, "lastTransitionTime");
    if (type == "PodScheduled" && !is_true) facts.unscheduled = text(condition, "message");
    if (type == "DisruptionTarget" && is_true) {
      facts.disrupted = true;
      if (facts.message.empty()) facts.message = text(condition, "message");
    }
  }
}

bool has_container(const json& spec, const char* list, const char* name) {
  const auto& containers = member(spec, list);
  return containers.is_array() && std::any_of(containers.begin(), containers.end(), [name](const json& container) {
           return text(container, "name") == name;
         });
}

/// The port of the reservation that make_pod() puts into node rank 0 on the host network.
std::optional<int> reserved_port(const json& spec) {
  const auto& containers = member(spec, "containers");
  if (!containers.is_array()) return std::nullopt;
  for (const auto& container : containers) {
    const auto& ports = member(container, "ports");
    if (!ports.is_array()) continue;
    for (const auto& port : ports) {
      if (text(port, "name") == launch::kMasterPortName) return number(port, "hostPort", 0);
    }
  }
  return std::nullopt;
}

const ContainerFacts* find(const std::vector<ContainerFacts>& containers, const std::string& wanted) {
  for (const auto& container : containers) {
    if (container.name == wanted) return &container;
  }
  return nullptr;
}

}  // namespace

const ContainerFacts* PodFacts::container(const std::string& wanted) const { return find(containers, wanted); }
const ContainerFacts* PodFacts::init_container(const std::string& wanted) const { return find(init, wanted); }

bool PodFacts::probe_running() const {
  const auto* probe = init_container(names::kProbe);
  return probe != nullptr && probe->phase == ContainerPhase::Running;
}

Result<PodFacts> pod_facts_from(const json& pod) {
  PodFacts facts;
  const auto& metadata = member(pod, "metadata");
  facts.name = text(metadata, "name");
  facts.uid = text(metadata, "uid");
  if (facts.name.empty() || facts.uid.empty()) return Error{"a pod without name or uid"};
  read_owner(metadata, facts);
  const auto& labels = member(metadata, "labels");
  facts.job = text(labels, names::kLabelJob);
  facts.node_rank = label_number(text(labels, names::kLabelNodeRank), -1);
  facts.attempt = label_number(text(labels, names::kLabelAttempt), 0);
  const auto& annotations = member(metadata, "annotations");
  facts.master_addr = text(annotations, names::kAnnotationMasterAddr);
  facts.master_endpoint = text(annotations, names::kAnnotationMasterEndpoint);
  facts.seen_attempt = text(annotations, names::kAnnotationAttempt);
  facts.released_attempt = text(annotations, names::kAnnotationReleased);
  facts.show_again = label_number(text(annotations, kAnnotationShowAgain), 0);
  facts.deleting = !text(metadata, "deletionTimestamp").empty();
  facts.deleting_since = time(metadata, "deletionTimestamp");
  if (facts.deleting_since) {
    facts.deletion_asked_at =
        *facts.deleting_since - std::chrono::seconds(number(metadata, "deletionGracePeriodSeconds", 0));
  }

  const auto& spec = member(pod, "spec");
  facts.node = text(spec, "nodeName");
  if (const auto& deadline = member(spec, "activeDeadlineSeconds"); deadline.is_number_integer()) {
    facts.active_deadline_seconds = deadline.get<int>();
  }
  facts.has_probe = has_container(spec, "initContainers", names::kProbe);
  facts.master_port = reserved_port(spec);
  const auto& status = member(pod, "status");
  facts.phase = text(status, "phase");
  facts.reason = text(status, "reason");
  facts.message = text(status, "message");
  if (const auto& addresses = member(status, "podIPs"); addresses.is_array() && !addresses.empty()) {
    facts.address = text(addresses.front(), "ip");
  }
  read_conditions(status, facts);
  facts.init = all_containers(status, "initContainerStatuses");
  facts.containers = all_containers(status, "containerStatuses");
  return facts;
}

std::string waiting_words(const PodFacts& pod) {
  if (pod.node.empty()) {
    if (pod.unscheduled.empty()) return "is not scheduled yet";
    // The scheduler does not say which port.
    const bool port_taken = pod.master_port && pod.unscheduled.find("free ports") != std::string::npos;
    return "is not scheduled: " + pod.unscheduled +
           (port_taken ? " The port is MASTER_PORT " + std::to_string(*pod.master_port) +
                             ", which another pod on the host network has there: wait for it to end, or give this job "
                             "another spec.rendezvous.port."
                       : std::string());
  }
  // First: init containers that restart always (sidecars) run beside it.
  if (const auto* probe = pod.init_container(names::kProbe);
      probe != nullptr && probe->phase != ContainerPhase::Waiting) {
    return "";
  }
  for (const auto& container : pod.init) {
    if (container.phase == ContainerPhase::Terminated) continue;
    if (container.phase == ContainerPhase::Running)
      return "on " + pod.node + " runs its init container " + container.name;
    if (container.reason.empty() || container.reason == "PodInitializing") continue;
    auto words = "on " + pod.node + " waits in container " + container.name + ": " + container.reason;
    return container.message.empty() ? words : words + ": " + container.message;
  }
  return "on " + pod.node + " is being started by its kubelet";
}

}  // namespace rollcall::operator_
