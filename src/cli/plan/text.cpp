#include <fmt/format.h>

#include "cli/plan/forms.h"
#include "cli/plan/words.h"

namespace rollcall::cli {
namespace {

using launch::JobPlan;
using launch::PlannedNode;
using launch::PlannedVariable;

std::string line(const PlannedVariable& variable) {
  return variable.from.empty() ? fmt::format("    {}={}\n", variable.name, variable.value)
                               : fmt::format("    {} ({})\n", variable.name, variable.from);
}

std::string command(const PlannedNode& node) {
  std::string out;
  for (const std::string& word : node.command) out += (out.empty() ? "" : " ") + bash_word(word, {});
  return out.empty() ? "the image's own command" : out;
}

bool same(const PlannedVariable& a, const PlannedVariable& b) {
  return a.name == b.name && a.value == b.value && a.from == b.from;
}

/// Whether variable number `at` is the same on every node.
bool shared(const JobPlan& plan, std::size_t at) {
  for (const PlannedNode& node : plan.nodes)
    if (!same(node.env[at], plan.nodes.front().env[at])) return false;
  return true;
}

std::string head(const JobPlan& plan) {
  std::string out = fmt::format("{} {}: ", plan.kind, plan.name);
  out += plan.nnodes > 0 ? fmt::format("{} node{}", plan.nnodes, plan.nnodes == 1 ? "" : "s")
                         : "how many nodes is not decided by the manifest";
  out += plan.nproc_per_node > 0
             ? fmt::format(", {} process{} each", plan.nproc_per_node, plan.nproc_per_node == 1 ? "" : "es")
             : ", how many processes each is not decided by the manifest";
  if (plan.nnodes > 0 && plan.nproc_per_node > 0)
    out += fmt::format(", world size {}", static_cast<long long>(plan.nnodes) * plan.nproc_per_node);
  if (plan.gpus_per_node > 0) out += fmt::format("; {} {} a node", plan.gpus_per_node, plan.gpu_resource);
  return out + "\n";
}

}  // namespace

std::string plan_text(const JobPlan& plan) {
  std::string out = head(plan);
  if (plan.more_env) out += "envFrom brings further variables, which are not read.\n";
  if (!plan.ours) {
    for (const PlannedNode& node : plan.nodes) {
      out += fmt::format("\n{}\n  runs: {}\n", node.title, command(node));
      if (!node.env.empty()) out += "  is told:\n";
      for (const PlannedVariable& variable : node.env) out += line(variable);
    }
    return out;
  }
  out += fmt::format("\nevery node\n  runs: {}\n  is told:\n", command(plan.nodes.front()));
  for (std::size_t at = 0; at < plan.nodes.front().env.size(); ++at)
    if (shared(plan, at)) out += line(plan.nodes.front().env[at]);
  for (const PlannedNode& node : plan.nodes) {
    std::string own;
    for (std::size_t at = 0; at < node.env.size(); ++at)
      if (!shared(plan, at)) own += line(node.env[at]);
    if (!own.empty()) out += fmt::format("\n{}\n{}", node.title, own);
  }
  return out;
}

}  // namespace rollcall::cli
