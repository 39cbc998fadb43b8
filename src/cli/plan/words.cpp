#include "cli/plan/words.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace rollcall::cli {
namespace {

using launch::JobPlan;
using launch::PlannedVariable;

bool plain(std::string_view text) {
  if (text.empty()) return false;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!letter && std::string_view("-_./:=,@%+").find(c) == std::string_view::npos) return false;
  }
  return true;
}

std::optional<long long> number(const std::string& text) {
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional(value)
                                                                                   : std::nullopt;
}

bool is_name(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  for (const char c : text)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')) return false;
  return true;
}

/// Of the roll call's own values those that a script can work out from MASTER_ADDR.
bool of_the_address(const PlannedVariable& variable) {
  return variable.name == "MASTER_ADDR" || variable.name == "JAX_COORDINATOR_ADDRESS";
}

}  // namespace

std::string bash_word(std::string_view text, const Names& known) {
  if (plain(text)) return std::string(text);
  std::string out = "\"";
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '$' && at + 1 < text.size() && text[at + 1] == '$') {
      out += "\\$";
      ++at;
      continue;
    }
    const std::size_t end = text.find(')', at);
    if (c == '$' && at + 1 < text.size() && text[at + 1] == '(' && end != std::string_view::npos &&
        known.contains(text.substr(at + 2, end - at - 2))) {
      out += fmt::format("${{{}}}", text.substr(at + 2, end - at - 2));
      at = end;
      continue;
    }
    if (c == '"' || c == '\\' || c == '$' || c == '`') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string over_nodes(const JobPlan& plan, std::size_t at, const Names& known) {
  const std::string& first = plan.nodes.front().env[at].value;
  bool same = true;
  for (const auto& node : plan.nodes) same = same && node.env[at].value == first;
  if (same) return bash_word(first, known);
  const auto zero = number(first), one = number(plan.nodes[1].env[at].value);
  if (!zero || !one) return {};
  for (std::size_t rank = 0; rank < plan.nodes.size(); ++rank) {
    const auto value = number(plan.nodes[rank].env[at].value);
    if (!value || *value != *zero + (*one - *zero) * static_cast<long long>(rank)) return {};
  }
  if (*zero == 0 && *one == 1) return "\"$NODE_RANK\"";
  return fmt::format("$((NODE_RANK * {} + {}))", *one - *zero, *zero);
}

std::string node_script(const JobPlan& plan, const std::string& indent) {
  std::string out;
  Names known;
  for (std::size_t at = 0; at < plan.nodes.front().env.size(); ++at) {
    const PlannedVariable& variable = plan.nodes.front().env[at];
    if (!is_name(variable.name)) {
      out += fmt::format("{}# `{}` is no name that bash can export\n", indent, variable.name);
      continue;
    }
    std::string value;
    if (variable.name == "MASTER_ADDR" || variable.name == "NODE_RANK") {
      value.clear();  // set by whoever calls
    } else if (of_the_address(variable)) {
      // HOST:PORT of an IPv6 address has brackets.
      out +=
          indent +
          "case \"$MASTER_ADDR\" in *:*) MASTER_HOST=\"[$MASTER_ADDR]\" ;; *) MASTER_HOST=\"$MASTER_ADDR\" ;; esac\n";
      value = fmt::format("\"${{MASTER_HOST}}:{}\"", plan.port);
    } else if (!variable.from.empty()) {
      value = fmt::format("\"${{{}:?{}}}\"", variable.name, variable.from);
    } else {
      value = over_nodes(plan, at, known);
    }
    out += value.empty() ? fmt::format("{}export {}\n", indent, variable.name)
                         : fmt::format("{}export {}={}\n", indent, variable.name, value);
    known.insert(variable.name);
  }
  if (!plan.working_dir.empty()) out += fmt::format("{}cd {}\n", indent, bash_word(plan.working_dir, {}));
  out += indent + "exec";
  for (const std::string& word : plan.nodes.front().command) out += " " + bash_word(word, known);
  return out + "\n";
}

std::string by_hand(const JobPlan& plan) {
  std::string out;
  for (const PlannedVariable& variable : plan.nodes.front().env)
    if (!variable.from.empty() && !of_the_address(variable))
      out += fmt::format("# {} must be set before: in the cluster it is {}.\n", variable.name, variable.from);
  if (plan.more_env) out += "# The pods have envFrom too: what it brings must be set before.\n";
  return out;
}

}  // namespace rollcall::cli
