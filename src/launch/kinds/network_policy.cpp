#include "launch/kinds/network_policy.h"

#include <algorithm>
#include <array>
#include <utility>

namespace rollcall::launch {
namespace {

/// Parts of label keys that the controllers of jobs, and Kubernetes itself, add to the pods they make.
constexpr std::array<std::string_view, 7> kOfControllers{"kubernetes.io/", "k8s.io/",  "kubeflow.org/", "volcano.sh/",
                                                         "rollcall.dev/",  "job-name", "controller-uid"};

bool may_be_added(std::string_view key) {
  return std::any_of(kOfControllers.begin(), kOfControllers.end(),
                     [key](std::string_view part) { return key.find(part) != std::string_view::npos; });
}

Fits fits(const LabelSelector::Need& need, const Labels& labels) {
  const auto label = labels.find(need.key);
  if (label == labels.end()) {
    if (may_be_added(need.key)) return Fits::open;
    return need.is == "NotIn" || need.is == "DoesNotExist" ? Fits::yes : Fits::no;
  }
  const bool among = std::find(need.values.begin(), need.values.end(), label->second) != need.values.end();
  if (need.is == "In") return among ? Fits::yes : Fits::no;
  if (need.is == "NotIn") return among ? Fits::no : Fits::yes;
  return need.is == "Exists" ? Fits::yes : Fits::no;
}

LabelSelector read_selector(const Field& field) {
  LabelSelector selector;
  selector.readable = field.is_object();
  for (auto& [key, value] : labels_of(field["matchLabels"])) selector.needs.push_back({key, "In", {value}});
  const Field expressions = field["matchExpressions"];
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    LabelSelector::Need need{expressions[i]["key"].text(), expressions[i]["operator"].text(), {}};
    for (std::size_t j = 0; j < expressions[i]["values"].size(); ++j)
      need.values.push_back(expressions[i]["values"][j].text());
    constexpr std::array<std::string_view, 4> kKnown{"In", "NotIn", "Exists", "DoesNotExist"};
    selector.readable = selector.readable && std::find(kKnown.begin(), kKnown.end(), need.is) != kKnown.end();
    selector.needs.push_back(std::move(need));
  }
  return selector;
}

/// A port of a name can be any single one; what is no port admits nothing.
PolicyPorts read_ports(const Field& field) {
  PolicyPorts ports{field["protocol"].text("TCP"), 0, 65535};
  const Field port = field["port"];
  if (!port.present()) return ports;
  ports.from = ports.to = port.is_integer() ? port.json().get<int>() : -1;
  if (const Field end = field["endPort"]; end.is_integer()) ports.to = end.json().get<int>();
  return ports;
}

std::string text_of(const Field& field) {
  const Field port = field["port"];
  const std::string number = !port.present()     ? "all ports"
                             : port.is_integer() ? port.json().dump()
                                                 : port.text("a port that is none");
  const Field end = field["endPort"];
  return field["protocol"].text("TCP") + " " + number + (end.is_integer() ? "-" + end.json().dump() : "");
}

PolicyRule read_rule(const Field& field, std::string_view peers) {
  PolicyRule rule;
  for (std::size_t i = 0; i < field[peers].size(); ++i) {
    const Field peer = field[peers][i];
    PolicyPeer read;
    if (peer["podSelector"].present()) read.pods = read_selector(peer["podSelector"]);
    if (peer["namespaceSelector"].present()) read.namespaces = read_selector(peer["namespaceSelector"]);
    read.addresses = !read.pods && !read.namespaces;
    rule.peers.push_back(std::move(read));
  }
  const Field ports = field["ports"];
  rule.ports_path = ports.path();
  for (std::size_t i = 0; i < ports.size(); ++i) {
    rule.ports.push_back(read_ports(ports[i]));
    rule.ports_text += (i == 0 ? "" : ", ") + text_of(ports[i]);
  }
  return rule;
}

PolicySide read_side(const Field& spec, std::string_view side, std::string_view peers) {
  PolicySide read;
  const Field rules = spec[side];
  read.path = rules.size() > 0 ? rules.path() : spec["podSelector"].path();
  for (std::size_t i = 0; i < rules.size(); ++i) read.rules.push_back(read_rule(rules[i], peers));
  return read;
}

/// Without policyTypes a policy is about what comes in, and about what goes out when it says anything of it.
void read_types(const Field& spec, NetworkPolicy& policy) {
  const Field types = spec["policyTypes"];
  policy.ingress.governed = types.size() == 0;
  policy.egress.governed = types.size() == 0 && spec["egress"].size() > 0;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i].text() == "Ingress") policy.ingress.governed = true;
    if (types[i].text() == "Egress") policy.egress.governed = true;
  }
}

}  // namespace

Fits fits(const LabelSelector& selector, const Labels& labels) {
  Fits all = selector.readable ? Fits::yes : Fits::open;
  for (const auto& need : selector.needs) {
    const Fits one = fits(need, labels);
    if (one == Fits::no) return Fits::no;
    if (one == Fits::open) all = Fits::open;
  }
  return all;
}

NetworkPolicy read_network_policy(const Field& root, const Origin& origin) {
  NetworkPolicy policy;
  const Field meta = root["metadata"];
  policy.object = {root["apiVersion"].text(), root["kind"].text(), meta["namespace"].text(), meta["name"].text()};
  const Field spec = root["spec"];
  policy.pods = read_selector(spec["podSelector"]);
  policy.ingress = read_side(spec, "ingress", "from");
  policy.egress = read_side(spec, "egress", "to");
  read_types(spec, policy);
  const auto keep = [&](const std::string& path) { policy.places.emplace(path, place_of(origin, path)); };
  for (const PolicySide* side : {&policy.ingress, &policy.egress}) {
    keep(side->path);
    for (const PolicyRule& rule : side->rules) keep(rule.ports_path);
  }
  return policy;
}

}  // namespace rollcall::launch
