#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "finding/finding.h"
#include "launch/document/field.h"
#include "launch/fact.h"
#include "launch/job_kind.h"
#include "launch/text.h"

/// What a manifest says of the start of a job, worked out once per kind of object; everything the rules read.
namespace rollcall::launch {

class Context;

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

/// A node of a host file, as a launcher reads it.
struct HostLine {
  std::string name;
  Fact<int> slots;  ///< not given = the line has none
};

/// A host file that a launcher is told to read.
struct HostFile {
  bool known = false;  ///< the input has it, and it could be read
  std::string from;    ///< "ConfigMap `hosts`, key `hostfile`"
  std::vector<HostLine> hosts;
  std::string broken;  ///< the first line that is none of a host file
};

/// What the trainer container's command starts.
struct Command {
  /// torchrun tune accelerate deepspeed mpirun jax none (a python program); unknown where it cannot be read
  Fact<std::string> launcher;
  /// The launcher's, by the spelling with hyphens: `--nnodes`; absent = not in the command. With none, the program's.
  std::map<std::string, Flag> flags = {};
  std::string program = {};             ///< as it stands in the command: `mpiexec.hydra`
  std::vector<EnvEntry> env = {};       ///< what reaches the launcher, in the order of precedence from the back
  std::vector<EnvEntry> exported = {};  ///< what the launcher gives its ranks besides: mpirun's `-x NAME=VALUE`
  HostFile host_file = {};
  /// The configuration file whose settings stand among the flags: "ConfigMap `accelerate`, key `config.yaml`". Empty =
  /// none was read.
  std::string config_from = {};
  /// Where the text stands that was read in place of the file which the element at `script_path` names: "ConfigMap
  /// `scripts`, key `run.sh`". Empty = the text stands in the command itself.
  std::string script_from = {};
  std::string script_path = {};
  /// What srun or mpirun starts, once for each of its tasks. nullptr = not read.
  std::shared_ptr<const Command> starts = {};

  /// torchrun itself, or `tune run`, which takes the same flags.
  bool by_torchrun() const { return launcher.known() && (*launcher == "torchrun" || *launcher == "tune"); }

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

/// What the processes of a role are told of their world, whoever tells it: a flag before the env. Of kinds in which
/// nobody but the manifest and the kind's controller tells it; empty for a TrainingJob.
struct Told {
  Fact<int> nodes;               ///< the most that a range allows; nodes that the launcher waits for
  Fact<int> least_nodes;         ///< as nodes, the least
  Fact<std::string> node_rank;   ///< a constant; unknown where it shows at run time
  std::string rank_variable;     ///< the variable that the node rank is, and nothing else: `JOB_COMPLETION_INDEX`
  Fact<std::string> rendezvous;  ///< torchrun's backend: static c10d etcd etcd-v2; static when nobody says
  Fact<std::string> master;      ///< host of the address at which the world meets; not given = nobody tells it
  std::string master_what;       ///< begins a sentence on master: "--rdzv-endpoint: "
  Fact<long long> port;
  /// What an open master comes to by the command's own fallback: `localhost` of `${MASTER_ADDR:-localhost}`. Empty = it
  /// has none.
  std::string master_otherwise = {};
};

/// Pods that are started alike. A TrainingJob has one role.
struct Role {
  std::string name = {};      ///< `Worker`, a replicated job's or a task's name; empty where a kind has one role
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

  // Of kinds other than TrainingJob.
  Fact<int> pods = {};  ///< that stand side by side from this template in one world
  bool leads = true;    ///< node rank 0 is one of them
  Told told = {};
  Field pod_template = {};  ///< refers to the object: valid as long as that
  Field container = {};     ///< the trainer's; absent where none is decided
  bool asks_for_many() const { return pods.known() && *pods > 1; }
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

/// A part of Launch::merged that the object itself wrote: what stands at `merged` or below it stands at `path` there.
struct Written {
  std::string merged;
  std::string path;
};

/// A key that a mapping of the manifest has twice; `line` is the first one's, 0 = not known.
struct Duplicate {
  std::string path;
  int line = 0;
};

struct Launch {
  JobKind kind = JobKind::training_job;
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

  // Of kinds other than TrainingJob.
  Field root = {};  ///< the object: the launch is valid as long as it is neither moved nor changed
  /// The kind says how many nodes the world has (Role::nodes), not only how many pods there are: pods of several
  /// objects cannot be one world.
  bool nodes_decided = false;
  const Context* around = nullptr;  ///< the other objects of the input; nullptr = none are known
  /// An object that was made by the reader and that Fields of this launch refer to: what a controller would merge.
  /// Its only key is `merged`, so that no path in it is one of the object.
  std::shared_ptr<const nlohmann::json> merged = {};
  std::string index_variable = {};  ///< that is a pod's own place among its role's pods: `JOB_COMPLETION_INDEX`
  std::string rank_advice = {};     ///< where a pod gets its node rank from: "`$(JOB_COMPLETION_INDEX)`"
  std::string master_advice = {};   ///< what all can call node rank 0 by

  // Of kinds whose object is merged with another (a TrainJob's runtime); see merged.h.
  std::vector<Written> written = {};  ///< the longest path counts
  std::string merged_from = {};       ///< "ClusterTrainingRuntime `torch`", where everything else in `merged` stands
  std::string merged_at = {};         ///< the object's field that names it: `spec.runtimeRef`

  /// Ranks that mpirun may start on each host of the list that a controller hands it.
  Fact<int> slots = {};
};

}  // namespace rollcall::launch
