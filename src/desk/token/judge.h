#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "desk/token/claims.h"
#include "desk/token/key_set.h"
#include "desk/token/review.h"
#include "roll_call/desk.h"

/// Who may answer a roll call. Pure: the order of the checks, and what each comes to, in one place.
namespace rollcall::desk {

using roll_call::TimePoint;

/// Where an admitted pod stands. Nothing in a request's body can change it.
struct Place {
  std::string roll_call;  ///< namespace/name
  int attempt = 0;
  int node_rank = 0;
  int nnodes = 0;
};

/// What the desk knows of the pod uid a token claims, from rosters the operator wrote and pods as the API server has
/// them.
struct Known {
  std::optional<Place> place;  ///< the latest attempt whose roster has the uid
  bool former = false;         ///< that attempt ended, or a later attempt of the job goes without this pod
  int current_attempt = 0;     ///< of the job, when there is a place
  std::string ended_message;   ///< for `former`: why the attempt ended, when its RollCall says so
  bool job_deleted = false;    ///< was in a roster whose RollCall is gone
  enum class Pod { NotSeen, Alive, Gone } pod = Pod::NotSeen;
  std::optional<TimePoint> first_heard;  ///< in no roster: when we first heard of it; nullopt = not recorded
};

enum class Outcome {
  Admitted,
  // Not decided yet: the adapter gets what is missing and asks again.
  KeysNeeded,    ///< read the cluster's keys (again)
  ReviewNeeded,  ///< ask for a TokenReview
  // Ask again in 2 s.
  UidNotYetKnown,     ///< the roster is written when all pods have uids
  PodNotYetSeen,      ///< our watch of pods is behind the roster
  Capped,             ///< reviews are at a limit
  ReviewUnavailable,  ///< the API server does not answer
  // Told its end.
  FormerAttempt,
  JobDeleted,
  // Refused.
  NoToken,
  Malformed,
  WrongAudience,
  Expired,
  NotOfAPod,
  UnknownKey,
  BadSignature,
  UidUnknown,
  PodGone,
  ReviewRefused,
  ReviewWrongAudience,
  ReviewOfOtherPod,
  BodyOfOtherPod,
};
std::string_view to_string(Outcome outcome);

/// How far a pod's clock and ours may differ before we call a token expired; the TokenReview decides.
inline constexpr std::chrono::minutes kClockLeeway{5};
/// How long an unknown uid is told to ask again: a roster needs the uids of all pods, and those of a large job are
/// created over seconds.
inline constexpr std::chrono::seconds kUnknownUidPatience{30};

/// `keys_fresh`: the key set was read after this token came (or may not be read again yet), so an unknown key is final.
Outcome judge(const Claims& claims, Signature signature, bool keys_fresh, const std::optional<Review>& review,
              const Known& known, TimePoint now);

/// What a caller is told of a refusal: the values, and what to do.
std::string explain(Outcome outcome, const Claims& claims, const Known& known, const std::optional<Review>& review,
                    TimePoint now);

}  // namespace rollcall::desk
