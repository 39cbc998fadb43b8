#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/roll_call.h"
#include "desk/token/judge.h"
#include "desk/token/unknown_uids.h"
#include "roll_call/desk.h"

namespace rollcall::desk {

/// Rosters as the operator wrote them and pods as the API server has them, by pod uid: what the token checks look up
/// and what a new roll call starts from. Any thread.
class Rosters {
 public:
  void put(const std::string& key, const api::RollCall& roll_call, TimePoint now);
  /// Its uids are remembered as those of a deleted job for kTombstone, unless a later attempt has them.
  void remove(const std::string& key, TimePoint now);

  /// Another pod of the same name counts as gone: it is returned, whether or not its deletion was seen.
  std::optional<roll_call::PodView> put_pod(const std::string& pod_key, const roll_call::PodView& pod, TimePoint now);
  /// The pod as it was last seen, gone; nullopt when it was never seen.
  std::optional<roll_call::PodView> remove_pod(const std::string& pod_key, const std::string& uid, TimePoint now);
  /// Pods of a roster that we have seen.
  std::vector<roll_call::PodView> pods_of(const std::string& key) const;
  /// Pods of a roster, as gone, that the watch has not shown although the roster stands for kPodLag: they were deleted
  /// before this process began. Only after both lists were complete.
  std::vector<roll_call::PodView> never_seen(const std::string& key, TimePoint now) const;
  /// Keys of the roll calls whose roster has this pod.
  std::vector<std::string> roll_calls_of(const std::string& uid) const;

  /// `record`: the uid is vouched for by a signature, so an unknown one may be entered.
  Known know(const std::string& uid, bool record, TimePoint now);

  /// The roll call ended, or what it released did.
  bool over(const std::string& key) const;
  std::size_t pods() const;
  std::size_t roll_calls() const;

  /// How long the pods of a deleted job are told so: their probes ask every few seconds, and the garbage collector ends
  /// them.
  static constexpr std::chrono::minutes kTombstone{2};
  /// How long a deleted pod is known as such: longer than its token passes review (10 s) by far.
  static constexpr std::chrono::minutes kGonePod{10};
  /// How far the watch of pods may be behind that of RollCalls before a pod that is not there counts as gone.
  static constexpr std::chrono::seconds kPodLag{10};
  static constexpr std::size_t kMaxTombstones = 50'000;

 private:
  struct Roster {
    int attempt = 0;
    int nnodes = 0;
    std::string job_uid;
    bool ended = false;
    std::string ended_message;
    TimePoint since{};                                        // when we first had it
    std::map<std::string, std::pair<int, std::string>> pods;  // uid → node rank, name
  };
  struct Pod {
    roll_call::PodView view;
    std::string key;
  };
  void drop(const std::string& key);
  std::optional<roll_call::PodView> forget_pod(const std::string& uid, TimePoint now);
  void prune(TimePoint now);

  mutable std::mutex mutex_;
  std::unordered_map<std::string, Roster> rosters_;                      // by namespace/name
  std::unordered_map<std::string, std::vector<std::string>> by_uid_;     // pod uid → keys of rosters
  std::unordered_map<std::string, std::map<int, int>> attempts_;         // job uid → attempt → how many roll calls
  std::unordered_map<std::string, Pod> pods_;                            // by uid
  std::unordered_map<std::string, std::string> uid_of_pod_;              // namespace/name → uid
  std::unordered_map<std::string, TimePoint> gone_pods_, deleted_jobs_;  // by pod uid
  UnknownUids unknown_;
  TimePoint pruned_{};
};

}  // namespace rollcall::desk
