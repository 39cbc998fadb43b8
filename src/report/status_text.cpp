#include "report/status_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "report/table.h"
#include "report/text_parts.h"
#include "report/view.h"

namespace rollcall::report {
namespace {

constexpr std::size_t kLabel = 11;  ///< columns of the labels of the head

/// Whoever may write a RollCall's status may put anything there.
std::string clean(const std::string& text) { return printable(text); }

std::string ago(const std::string& at, WallTime now) {
  const auto time = rfc3339_from(at);
  return time ? fmt::format("{} ({} ago)", at, duration_words(now - *time)) : at;
}

std::string verdict_line(const api::Verdict& verdict, WallTime now) {
  std::string text = std::string(to_string(verdict.kind));
  if (verdict.reason) text += fmt::format(" ({})", to_string(*verdict.reason));
  if (verdict.overridden) text += ", by a person";
  if (!verdict.by.empty()) text += ", written by the " + verdict.by;
  if (!verdict.at.empty()) text += " " + ago(verdict.at, now);
  return text;
}

}  // namespace

std::string text::labelled(const char* label, const std::string& sentence, std::size_t width) {
  return sentence.empty() ? "" : fmt::format("{:<{}}{}\n", label, kLabel, wrapped(clean(sentence), width, kLabel));
}

std::string text::command(const char* label, const std::string& line) {
  return fmt::format("{:<{}}{}\n", label, kLabel, clean(line));
}

std::string text::head(const api::RollCall& roll_call, WallTime now, const TextOptions& options) {
  const auto& spec = roll_call.spec;
  const auto& status = roll_call.status;
  std::string out;
  const auto line = [&](const char* label, const std::string& sentence) {
    out += labelled(label, sentence, options.width);
  };
  line("Job", fmt::format("{}/{}, attempt {}{}", roll_call.meta.namespace_name, spec.job.name, spec.attempt,
                          status.round.empty() ? "" : ", round " + status.round));
  std::string stage = status.stage.empty() ? "not begun: the desk has not read this roll call yet" : status.stage;
  if (!status.held_since.empty() && status.stage == "Held") stage += " since " + ago(status.held_since, now);
  line("Stage", stage);
  line("Cost", cost_words(roll_call, now));
  line("Answered", status.answered);
  if (!status.master_addr.empty())
    line("Address", fmt::format("MASTER_ADDR {}, MASTER_PORT {}", status.master_addr, spec.master_port));
  if (status.verdict) line("Verdict", verdict_line(*status.verdict, now));
  if (status.end) {
    line("End", fmt::format("{} {}", to_string(status.end->reason), ago(status.end->at, now)));
    line("", status.end->message);
  }
  line("Message", status.message);
  if (status.stage == "Held" && !status.verdict) {
    line("Next round", status.next_round_at);
    out += command("Release", release_command(roll_call));
  }
  return out;
}

namespace {

std::string mark(const std::string& state, bool unicode) {
  if (state == "Passed") return unicode ? "✓" : "ok";
  if (state == "Failed") return unicode ? "✗" : "FAIL";
  if (state == "Skipped") return unicode ? "–" : "skip";
  if (state == "Running") return unicode ? "…" : "...";
  if (state == "Waiting") return unicode ? "·" : ".";
  return clean(state);
}

/// Short heads, so that seven stages fit beside node, pod and detail.
const char* short_name(const std::string& stage) {
  if (stage == "Gathering") return "ANSWER";
  if (stage == "LocalFacts") return "FACTS";
  if (stage == "Comparison") return "SAME";
  if (stage == "Gpu") return "GPU";
  if (stage == "MasterPort") return "PORT";
  if (stage == "Mesh") return "MESH";
  if (stage == "AddressSeen") return "ADDR";
  return nullptr;
}

/// More stages than this do not fit side by side: a letter each, in the order of the table of stages.
constexpr std::size_t kColumns = 8;

std::string letter(const std::string& state) { return state.empty() ? "W" : clean(state).substr(0, 1); }

}  // namespace

std::string text::nodes(const api::RollCall& roll_call, const TextOptions& options) {
  const auto& status = roll_call.status;
  const std::size_t all = roll_call.spec.roster.size();
  if (status.nodes.empty())
    return all == 0 || status.stage.empty() ? "" : fmt::format("\nNone of the {} nodes needs attention.\n", all);
  Row head{"NODE-RANK", "RANKS", "NODE", "POD", "STATE"};
  const bool apart = status.stages.size() <= kColumns;
  for (const auto& stage : status.stages) {
    const char* name = short_name(stage.name);
    if (apart) head.push_back(name != nullptr ? name : clean(stage.name));
  }
  if (!apart) head.push_back("STAGES");
  head.push_back("DETAIL");
  std::vector<Row> rows;
  for (const auto& node : status.nodes) {
    Row row{std::to_string(node.node_rank), clean(node.ranks), node.node.empty() ? "-" : clean(node.node),
            clean(node.pod), clean(node.state)};
    std::string letters;
    for (const auto& stage : status.stages) {
      const auto found = std::find_if(node.stages.begin(), node.stages.end(),
                                      [&](const auto& each) { return each.name == stage.name; });
      const bool known = found != node.stages.end();
      letters += known ? letter(found->state) : ".";
      if (apart) row.push_back(known ? mark(found->state, options.unicode) : "");
    }
    if (!apart) row.push_back(letters);
    row.push_back(clean(node.detail));
    rows.push_back(std::move(row));
  }
  std::string out = "\n" + table(head, rows, options.width, options.unicode);
  if (rows.size() < all) out += fmt::format("({} of {} nodes: those that need attention)\n", rows.size(), all);
  if (!apart)
    out +=
        wrapped("STAGES, in the order below: P passed, F failed, S skipped, R running, W waiting", options.width, 0) +
        "\n";
  return out;
}

std::string text::stages(const api::RollCallStatus& status, const TextOptions& options) {
  if (status.stages.empty()) return "";
  std::vector<Row> rows;
  for (const auto& stage : status.stages) {
    const bool timed = stage.state == "Passed" || stage.state == "Failed";
    rows.push_back({clean(stage.name), clean(stage.state), timed ? fmt::format("{:.1f} s", stage.seconds) : "",
                    clean(stage.reason)});
  }
  return "\n" + table({"STAGE", "STATE", "TOOK", "REASON"}, rows, options.width, options.unicode);
}

std::string text::findings(const api::RollCallStatus& status, const TextOptions& options) {
  std::string out;
  for (const auto& finding : status.findings) {
    const std::string first = fmt::format("{:<5} {}", clean(finding.severity), clean(finding.rule));
    const std::string owner = finding.owner.empty() ? "" : fmt::format(" (owner: {})", clean(finding.owner));
    out += fmt::format("{}{}\n      {}\n", first, owner, wrapped(clean(finding.message), options.width, 6));
  }
  return out.empty() ? "" : "\n" + out;
}

std::string status_text(const api::RollCall& roll_call, WallTime now, const TextOptions& options) {
  return text::head(roll_call, now, options) + text::nodes(roll_call, options) +
         text::stages(roll_call.status, options) + text::findings(roll_call.status, options);
}

}  // namespace rollcall::report
