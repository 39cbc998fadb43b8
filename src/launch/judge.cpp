#include "launch/judge.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "launch/merged.h"
#include "launch/rules/registry.h"

namespace rollcall::launch {

Checked judge(const Launch& launch, const Origin& origin) {
  Judgement judgement(launch.object, origin);
  for (const Rule* rule : all_rules())
    if (rule->kinds.has(launch.kind)) rule->check(launch, judgement);
  Checked checked;
  std::set<std::tuple<std::string, std::string, std::string>> told;
  for (Finding& finding : judgement.take()) {
    settle(finding, launch, origin);
    // Roles that share a field share what is wrong with it.
    if (!told.emplace(finding.rule, finding.place.path, finding.message).second) continue;
    const auto passed = std::find_if(launch.ignored.begin(), launch.ignored.end(), [&finding](const Ignored& ignored) {
      return ignored.rule == finding.rule && !ignored.reason.empty();
    });
    if (passed == launch.ignored.end()) {
      checked.findings.push_back(std::move(finding));
    } else {
      checked.ignored.push_back({std::move(finding), passed->reason});
    }
  }
  return checked;
}

}  // namespace rollcall::launch
