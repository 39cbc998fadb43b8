#include "desk/pods/pod_view.h"

#include <fmt/format.h>

#include <cstdio>
#include <ctime>

#include "api/names.h"

namespace rollcall::desk {
namespace {

using Json = nlohmann::json;
using roll_call::PodView;
using roll_call::TimePoint;

const Json& at(const Json& object, const char* key) {
  static const Json kNothing;
  if (!object.is_object()) return kNothing;
  const auto it = object.find(key);
  return it == object.end() ? kNothing : *it;
}

std::string text(const Json& value) { return value.is_string() ? value.get<std::string>() : std::string(); }

bool waits_for_image(const std::string& reason) {
  return reason.find("Image") !=
         std::string::npos;  // ErrImagePull, ImagePullBackOff, InvalidImageName, ImageInspectError …
}

/// `REASON: MESSAGE`, either alone, or empty.
std::string words(const Json& waiting_or_terminated) {
  const std::string reason = text(at(waiting_or_terminated, "reason"));
  const std::string message = text(at(waiting_or_terminated, "message"));
  return reason.empty() || message.empty() ? reason + message : reason + ": " + message;
}

/// Whether the probe runs or ran. It is looked for first: init containers that restart always (sidecars) run beside it.
bool read_probe(const Json& statuses, PodView& view) {
  for (const auto& status : statuses) {
    if (text(at(status, "name")) != api::names::kProbe) continue;
    const Json& running = at(at(status, "state"), "running");
    const Json& ended = at(at(status, "state"), "terminated");
    view.probe_running = running.is_object();
    view.probe_started_at = time_from(text(at(running.is_object() ? running : ended, "startedAt")));
    if (running.is_object() || ended.is_object()) view.state = "Running";
    return running.is_object() || ended.is_object();
  }
  return false;
}

/// When the installer began, and when the last container before the probe ended. Sidecars never end and are passed
/// over.
void read_times(const Json& statuses, PodView& view) {
  for (const auto& status : statuses) {
    const std::string name = text(at(status, "name"));
    if (name == api::names::kProbe) return;
    const Json& state = at(status, "state");
    const Json& ended = at(state, "terminated");
    if (name == api::names::kInstaller)
      view.install_started_at = time_from(text(at(ended.is_object() ? ended : at(state, "running"), "startedAt")));
    const auto end = time_from(text(at(ended, "finishedAt")));
    if (end && (!view.pull_from || *end > *view.pull_from)) view.pull_from = end;
  }
}

/// The first init container that has not ended well says why the probe (the last one) does not run yet.
void read_init_containers(const Json& statuses, PodView& view) {
  if (read_probe(statuses, view)) return;
  for (const auto& status : statuses) {
    const std::string name = text(at(status, "name"));
    const Json& state = at(status, "state");
    const Json& running = at(state, "running");
    const Json& ended = at(state, "terminated");
    if (ended.is_object() && at(ended, "exitCode") == 0) continue;
    const Json& waiting = at(state, "waiting");
    view.state = "Starting";
    if (waiting.is_object()) {
      const std::string reason = text(at(waiting, "reason"));
      if (waits_for_image(reason)) view.state = "Pulling";
      // The two reasons of an ordinary start say nothing a person could act on.
      if (reason != "PodInitializing" && reason != "ContainerCreating")
        view.waiting = fmt::format("init container {}: {}", name, words(waiting));
    } else if (running.is_object()) {
      view.waiting = fmt::format("init container {} runs", name);
    } else if (ended.is_object()) {
      const Json& code = at(ended, "exitCode");
      view.waiting =
          fmt::format("init container {} ended with exit code {}{}", name, code.is_number() ? code.dump() : "unknown",
                      words(ended).empty() ? "" : " (" + words(ended) + ")");
    }
    return;
  }
}

}  // namespace

std::optional<TimePoint> time_from(std::string_view input) {
  std::tm tm{};
  int used = 0;
  const std::string copy(input.substr(0, 40));
  if (std::sscanf(copy.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &tm.tm_hour,
                  &tm.tm_min, &tm.tm_sec, &used) != 6 ||
      used == 0)
    return std::nullopt;
  std::string_view rest = std::string_view(copy).substr(static_cast<std::size_t>(used));
  int milliseconds = 0;
  if (!rest.empty() && rest.front() == '.') {
    rest.remove_prefix(1);
    int scale = 100;
    bool digits = false;
    while (!rest.empty() && rest.front() >= '0' && rest.front() <= '9') {
      milliseconds += (rest.front() - '0') * scale;
      scale /= 10;
      digits = true;
      rest.remove_prefix(1);
    }
    if (!digits) return std::nullopt;
  }
  if (rest != "Z") return std::nullopt;
  if (tm.tm_mon < 1 || tm.tm_mon > 12 || tm.tm_mday < 1 || tm.tm_mday > 31 || tm.tm_hour > 23 || tm.tm_min > 59 ||
      tm.tm_sec > 60)
    return std::nullopt;
  tm.tm_year -= 1900;
  tm.tm_mon -= 1;
  return TimePoint(std::chrono::seconds(::timegm(&tm)) + std::chrono::milliseconds(milliseconds));
}

std::string time_text(TimePoint time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(std::chrono::floor<std::chrono::seconds>(time));
  std::tm tm{};
  ::gmtime_r(&seconds, &tm);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
  return text;
}

PodView pod_view_from(const Json& pod) {
  PodView view;
  const Json& meta = at(pod, "metadata");
  const Json& status = at(pod, "status");
  view.uid = text(at(meta, "uid"));
  view.name = text(at(meta, "name"));
  view.node = text(at(at(pod, "spec"), "nodeName"));
  view.created_at = time_from(text(at(meta, "creationTimestamp")));
  const Json& ips = at(status, "podIPs");
  view.address = ips.is_array() && !ips.empty() ? text(at(ips[0], "ip")) : text(at(status, "podIP"));

  view.state = view.node.empty() ? "Unscheduled" : "Starting";
  for (const auto& condition : at(status, "conditions")) {
    if (text(at(condition, "type")) != "PodScheduled") continue;
    if (text(at(condition, "status")) == "True")
      view.scheduled_at = time_from(text(at(condition, "lastTransitionTime")));
    else
      view.waiting = words(condition);
  }
  if (!view.node.empty()) {
    view.waiting.clear();
    read_init_containers(at(status, "initContainerStatuses"), view);
    read_times(at(status, "initContainerStatuses"), view);
  }

  const std::string phase = text(at(status, "phase"));
  if (!text(at(meta, "deletionTimestamp")).empty() || phase == "Failed" || phase == "Succeeded") {
    view.gone = true;
    view.probe_running = false;
    view.state = "Gone";
    const std::string why = words(status);
    view.waiting =
        !text(at(meta, "deletionTimestamp")).empty() ? "the pod is being deleted" : "the pod's phase is " + phase;
    if (!why.empty()) view.waiting += " (" + why + ")";
  }
  return view;
}

}  // namespace rollcall::desk
