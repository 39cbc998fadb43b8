#include "cli/status.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <tuple>
#include <vector>

#include "api/roll_call.h"
#include "cli/declare.h"

namespace rollcall::cli {
namespace {

/// Where no terminal says how wide it is: a log or a pager holds this.
constexpr std::size_t kDefaultWidth = 120;
constexpr std::size_t kNarrowest = 60;

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return std::max<std::size_t>(size.ws_col, kNarrowest);
  const char* columns = std::getenv("COLUMNS");
  const long width = columns != nullptr ? std::strtol(columns, nullptr, 10) : 0;
  return width > 0 && width < 10000 ? std::max<std::size_t>(static_cast<std::size_t>(width), kNarrowest)
                                    : kDefaultWidth;
}

/// What setlocale would look at, in its order.
bool terminal_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string text = value;
    return text.find("UTF-8") != std::string::npos || text.find("utf8") != std::string::npos;
  }
  return false;
}

constexpr const char* kForms[] = {"text", "json"};

constexpr Flag kFlags[] = {
    {"job", "Name of the TrainingJob", Takes::text, "JOB", {}, false, true},
    {"-n,--namespace", "Its namespace; absent = the kubeconfig's", Takes::text, "NAMESPACE"},
    {"--attempt", "Which attempt; absent = the latest", Takes::number, "NUMBER"},
    {"--kubeconfig", "Absent = $KUBECONFIG, then ~/.kube/config", Takes::file, "FILE"},
    {"--context", "Absent = the kubeconfig's current one", Takes::text, "NAME"},
    {"--format", "text or json", Takes::choice, "FORM", kForms},
};

struct Found {
  api::RollCall roll_call;
  kube::Json object;
};

/// Newest first: a job made anew under the same name counts its attempts from 1 again.
bool newer(const Found& a, const Found& b) {
  return std::tie(a.roll_call.meta.creation_timestamp, a.roll_call.spec.attempt) >
         std::tie(b.roll_call.meta.creation_timestamp, b.roll_call.spec.attempt);
}

std::string attempts_of(const std::vector<Found>& found) {
  std::string out;
  for (const auto& each : found) out += (out.empty() ? "" : ", ") + std::to_string(each.roll_call.spec.attempt);
  return out;
}

}  // namespace

int status(kube::Client& client, const StatusRequest& request, WallTime now, Streams streams) {
  const auto reply = client.list(kube::kRollCalls, request.namespace_name);
  if (!reply) {
    streams.err << "rollcall status: cannot list RollCalls in namespace " << request.namespace_name << ": "
                << reply.error().text() << "\n";
    return kFailed;
  }
  std::vector<Found> found;
  for (const auto& object : reply.value().value("items", kube::Json::array())) {
    auto read = api::roll_call_from(object);
    if (!read) {
      streams.err << "rollcall status: a RollCall could not be read: " << read.error().message << "\n";
      continue;
    }
    if (read->spec.job.kind == "TrainingJob" && read->spec.job.name == request.job)
      found.push_back({std::move(*read), object});
  }
  std::sort(found.begin(), found.end(), newer);
  if (found.empty()) {
    streams.err << fmt::format(
        "rollcall status: there is no roll call of TrainingJob {} in namespace {}. It begins when the job's pods "
        "exist: "
        "kubectl describe tj {} -n {}\n",
        request.job, request.namespace_name, request.job, request.namespace_name);
    return kFailed;
  }
  const auto chosen = std::find_if(found.begin(), found.end(), [&](const Found& each) {
    return !request.attempt || each.roll_call.spec.attempt == *request.attempt;
  });
  if (chosen == found.end()) {
    streams.err << fmt::format("rollcall status: attempt {} of {} is not kept; there are: {}\n", *request.attempt,
                               request.job, attempts_of(found));
    return kFailed;
  }
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
