#include "operator/node_ranks.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "api/training_job.h"

namespace rollcall::operator_ {
namespace {

std::optional<int> rank_from(std::string_view text) {
  int rank = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && rank >= 0 && rank < api::kMaxNodes ? std::optional(rank) : std::nullopt;
}

}  // namespace

std::string node_ranks_text(const std::set<int>& ranks) {
  std::string text;
  for (auto first = ranks.begin(); first != ranks.end();) {
    auto last = first;
    auto next = std::next(first);
    while (next != ranks.end() && *next == *last + 1) last = next++;
    text += (text.empty() ? "" : ",") + std::to_string(*first);
    if (last != first) text += "-" + std::to_string(*last);
    first = next;
  }
  return text;
}

std::set<int> node_ranks_from(std::string_view text) {
  std::set<int> ranks;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    const auto item = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const auto dash = std::min(item.find('-'), item.size());
    const auto first = rank_from(item.substr(0, dash));
    const auto last = dash == item.size() ? first : rank_from(item.substr(dash + 1));
    if (!first || !last) continue;
    for (int rank = *first; rank <= *last; ++rank) ranks.insert(rank);
  }
  return ranks;
}

}  // namespace rollcall::operator_
