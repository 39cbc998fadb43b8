#include <fmt/format.h>

#include "api/names.h"
#include "report/html/html.h"

namespace rollcall::report::html {
namespace {

struct Pill {
  std::string text;
  const char* kind;  ///< good, bad, held, busy, over
};

Pill pill_of(const api::RollCallStatus& status) {
  if (status.verdict && status.verdict->kind == api::VerdictKind::Released)
    return {status.verdict->overridden ? "Released by a person" : "Released",
            status.verdict->overridden ? "held" : "good"};
  if (status.verdict) return {"Ended", "bad"};
  if (status.stage == "Held") return {"Held", "held"};
  if (status.stage.empty()) return {"Not begun", "busy"};
  if (status.stage == "Gathering") return {"Waiting for nodes", "busy"};
  return {stage_title(status.stage), "busy"};
}

std::string fact(const char* label, const std::string& value) {
  return value.empty() ? "" : fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", label, esc(value));
}

std::string when(const std::string& at, WallTime now) {
  const auto time = rfc3339_from(at);
  return time ? fmt::format("{} ({} ago)", at, duration_words(now - *time)) : at;
}

std::string message_of(const api::RollCallStatus& status) {
  if (!status.message.empty()) return status.message;
  if (status.verdict && !status.verdict->message.empty()) return status.verdict->message;
  return "The desk has not read this roll call yet.";
}

std::string row(const char* label, const std::string& value) {
  return value.empty() ? "" : fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", label, esc(value));
}

std::string command(const std::string& text) {
  return fmt::format("<div class=cmd><code>{}</code><button type=button hidden>Copy</button></div>", esc(text));
}

}  // namespace

std::string head(const View& view, WallTime now) {
  const auto& spec = view.roll_call->spec;
  const auto& status = view.roll_call->status;
  const Pill pill = pill_of(status);
  std::string out;
  if (view.report.simulated) {
    out +=
        "<div class=sim role=note><b>SIMULATED</b> Doubles of the tests stood in for CUDA or NCCL: nothing here says "
        "anything about a GPU.</div>";
  }
  out += fmt::format(
      "<header><p class=over>Roll call of {} {}</p><div class=title><h1>{}</h1><span class=\"pill {}\">{}</span></div>",
      esc(spec.job.kind.empty() ? "job" : spec.job.kind),
      fmt::format("· attempt {}{}", spec.attempt, status.round.empty() ? "" : " · round " + esc(status.round)),
      esc(view.roll_call->meta.namespace_name + "/" + spec.job.name), pill.kind, esc(pill.text));
  out += fmt::format("<p class=message>{}</p><dl class=facts>", esc(message_of(status)));
  const std::size_t nodes = view.nodes.size();
  out += fact("Nodes", nodes == 0 ? ""
                                  : fmt::format("{}, {} processes", nodes,
                                                nodes * static_cast<std::size_t>(std::max(1, spec.nproc_per_node))));
  out += fact("Answered", status.answered);
  out += fact("GPUs", !view.report.gpus.empty() ? view.report.gpus
                      : spec.gpus_per_pod > 0   ? fmt::format("{} a node asked for", spec.gpus_per_pod)
                                                : "none asked for");
  out += fact("Transport", view.report.transport);
  if (!status.master_addr.empty())
    out += fact("Rendezvous", fmt::format("{} port {}", status.master_addr, spec.master_port));
  if (status.verdict)
    out += fact("Verdict",
                fmt::format("{}{}, {}", to_string(status.verdict->kind),
                            status.verdict->reason ? fmt::format(" ({})", to_string(*status.verdict->reason)) : "",
                            when(status.verdict->at, now)));
  if (status.end) out += fact("End", fmt::format("{}, {}", to_string(status.end->reason), when(status.end->at, now)));
  if (!status.held_since.empty() && status.stage == "Held") out += fact("Held since", when(status.held_since, now));
  if (status.stage == "Held" && !status.verdict) out += fact("Next round", status.next_round_at);
  out += fact("Cost", cost_words(*view.roll_call, now));
  out += "</dl>";
  if (!view.has_report)
    out +=
        "<p class=note>This RollCall was written by a version without reports: versions, matrix, bandwidth and "
        "timeline "
        "are not in it. What it has is below.</p>";
  return out + "</header>";
}

std::string advice(const View& view, WallTime now) {
  const auto& given = view.report.advice;
  const auto& status = view.roll_call->status;
  const bool held = status.stage == "Held" && !status.verdict;
  if (!given && !held) return "";
  std::string out = "<section class=\"card advice\"><h2>What to do</h2>";
  if (given) {
    if (!given->what.empty()) out += fmt::format("<p class=what>{}</p>", esc(given->what));
    out += "<dl class=facts>";
    out += row("Owner", given->owner) + row("Since", given->since.empty() ? "" : when(given->since, now)) +
           row("Cost", given->cost);
    out += "</dl>";
    if (!given->next_command.empty()) out += "<h3>Next</h3>" + command(given->next_command);
    if (!given->override_safe.empty())
      out += fmt::format("<h3>Is it safe to release it anyway?</h3><p>{}</p>", esc(given->override_safe));
  }
  if (held) {
    out += "<h3>Release it in spite of this</h3>" + command(release_command(*view.roll_call));
  }
  return out + "</section>";
}

}  // namespace rollcall::report::html
