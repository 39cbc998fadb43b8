#include "launch/launchers/accelerate_config.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "launch/document/document.h"
#include "launch/document/field.h"

namespace rollcall::launch {
namespace {

/// A field of the file, the flag that stands for more, and what accelerate takes where neither is written.
struct Setting {
  std::string_view field;
  std::string_view flag;
  std::string_view otherwise = {};
};

// ClusterConfig in accelerate/commands/config/config_args.py.
constexpr std::array kSettings{
    Setting{"num_processes", "--num-processes"},
    Setting{"num_machines", "--num-machines", "1"},
    Setting{"machine_rank", "--machine-rank", "0"},
    Setting{"main_process_ip", "--main-process-ip"},
    Setting{"main_process_port", "--main-process-port"},
    Setting{"rdzv_backend", "--rdzv-backend", "static"},
    Setting{"gpu_ids", "--gpu-ids"},
};

// A field of the file under deepspeed_config, and its flag.
constexpr std::array kDeepspeed{
    Setting{"deepspeed_multinode_launcher", "--deepspeed-multinode-launcher"},
    Setting{"deepspeed_hostfile", "--deepspeed-hostfile"},
};

std::optional<Text> value_of(const Field& field) {
  if (!field.present()) return std::nullopt;
  if (field.is_string()) return Text{field.text(), {}};
  if (field.is_integer()) return Text{field.json().dump(), {}};
  return std::nullopt;
}

class Adder {
 public:
  Adder(const MountedFile& file, std::string path, Command& command)
      : from_(file.from), path_(std::move(path)), command_(command) {}

  void add(const Field& parent, const Setting& setting) {
    if (command_.flag(std::string(setting.flag)) != nullptr) return;
    auto value = value_of(parent[setting.field]);
    if (!value && setting.otherwise.empty()) return;
    if (!value) value = Text{std::string(setting.otherwise), {}};
    put(setting, *value);
  }

  /// A flag without a value: `use_deepspeed`.
  void add_mode(std::string_view type) {
    constexpr std::array kModes{Setting{"DEEPSPEED", "--use-deepspeed"}, Setting{"FSDP", "--use-fsdp"},
                                Setting{"MEGATRON_LM", "--use-megatron-lm"}, Setting{"MULTI_", "--multi-gpu"}};
    for (const Setting& mode : kModes)
      if (command_.flag(std::string(mode.flag)) != nullptr) return;
    const auto found = std::find_if(kModes.begin(), kModes.end(),
                                    [type](const Setting& mode) { return type.starts_with(mode.field); });
    if (found != kModes.end()) put({"distributed_type", found->flag}, Text{std::string(type), {}});
  }

 private:
  void put(const Setting& setting, const Text& value) {
    command_.flags[std::string(setting.flag)] = {std::string(setting.field) + " in " + from_, ": ", value, path_, ""};
  }

  std::string from_;
  std::string path_;
  Command& command_;
};

/// The default file, where a ConfigMap is mounted there: nobody puts one there for another purpose.
std::optional<MountedFile> default_file(const MountedFiles& files, const Command& command) {
  for (const EnvEntry& entry : command.env)
    if (entry.name == "HF_HOME" && entry.value.known())
      return files.find(entry.value.text + "/accelerate/default_config.yaml");
  return files.find("/root/.cache/huggingface/accelerate/default_config.yaml");
}

}  // namespace

void add_config_file(const MountedFiles& files, Command& command) {
  const Flag* flag = command.flag("--config-file");
  if (flag != nullptr && !flag->value.known()) return;
  const auto file = flag == nullptr ? default_file(files, command) : files.find(flag->value.text);
  if (!file) return;
  std::optional<Document> document;
  const Status read = read_documents(file->text, [&document](Document one) {
    if (!document) document = std::move(one);
  });
  if (!read.ok() || !document) return;
  const Field root(document->value);
  if (root["compute_environment"].text("LOCAL_MACHINE") != "LOCAL_MACHINE" || !root["distributed_type"].is_string())
    return;
  Adder adder(*file, flag == nullptr ? command.launcher.path() : flag->path, command);
  command.config_from = file->from;
  for (const Setting& setting : kSettings) adder.add(root, setting);
  for (const Setting& setting : kDeepspeed) adder.add(root["deepspeed_config"], setting);
  adder.add_mode(root["distributed_type"].text());
}

}  // namespace rollcall::launch
