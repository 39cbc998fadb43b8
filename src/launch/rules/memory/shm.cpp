#include "launch/rules/memory/shm.h"

#include <string>

namespace rollcall::launch::rules {
namespace {

/// The mount at /dev/shm; absent when there is none.
Field shm_mount(const Role& role) {
  const Field mounts = role.container["volumeMounts"];
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    const std::string path = mounts[i]["mountPath"].text();
    if (path == "/dev/shm" || path == "/dev/shm/" || path == "/dev") return mounts[i];
  }
  return {};
}

}  // namespace

Field shm_volume(const Role& role) {
  const Field mount = shm_mount(role);
  const Field volumes = role.pod_template["spec"]["volumes"];
  for (std::size_t i = 0; i < volumes.size() && mount.present(); ++i)
    if (volumes[i]["name"].text() == mount["name"].text()) return volumes[i];
  return {};
}

bool has_shm(const Role& role) {
  const Field host_ipc = role.pod_template["spec"]["hostIPC"];
  return shm_mount(role).present() || (host_ipc.is_bool() && host_ipc.json().get<bool>());
}

bool is_memory(const Field& volume) { return volume["emptyDir"]["medium"].text() == "Memory"; }

}  // namespace rollcall::launch::rules
