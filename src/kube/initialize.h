#pragma once

namespace rollcall::kube {

/// Sizes the process-wide pool that cpprestsdk runs its callbacks on. Call once, first thing in main, before any
/// Client; `threads` ≥ 2 (with one, a blocking call inside a callback cannot end).
void initialize(int threads);

}  // namespace rollcall::kube
