#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "operator/decision.h"
#include "operator/job_view.h"

namespace rollcall::operator_ {

/// One look at one job: reconcile() in parts, each of which adds to the decision. A part that answers bool answers what
/// its name asks. Private to reconcile().
class Look {
 public:
  Look(const Observed& observed, WallTime now);
  Decision take() &&;

 private:
  void act(Action action);
  void look_again(WallTime then);
  void fail(const char* why, const std::string& message);
  bool planned();
  /// The rules that `rollcall lint` runs, in the same words.
  bool refused_by_rules();
  /// Pods of ours that stand in no place: of a former attempt, or under our name but in no roster.
  void remove_strays();
  void note_suspension();
  void show_suspended();
  void note_first_release();
  /// The job's mode, or the policy's in its place; who said so, for a sentence.
  api::RollCallMode mode() const { return o_.policy.mode.value_or(o_.job.spec.roll_call.mode); }
  std::string mode_source() const;
  /// activeDeadlineSeconds is over: the job has failed. A trainer's exit that is known goes before.
  bool past_deadline();
  /// ttlSecondsAfterFinished.
  void delete_when_expired();
  /// Ends the current attempt before its release, once.
  void end_for(api::EndReason why, const std::string& message,
               std::vector<std::pair<std::string, std::string>> unless_alive = {});

  // ---- before the roster is written: gather.cpp
  void without_roll_call();
  /// A pod that is dead, or the first scheduled one having waited too long, while not even all are created. No RollCall
  /// exists, so nobody else could give a verdict: the write of the status is the compare-and-swap.
  bool given_up_before_the_roster();
  /// Whether the place of `rank` is still taken: by a pod of a former attempt (any of them on the host network, where
  /// the next one would find its ports in use), or by somebody else's.
  bool place_taken(int rank);
  void wait_for(const PodFacts& pod, std::string words);
  void create_missing_pods();
  void write_roster();

  // ---- between roster and verdict: called.cpp
  void while_called();
  void hand_over_address();
  /// Wakes kubelets whose files still do not show the address.
  void show_address_again();
  std::string annotation_of_roll_call(const char* key) const;
  void annotate_roll_call(const char* key, const std::string& value);
  void pass_on_mode();
  std::optional<std::string> release_asked() const;
  void pass_on_release();
  /// The attempt was told the annotation that still stands on the job; its removal is owed. Only then may the attempt
  /// be left: the next one must obey what it finds, also the same words, which people copy from the message.
  bool takes_an_obeyed_release();

  // ---- after the verdict Released: released.cpp
  void after_release();
  void complete();
  /// What still runs is ended, so that logs stay and places are free; the RollCall tells that it is over.
  void tidy_after_the_end();

  const Observed& o_;
  const WallTime now_;
  const JobView view_;
  Decision d_;
};

}  // namespace rollcall::operator_
