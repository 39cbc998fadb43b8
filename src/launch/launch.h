#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "finding/finding.h"
#include "launch/fact.h"
#include "launch/text.h"

/// What a manifest says of the start of a job, worked out once per kind of object; everything the rules read.
namespace rollcall::launch {

/// One entry of the trainer container's env.
struct EnvEntry {
  std::string name;
  Text value;              ///< open for valueFrom and for `$(NAME)` of what is not known
  std::string path;        ///< of the entry: `…env[2]`
  std::string value_path;  ///< of what its value stands in: `…env[2].value`
};

/// One flag of the launcher as it stands in the command.
struct Flag {
  std::string spelled;  ///< `--nproc_per_node` or `--nproc-per-node`, as written
  std::string joint;    ///< between it and its value: `=` or a blank
  Text value;
  std::string path;   ///< of the element of command or args it stands in
  std::string patch;  ///< JSON patch that takes the flag out; empty where the command is a script

  std::string written() const { return spelled + joint + value.text; }
};

/// What the trainer container's command starts.
struct Command {
  Fact<std::string> launcher;  ///< torchrun accelerate deepspeed jax none; unknown where it cannot be read
  std::map<std::string, Flag>
      flags;  ///< torchrun's, by the spelling with hyphens: `--nnodes`; absent = not in the command

  /// nullptr when the command does not have it.
  const Flag* flag(const std::string& name) const {
    const auto found = flags.find(name);
    return found == flags.end() ? nullptr : &found->second;
  }
};

/// A master address somebody wrote. `what` begins its sentence, where the path alone does not say it: "env MASTER_ADDR:
/// ",
/// "--rdzv-endpoint: ", nothing for spec.rendezvous.masterAddr.
struct Address {
  std::string what;
  Fact<std::string> host;
  bool left_out = false;  ///< env of a name we hand over: never reaches the trainer
  std::string patch;      ///< JSON patch that takes it out; empty where there is none
};

struct Port {
  std::string what;        ///< as of an Address
  std::string text;        ///< as written
  Fact<long long> number;  ///< -1 for what is no number
  bool left_out = false;
};

/// Pods that are started alike. A TrainingJob has one role.
struct Role {
  Fact<std::size_t> trainer;  ///< index in spec.template.spec.containers
  std::string trainer_name;
  Command command;
  std::vector<EnvEntry> env;
  Fact<int> nodes;
  /// Processes each node starts. Source, in order of precedence: the spec's field, the launcher's flag, the GPUs.
  Fact<int> processes_per_node;
  Fact<int> gpus_per_pod;    ///< known 0 = asks for none
  std::string gpu_resource;  ///< empty when none
  bool host_network = false;
};

/// A field that is missing, of the wrong type, or of a value that the kind does not have: what a schema would refuse.
struct ShapeProblem {
  enum class Kind { missing, wrong_type, out_of_range, no_such_container, several_candidates, misspelt, clash };
  Kind kind = Kind::missing;
  std::string path;
  std::string message;
  std::string fix;
  std::string patch;
};

/// One line of the annotation `rollcall.dev/ignore`: `rule: reason`.
struct Ignored {
  std::string rule;
  std::string reason;
  std::string path;
};

/// A key that a mapping of the manifest has twice; `line` is the first one's, 0 = not known.
struct Duplicate {
  std::string path;
  int line = 0;
};

struct Launch {
  ObjectName object;
  Fact<int> processes;            ///< spec.nprocPerNode when it is a number
  Fact<int> world_size;           ///< the job's own assertion
  Fact<std::string> master_addr;  ///< spec.rendezvous.masterAddr
  Fact<long long> port;           ///< spec.rendezvous.port
  std::vector<Role> roles;
  std::vector<Address> addresses;
  std::vector<Port> ports;
  std::vector<ShapeProblem> shape;
  std::vector<Ignored> ignored;
  std::vector<Duplicate> duplicates;  ///< known for a text only: an object that was decoded has none
};

}  // namespace rollcall::launch
