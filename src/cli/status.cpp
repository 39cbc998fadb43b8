#include "cli/status.h"

#include <memory>
#include <ostream>

#include "cli/declare.h"
#include "cli/roll_calls.h"

namespace rollcall::cli {
namespace {

constexpr const char* kForms[] = {"text", "json"};

constexpr Flag kFlags[] = {
    {"job", "Name of the TrainingJob", Takes::text, "JOB", {}, false, true},
    {"-n,--namespace", "Its namespace; absent = the kubeconfig's", Takes::text, "NAMESPACE"},
    {"--attempt", "Which attempt; absent = the latest", Takes::number, "NUMBER"},
    {"--kubeconfig", "Absent = $KUBECONFIG, then ~/.kube/config", Takes::file, "FILE"},
    {"--context", "Absent = the kubeconfig's current one", Takes::text, "NAME"},
    {"--format", "text or json", Takes::choice, "FORM", kForms},
};

}  // namespace

int status(kube::Client& client, const StatusRequest& request, WallTime now, Streams streams) {
  const auto chosen =
      find_roll_call(client, {"status", request.job, request.namespace_name, request.attempt}, streams.err);
  if (!chosen) return kFailed;
  if (request.json) {
    streams.out << chosen->object.dump(2, ' ', false, kube::Json::error_handler_t::replace) << "\n";
  } else {
    streams.out << report::status_text(chosen->roll_call, now, request.text);
  }
  return kOk;
}

std::span<const Flag> status_flags() { return kFlags; }

Run declare_status(CLI::App& command) {
  struct Arguments {
    std::string job, namespace_name, kubeconfig, context, format = "text";
    int attempt = 0;
  };
  const auto args = std::make_shared<Arguments>();
  declare(command, kFlags[0], args->job);
  declare(command, kFlags[1], args->namespace_name);
  declare(command, kFlags[2], args->attempt)->check(CLI::PositiveNumber);
  declare(command, kFlags[3], args->kubeconfig);
  declare(command, kFlags[4], args->context);
  declare(command, kFlags[5], args->format);
  return [args](Streams streams) {
    auto credentials = kube::kubeconfig_credentials(args->kubeconfig, args->context);
    if (!credentials) {
      streams.err << "rollcall status: " << credentials.error().message << "\n";
      return kFailed;
    }
    StatusRequest request;
    request.job = args->job;
    request.namespace_name = args->namespace_name.empty() ? credentials->default_namespace : args->namespace_name;
    if (args->attempt > 0) request.attempt = args->attempt;
    request.json = args->format == "json";
    request.text = {terminal_width(), terminal_is_utf8()};
    kube::initialize(1);  // one call; no pool of threads for it
    auto client = kube::Client::make(std::move(*credentials));
    if (!client) {
      streams.err << "rollcall status: " << client.error().message << "\n";
      return kFailed;
    }
    const auto now = std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
    return status(**client, request, now, streams);
  };
}

}  // namespace rollcall::cli
