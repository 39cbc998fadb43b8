#include "launch/rules/rendezvous/master.h"

#include "launch/address.h"
#include "launch/patch.h"
#include "launch/rules/command_text.h"

namespace rollcall::launch::rules {

std::string master_of(const Launch& launch, const Role& role) {
  const Field spec = launch.root["spec"];
  const std::string& name = launch.object.name;
  if (launch.kind == JobKind::leader_worker_set) return "$(LWS_LEADER_ADDRESS)";
  if (name.empty() || launch.roles.size() != 1) return {};
  const Field pod = role.pod_template["spec"];
  const std::string subdomain = pod["subdomain"].text();
  switch (launch.kind) {
    case JobKind::batch_job:
      if (subdomain.empty() || spec["completionMode"].text() != "Indexed" || pod["hostname"].present()) return {};
      return name + "-0." + subdomain;
    case JobKind::stateful_set:
      if (spec["serviceName"].text().empty() || spec["ordinals"].present()) return {};
      return name + "-0." + spec["serviceName"].text();
    case JobKind::job_set: {
      const Field names = spec["network"]["enableDNSHostnames"];
      if (!subdomain.empty() || pod["hostname"].present() || (names.is_bool() && !names.json().get<bool>())) return {};
      return name + "-" + role.name + "-0-0." + spec["network"]["subdomain"].text(name);
    }
    default:
      return {};
  }
}

std::string replace_master_patch(const Launch& launch, const Role& role) {
  const std::string master = master_of(launch, role);
  const std::string& path = role.told.master.path();
  if (master.empty() || path.empty() || !role.told.master.known()) return {};
  // Half of an IPv6 address that was cut at its last colon: what follows is no port.
  if (role.told.master->ends_with(":")) return {};
  const auto with_port = [&](const std::string& text) {
    const std::size_t colon = text.rfind(':');
    return text == *role.told.master || colon == std::string::npos ? master : master + text.substr(colon);
  };
  for (const auto& [name, flag] : role.command.flags)
    if (flag.path == path && flag.value.known()) return replace_flag_patch(role, flag, with_port(flag.value.text));
  // The controller's variables stand behind the manifest's, which the kubelet reads in their order.
  if (master.starts_with("$(")) return {};
  for (const EnvEntry& entry : role.env)
    if (entry.value_path == path && entry.value.known()) return replace_patch(path, with_port(entry.value.text));
  return {};
}

}  // namespace rollcall::launch::rules
