#include <memory>
#include <ostream>
#include <string>

#include "cli/declare.h"
#include "cli/verb.h"
#include "launch/rules/registry.h"

namespace rollcall::cli {
namespace {

constexpr Flag kFlags[] = {
    {"rule", "A rule's id, as findings show it in brackets; absent = list every rule", Takes::rule, "RULE"},
};

void print(const launch::Rule& rule, std::ostream& out) {
  out << rule.id << " (" << to_string(rule.severity) << "): " << rule.title << "\n\n"
      << rule.why << "\n\n"
      << "wrong: " << rule.wrong << "\n"
      << "right: " << rule.right << "\n";
}

int explain(const std::string& id, Streams streams) {
  if (id.empty()) {
    for (const launch::Rule* rule : launch::all_rules()) {
      streams.out << rule->id << " (" << to_string(rule->severity) << "): " << rule->title << "\n";
    }
    return kOk;
  }
  const launch::Rule* rule = launch::find_rule(id);
  if (rule == nullptr) {
    streams.err << "rollcall explain: there is no rule `" << id << "`. `rollcall explain` lists them all.\n";
    return kFailed;
  }
  print(*rule, streams.out);
  return kOk;
}

}  // namespace

std::span<const Flag> explain_flags() { return kFlags; }

Run declare_explain(CLI::App& command) {
  const auto id = std::make_shared<std::string>();
  declare(command, kFlags[0], *id);
  return [id](Streams streams) { return explain(*id, streams); };
}

}  // namespace rollcall::cli
