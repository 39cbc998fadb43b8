#pragma once

#include <sys/types.h>

#include <set>
#include <string>
#include <vector>

/// NCCL's shared memory that stays when a rank is killed: files nccl-XXXXXX in /dev/shm. They would take the job's
/// space there, so those of our own children are removed.
namespace rollcall::probe {

/// Names of the NCCL files in `directory`.
std::set<std::string> nccl_files(const std::string& directory = "/dev/shm");

/// Those that process `pid` has mapped or open now, by /proc. Reading a process's maps waits for whoever changes them,
/// also for a driver that hangs there: nccl_files_held() asks a child.
std::set<std::string> nccl_files_of(pid_t pid, const std::string& directory = "/dev/shm");

/// As above, by `self shared-memory PID`, within half a second; what could not be read is not there.
std::set<std::string> nccl_files_held(const std::string& self, pid_t pid);
/// The verb behind it: prints a name a line.
int print_nccl_files(pid_t pid);

/// Whether this container shares /dev/shm with the whole node (hostIPC): then a new file may be another job's.
bool shares_node_memory();

/// Removes NCCL files that our children left: each in `known` (seen in their hands), and, unless /dev/shm is `shared`
/// with other jobs, each of this user's that was not there `before`. Returns the names removed.
std::vector<std::string> sweep(const std::set<std::string>& before, const std::set<std::string>& known, bool shared,
                               const std::string& directory = "/dev/shm");

}  // namespace rollcall::probe
