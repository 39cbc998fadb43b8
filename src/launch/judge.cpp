#include "launch/judge.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "launch/merged.h"
#include "launch/rules/registry.h"

namespace rollcall::launch {
namespace {

/// A command that runs a script of a ConfigMap: the finding stands where the command names the script, and says where
/// its text is.
void say_where_the_text_is(const Launch& launch, Finding& finding) {
  for (const Role& role : launch.roles) {
    const Command& command = role.command;
    if (command.script_from.empty() || finding.place.path != command.script_path) continue;
    if (finding.message.ends_with('.')) finding.message.pop_back();
    finding.message += " (the script is " + command.script_from + ").";
    return;
  }
}

}  // namespace

Checked judge(const Launch& launch, const Origin& origin) {
  Judgement judgement(launch.object, origin);
  for (const Rule* rule : all_rules())
    if (rule->kinds.has(launch.kind)) rule->check(launch, judgement);
  Checked checked;
  std::set<std::tuple<std::string, std::string, std::string>> told;
  for (Finding& finding : judgement.take()) {
    say_where_the_text_is(launch, finding);
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
