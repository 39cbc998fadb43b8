#include "launch/rules/mesh/traffic.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "launch/kinds/context.h"

namespace rollcall::launch::rules {
namespace {

/// A range of fewer ports is meant for something; one of more may be where net.ipv4.ip_local_port_range was put, from
/// which every listener of NCCL and gloo comes.
constexpr int kManyPorts = 1000;

/// Roles that are weighed each against each. Nobody writes a job of more; an object of 1 MB has room for thousands.
constexpr std::size_t kMostRoles = 64;

bool wide(const PolicyRule& rule) {
  return rule.ports.empty() || std::any_of(rule.ports.begin(), rule.ports.end(), [](const PolicyPorts& ports) {
           return ports.protocol == "TCP" && ports.to - ports.from >= kManyPorts;
         });
}

/// Port 53, as it is asked by a pod: a DNS behind a Service answers at its own port, mostly 53 too.
bool lets_dns_out(const PolicyRule& rule) {
  // Pods of the job's own namespace are not the cluster's DNS, which answers in another or at an address.
  const bool beyond = std::any_of(rule.peers.begin(), rule.peers.end(),
                                  [](const PolicyPeer& peer) { return peer.addresses || peer.namespaces; });
  if (!rule.peers.empty() && !beyond) return false;
  return rule.ports.empty() || std::any_of(rule.ports.begin(), rule.ports.end(), [](const PolicyPorts& ports) {
           const bool named = ports.from == -1;  // `dns` of the cluster's DNS pods
           return (ports.protocol == "UDP" || ports.protocol == "TCP") &&
                  (named || (ports.from <= 53 && 53 <= ports.to) || (ports.from <= 5353 && 5353 <= ports.to) ||
                   (ports.from <= 8053 && 8053 <= ports.to));
         });
}

Fits namespace_fits(const LabelSelector& selector, const Launch& launch) {
  if (selector.readable && selector.needs.empty()) return Fits::yes;
  const Namespace* space = launch.around->find_namespace(launch.object.namespace_name);
  Labels labels = space == nullptr ? Labels{} : space->labels;
  if (!launch.object.namespace_name.empty()) labels["kubernetes.io/metadata.name"] = launch.object.namespace_name;
  const Fits fit = fits(selector, labels);
  // A namespace that is not in the input may have any label besides its name.
  const bool by_name_alone = selector.needs.size() == 1 && selector.needs[0].key == "kubernetes.io/metadata.name";
  return fit == Fits::no && space == nullptr && !by_name_alone ? Fits::open : fit;
}

Fits admits(const PolicyRule& rule, const Labels& labels, const Launch& launch) {
  Fits best = rule.peers.empty() ? Fits::yes : Fits::no;
  for (const PolicyPeer& peer : rule.peers) {
    Fits one = peer.addresses ? Fits::open : Fits::yes;
    if (peer.namespaces) one = namespace_fits(*peer.namespaces, launch);
    if (peer.pods && one != Fits::no) {
      const Fits pods = fits(*peer.pods, labels);
      one = pods == Fits::yes ? one : pods;
    }
    if (one == Fits::yes) return Fits::yes;
    if (one == Fits::open) best = Fits::open;
  }
  return best;
}

const PolicySide& side_of(const NetworkPolicy& policy, Direction direction) {
  return direction == Direction::in ? policy.ingress : policy.egress;
}

/// Whether pods of both roles must be able to connect to each other.
bool meet(const Launch& launch, const Role& one, const Role& other) {
  if (&one == &other) return one.asks_for_many();
  if (launch.kind == JobKind::pytorch_job || launch.kind == JobKind::mpi_job ||
      launch.kind == JobKind::leader_worker_set)
    return true;
  const auto trains = [](const Role& role) { return role.gpus_per_pod.known() && *role.gpus_per_pod > 0; };
  return trains(one) && trains(other) && one.told.nodes.known() && other.told.nodes.known();
}

}  // namespace

Labels labels_of(const Launch& launch, const Role& role) {
  Labels labels = launch::labels_of(role.pod_template["metadata"]["labels"]);
  const std::string& name = launch.object.name;
  switch (launch.kind) {
    case JobKind::pytorch_job:
    case JobKind::mpi_job:
    case JobKind::jax_job:
      labels["training.kubeflow.org/job-name"] = name;
      break;
    case JobKind::batch_job:
      labels["job-name"] = labels["batch.kubernetes.io/job-name"] = name;
      break;
    case JobKind::job_set:
    case JobKind::train_job:
      labels["jobset.sigs.k8s.io/jobset-name"] = name;
      break;
    case JobKind::leader_worker_set:
      labels["leaderworkerset.sigs.k8s.io/name"] = name;
      break;
    case JobKind::volcano_job:
      labels["volcano.sh/job-name"] = name;
      break;
    case JobKind::ray_cluster:
      labels["ray.io/cluster"] = name;
      break;
    case JobKind::training_job:
      labels["rollcall.dev/job-name"] = name;
      break;
    default:
      break;
  }
  return labels;
}

std::optional<Cut> cut_of(const Launch& launch, const Role& role, const Role& other, Direction direction) {
  // Policies are not about pods on the network of their node.
  if (launch.around == nullptr || role.host_network || other.host_network) return std::nullopt;
  const Labels own = labels_of(launch, role), others = labels_of(launch, other);
  std::optional<Cut> cut;
  for (const NetworkPolicy& policy : launch.around->network_policies(launch.object.namespace_name)) {
    const PolicySide& side = side_of(policy, direction);
    const Fits selected = side.governed ? fits(policy.pods, own) : Fits::no;
    if (selected == Fits::no) continue;
    if (selected == Fits::yes && !cut) cut = Cut{&policy, &side, nullptr};
    for (const PolicyRule& rule : side.rules) {
      const Fits admitted = admits(rule, others, launch);
      if (admitted == Fits::no) continue;
      if (wide(rule)) return std::nullopt;
      if (selected == Fits::yes && admitted == Fits::yes && cut->few == nullptr) cut = Cut{&policy, &side, &rule};
    }
  }
  return cut;
}

std::optional<Cut> first_cut(const Launch& launch) {
  const std::span<const Role> roles(launch.roles.data(), std::min(launch.roles.size(), kMostRoles));
  for (const Role& role : roles) {
    for (const Role& other : roles) {
      if (!meet(launch, role, other)) continue;
      if (const auto cut = cut_of(launch, role, other, Direction::in)) return cut;
      if (const auto cut = cut_of(launch, role, other, Direction::out)) return cut;
    }
  }
  return std::nullopt;
}

const NetworkPolicy* policy_without_dns(const Launch& launch, const Role& role) {
  if (launch.around == nullptr || role.host_network) return nullptr;
  const Labels own = labels_of(launch, role);
  const NetworkPolicy* first = nullptr;
  for (const NetworkPolicy& policy : launch.around->network_policies(launch.object.namespace_name)) {
    const Fits selected = policy.egress.governed ? fits(policy.pods, own) : Fits::no;
    if (selected == Fits::no) continue;
    if (selected == Fits::yes && first == nullptr) first = &policy;
    // Which other namespace or address is not weighed: where the cluster's DNS is, no manifest says.
    if (std::any_of(policy.egress.rules.begin(), policy.egress.rules.end(), lets_dns_out)) return nullptr;
  }
  return first;
}

}  // namespace rollcall::launch::rules
