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
