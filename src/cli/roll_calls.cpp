#include "cli/roll_calls.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ostream>
#include <tuple>
#include <vector>

namespace rollcall::cli {
namespace {

/// Where no terminal says how wide it is: a log or a pager holds this.
constexpr std::size_t kDefaultWidth = 120;
constexpr std::size_t kNarrowest = 60;

/// Newest first: a job made anew under the same name counts its attempts from 1 again.
bool newer(const FoundRollCall& a, const FoundRollCall& b) {
  return std::tie(a.roll_call.meta.creation_timestamp, a.roll_call.spec.attempt) >
         std::tie(b.roll_call.meta.creation_timestamp, b.roll_call.spec.attempt);
}

std::string attempts_of(const std::vector<FoundRollCall>& found) {
  std::string out;
  for (const auto& each : found) {
    if (!out.empty()) out += ", ";
    out += std::to_string(each.roll_call.spec.attempt);
  }
  return out;
}

}  // namespace

std::optional<FoundRollCall> find_roll_call(kube::Client& client, const RollCallRequest& request, std::ostream& err) {
  const auto reply = client.list(kube::kRollCalls, request.namespace_name);
  if (!reply) {
    err << "rollcall " << request.verb << ": cannot list RollCalls in namespace " << request.namespace_name << ": "
        << reply.error().text() << "\n";
    return std::nullopt;
  }
  std::vector<FoundRollCall> found;
  for (const auto& object : reply.value().value("items", kube::Json::array())) {
    auto read = api::roll_call_from(object);
    if (!read) {
      err << "rollcall " << request.verb << ": a RollCall could not be read: " << read.error().message << "\n";
      continue;
    }
    if (read->spec.job.kind == "TrainingJob" && read->spec.job.name == request.job)
      found.push_back({std::move(*read), object});
  }
  std::sort(found.begin(), found.end(), newer);
  if (found.empty()) {
    err << fmt::format(
        "rollcall {}: there is no roll call of TrainingJob {} in namespace {}. It begins when the job's pods exist: "
        "kubectl describe tj {} -n {}\n",
        request.verb, request.job, request.namespace_name, request.job, request.namespace_name);
    return std::nullopt;
  }
  const auto chosen = std::find_if(found.begin(), found.end(), [&](const FoundRollCall& each) {
    return !request.attempt || each.roll_call.spec.attempt == *request.attempt;
  });
  if (chosen == found.end()) {
    err << fmt::format("rollcall {}: attempt {} of {} is not kept; there are: {}\n", request.verb, *request.attempt,
                       request.job, attempts_of(found));
    return std::nullopt;
  }
  return std::move(*chosen);
}

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return std::max<std::size_t>(size.ws_col, kNarrowest);
  const char* columns = std::getenv("COLUMNS");
  const long width = columns != nullptr ? std::strtol(columns, nullptr, 10) : 0;
  return width > 0 && width < 10000 ? std::max<std::size_t>(static_cast<std::size_t>(width), kNarrowest)
                                    : kDefaultWidth;
}

bool terminal_is_utf8() {
  // What setlocale would look at, in its order.
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string text = value;
    return text.find("UTF-8") != std::string::npos || text.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace rollcall::cli
