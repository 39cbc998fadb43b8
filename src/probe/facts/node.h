#pragma once

#include "roll_call/messages.h"

namespace rollcall::probe {

/// Facts the kernel answers at once: kernel, limits, memory, /dev/shm, interfaces. Touches no file system of the job's.
void read_node_facts(roll_call::LocalFacts& facts);

/// The memory limit in a cgroup file's words ("max", "536870912"); 0 for none. v1 says none with a number near 2^63.
std::int64_t memory_limit_from(std::string_view text);

/// NVIDIA device nodes that can be opened here, and what was looked at when fewer than asked for can be.
void read_gpu_facts(roll_call::LocalFacts& facts, const std::string& dev, const std::string& proc);

}  // namespace rollcall::probe
