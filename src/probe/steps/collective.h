#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "probe/children/child.h"
#include "probe/steps/job_image.h"
#include "roll_call/collective.h"

namespace rollcall::probe {

/// This node's part of one ordered collective: a child program for each of its ranks. Where rank 0 is here and no id is
/// known, its child makes the id: when every rank is here the others start with it at once, else they wait until the
/// desk has told it to all (tell_id). Whatever its children leave in /dev/shm is removed at the end.
class CollectiveRun {
 public:
  /// `news` is called, by any thread, when the state has something the desk waits for: the id, or the end.
  CollectiveRun(roll_call::CollectiveOrder order, const Settings& settings, JobImage& image, Log& log,
                std::function<void()> news);

  /// Starts the children and waits for their ends. Blocks, on one thread; cancel kills them and leaves the state
  /// undone.
  void run(const Wake& cancel);
  /// The desk's order came again, with the id. Any thread.
  void tell_id(const std::string& unique_id);
  int id() const { return order_.id; }
  roll_call::CollectiveState state() const;

 private:
  bool makes_id() const { return order_.first_rank == 0 && order_.unique_id.empty(); }
  bool all_here() const { return static_cast<int>(order_.gpus.size()) == order_.nranks; }
  void run_rank(std::size_t index, const std::string& library, const Environment& environment, const Wake& cancel);
  /// The id to join with; empty when there will be none.
  std::string wait_for_id(const Wake& cancel);
  void id_made(const std::string& unique_id);
  void no_id_comes();
  void add(roll_call::RankResult result, bool simulated);
  void add_all(const std::string& error);
  void finish(const std::string& words);

  const roll_call::CollectiveOrder order_;
  const Settings& settings_;
  JobImage& image_;
  Log& log_;
  const std::function<void()> news_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  roll_call::CollectiveState state_;
  std::string join_id_;  ///< what further ranks start with
  bool id_given_up_ = false;
  std::set<std::string> shared_memory_;  ///< seen in the hands of our children
};

/// What one child's report says of its rank.
roll_call::RankResult rank_result_from(const ChildReport& report, int rank, int gpu);

/// One line for the log.
std::string words_for(const roll_call::CollectiveOrder& order, const roll_call::CollectiveState& state);

}  // namespace rollcall::probe
