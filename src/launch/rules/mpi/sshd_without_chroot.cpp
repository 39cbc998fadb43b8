#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "launch/patch.h"
#include "launch/rules/mpi/family.h"

namespace rollcall::launch::rules {
namespace {

/// What sshd needs as root: to chroot its unprivileged half, and to become the user who logs in.
constexpr std::array<const char*, 3> kNeeded{"SYS_CHROOT", "SETUID", "SETGID"};

bool lists(const Field& names, const std::string& name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].text() == name || names[i].text() == "CAP_" + name || names[i].text() == "ALL") return true;
  return false;
}

std::vector<std::string> missing(const Field& capabilities) {
  std::vector<std::string> out;
  for (const char* name : kNeeded)
    if (lists(capabilities["drop"], name) && !lists(capabilities["add"], name)) out.emplace_back(name);
  return out;
}

std::string adding(const Field& capabilities, const std::vector<std::string>& names) {
  const Field added = capabilities["add"];
  if (!added.is_array()) return add_patch(added.path(), names);
  std::vector<std::pair<Field, nlohmann::json>> elements;
  for (const std::string& name : names) elements.emplace_back(added, name);
  return append_patch(elements);
}

/// Whether the container starts sshd for certain: by its command, or because the controller does where there is none.
bool runs_sshd(const Launch& launch, const Role& role) {
  const Field command = role.container["command"];
  // An MPIJob of v1 starts a sleep in its Workers, and ranks by kubectl exec.
  if (command.size() == 0)
    return launch.root["apiVersion"].text().ends_with("/v2beta1") && role.container["args"].size() == 0;
  const std::string program = command[0].text();
  return program == "sshd" || program.ends_with("/sshd");
}

/// 0 = for certain not an ordinary user.
bool may_be_root(const Role& role) {
  const Field own = role.container["securityContext"]["runAsUser"];
  const Field user = own.present() ? own : role.pod_template["spec"]["securityContext"]["runAsUser"];
  return !user.is_integer() || user.json().get<long long>() == 0;
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Field context = role.container["securityContext"];
    if (role.leads || !runs_sshd(launch, role) || !may_be_root(role)) continue;
    const Field privileged = context["privileged"];
    if (privileged.is_bool() && privileged.json().get<bool>()) continue;
    const auto without = missing(context["capabilities"]);
    if (without.empty()) continue;
    const std::string names = fmt::format("{}", fmt::join(without, ", "));
    judgement.add(mpi_sshd_without_chroot, context["capabilities"].path())
        .wrong("sshd runs as root without {}, and resets every connection.", names)
        .instead("Add {} to capabilities.add, or run sshd as an ordinary user on a high port.", names)
        .patch(adding(context["capabilities"], without));
  }
}

}  // namespace

const Rule mpi_sshd_without_chroot{
    .id = "mpi/sshd-without-chroot",
    .severity = Severity::warn,
    .title = "sshd without the capabilities it needs as root",
    .why =
        "sshd of root puts its unprivileged half into a chroot and then becomes the user who logs in. Without "
        "SYS_CHROOT, SETUID and SETGID it ends each connection before it is made, and mpirun waits for Workers that "
        "look healthy.",
    .wrong = "capabilities: {drop: [ALL]} beside /usr/sbin/sshd -De",
    .right = "capabilities: {drop: [ALL], add: [SYS_CHROOT, SETUID, SETGID]}",
    .check = check,
    .kinds = {JobKind::mpi_job, JobKind::volcano_job},
};

}  // namespace rollcall::launch::rules
