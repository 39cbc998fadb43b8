#pragma once

#include <optional>
#include <string>

#include "launch/kinds/network_policy.h"
#include "launch/launch.h"

/// What the NetworkPolicies of an input let through between the pods of a job. Policies add up: a connection is dropped
/// when some policy is about a pod and none admits it. Policies that are not in the input are not known, so a cut is
/// never certain.
namespace rollcall::launch::rules {

/// A policy that is about pods of a role, while no policy of the input lets the ranks' connections through.
struct Cut {
  const NetworkPolicy* policy = nullptr;
  const PolicySide* side = nullptr;
  /// The rule that lets the job's pods through on a few ports; nullptr = none lets them through at all.
  const PolicyRule* few = nullptr;
};

enum class Direction { in, out };

/// The labels of a role's pods that are certain: the template's and those of the kind's controller.
Labels labels_of(const Launch& launch, const Role& role);

/// Whether connections to pods of `role` (in), or from them (out), to `other` pods of the job are cut off.
std::optional<Cut> cut_of(const Launch& launch, const Role& role, const Role& other, Direction direction);

/// The first cut among the job's pods that must reach each other.
std::optional<Cut> first_cut(const Launch& launch);

/// A policy that is about what leaves the pods of a role, while none of the input lets questions to the DNS out.
const NetworkPolicy* policy_without_dns(const Launch& launch, const Role& role);

}  // namespace rollcall::launch::rules
