#pragma once

#include <string>
#include <string_view>

/// What NCCL's names of networks mean. The name is what a plugin calls itself, so the table is data and grows; a name
/// that is not in it is "other", which is no fault.
namespace rollcall::child {

/// Class of what NCCL calls `network`: "rdma", "tcp" or "other". libfabric goes over whatever its provider is, so its
/// class is that of `provider`, and "other" when no line named one: its name alone proves nothing.
std::string network_class(std::string_view network, std::string_view provider);

}  // namespace rollcall::child
