#include "roll_call/collective/steps.h"

namespace rollcall::roll_call {
namespace {

bool has(std::string_view step, std::string_view part) { return step.find(part) != std::string_view::npos; }
bool begins(std::string_view step, std::string_view part) { return step.rfind(part, 0) == 0; }

}  // namespace

Reached reached(std::string_view step) {
  if (step.empty()) return Reached::Local;  // not begun
  if (begins(step, "dlopen") || begins(step, "cu") || begins(step, "ncclGetVersion") ||
      begins(step, "ncclGetUniqueId")) {
    // Copies and waits of a stream are calls of CUDA's, but belong to the all-reduce they wait for.
    if (!has(step, "small") && !has(step, "large")) {
      return begins(step, "cuStream") || begins(step, "cuEvent") || begins(step, "cuMemcpy") ? Reached::Unknown
                                                                                             : Reached::Local;
    }
  }
  if (begins(step, "ncclCommInit") || begins(step, "ncclCommGetAsyncError")) return Reached::Init;
  if (has(step, "small")) return Reached::Small;
  if (has(step, "large")) return Reached::Large;
  if (begins(step, "ncclCommDestroy") || begins(step, "ncclCommFinalize") || begins(step, "ncclCommAbort"))
    return Reached::End;
  return Reached::Unknown;
}

}  // namespace rollcall::roll_call
