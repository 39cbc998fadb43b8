#include "roll_call/said.h"

#include <algorithm>
#include <utility>

#include "roll_call/words.h"

namespace rollcall::roll_call {
namespace {

/// Different clauses that are shown; a finding's text is cut at 2,000 bytes in the status.
constexpr std::size_t kShown = 4;

}  // namespace

std::string without_in(const std::string& stopped_in) {
  return stopped_in.rfind("in ", 0) == 0 ? stopped_in.substr(3) : stopped_in;
}

api::NodeFinding finding_of(std::string rule, std::string severity, std::string owner, const std::vector<Said>& said,
                            const std::string& advice) {
  std::vector<std::pair<std::string, std::vector<const Pod*>>> alike;
  api::NodeFinding finding{std::move(rule), std::move(severity), "", {}, std::move(owner)};
  for (const Said& each : said) {
    auto group = std::find_if(alike.begin(), alike.end(), [&](const auto& known) { return known.first == each.what; });
    if (group == alike.end()) group = alike.insert(alike.end(), {each.what, {}});
    group->second.push_back(each.pod);
    finding.node_ranks.push_back(each.pod->node_rank);
  }
  const std::size_t shown = alike.size() <= kShown + 1 ? alike.size() : kShown;
  for (std::size_t i = 0; i < shown; ++i)
    finding.message += (i == 0 ? "" : "; ") + listed(alike[i].second, who) + ": " + alike[i].first;
  std::size_t more = 0;
  for (std::size_t i = shown; i < alike.size(); ++i) more += alike[i].second.size();
  if (more > 0) finding.message += "; and " + counted(more, "more node", "more nodes");
  finding.message += ". " + advice;
  std::sort(finding.node_ranks.begin(), finding.node_ranks.end());
  return finding;
}

}  // namespace rollcall::roll_call
