#pragma once

#include "launch/check.h"
#include "launch/launch.h"
#include "launch/rules/judgement.h"

namespace rollcall::launch {

/// Every rule over one launch, and what its annotations pass over. Pure.
Checked judge(const Launch& launch, const Origin& origin);

}  // namespace rollcall::launch
