#include "report/status_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/names.h"
#include "base/printable.h"
#include "report/table.h"

namespace rollcall::report {
namespace {

constexpr std::size_t kLabel = 11;  ///< columns of the labels of the head

/// Whoever may write a RollCall's status may put anything there.
std::string clean(const std::string& text) { return printable(text); }

class Head {
 public:
  explicit Head(std::size_t width) : width_(width) {}
  void line(const char* label, const std::string& text) {
    if (!text.empty()) out += fmt::format("{:<{}}{}\n", label, kLabel, wrapped(clean(text), width_, kLabel));
  }
  /// A command is not wrapped: it is there to be copied.
  void command(const char* label, const std::string& text) {
    out += fmt::format("{:<{}}{}\n", label, kLabel, clean(text));
  }
  std::string out;

 private:
  std::size_t width_;
};

std::string ago(const std::string& at, WallTime now) {
  const auto time = rfc3339_from(at);
  return time ? fmt::format("{} ({} ago)", at, duration_words(now - *time)) : at;
}

std::string cost(const api::RollCall& roll_call, WallTime now) {
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

std::string verdict_line(const api::Verdict& verdict, WallTime now) {
  std::string text = std::string(to_string(verdict.kind));
  if (verdict.reason) text += fmt::format(" ({})", to_string(*verdict.reason));
  if (verdict.overridden) text += ", by a person";
  if (!verdict.by.empty()) text += ", written by the " + verdict.by;
  if (!verdict.at.empty()) text += " " + ago(verdict.at, now);
  return text;
}

std::string head_of(const api::RollCall& roll_call, WallTime now, const TextOptions& options) {
  const auto& spec = roll_call.spec;
  const auto& status = roll_call.status;
  Head head(options.width);
  head.line("Job", fmt::format("{}/{}, attempt {}{}", roll_call.meta.namespace_name, spec.job.name, spec.attempt,
                               status.round.empty() ? "" : ", round " + status.round));
  std::string stage = status.stage.empty() ? "not begun: the desk has not read this roll call yet" : status.stage;
  if (!status.held_since.empty() && status.stage == "Held") stage += " since " + ago(status.held_since, now);
  head.line("Stage", stage);
  head.line("Cost", cost(roll_call, now));
  head.line("Answered", status.answered);
  if (!status.master_addr.empty())
    head.line("Address", fmt::format("MASTER_ADDR {}, MASTER_PORT {}", status.master_addr, spec.master_port));
  if (status.verdict) head.line("Verdict", verdict_line(*status.verdict, now));
  if (status.end) {
    head.line("End", fmt::format("{} {}", to_string(status.end->reason), ago(status.end->at, now)));
    head.line("", status.end->message);
  }
  head.line("Message", status.message);
  if (status.stage == "Held" && !status.verdict) {
    head.line("Next round", status.next_round_at);
    head.command("Release", fmt::format("kubectl annotate tj {} {}='why' -n {}", spec.job.name,
                                        api::names::kAnnotationRelease, roll_call.meta.namespace_name));
  }
  return head.out;
}

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

std::string nodes_of(const api::RollCall& roll_call, const TextOptions& options) {
  const auto& status = roll_call.status;
  const std::size_t all = roll_call.spec.roster.size();
  if (status.nodes.empty())
    return all == 0 || status.stage.empty() ? "" : fmt::format("\nNone of the {} nodes needs attention.\n", all);
  Row head{"NODE-RANK", "RANKS", "NODE", "POD", "STATE"};
  std::vector<std::string> stages;
  for (const auto& stage : status.stages) {
    const char* name = short_name(stage.name);
    stages.push_back(stage.name);
    head.push_back(name != nullptr ? name : clean(stage.name));
  }
  head.push_back("DETAIL");
  std::vector<Row> rows;
  for (const auto& node : status.nodes) {
    Row row{std::to_string(node.node_rank), clean(node.ranks), node.node.empty() ? "-" : clean(node.node),
            clean(node.pod), clean(node.state)};
    for (const auto& stage : stages) {
      const auto found =
          std::find_if(node.stages.begin(), node.stages.end(), [&](const auto& each) { return each.name == stage; });
      row.push_back(found == node.stages.end() ? "" : mark(found->state, options.unicode));
    }
    row.push_back(clean(node.detail));
    rows.push_back(std::move(row));
  }
  std::string out = "\n" + table(head, rows, options.width, options.unicode);
  if (rows.size() < all) out += fmt::format("({} of {} nodes: those that need attention)\n", rows.size(), all);
  return out;
}

std::string stages_of(const api::RollCallStatus& status, const TextOptions& options) {
  if (status.stages.empty()) return "";
  std::vector<Row> rows;
  for (const auto& stage : status.stages) {
    const bool timed = stage.state == "Passed" || stage.state == "Failed";
    rows.push_back({clean(stage.name), clean(stage.state), timed ? fmt::format("{:.1f} s", stage.seconds) : "",
                    clean(stage.reason)});
  }
  return "\n" + table({"STAGE", "STATE", "TOOK", "REASON"}, rows, options.width, options.unicode);
}

std::string findings_of(const api::RollCallStatus& status, const TextOptions& options) {
  std::string out;
  for (const auto& finding : status.findings) {
    const std::string first = fmt::format("{:<5} {}", clean(finding.severity), clean(finding.rule));
    const std::string owner = finding.owner.empty() ? "" : fmt::format(" (owner: {})", clean(finding.owner));
    out += fmt::format("{}{}\n      {}\n", first, owner, wrapped(clean(finding.message), options.width, 6));
  }
  return out.empty() ? "" : "\n" + out;
}

}  // namespace

std::string status_text(const api::RollCall& roll_call, WallTime now, const TextOptions& options) {
  return head_of(roll_call, now, options) + nodes_of(roll_call, options) + stages_of(roll_call.status, options) +
         findings_of(roll_call.status, options);
}

}  // namespace rollcall::report
