#include <algorithm>

#include "api/names.h"
#include "base/printable.h"
#include "operator/after_release.h"
#include "operator/job_status.h"
#include "operator/look.h"

namespace rollcall::operator_ {

namespace names = api::names;
using api::EndReason;

namespace {

// An annotation may have 256 KiB; the RollCall that carries the reason is written once a second.
constexpr std::size_t kReasonBytes = 512;

/// HOST:PORT; an IPv6 address has colons of its own.
std::string endpoint_words(const std::string& address, int port) {
  const bool v6 = address.find(':') != std::string::npos;
  return (v6 ? "[" + address + "]" : address) + ":" + std::to_string(port);
}

constexpr auto kAddressSeen = "AddressSeen";

/// A kubelet writes a pod's annotations into the file again when it syncs the pod after a change. While it still writes
/// the former ones, as it does when the container has just started, its volume manager takes the new ones for written
/// and the file keeps the old text until the next sync, 60 to 90 s later (seen: an annotation that the kubelet had 0.3
/// s after the probe's start was not in the file a minute later). Any other change makes it sync at once. After 2, 4, 8
/// … seconds: in a sound cluster the file shows the address within 0.2 s, and nothing of this happens.
constexpr auto kFirstLookAgain = std::chrono::seconds(2);
/// The last one after 32 s; what has not helped five times does not.
constexpr int kMostLooksAgain = 5;

/// By the letters of the report, which has all nodes, however many.
bool shows_address(const api::Report& report, int rank) {
  const auto stage = std::find(report.stages.begin(), report.stages.end(), kAddressSeen);
  const auto node = static_cast<std::size_t>(rank);
  if (stage == report.stages.end() || node >= report.states.size()) return false;
  const auto letter = static_cast<std::size_t>(stage - report.stages.begin());
  return letter < report.states[node].size() && report.states[node][letter] == 'P';
}

}  // namespace

void Look::while_called() {
  describe_roll_call(view_, now_, d_.status);
  if (o_.job.spec.suspend) {
    end_for(EndReason::Suspended, "Suspended by spec.suspend.");
    return;
  }
  if (auto lost = lost_before_release(view_, now_)) {
    end_for(lost->ending.reason, lost->ending.message, std::move(lost->gone));
    return;
  }
  hand_over_address();
  show_address_again();
  pass_on_mode();
  pass_on_release();
}

void Look::hand_over_address() {
  const auto& address = view_.roll_call->status.master_addr;
  if (address.empty()) return;
  const auto attempt = std::to_string(view_.attempt);
  const auto endpoint = endpoint_words(address, view_.roll_call->spec.master_port);
  for (const auto& [rank, pod] : view_.pods) {
    const bool has_all =
        pod->master_addr == address && pod->master_endpoint == endpoint && pod->seen_attempt == attempt;
    if (pod->deleting || has_all) continue;
    act(AnnotatePod{pod->name,
                    pod->uid,
                    {{names::kAnnotationMasterAddr, address},
                     {names::kAnnotationMasterEndpoint, endpoint},
                     {names::kAnnotationAttempt, attempt}}});
  }
}

void Look::show_address_again() {
  const auto& status = view_.roll_call->status;
  if (status.master_addr.empty() || !status.report) return;
  const auto stage = std::find_if(status.stages.begin(), status.stages.end(),
                                  [](const api::StageLine& line) { return line.name == kAddressSeen; });
  if (stage == status.stages.end() || (stage->state != "Running" && stage->state != "Failed")) return;
  const auto since = rfc3339_from(stage->started_at);
  if (!since) return;
  int times = 0;
  auto next = *since + kFirstLookAgain;
  for (auto pause = kFirstLookAgain; next <= now_ && times < kMostLooksAgain; ++times, pause *= 2) next += pause;
  if (times < kMostLooksAgain) look_again(next);
  for (const auto& [rank, pod] : view_.pods) {
    if (pod->deleting || pod->show_again >= times || shows_address(*status.report, rank)) continue;
    act(AnnotatePod{pod->name, pod->uid, {{kAnnotationShowAgain, std::to_string(times)}}});
  }
}

std::string Look::annotation_of_roll_call(const char* key) const {
  const auto& annotations = view_.roll_call->meta.annotations;
  const auto at = annotations.find(key);
  return at == annotations.end() ? "" : at->second;
}

void Look::annotate_roll_call(const char* key, const std::string& value) {
  act(AnnotateRollCall{view_.roll_call->meta.name, view_.roll_call->meta.uid, key, value});
}

void Look::pass_on_mode() {
  const std::string wanted(to_string(mode()));
  auto told = annotation_of_roll_call(names::kAnnotationMode);
  if (told.empty()) told = to_string(view_.roll_call->spec.settings.mode);
  if (told == wanted) return;
  annotate_roll_call(names::kAnnotationMode, wanted);
  d_.events.push_back(
      {"Normal", "ModeChanged", "The roll call goes on in mode " + wanted + ", not " + told + ", by " + mode_source()});
}

std::optional<std::string> Look::release_asked() const {
  const auto& annotations = o_.job.meta.annotations;
  const auto at = annotations.find(names::kAnnotationRelease);
  if (at == annotations.end()) return std::nullopt;
  return at->second.empty() ? "no reason given" : clipped(at->second, kReasonBytes);
}

void Look::pass_on_release() {
  const auto asked = release_asked();
  if (!asked) return;
  if (annotation_of_roll_call(names::kAnnotationOverride).empty()) {
    annotate_roll_call(names::kAnnotationOverride, *asked);
  }
  act(ConsumeRelease{o_.job.meta.annotations.at(names::kAnnotationRelease)});
}

bool Look::takes_an_obeyed_release() {
  const auto asked = release_asked();
  if (!asked || annotation_of_roll_call(names::kAnnotationOverride) != *asked) return false;
  act(ConsumeRelease{o_.job.meta.annotations.at(names::kAnnotationRelease)});
  return true;
}

}  // namespace rollcall::operator_
