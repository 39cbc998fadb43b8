#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "probe/support/process.h"
#include "roll_call/collective.h"

/// A group of ranks as the probes start it: one process of the real child each, on the doubles.
namespace rollcall::child::testing {

/// One rank.
struct Member {
  int gpu = 0;
  std::string node = "gpu-a";                   ///< ROLLCALL_SCENARIO_NODE
  std::map<std::string, std::string> env = {};  ///< of the job
};

/// `count` ranks on GPUs 0, 1, … of one node.
std::vector<Member> one_node(int count);
/// Two nodes, gpu-a and gpu-b, with `each` ranks.
std::vector<Member> two_nodes(int each);

/// What a rank left behind.
struct Ending {
  std::optional<int> status;  ///< exit status, 128 + signal; nullopt: it had to be killed
  std::string step;           ///< the last one it said
  std::optional<roll_call::RankResult> rank;
  bool simulated = false;
  std::string output;

  roll_call::RankOutcome outcome() const;  ///< NotStarted when it said nothing
  std::string error() const { return rank ? rank->error : std::string(); }
};

struct Sizes {
  std::int64_t small = 4096;
  std::int64_t large = 1 << 20;
};

class Group {
 public:
  /// Starts rank 0, then, with its id, the others. `scenario`: the doubles' file.
  Group(const std::vector<Member>& members, const std::string& scenario, Sizes sizes = {});
  /// Removes what killed ranks left in /dev/shm.
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  /// Waits for all, `limit` in all; kills those that did not end.
  std::vector<Ending> endings(std::chrono::milliseconds limit);
  /// Files of NCCL's in /dev/shm that ranks of this group made and that are there now.
  std::vector<std::string> left_in_shared_memory() const;
  probe::testing::Process& process(std::size_t rank) { return *processes_.at(rank); }

 private:
  void start(const Member& member, std::size_t rank, const std::vector<std::string>& id);
  probe::testing::TemporaryDirectory directory_;
  std::string scenario_;
  std::size_t nranks_;
  Sizes sizes_;
  std::vector<std::unique_ptr<probe::testing::Process>> processes_;
};

/// All of it, for what ends by itself.
std::vector<Ending> run(const std::vector<Member>& members, const std::string& scenario, Sizes sizes = {});
/// For what leaves others waiting: when `rank` has ended, the rest is killed.
std::vector<Ending> run_until_end_of(std::size_t rank, const std::vector<Member>& members, const std::string& scenario);
/// For what hangs: when every rank's output holds its text, nobody ends within a moment, and all are killed.
std::vector<Ending> run_until_said(const std::vector<std::string>& texts, const std::vector<Member>& members,
                                   const std::string& scenario);

}  // namespace rollcall::child::testing
