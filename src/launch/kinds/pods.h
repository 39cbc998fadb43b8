#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/document/field.h"
#include "launch/launch.h"

/// What the readers of other projects' kinds share.
namespace rollcall::launch {

/// Pods made of one template.
struct RoleSource {
  std::string name;
  Field pod_template;           ///< with `metadata` and `spec`
  std::string_view container;   ///< the name that the kind gives its training container; empty = none
  std::vector<EnvEntry> given;  ///< what the kind's controller sets
  bool given_wins = true;       ///< over an entry of the manifest; else the controller leaves what is there
};

/// Trainer, command, devices, what its processes are told. The trainer is the container of the kind's name, else the
/// only one that asks for accelerators, else the only one; when none of these decides, everything that hangs on it is
/// unknown. Of `launch` only the namespace and what is known around it are asked: what stands in a ConfigMap is read.
Role read_role(const RoleSource& source, const Launch& launch);

/// An entry that a controller sets: `text` where the manifest decides it, at `path`; open otherwise.
EnvEntry given(std::string_view name, std::string_view text, std::string_view path);
EnvEntry given_at_run_time(std::string_view name, std::string_view who);

/// A number of pods: `otherwise` where the field is absent, unknown where it is none.
Fact<int> count_of(const Field& field, int otherwise);

/// Kind, name, annotations of any object. Refers to both.
Launch launch_of(const nlohmann::json& object, JobKind kind, const Context& around);

/// The spec of the Job that role number `role` of a Job or a JobSet is.
Field job_spec_of(const Launch& launch, std::size_t role);

/// Whether some role starts a launcher, is told of a world, or asks for accelerators.
bool trains(const Launch& launch);

}  // namespace rollcall::launch
