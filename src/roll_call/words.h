#pragma once

#include <functional>
#include <string>
#include <vector>

#include "roll_call/roll.h"

/// The words for a person. Node rank = a pod's place, rank = a process's.
namespace rollcall::roll_call {

/// "gpu-17 (node rank 3, ranks 24-31)"; without a node yet "pod llama-ft-3-1 (node rank 3, ranks 24-31)".
std::string who(const Pod& pod);
/// "gpu-17 (node rank 3)".
std::string who_briefly(const Pod& pod);
/// "gpu-17".
std::string node_or_pod(const Pod& pod);

/// "a, b and c"; above `max` entries "a, b and 7 more".
std::string listed(const std::vector<std::string>& entries, std::size_t max = 5);
/// The same for entries that are made only when they are shown: of 1,000 nodes five are named.
std::string listed_of(std::size_t count, const std::function<std::string(std::size_t)>& entry, std::size_t max = 5);
/// Why pods are waited for, as clauses with "; " between them: "…; …; and 7 more".
std::string why_waiting_for(const std::vector<const Pod*>& pods, TimePoint now, std::size_t max = 3);
std::string listed(const std::vector<const Pod*>& pods, std::string (*word)(const Pod&) = who_briefly,
                   std::size_t max = 5);

/// "3 nodes", "1 node".
std::string counted(std::size_t count, const char* singular, const char* plural);

/// What the hold has cost: "51 GPU-hours", or "12 pod-minutes" for a job without GPUs.
std::string cost(const Roll& roll, std::chrono::milliseconds held);

/// "kubectl annotate tj llama-ft rollcall.dev/release='why' -n team-a"
std::string release_command(const Roll& roll);

/// "gpu-17 (node rank 3) has answered last 40 s ago" and the like: why a pod is waited for.
std::string why_waiting(const Pod& pod, TimePoint now);

/// The ephemeral range of a node as "32768-60999"; the kernel's default when it is not known.
std::string port_range(const Pod& pod);

}  // namespace rollcall::roll_call
