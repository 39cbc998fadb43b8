#pragma once

#include "finding/finding.h"
#include "launch/launch.h"
#include "launch/rules/judgement.h"

namespace rollcall::launch {

/// The key under which Launch::merged holds the object that a controller would make.
inline constexpr auto kMerged = "merged";

/// Gives a finding that stands in Launch::merged its place in what somebody wrote: the object's own field where that
/// decided it; else the field that names the other object, whose field the message then tells. A patch goes along where
/// everything it touches is the object's own, and is dropped otherwise. Other findings stay as they are. Pure.
void settle(Finding& finding, const Launch& launch, const Origin& origin);

}  // namespace rollcall::launch
