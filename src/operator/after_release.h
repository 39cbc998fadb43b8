#pragma once

#include <optional>
#include <set>
#include <string>
#include <variant>

#include "operator/job_view.h"
#include "operator/next_attempt.h"

namespace rollcall::operator_ {

/// Longest time between the first trainer's start and the last's; after it the ones that run would wait for ever for
/// the one that does not. Image pulls are not counted: while one may be under way, waitForPodsSeconds holds instead.
inline constexpr std::chrono::seconds kTrainersStartWithin{60};

// What became of a released attempt.
struct Training {
  int running = 0;
  int succeeded = 0;
  std::optional<WallTime> look_again;  ///< when a deadline comes
};
struct AllSucceeded {};
struct TrainerFailed {
  int node_rank = 0;
  std::string message;
};
/// The attempt is over and the next one follows.
struct AttemptLost {
  Ending ending;
  std::vector<std::pair<std::string, std::string>> gone;  ///< name and uid of the pods that seem to be gone
};
using Course = std::variant<Training, AllSucceeded, TrainerFailed, AttemptLost>;

/// Node ranks whose trainers ended with exit code 0, now or when they were last seen: a pod that is deleted afterwards,
/// by a drain or the collection of ended pods, takes nothing back.
std::set<int> succeeded_ranks(const JobView& view, const std::string& trainer);

/// Only for a RollCall whose verdict is Released. Success is the trainers' exits; other containers never hold a job
/// open.
Course course_of(const JobView& view, const std::string& trainer, WallTime now);

/// The pods of the roster that are gone, going or dead before the release, as words and names; nullopt when all stand.
std::optional<AttemptLost> lost_before_release(const JobView& view, WallTime now);

}  // namespace rollcall::operator_
