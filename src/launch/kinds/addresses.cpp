#include "launch/kinds/addresses.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "launch/address.h"
#include "launch/handed_over.h"
#include "launch/kinds/shape.h"
#include "launch/patch.h"

namespace rollcall::launch {
namespace {

constexpr std::array kAddressNames{"MASTER_ADDR", "PET_MASTER_ADDR"};
constexpr std::array kPortNames{"MASTER_PORT", "PET_MASTER_PORT"};
constexpr std::array kEndpointNames{"PET_RDZV_ENDPOINT", "JAX_COORDINATOR_ADDRESS"};

template <typename Row>
bool in(const Row& row, std::string_view name) {
  return std::find(row.begin(), row.end(), name) != row.end();
}

/// A port as text; what is no number is known to be out of every range, shown as -1 by the rule that denies it.
Fact<long long> port_of(const Text& text, const std::string& path) {
  if (!text.known()) return Fact<long long>::unknown(text.reason, path);
  return Fact<long long>::of(whole_number(text.text).value_or(-1), path);
}

/// One place that writes an address, a port, or both.
struct Source {
  std::string what;
  Text text;
  std::string path;
  bool left_out = false;
  std::string patch;
};

void add_address(const Source& from, const Text& host, Launch& launch) {
  launch.addresses.push_back({from.what, host.fact(from.path), from.left_out, from.patch});
}

void add_port(const Source& from, const Text& port, Launch& launch) {
  launch.ports.push_back({from.what, port.text, port_of(port, from.path), from.left_out});
}

void add_endpoint(const Source& from, const Role& role, Launch& launch) {
  const Endpoint endpoint = endpoint_of(from.text);
  add_address(from, endpoint.host, launch);
  // `localhost:0` is torchrun's own way to ask for any free port, where no other node has to know it.
  const bool any_port = endpoint.port && endpoint.port->text == "0" && role.nodes.known() && *role.nodes == 1;
  if (endpoint.port && !any_port) add_port(from, *endpoint.port, launch);
}

void read_spec(const Field& rendezvous, Launch& launch) {
  const Field address = rendezvous["masterAddr"];
  if (address.is_string()) {
    launch.master_addr = Fact<std::string>::of(address.text(), address.path());
    launch.addresses.push_back({"", launch.master_addr, false, remove_patch(address.path())});
  } else if (address.present()) {
    launch.shape.push_back({ShapeProblem::Kind::wrong_type, address.path(), "the field takes a string, an IP address.",
                            "Leave it out: the operator hands every rank the address of rank 0's pod.",
                            remove_patch(address.path())});
  }
  const Field port = rendezvous["port"];
  if (port.is_integer()) {
    const auto& json = port.json();
    const bool huge = json.is_number_unsigned() && json.get<std::uint64_t>() > 1'000'000'000;
    launch.port = Fact<long long>::of(huge ? 1'000'000'000 : json.get<long long>(), port.path());
    launch.ports.push_back({"", json.dump(), launch.port, false});
  } else if (port.present()) {
    launch.shape.push_back({ShapeProblem::Kind::wrong_type, port.path(), "the field takes a whole number.",
                            "Write a port from 1024 to 32767 without quotes, or leave it out for 29500.",
                            remove_patch(port.path())});
  }
}

void read_env(const Role& role, Launch& launch) {
  const std::string launcher = role.command.launcher.known() ? *role.command.launcher : "unknown";
  const int processes = role.processes_per_node.known() ? *role.processes_per_node : 1;
  const auto handed = handed_over_names(launcher, processes);
  for (const EnvEntry& entry : role.env) {
    const bool address = in(kAddressNames, entry.name);
    const bool port = in(kPortNames, entry.name);
    const bool endpoint = in(kEndpointNames, entry.name);
    if (!address && !port && !endpoint) continue;
    const bool left_out = in(handed, entry.name);
    const Source from{"env " + entry.name + ": ", entry.value, entry.value_path, left_out, remove_patch(entry.path)};
    if (address) add_address(from, entry.value, launch);
    if (port) add_port(from, entry.value, launch);
    if (endpoint) add_endpoint(from, role, launch);
  }
}

void read_flags(const Role& role, Launch& launch) {
  const auto source = [](const Flag& flag) {
    return Source{flag.spelled + ": ", flag.value, flag.path, false, flag.patch};
  };
  if (const Flag* flag = role.command.flag("--master-addr")) add_address(source(*flag), flag->value, launch);
  if (const Flag* flag = role.command.flag("--master-port")) add_port(source(*flag), flag->value, launch);
  if (const Flag* flag = role.command.flag("--rdzv-endpoint")) add_endpoint(source(*flag), role, launch);
}

}  // namespace

void read_addresses(const Field& rendezvous, Launch& launch) {
  read_spec(rendezvous, launch);
  for (const Role& role : launch.roles) {
    read_env(role, launch);
    read_flags(role, launch);
  }
}

}  // namespace rollcall::launch
