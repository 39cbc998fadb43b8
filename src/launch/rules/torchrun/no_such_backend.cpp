#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "launch/rules/command_text.h"
#include "launch/rules/torchrun/family.h"

namespace rollcall::launch::rules {
namespace {

constexpr std::array kBackends{"static", "c10d", "etcd", "etcd-v2"};
/// Backends of torch.distributed, which people write here by mistake. Another name may be a plugin's.
constexpr std::array kCollectives{"nccl", "gloo", "mpi", "tcp", "c10"};

/// What somebody who wrote `text` meant; empty for a backend that there is, or may be.
std::string meant_by(const std::string& text) {
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (std::find(kCollectives.begin(), kCollectives.end(), lower) != kCollectives.end()) return "c10d";
  const auto found = std::find(kBackends.begin(), kBackends.end(), lower);
  return found == kBackends.end() || text == *found ? std::string() : std::string(*found);
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const Flag* flag = role.command.flag("--rdzv-backend");
    if (!role.command.by_torchrun() || flag == nullptr || !flag->value.known()) continue;
    const std::string meant = meant_by(flag->value.text);
    if (meant.empty()) continue;
    judgement.add(torchrun_no_such_backend, flag->path)
        .wrong("torchrun has no rendezvous backend `{}`.", flag->value.text)
        .instead("Write {}{}{}.", flag->spelled, flag->joint, meant)
        .patch(replace_flag_patch(role, *flag, meant));
  }
}

}  // namespace

const Rule torchrun_no_such_backend{
    .id = "torchrun/no-such-backend",
    .severity = Severity::deny,
    .title = "a rendezvous backend that does not exist",
    .why =
        "torchrun knows the backends static, c10d, etcd and etcd-v2, in lower case. The backend of the collectives, "
        "nccl or gloo, is the program's matter. With another name it ends at once.",
    .wrong = "torchrun --rdzv-backend=nccl",
    .right = "torchrun --rdzv-backend=c10d",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
