#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "roll_call/messages.h"

namespace rollcall::probe {

/// The image's files as this container sees them.
struct ImageView {
  std::string root;  ///< put before every path; empty for the real root
  std::function<std::optional<std::string>(const char*)> env;
};

/// libnccl, its net plugins, torch, jax and cudart wheels, in the order a trainer's loader would look: LD_PRELOAD,
/// LD_LIBRARY_PATH, nvidia wheels, torch/lib, ld.so.cache, system and conda directories. Looks into well-known
/// directories only and lists, never walks: a job's data set may be mounted anywhere. One entry a file, however many
/// paths lead to it.
std::vector<roll_call::LibraryFact> find_libraries(const ImageView& image);

/// SHA-256 of NCCL's conf files: NCCL_CONF_FILE or ~/.nccl.conf, and /etc/nccl.conf. Never their content.
std::map<std::string, std::string> hash_conf_files(const ImageView& image);

/// `2.5.1+cu124` out of torch/version.py's text; empty when it is not there.
std::string torch_version_from(std::string_view version_py);

/// Lower-case hex; empty when it cannot be made.
std::string sha256(const std::string& content);

/// Directories that may hold Python packages: of PYTHONPATH, VIRTUAL_ENV, CONDA_PREFIX, each python's directory in
/// PATH, and the usual ones.
std::vector<std::string> site_packages(const ImageView& image);

}  // namespace rollcall::probe
