#include <fmt/format.h>

#include <array>
#include <charconv>

#include "roll_call/messages.h"

namespace rollcall::roll_call {
namespace {

template <typename T, std::size_t N>
using Names = std::array<std::pair<T, std::string_view>, N>;

constexpr Names<EdgeOutcome, 7> kOutcomes{{{EdgeOutcome::Ok, "Ok"},
                                           {EdgeOutcome::Dropped, "Dropped"},
                                           {EdgeOutcome::Refused, "Refused"},
                                           {EdgeOutcome::NoRoute, "NoRoute"},
                                           {EdgeOutcome::Stalled, "Stalled"},
                                           {EdgeOutcome::WrongPeer, "WrongPeer"},
                                           {EdgeOutcome::LocalError, "LocalError"}}};

constexpr Names<Step, 13> kSteps{{{Step::Wait, "Wait"},
                                  {Step::Facts, "Facts"},
                                  {Step::ListenMaster, "ListenMaster"},
                                  {Step::ReachMaster, "ReachMaster"},
                                  {Step::ListenMesh, "ListenMesh"},
                                  {Step::ConnectMesh, "ConnectMesh"},
                                  {Step::Gpu, "Gpu"},
                                  {Step::Nccl, "Nccl"},
                                  {Step::Collective, "Collective"},
                                  {Step::Checks, "Checks"},
                                  {Step::SeeAddress, "SeeAddress"},
                                  {Step::Release, "Release"},
                                  {Step::End, "End"}}};

constexpr Names<CollectiveScope, 3> kScopes{
    {{CollectiveScope::Node, "Node"}, {CollectiveScope::Job, "Job"}, {CollectiveScope::Pair, "Pair"}}};

constexpr Names<RankOutcome, 8> kRankOutcomes{{{RankOutcome::Ok, "Ok"},
                                               {RankOutcome::Slow, "Slow"},
                                               {RankOutcome::Error, "Error"},
                                               {RankOutcome::WrongValue, "WrongValue"},
                                               {RankOutcome::TimedOut, "TimedOut"},
                                               {RankOutcome::Stuck, "Stuck"},
                                               {RankOutcome::Died, "Died"},
                                               {RankOutcome::NotStarted, "NotStarted"}}};

template <typename T, std::size_t N>
std::string_view name_of(const Names<T, N>& names, T value) {
  for (const auto& [each, name] : names) {
    if (each == value) return name;
  }
  return "Unknown";
}

template <typename T, std::size_t N>
std::optional<T> value_of(const Names<T, N>& names, std::string_view text) {
  for (const auto& [value, name] : names) {
    if (name == text) return value;
  }
  return std::nullopt;
}

template <typename Int>
bool whole_number(std::string_view text, Int& out) {
  if (text.empty() || text.front() == '-') return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

std::string to_string(RoundId round) { return fmt::format("{}.{}", round.term, round.n); }

std::optional<RoundId> round_from(std::string_view text) {
  const auto dot = text.find('.');
  RoundId round;
  if (dot == std::string_view::npos || !whole_number(text.substr(0, dot), round.term) ||
      !whole_number(text.substr(dot + 1), round.n)) {
    return std::nullopt;
  }
  return round;
}

std::string_view to_string(EdgeOutcome outcome) { return name_of(kOutcomes, outcome); }
std::optional<EdgeOutcome> edge_outcome_from(std::string_view text) { return value_of(kOutcomes, text); }
std::string_view to_string(CollectiveScope scope) { return name_of(kScopes, scope); }
std::optional<CollectiveScope> collective_scope_from(std::string_view text) { return value_of(kScopes, text); }
std::string_view to_string(RankOutcome outcome) { return name_of(kRankOutcomes, outcome); }
std::optional<RankOutcome> rank_outcome_from(std::string_view text) { return value_of(kRankOutcomes, text); }
std::string_view to_string(Step step) { return name_of(kSteps, step); }
std::optional<Step> step_from(std::string_view text) { return value_of(kSteps, text); }

}  // namespace rollcall::roll_call
