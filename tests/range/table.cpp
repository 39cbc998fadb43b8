#include "range/table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

namespace rollcall::range {
namespace {

using namespace std::chrono_literals;

/// A row takes some seconds; a machine that builds beside it takes its share.
constexpr auto kLimit = 60s;

struct Row {
  std::string fault;
  int nodes = 0;
  std::string verdict;
  std::string blamed;
  double seconds = 0;
  bool right = false;
};
std::vector<Row>& rows() {
  static std::vector<Row> all;
  return all;
}

class Printer : public ::testing::Environment {
 public:
  void TearDown() override {
    if (rows().empty()) return;
    fmt::print("\n{:<58} {:>5}  {:<9} {:<46} {:>5}  {}\n", "fault", "nodes", "verdict", "blamed", "s", "");
    double seconds = 0;
    for (const Row& row : rows()) {
      fmt::print("{:<58} {:>5}  {:<9} {:<46} {:>5.1f}  {}\n", row.fault, row.nodes, row.verdict, row.blamed,
                 row.seconds, row.right ? "right" : "WRONG");
      seconds += row.seconds;
    }
    fmt::print("{} rows in {:.0f} s, real probes and one real desk; nodes are network namespaces, no kubelets\n\n",
               rows().size(), seconds);
  }
};
const auto* const kPrinter = ::testing::AddGlobalTestEnvironment(new Printer);  // gtest owns it

std::set<int> named_in(const std::string& message) {
  static const std::regex node("gpu-([0-9]+)");
  std::set<int> named;
  for (std::sregex_iterator at(message.begin(), message.end(), node), end; at != end; ++at)
    named.insert(std::stoi((*at)[1]));
  return named;
}

bool is_of(const std::string& rules, const std::string& rule) {
  return ("|" + rules + "|").find("|" + rule + "|") != std::string::npos;
}

bool explains(const Blame& blame, const api::NodeFinding& finding) {
  return is_of(blame.rule, finding.rule) && blame.severity == finding.severity &&
         std::set<int>(finding.node_ranks.begin(), finding.node_ranks.end()) == blame.nodes &&
         finding.message.find(blame.says) != std::string::npos;
}

std::string words(const api::NodeFinding& finding) {
  return fmt::format("  {} ({}) node ranks [{}]: {}\n", finding.rule, finding.severity,
                     fmt::join(finding.node_ranks, " "), finding.message);
}

/// What of the status is not as `truth` says.
std::string differs(const Truth& truth, const api::RollCallStatus& status) {
  std::string wrong;
  const bool released = status.verdict && status.verdict->kind == api::VerdictKind::Released;
  if (released != (truth.end == End::Released)) {
    wrong += fmt::format("ended as {} instead of {}: {}\n", status.stage,
                         truth.end == End::Released ? "Released" : "Held", status.message);
  }
  std::vector<bool> found(truth.blames.size(), false);
  std::set<int> may_be_named;
  for (const auto& blame : truth.blames) {
    may_be_named.insert(blame.nodes.begin(), blame.nodes.end());
    may_be_named.insert(blame.named.begin(), blame.named.end());
  }
  for (const auto& finding : status.findings) {
    if (finding.severity != "fail" && finding.severity != "warn") continue;
    const auto blame = std::find_if(truth.blames.begin(), truth.blames.end(),
                                    [&](const Blame& each) { return explains(each, finding); });
    if (blame == truth.blames.end()) {
      wrong += "not to be found:\n" + words(finding);
      continue;
    }
    found[static_cast<std::size_t>(blame - truth.blames.begin())] = true;
    for (const int node : named_in(finding.message)) {
      if (blame->nodes.count(node) == 0 && blame->named.count(node) == 0)
        wrong += fmt::format("names gpu-{} wrongly:\n{}", node, words(finding));
    }
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i]) {
      wrong += fmt::format("not found: {} ({}) of node ranks [{}] saying `{}`\n", truth.blames[i].rule,
                           truth.blames[i].severity, fmt::join(truth.blames[i].nodes, " "), truth.blames[i].says);
    }
  }
  if (!released) {
    for (const int node : named_in(status.message)) {
      if (may_be_named.count(node) == 0)
        wrong += fmt::format("the roll call's own sentence names gpu-{} wrongly: {}\n", node, status.message);
    }
  }
  return wrong;
}

std::string blamed(const api::RollCallStatus& status) {
  std::vector<std::string> parts;
  for (const auto& finding : status.findings) {
    if (finding.severity != "fail" && finding.severity != "warn") continue;
    parts.push_back(fmt::format("{}{} {}", finding.rule, finding.severity == "warn" ? "?" : "",
                                fmt::join(finding.node_ranks, ",")));
  }
  if (parts.empty()) return "-";
  std::string all = fmt::format("{}", fmt::join(parts, "; "));
  return all.size() <= 46 ? all : all.substr(0, 43) + "...";
}

}  // namespace

std::string play(const Fault& fault, int nodes) {
  const auto began = std::chrono::steady_clock::now();
  Range range(nodes, fault.options);
  if (fault.make) fault.make(range);
  const auto kept = fault.keep ? fault.keep(range) : nullptr;
  range.start_probes();
  const bool ended = range.run(kLimit);
  const auto status = range.desk().status();
  std::string wrong;
  if (!ended) wrong += fmt::format("no verdict within {} s, in {}: {}\n", kLimit.count(), status.stage, status.message);
  wrong += differs(fault.truth(nodes), status);
  if (status.verdict && status.verdict->kind == api::VerdictKind::Released && !range.all_left(20s))
    wrong += "released, but not every probe ended with 0\n";
  if (fault.after) wrong += fault.after(range);
  if (!wrong.empty()) {
    for (const auto& stage : status.stages) wrong += fmt::format("  {} {} {}\n", stage.name, stage.state, stage.reason);
    for (int node = 0; node < nodes; ++node) wrong += fmt::format("log of gpu-{}:\n{}\n", node, range.log(node));
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  rows().push_back({fault.what, nodes, status.stage, blamed(status), took.count(), wrong.empty()});
  return wrong;
}

}  // namespace rollcall::range
