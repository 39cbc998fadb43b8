#include "roll_call/words.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/names.h"
#include "roll_call/deadlines.h"

namespace rollcall::roll_call {

std::string node_or_pod(const Pod& pod) { return pod.node().empty() ? "pod " + pod.name : pod.node(); }

std::string who(const Pod& pod) {
  // With one process a node its rank is a single number.
  const bool one = pod.ranks.find('-') == std::string::npos;
  return fmt::format("{} (node rank {}, {} {})", node_or_pod(pod), pod.node_rank, one ? "rank" : "ranks", pod.ranks);
}

std::string who_briefly(const Pod& pod) { return fmt::format("{} (node rank {})", node_or_pod(pod), pod.node_rank); }

std::string listed_of(std::size_t count, const std::function<std::string(std::size_t)>& entry, std::size_t max) {
  // "and 1 more" would be longer than the entry itself.
  const std::size_t shown = count <= max + 1 ? count : max;
  std::string out;
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) out += i + 1 == count ? " and " : ", ";
    out += entry(i);
  }
  if (shown < count) out += fmt::format(" and {} more", count - shown);
  return out;
}

std::string listed(const std::vector<std::string>& entries, std::size_t max) {
  return listed_of(
      entries.size(), [&](std::size_t i) { return entries[i]; }, max);
}

std::string listed(const std::vector<const Pod*>& pods, std::string (*word)(const Pod&), std::size_t max) {
  return listed_of(
      pods.size(), [&](std::size_t i) { return word(*pods[i]); }, max);
}

std::string counted(std::size_t count, const char* singular, const char* plural) {
  return fmt::format("{} {}", count, count == 1 ? singular : plural);
}

std::string cost(const Roll& roll, std::chrono::milliseconds held) {
  const double hours = std::chrono::duration<double, std::ratio<3600>>(held).count();
  const bool gpus = roll.spec.gpus_per_pod > 0;
  const double amount = gpus ? hours * roll.nnodes() * roll.spec.gpus_per_pod : hours * 60 * roll.nnodes();
  return fmt::format("{:.{}f} {}", amount, amount < 10 ? 1 : 0, gpus ? "GPU-hours" : "pod-minutes");
}

std::string release_command(const Roll& roll) {
  return fmt::format("kubectl annotate tj {} {}='why' -n {}", roll.spec.job.name, api::names::kAnnotationRelease,
                     roll.namespace_name);
}

std::string why_waiting(const Pod& pod, TimePoint now) {
  const std::string name =
      fmt::format("node rank {} (pod {}{})", pod.node_rank, pod.name, pod.node().empty() ? "" : " on " + pod.node());
  if (pod.gone()) return name + " is gone";
  if (pod.heard()) {
    if (pod.address().empty()) return name + " has answered, but the API server shows no address of it yet";
    return fmt::format("{} was last heard {} ago", name, duration_words(now - pod.heard_at.value_or(now)));
  }
  if (pod.started_at) {
    return fmt::format("{} runs the probe but has not answered for {}", name, duration_words(now - *pod.started_at));
  }
  const std::string words = pod.view ? pod.view->waiting : std::string();
  if (!pod.view || pod.node().empty()) return name + " is not scheduled" + (words.empty() ? "" : ": " + words);
  return name + " has not started the probe" + (words.empty() ? "" : ": " + words);
}

std::string why_waiting_for(const std::vector<const Pod*>& pods, TimePoint now, std::size_t max) {
  // Kubelets' words have commas and "and" of their own, so that only a semicolon parts the clauses.
  std::string out;
  for (std::size_t i = 0; i < std::min(pods.size(), max); ++i) out += (i == 0 ? "" : "; ") + why_waiting(*pods[i], now);
  if (pods.size() > max) out += fmt::format("; and {} more", pods.size() - max);
  return out;
}

std::string port_range(const Pod& pod) {
  // "32768 60999", with a space or a tab; anything else is not repeated to a person as a range.
  if (pod.facts) {
    std::string range = pod.facts->port_range;
    const auto gap = range.find_first_of(" \t?");
    const auto digits = [](std::string_view text) {
      return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    };
    if (gap != std::string::npos && digits(std::string_view(range).substr(0, gap)) &&
        digits(std::string_view(range).substr(gap + 1))) {
      range[gap] = '-';
      return range;
    }
  }
  return "32768-60999";
}

}  // namespace rollcall::roll_call
