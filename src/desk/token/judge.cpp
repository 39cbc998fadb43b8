#include "desk/token/judge.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/names.h"

namespace rollcall::desk {
namespace {

bool has_our_audience(const std::vector<std::string>& audiences) {
  return std::find(audiences.begin(), audiences.end(), api::names::kTokenAudience) != audiences.end();
}

std::int64_t seconds(TimePoint time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

/// What a stranger wrote, fit for a log line.
std::string shown(const std::string& text) {
  std::string out = text.substr(0, 80);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c < 0x20 || c > 0x7e; }, '?');
  return out.empty() ? "none" : out;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (std::size_t i = 0; i < texts.size() && i < 5; ++i) out += (i == 0 ? "" : ", ") + shown(texts[i]);
  return out.empty() ? "none" : out;
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::Admitted:
      return "Admitted";
    case Outcome::KeysNeeded:
      return "KeysNeeded";
    case Outcome::ReviewNeeded:
      return "ReviewNeeded";
    case Outcome::UidNotYetKnown:
      return "UidNotYetKnown";
    case Outcome::PodNotYetSeen:
      return "PodNotYetSeen";
    case Outcome::Capped:
      return "Capped";
    case Outcome::ReviewUnavailable:
      return "ReviewUnavailable";
    case Outcome::FormerAttempt:
      return "FormerAttempt";
    case Outcome::JobDeleted:
      return "JobDeleted";
    case Outcome::NoToken:
      return "NoToken";
    case Outcome::Malformed:
      return "Malformed";
    case Outcome::WrongAudience:
      return "WrongAudience";
    case Outcome::Expired:
      return "Expired";
    case Outcome::NotOfAPod:
      return "NotOfAPod";
    case Outcome::UnknownKey:
      return "UnknownKey";
    case Outcome::BadSignature:
      return "BadSignature";
    case Outcome::UidUnknown:
      return "UidUnknown";
    case Outcome::PodGone:
      return "PodGone";
    case Outcome::ReviewRefused:
      return "ReviewRefused";
    case Outcome::ReviewWrongAudience:
      return "ReviewWrongAudience";
    case Outcome::ReviewOfOtherPod:
      return "ReviewOfOtherPod";
    case Outcome::BodyOfOtherPod:
      return "BodyOfOtherPod";
  }
  return "Unknown";
}

Outcome judge(const Claims& claims, Signature signature, bool keys_fresh, const std::optional<Review>& review,
              const Known& known, TimePoint now) {
  // Costs nothing.
  if (!has_our_audience(claims.audiences)) return Outcome::WrongAudience;
  if (claims.expires + std::chrono::seconds(kClockLeeway).count() <= seconds(now)) return Outcome::Expired;
  if (claims.pod_uid.empty()) return Outcome::NotOfAPod;

  // Costs a signature check of ours. Before the roster, so that no stranger can enter uids of his making into what we
  // remember.
  if (signature == Signature::Bad) return Outcome::BadSignature;
  if (signature == Signature::UnknownKey) return keys_fresh ? Outcome::UnknownKey : Outcome::KeysNeeded;
  if (signature == Signature::NotChecked && !keys_fresh) return Outcome::KeysNeeded;

  if (!known.place) {
    if (known.job_deleted) return Outcome::JobDeleted;
    const bool patient = !known.first_heard || now - *known.first_heard < kUnknownUidPatience;
    return patient ? Outcome::UidNotYetKnown : Outcome::UidUnknown;
  }
  // A deleted pod's token passes review for some 10 s; our cache knows better.
  if (known.pod == Known::Pod::Gone) return Outcome::PodGone;

  // Costs the API server a review.
  if (!review) return Outcome::ReviewNeeded;
  if (!review->authenticated) return Outcome::ReviewRefused;
  if (!has_our_audience(review->audiences)) return Outcome::ReviewWrongAudience;
  if (review->pod_uid != claims.pod_uid) return Outcome::ReviewOfOtherPod;

  if (known.former) return Outcome::FormerAttempt;
  if (known.pod == Known::Pod::NotSeen) return Outcome::PodNotYetSeen;
  return Outcome::Admitted;
}

std::string explain(Outcome outcome, const Claims& claims, const Known& known, const std::optional<Review>& review,
                    TimePoint now) {
  const std::string pod =
      fmt::format("pod {}/{} (uid {})", shown(claims.namespace_name), shown(claims.pod_name), shown(claims.pod_uid));
  switch (outcome) {
    case Outcome::Admitted:
      return pod + " is admitted";
    case Outcome::KeysNeeded:
    case Outcome::ReviewNeeded:
      return pod + ": not decided yet";
    case Outcome::UidNotYetKnown:
      return pod + " is in no roster yet: the operator writes it when every pod of the job exists; ask again";
    case Outcome::PodNotYetSeen:
      return pod + " is in a roster, but the desk has not seen the pod yet; ask again";
    case Outcome::Capped:
      return "the desk reviews as many tokens as it may; ask again";
    case Outcome::ReviewUnavailable:
      return "the API server does not review tokens at the moment; nothing is lost, ask again";
    case Outcome::FormerAttempt:
      if (known.place && known.current_attempt > known.place->attempt)
        return fmt::format("attempt {} of this job ended; attempt {} goes on without {}", known.place->attempt,
                           known.current_attempt, pod);
      return fmt::format("attempt {} of this job ended{}", known.place ? known.place->attempt : 0,
                         known.ended_message.empty() ? "" : ": " + known.ended_message);
    case Outcome::JobDeleted:
      return "the job was deleted; this pod's roll call is gone with it";
    case Outcome::NoToken:
    case Outcome::Malformed:
      return "no readable token; send the pod's projected token, audience rollcall";
    case Outcome::WrongAudience:
      return fmt::format("the token's audience is {}; mount a projected token with audience {}",
                         joined(claims.audiences), api::names::kTokenAudience);
    case Outcome::Expired:
      return fmt::format("the token expired {} s ago; read the token file again (the kubelet renews it) and ask again",
                         seconds(now) - claims.expires);
    case Outcome::NotOfAPod:
      return "the token is bound to no pod; send the pod's projected token";
    case Outcome::UnknownKey:
      return fmt::format("the token's key {} is none of the cluster's", shown(claims.key_id));
    case Outcome::BadSignature:
      return fmt::format("the token is not signed by the cluster's key {} (algorithm {})", shown(claims.key_id),
                         shown(claims.algorithm));
    case Outcome::UidUnknown:
      return fmt::format(
          "{} is in no roster after {} s: only pods the operator made for a job may answer, whatever their "
          "names and labels",
          pod, kUnknownUidPatience.count());
    case Outcome::PodGone:
      return pod + " is deleted or being deleted";
    case Outcome::ReviewRefused:
      return fmt::format("the API server refused the token of {}: {}; read the token file again and ask again", pod,
                         review ? shown(review->error) : "none");
    case Outcome::ReviewWrongAudience:
      return fmt::format("the API server says the token of {} is for {}, not for {}", pod,
                         review ? joined(review->audiences) : "none", api::names::kTokenAudience);
    case Outcome::ReviewOfOtherPod:
      return fmt::format("the token claims pod uid {}, the API server says {}", shown(claims.pod_uid),
                         review ? shown(review->pod_uid) : "none");
    case Outcome::BodyOfOtherPod:
      return fmt::format("the answer's podUid is not that of its token, {}; a pod answers for itself",
                         shown(claims.pod_uid));
  }
  return "refused";
}

}  // namespace rollcall::desk
