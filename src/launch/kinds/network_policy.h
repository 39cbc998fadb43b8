#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/document/field.h"
#include "launch/kinds/labels.h"
#include "launch/rules/judgement.h"

/// A NetworkPolicy (networking.k8s.io/v1) as far as rules about a job look at it.
namespace rollcall::launch {

/// A label selector. Of a pod not every label shows in a manifest: controllers add theirs.
struct LabelSelector {
  struct Need {
    std::string key;
    std::string is;  ///< In NotIn Exists DoesNotExist
    std::vector<std::string> values;
  };
  std::vector<Need> needs;  ///< empty = everything
  bool readable = true;     ///< false = of a form that is not known: whom it selects is open
};

enum class Fits { no, yes, open };

/// Whether the selector takes what carries `labels`. A label that is not there and that a controller may add is open.
Fits fits(const LabelSelector& selector, const Labels& labels);

/// One `from` or `to`.
struct PolicyPeer {
  std::optional<LabelSelector> pods;
  std::optional<LabelSelector> namespaces;
  bool addresses = false;  ///< an ipBlock: whose these are is open
};

struct PolicyPorts {
  std::string protocol;  ///< TCP UDP SCTP
  int from = 0;          ///< 0 = every port; -1 = a port of a name
  int to = 0;
};

struct PolicyRule {
  std::vector<PolicyPeer> peers;   ///< empty = everybody
  std::vector<PolicyPorts> ports;  ///< empty = all
  std::string ports_path;          ///< `spec.ingress[0].ports`
  std::string ports_text;          ///< `TCP 22, TCP 29500`
};

/// Traffic in one direction.
struct PolicySide {
  bool governed = false;  ///< the policy is about this direction: what no rule admits is dropped
  std::vector<PolicyRule> rules;
  std::string path;  ///< `spec.ingress`, or the policy's `spec.podSelector` where that is absent
};

struct NetworkPolicy {
  ObjectName object;
  LabelSelector pods;
  PolicySide ingress;
  PolicySide egress;
  std::map<std::string, Place, std::less<>> places;  ///< of the paths above, so that no document need be kept
};

/// Reads an object that says it is one, however broken: what is not understood selects and admits nobody for certain,
/// and may everybody.
NetworkPolicy read_network_policy(const Field& root, const Origin& origin);

}  // namespace rollcall::launch
