#pragma once

#include <ifaddrs.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "roll_call/device_facts.h"

/// `rollcall-probe-child nccl`: the version of the libnccl the job will load, the interface it will choose, asked of
/// that library itself, and what this process may do that NCCL needs. No GPU is touched.
namespace rollcall::child {

/// Arguments after the verb: --library PATH, --source job|bundled. Returns 0 when NCCL found an interface, 1 when the
/// facts say why not, 2 when called wrongly.
int run_nccl(std::span<const std::string_view> arguments);

/// Where NCCL listens, of the 128 bytes of an ncclUniqueId: behind 8 random bytes stands a sockaddr (NCCL's source,
/// ncclBootstrapHandle; measured with 2.18, 2.21, 2.27 and 2.32). A layout that is not that gives nullopt. "10.0.0.7",
/// "fe80::1".
std::optional<std::string> address_in(std::string_view unique_id);

/// The interface of `all` that has the address; empty when none has.
std::string interface_of(const std::string& address, const ifaddrs* all);

/// Limits that NCCL's transports meet: memlock_bytes, memlock_tried, numa_errno.
void read_limits(roll_call::NcclFacts& facts);

}  // namespace rollcall::child
