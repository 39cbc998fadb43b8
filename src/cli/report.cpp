#include "cli/report.h"

#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "cli/declare.h"
#include "cli/write_file.h"
#include "report/report_html.h"
#include "report/report_json.h"
#include "report/report_text.h"

namespace rollcall::cli {
namespace {

constexpr const char* kForms[] = {"text", "json", "html"};

constexpr Flag kFlags[] = {
    {"job", "The job as KIND/NAME: tj/llama; the kind may be left out", Takes::text, "KIND/NAME", {}, false, true},
    {"-n,--namespace", "Its namespace; absent = the kubeconfig's", Takes::text, "NAMESPACE"},
    {"--attempt", "Which attempt; absent = the latest", Takes::number, "NUMBER"},
    {"-o,--format", "text, json or html (one page that needs nothing else)", Takes::choice, "FORM", kForms},
    {"--output", "File to write; absent = standard output", Takes::file, "FILE"},
    {"--kubeconfig", "Absent = $KUBECONFIG, then ~/.kube/config", Takes::file, "FILE"},
    {"--context", "Absent = the kubeconfig's current one", Takes::text, "NAME"},
};

std::string made(const api::RollCall& roll_call, const ReportRequest& request, WallTime now) {
  switch (request.form) {
    case ReportForm::json:
      return report::report_json(roll_call, now).dump(2, ' ', false, kube::Json::error_handler_t::replace) + "\n";
    case ReportForm::html:
      return report::report_html(roll_call, now);
    case ReportForm::text:
      break;
  }
  return report::report_text(roll_call, now, request.text);
}

ReportForm form_from(const std::string& text) {
  if (text == "json") return ReportForm::json;
  return text == "html" ? ReportForm::html : ReportForm::text;
}

}  // namespace

Result<std::string> job_of(const std::string& target) {
  const auto slash = target.find('/');
  const std::string kind = slash == std::string::npos ? "tj" : target.substr(0, slash);
  const std::string name = slash == std::string::npos ? target : target.substr(slash + 1);
  // What kubectl takes for a TrainingJob.
  for (const char* known : {"tj", "trainingjob", "trainingjobs", "trainingjobs.rollcall.dev", "TrainingJob"}) {
    if (kind == known && !name.empty() && name.find('/') == std::string::npos) return name;
  }
  return Error{fmt::format("{}: only TrainingJobs have roll calls: write tj/NAME", target)};
}

int report(kube::Client& client, const ReportRequest& request, WallTime now, Streams streams) {
  const auto found = find_roll_call(client, request.which, streams.err);
  if (!found) return kFailed;
  const std::string text = made(found->roll_call, request, now);
  if (request.output.empty()) {
    streams.out << text;
    return kOk;
  }
  if (const auto written = write_file(request.output, text); !written) {
    streams.err << "rollcall report: " << written.error().message << "\n";
    return kFailed;
  }
  return kOk;
}

std::span<const Flag> report_flags() { return kFlags; }

Run declare_report(CLI::App& command) {
  struct Arguments {
    std::string job, namespace_name, format = "text", output, kubeconfig, context;
    int attempt = 0;
  };
  const auto args = std::make_shared<Arguments>();
  declare(command, kFlags[0], args->job);
  declare(command, kFlags[1], args->namespace_name);
  declare(command, kFlags[2], args->attempt)->check(CLI::PositiveNumber);
  declare(command, kFlags[3], args->format);
  declare(command, kFlags[4], args->output);
  declare(command, kFlags[5], args->kubeconfig);
  declare(command, kFlags[6], args->context);
  return [args](Streams streams) {
    const auto fail = [&](const std::string& why) {
      streams.err << "rollcall report: " << why << "\n";
      return kFailed;
    };
    const auto job = job_of(args->job);
    if (!job) return fail(job.error().message);
    auto credentials = kube::kubeconfig_credentials(args->kubeconfig, args->context);
    if (!credentials) return fail(credentials.error().message);
    ReportRequest request;
    request.which = {"report", *job,
                     args->namespace_name.empty() ? credentials->default_namespace : args->namespace_name,
                     args->attempt > 0 ? std::optional(args->attempt) : std::nullopt};
    request.form = form_from(args->format);
    request.output = args->output;
    request.text = {terminal_width(), terminal_is_utf8()};
    kube::initialize(1);  // one call; no pool of threads for it
    auto client = kube::Client::make(std::move(*credentials));
    if (!client) return fail(client.error().message);
    const auto now = std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
    return report(**client, request, now, streams);
  };
}

}  // namespace rollcall::cli
