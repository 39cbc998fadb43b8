#include "launch/rules/scheduling/readiness.h"

#include "launch/rules/command_text.h"

namespace rollcall::launch::rules {

bool answers_after_the_world(const Role& role, const Field& probe) {
  if (!role.command.by_torchrun()) return false;
  if (role.command.flag("--standalone") != nullptr || has_company(role) || starts_in_background(role.container))
    return false;
  const Field http = probe["httpGet"];
  if (http.present()) return !http["host"].present();
  if (probe["grpc"].present()) return true;
  const Field tcp = probe["tcpSocket"];
  // Without a port of its own the store is on torchrun's, 29500, or on c10d's, 29400.
  return tcp.present() && !tcp["host"].present() && tcp["port"].is_integer() && role.told.port.known() &&
         tcp["port"].json().get<long long>() != *role.told.port;
}

}  // namespace rollcall::launch::rules
