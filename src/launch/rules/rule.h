#pragma once

#include <string_view>

#include "finding/finding.h"
#include "launch/launch.h"
#include "launch/rules/judgement.h"

namespace rollcall::launch {

/// One thing that can be wrong with a launch. `explain`, the documentation and the catalogue's test are made from the
/// texts; `check` reads facts and adds what is wrong with their values. Each rule is a file of its own under
/// rules/FAMILY/ and a line of rules/registry.cpp.
struct Rule {
  std::string_view id;  ///< `family/what-is-wrong`, stable
  Severity severity;
  std::string_view title;  ///< what is wrong, in a line
  std::string_view why;    ///< what happens on the nodes
  std::string_view wrong;  ///< an example that it finds
  std::string_view right;  ///< the same, right
  void (*check)(const Launch& launch, Judgement& judgement);
  /// The kinds whose launches are asked. A rule that takes for granted who hands out the values is for those alone in
  /// which that is so.
  JobKinds kinds = kTrainingJob;
};

}  // namespace rollcall::launch
