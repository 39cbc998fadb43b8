#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "launch/document/field.h"
#include "launch/kinds/context.h"

/// What a container reads from ConfigMaps that stand in the same input. Everything refers to the objects it was made
/// of: valid as long as those. Pure.
namespace rollcall::launch {

/// The ConfigMaps that a pod of a namespace may name.
struct ConfigMaps {
  const Context* around = nullptr;  ///< nullptr = no other object is known
  std::string namespace_name = {};

  /// nullptr = the input has none of this name; the cluster may.
  const ConfigMap* find(const std::string& name) const;
};

/// A file that a container finds in a ConfigMap.
struct MountedFile {
  std::string_view text;
  std::string from;  ///< for a sentence: "ConfigMap `scripts`, key `run.sh`"
};

/// The files of a container's volume mounts.
class MountedFiles {
 public:
  MountedFiles() = default;
  MountedFiles(Field container, Field pod, ConfigMaps maps);

  /// The file at `path`; a relative one is looked for in the container's workingDir. nullopt = it is of the image, of
  /// another volume, or of a ConfigMap that the input does not have: what it holds is unknown.
  std::optional<MountedFile> find(const std::string& path) const;

  const ConfigMaps& maps() const { return maps_; }

 private:
  std::string absolute(const std::string& path) const;
  std::optional<MountedFile> in_config_map(const Field& source, const std::string& file) const;

  Field container_;
  Field pod_;
  ConfigMaps maps_;
};

}  // namespace rollcall::launch
