#include "report/view.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "api/names.h"

namespace rollcall::report {
namespace {

double median(std::vector<double> values) {
  std::erase_if(values, [](double each) { return !(each > 0) || !std::isfinite(each); });
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

std::string letters_of(const api::RollNode& node, const std::vector<api::StageLine>& stages) {
  std::string letters;
  for (const auto& stage : stages) {
    const auto found =
        std::find_if(node.stages.begin(), node.stages.end(), [&](const auto& each) { return each.name == stage.name; });
    letters += found == node.stages.end() || found->state.empty() ? 'W' : found->state.front();
  }
  return letters;
}

/// A state word that no version writes must not become a class or a column of its own.
std::string known(std::string letters, std::size_t stages) {
  letters.resize(stages, 'W');
  for (char& letter : letters) {
    if (std::string_view("WRPFS").find(letter) == std::string_view::npos) letter = 'W';
  }
  return letters;
}

void add_nodes(View& view) {
  const auto& spec = view.roll_call->spec;
  const auto& report = view.report;
  const bool names = report.nodes.size() == spec.roster.size();
  const bool letters = report.states.size() == spec.roster.size();
  for (std::size_t i = 0; i < spec.roster.size(); ++i) {
    NodeView node;
    node.rank = static_cast<int>(i);
    node.pod = spec.roster[i].pod;
    node.ranks = api::ranks_of(node.rank, spec.nproc_per_node);
    node.name = names && !report.nodes[i].empty() ? report.nodes[i] : std::string();
    if (letters) node.letters = known(report.states[i], view.stages.size());
    view.nodes.push_back(std::move(node));
  }
  for (const auto& line : view.roll_call->status.nodes) {
    if (!view.is_node(line.node_rank)) continue;
    NodeView& node = view.nodes[static_cast<std::size_t>(line.node_rank)];
    if (!line.node.empty()) node.name = line.node;
    if (!line.ranks.empty()) node.ranks = line.ranks;
    node.state = line.state;
    node.detail = line.detail;
    if (node.letters.empty()) node.letters = known(letters_of(line, view.stages), view.stages.size());
  }
  for (NodeView& node : view.nodes) {
    if (node.name.empty()) node.name = "pod " + node.pod;
  }
}

void add_bandwidth(View& view, bool in_node, const std::vector<double>& values) {
  BandwidthView bandwidth{in_node ? "In each node" : "Across the job", in_node, values, median(values), {}};
  if (values.size() != view.nodes.size() || bandwidth.median <= 0) return;
  for (double& value : bandwidth.values) {
    if (!(value > 0) || !std::isfinite(value)) value = 0;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = bandwidth.values[i];
    if (value > 0 && value < kBandwidthWarn * bandwidth.median) bandwidth.below.push_back(static_cast<int>(i));
  }
  std::stable_sort(bandwidth.below.begin(), bandwidth.below.end(), [&](int a, int b) {
    return bandwidth.values[static_cast<std::size_t>(a)] < bandwidth.values[static_cast<std::size_t>(b)];
  });
  view.bandwidths.push_back(std::move(bandwidth));
}

std::vector<CellView> cells_of(std::string_view row) {
  std::vector<CellView> cells;
  for (std::size_t start = 0; start <= row.size();) {
    const std::size_t end = std::min(row.find(',', start), row.size());
    const std::string_view text = row.substr(start, end - start);
    CellView cell;
    if (text == "x") {
      cell.kind = CellView::Kind::failed;
    } else if (!text.empty()) {
      double value = 0;
      const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
      if (read.ec == std::errc{} && std::isfinite(value) && value >= 0) cell = {CellView::Kind::time, value};
    }
    cells.push_back(cell);
    start = end + 1;
  }
  return cells;
}

void add_matrix(View& view) {
  if (view.report.matrix.size() != view.nodes.size()) return;
  std::vector<double> times;
  for (const auto& row : view.report.matrix) {
    auto cells = cells_of(row);
    cells.resize(view.nodes.size());
    for (const auto& cell : cells) {
      if (cell.kind == CellView::Kind::time) times.push_back(cell.milliseconds);
    }
    view.matrix.push_back(std::move(cells));
  }
  view.median_ms = median(std::move(times));
}

}  // namespace

std::string View::name_of(int rank) const {
  return is_node(rank) ? nodes[static_cast<std::size_t>(rank)].name : fmt::format("node rank {}", rank);
}

std::string View::who(int rank) const {
  if (!is_node(rank)) return name_of(rank);
  const auto& node = nodes[static_cast<std::size_t>(rank)];
  const bool one = node.ranks.find('-') == std::string::npos;
  return fmt::format("{} (node rank {}, {} {})", node.name, rank, one ? "rank" : "ranks", node.ranks);
}

View view_of(const api::RollCall& roll_call) {
  View view;
  view.roll_call = &roll_call;
  view.has_report = roll_call.status.report.has_value();
  if (view.has_report) view.report = *roll_call.status.report;
  view.stages = roll_call.status.stages;
  if (view.stages.empty()) {
    for (const auto& name : view.report.stages) view.stages.push_back({name, "Waiting", "", "", 0});
  }
  // Letters are of the report's own stages: with other ones they would stand under the wrong names.
  const bool same = std::equal(view.stages.begin(), view.stages.end(), view.report.stages.begin(),
                               view.report.stages.end(), [](const auto& a, const auto& b) { return a.name == b; });
  if (!same) view.report.states.clear();
  add_nodes(view);
  add_bandwidth(view, true, view.report.node_bus_gbytes);
  add_bandwidth(view, false, view.report.job_bus_gbytes);
  add_matrix(view);
  std::erase_if(view.report.pairs,
                [&](const auto& each) { return !view.is_node(each.from) || !view.is_node(each.to); });
  return view;
}

const char* state_word(char letter) {
  switch (letter) {
    case 'P':
      return "Passed";
    case 'F':
      return "Failed";
    case 'S':
      return "Skipped";
    case 'R':
      return "Running";
    default:
      return "Waiting";
  }
}

std::string cost_words(const api::RollCall& roll_call, WallTime now) {
  const auto& status = roll_call.status;
  auto held = std::chrono::milliseconds{static_cast<std::int64_t>(std::clamp(status.held_seconds, 0.0, 1e9) * 1000)};
  if (const auto since = rfc3339_from(status.held_since)) held += std::max(std::chrono::milliseconds{0}, now - *since);
  if (held.count() == 0) return "";
  const double hours = std::chrono::duration<double, std::ratio<3600>>(held).count();
  const auto nodes = static_cast<double>(roll_call.spec.roster.size());
  const bool gpus = roll_call.spec.gpus_per_pod > 0;
  const double amount = gpus ? hours * nodes * roll_call.spec.gpus_per_pod : hours * 60 * nodes;
  return fmt::format("held {}, {:.{}f} {}", duration_words(held), amount, amount < 10 ? 1 : 0,
                     gpus ? "GPU-hours" : "pod-minutes");
}

std::string release_command(const api::RollCall& roll_call) {
  return fmt::format("kubectl annotate tj {} {}='why' -n {}", roll_call.spec.job.name, api::names::kAnnotationRelease,
                     roll_call.meta.namespace_name);
}

std::vector<LikeNodes> like_nodes(const View& view) {
  std::map<std::string, std::vector<int>> by_letters;
  for (const auto& node : view.nodes) by_letters[node.letters].push_back(node.rank);
  std::vector<LikeNodes> out;
  for (auto& [letters, ranks] : by_letters) out.push_back({letters, std::move(ranks)});
  std::stable_sort(out.begin(), out.end(), [](const LikeNodes& a, const LikeNodes& b) {
    const auto failed = [](const LikeNodes& each) { return each.letters.find('F') != std::string::npos; };
    if (failed(a) != failed(b)) return failed(a);
    return a.ranks.size() < b.ranks.size();
  });
  return out;
}

}  // namespace rollcall::report
