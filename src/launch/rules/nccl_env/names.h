#pragma once

#include <string>
#include <string_view>

namespace rollcall::launch::rules {

/// Whether NCCL, one of its plugins, RCCL, torch or an image is known to use this name. Source: the NCCL_PARAM
/// declarations and getenv calls of NCCL 2.30 and the releases before it, the sources of aws-ofi-nccl, the plugins that
/// come with NCCL, RCCL's and torch's own.
bool known_nccl_name(std::string_view name);

/// Whether NCCL reads the value by strtoll: a word is 0 to it, without a complaint.
bool is_number_to_nccl(std::string_view name);

/// The only known name that `name` is nearly; empty when there is none, or more than one.
std::string nearest_nccl_name(std::string_view name);

}  // namespace rollcall::launch::rules
