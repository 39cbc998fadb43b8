#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "cli/declare.h"
#include "cli/inputs.h"
#include "cli/plan/forms.h"
#include "cli/verb.h"
#include "launch/check.h"
#include "launch/document/document.h"
#include "launch/document/objects.h"
#include "launch/kinds/context.h"
#include "launch/kinds/readers.h"
#include "launch/pod/job_plan.h"

namespace rollcall::cli {
namespace {

constexpr const char* kForms[] = {"text", "shell", "sbatch"};

constexpr Flag kFlags[] = {
    {"file", "A manifest, or - for standard input", Takes::file, "FILE", {}, false, true},
    {"--format", "text, shell (a script that starts one node) or sbatch (for Slurm)", Takes::choice, "FORM", kForms},
};

struct Options {
  std::string file;
  std::string format = "text";
};

Result<std::string> in_form(const launch::JobPlan& plan, const std::string& format) {
  if (format == "shell") return plan_shell(plan);
  if (format == "sbatch") return plan_sbatch(plan);
  return plan_text(plan);
}

/// The objects of a text, a List's items one by one.
Result<std::vector<nlohmann::json>> objects_of(const std::string& text) {
  std::vector<nlohmann::json> objects;
  const Status read = launch::read_documents(text, [&objects](const launch::Document& document) {
    launch::for_objects(document, [&objects](const launch::Field& object, std::optional<int>) {
      if (object.present()) objects.push_back(object.json());
    });
  });
  if (!read.ok()) return read.error();
  return objects;
}

int fail(Streams streams, const std::string& why) {
  streams.err << "rollcall plan: " << why << "\n";
  return kFailed;
}

int plan(const Options& options, Streams streams) {
  const auto text = read_text(options.file, streams.in);
  if (!text.ok()) return fail(streams, text.error().message);
  const std::string file = options.file == "-" ? "<stdin>" : options.file;
  const auto objects = objects_of(*text);
  if (!objects.ok()) return fail(streams, file + ":" + objects.error().message);
  launch::Context around;
  for (const auto& object : *objects) around.add(object);
  // A plan of a job that cannot work would be read as one that can.
  const auto findings = launch::check_text(*text, file);
  if (!findings.ok()) return fail(streams, findings.error().message);
  for (const Finding& finding : *findings)
    if (finding.severity == Severity::deny) streams.err << terminal_line(finding) << "\n";
  if (any_denial(*findings)) {
    streams.err << "rollcall plan: nothing is planned for a job that the rules refuse\n";
    return kFound;
  }
  int planned = 0;
  for (const auto& object : *objects) {
    if (launch::reader_of(object) == nullptr) continue;
    const auto made = launch::job_plan_of(object, around);
    if (!made.ok()) return fail(streams, file + ": " + made.error().message);
    if (planned > 0 && options.format != "text")
      return fail(streams, file + ": has several jobs, and a script starts one; give them one by one");
    const auto form = in_form(*made, options.format);
    if (!form.ok()) return fail(streams, file + ": " + form.error().message);
    streams.out << (planned++ > 0 ? "\n" : "") << *form;
  }
  if (planned == 0) return fail(streams, file + ": holds no job of a kind that is read");
  return kOk;
}

}  // namespace

std::span<const Flag> plan_flags() { return kFlags; }

Run declare_plan(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  declare(command, kFlags[0], options->file);
  declare(command, kFlags[1], options->format)->capture_default_str();
  command.footer("Exit status: 0 planned, 1 the rules refuse the job, 2 something could not be read.");
  return [options](Streams streams) { return plan(*options, streams); };
}

}  // namespace rollcall::cli
