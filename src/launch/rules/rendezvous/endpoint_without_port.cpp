#include <string>

#include "launch/rules/command_text.h"
#include "launch/rules/rendezvous/family.h"

namespace rollcall::launch::rules {
namespace {

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const auto& rendezvous = role.told.rendezvous;
    const Flag* flag = role.command.flag("--rdzv-endpoint");
    if (!role.command.by_torchrun() || flag == nullptr || !flag->value.known()) continue;
    if (!rendezvous.known() || *rendezvous != "static" || role.command.flag("--standalone") != nullptr) continue;
    const std::string& text = flag->value.text;
    if (text.empty() || text.find(':') != std::string::npos) continue;
    judgement.add(rendezvous_endpoint_without_port, flag->path)
        .wrong("`{}` has no port, which the static rendezvous asks for.", flag->written())
        .instead("Write {}{}{}:29500.", flag->spelled, flag->joint, text)
        .patch(replace_flag_patch(role, *flag, text + ":29500"));
  }
}

}  // namespace

const Rule rendezvous_endpoint_without_port{
    .id = "rendezvous/endpoint-without-port",
    .severity = Severity::deny,
    .title = "a static endpoint without a port",
    .why =
        "With the static rendezvous torchrun takes no port for granted behind --rdzv-endpoint and ends at once. The "
        "default of 29500 belongs to --master-port.",
    .wrong = "torchrun --rdzv-endpoint=llama-0.llama",
    .right = "torchrun --rdzv-endpoint=llama-0.llama:29500",
    .check = check,
    .kinds = kOtherKinds,
};

}  // namespace rollcall::launch::rules
