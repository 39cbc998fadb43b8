#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/launch.h"

/// The environment variables that a role's ranks get, for rules about them.
namespace rollcall::launch::rules {

/// One variable, as the ranks see it: of several entries of one name the one that counts. Refers to the launch, and is
/// valid as long as that: a dozen rules ask for all of them at each admission.
struct Setting {
  const std::string& name;
  const Text& value;
  const std::string& path;   ///< of what its value stands in
  const std::string& entry;  ///< path of the container's env entry; empty where it stands in a command or a script

  bool known() const { return value.known(); }
};

/// In the order in which they stand. Of an MPIJob's Launcher under Open MPI only what `-x` hands over, and of its
/// Workers nothing: neither mpirun nor sshd gives a rank the environment of its container.
std::vector<Setting> settings_of(const Launch& launch, const Role& role);

/// nullptr when there is none of this name.
const Setting* find(const std::vector<Setting>& settings, std::string_view name);

/// Whether the launch has several nodes for certain.
bool several_nodes(const Launch& launch);

/// A JSON patch that takes the entry out of the container's env; empty where it stands in a command or a script.
std::string without(const Setting& setting);
/// The same that gives it another value or another name.
std::string with_value(const Setting& setting, const std::string& value);
std::string with_name(const Setting& setting, const std::string& name);

}  // namespace rollcall::launch::rules
