#include "probe/steps/collective.h"

#include <algorithm>
#include <system_error>
#include <thread>

#include "probe/children/leftovers.h"
#include "probe/steps/nccl.h"
#include "probe/text.h"

namespace rollcall::probe {

using roll_call::RankOutcome;
using roll_call::RankResult;

namespace {

/// How often a rank that waits for the id looks whether it is still wanted.
constexpr std::chrono::milliseconds kTick{50};

/// An order that names no deadline gets what a job-wide one of this size has: NCCL's own connect retries end after 59.5
/// s and an InfiniBand error comes after about 30 s, and below 60 s the error that names the cause would be cut off.
std::chrono::milliseconds deadline_of(const roll_call::CollectiveOrder& order) {
  if (order.deadline_ms > 0) return std::chrono::milliseconds(order.deadline_ms);
  return std::chrono::seconds(90) + order.nranks * std::chrono::milliseconds(150);
}

std::vector<std::string> arguments_of(const roll_call::CollectiveOrder& order, std::size_t index,
                                      const std::string& library, const std::string& unique_id) {
  std::vector<std::string> arguments = {"collective",
                                        "--library",
                                        library,
                                        "--rank",
                                        std::to_string(order.first_rank + static_cast<int>(index)),
                                        "--nranks",
                                        std::to_string(order.nranks),
                                        "--gpu",
                                        std::to_string(order.gpus[index]),
                                        "--small",
                                        std::to_string(order.small_bytes),
                                        "--large",
                                        std::to_string(order.large_bytes)};
  if (unique_id.empty()) {
    arguments.emplace_back("--make-id");
  } else {
    arguments.emplace_back("--unique-id");
    arguments.push_back(unique_id);
  }
  return arguments;
}

}  // namespace

RankResult rank_result_from(const ChildReport& report, int rank, int gpu) {
  auto result = report.rank.value_or(RankResult{});
  result.rank = rank;
  result.gpu = gpu;
  if (!report.rank_told() || result.step.empty()) {
    result.step = report.step;
    result.step_seconds = report.step_seconds;
  }
  if (report.unable) {
    result.outcome = RankOutcome::NotStarted;
    result.error = report.trouble;
  } else if (report.stuck()) {
    result.outcome = RankOutcome::Stuck;
    result.step = report.step;
    result.step_seconds = report.step_seconds;
    result.error = report.trouble;
  } else if (report.rank_told()) {
    if (report.end.extended && result.outcome == RankOutcome::Ok) result.outcome = RankOutcome::Slow;
  } else {
    result.outcome = report.end.how == End::How::Deadline ? RankOutcome::TimedOut : RankOutcome::Died;
    // What the library itself has said meanwhile is worth more than that it was killed.
    if (result.error.empty()) {
      result.error = report.trouble;
    } else if (report.end.how != End::How::Deadline) {
      result.error = text(report.trouble, "; until then: ", result.error);
    }
  }
  return result;
}

CollectiveRun::CollectiveRun(roll_call::CollectiveOrder order, const Settings& settings, JobImage& image, Log& log,
                             std::function<void()> news)
    : order_(std::move(order)),
      settings_(settings),
      image_(image),
      log_(log),
      news_(std::move(news)),
      join_id_(order_.unique_id) {
  state_.id = order_.id;
}

roll_call::CollectiveState CollectiveRun::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void CollectiveRun::tell_id(const std::string& unique_id) {
  if (unique_id.empty()) return;
  const std::lock_guard lock(mutex_);
  if (join_id_.empty()) join_id_ = unique_id;
  changed_.notify_all();
}

void CollectiveRun::id_made(const std::string& unique_id) {
  {
    const std::lock_guard lock(mutex_);
    state_.unique_id = unique_id;
    if (all_here()) join_id_ = unique_id;
    changed_.notify_all();
  }
  news_();
}

void CollectiveRun::no_id_comes() {
  const std::lock_guard lock(mutex_);
  id_given_up_ = true;
  changed_.notify_all();
}

std::string CollectiveRun::wait_for_id(const Wake& cancel) {
  std::unique_lock lock(mutex_);
  while (join_id_.empty() && !id_given_up_ && !cancel.notified()) changed_.wait_for(lock, kTick);
  return join_id_;
}

void CollectiveRun::add(RankResult result, bool simulated) {
  const std::lock_guard lock(mutex_);
  state_.simulated = state_.simulated || simulated;
  const auto at = std::find_if(state_.ranks.begin(), state_.ranks.end(),
                               [&](const RankResult& other) { return other.rank > result.rank; });
  state_.ranks.insert(at, std::move(result));
}

void CollectiveRun::add_all(const std::string& error) {
  for (std::size_t i = 0; i < order_.gpus.size(); ++i) {
    RankResult result;
    result.rank = order_.first_rank + static_cast<int>(i);
    result.gpu = order_.gpus[i];
    result.outcome = RankOutcome::NotStarted;
    result.error = error;
    add(std::move(result), false);
  }
}

void CollectiveRun::run_rank(std::size_t index, const std::string& library, const Environment& environment,
                             const Wake& cancel) {
  const bool maker = makes_id() && index == 0;
  const int rank = order_.first_rank + static_cast<int>(index);
  const auto id = maker ? std::string() : wait_for_id(cancel);
  if (cancel.notified()) return;
  if (!maker && id.empty()) {
    RankResult result;
    result.rank = rank;
    result.gpu = order_.gpus[index];
    result.outcome = RankOutcome::NotStarted;
    result.error = "rank 0 ended before it had made the id that the others join with";
    return add(std::move(result), false);
  }
  ChildOrder order{image_.child_program(), arguments_of(order_, index, library, id), environment, deadline_of(order_)};
  // Elsewhere whatever is new in /dev/shm is ours.
  if (shares_node_memory()) {
    order.before_kill = [this](pid_t pid) {
      auto held = nccl_files_held(image_.self(), pid);
      const std::lock_guard lock(mutex_);
      shared_memory_.merge(held);
    };
  }
  if (maker) order.on_unique_id = [this](const std::string& made) { id_made(made); };
  const auto report = run_child(order, cancel);
  if (!cancel.notified()) add(rank_result_from(report, rank, order_.gpus[index]), report.simulated);
  if (maker && report.unique_id.empty()) no_id_comes();
}

void CollectiveRun::run(const Wake& cancel) {
  if (order_.gpus.empty()) return finish("");
  const auto environment = image_.environment(cancel);
  const auto devices = image_.devices(cancel);
  if (!environment || !devices) return;
  const auto library = nccl_library(settings_, image_, *devices);
  if (!library) {
    add_all(library.error().message);
    return finish("");
  }
  auto variables = environment->variables;
  for (const auto& [name, value] : order_.env) variables[name] = value;
  const auto before = nccl_files();

  std::vector<std::thread> ranks;
  std::string refused;
  for (std::size_t i = 0; i < order_.gpus.size(); ++i) {
    try {
      ranks.emplace_back([&, i] { run_rank(i, *library, variables, cancel); });
    } catch (const std::system_error& error) {
      refused = text("cannot start a thread for each rank: ", error.what(), "; raise the pod's pids limit");
      RankResult result;
      result.rank = order_.first_rank + static_cast<int>(i);
      result.gpu = order_.gpus[i];
      result.outcome = RankOutcome::NotStarted;
      result.error = refused;
      add(std::move(result), false);
      if (i == 0) no_id_comes();
    }
  }
  for (auto& rank : ranks) rank.join();
  const auto removed = sweep(before, shared_memory_, shares_node_memory());
  if (!removed.empty())
    log_.line(text("collective ", order_.id, ": removed ", removed.size(), " files that NCCL left in /dev/shm"));
  if (!cancel.notified()) finish(refused);
}

void CollectiveRun::finish(const std::string& words) {
  {
    const std::lock_guard lock(mutex_);
    state_.done = true;
  }
  log_.line(words_for(order_, state()));
  if (!words.empty()) log_.line(words);
  news_();
}

namespace {

const char* scope_words(roll_call::CollectiveScope scope) {
  switch (scope) {
    case roll_call::CollectiveScope::Node:
      return "in-node";
    case roll_call::CollectiveScope::Job:
      return "job-wide";
    case roll_call::CollectiveScope::Pair:
      return "pair";
  }
  return "";
}

bool went_well(const RankResult& result) {
  return result.outcome == RankOutcome::Ok || result.outcome == RankOutcome::Slow;
}

}  // namespace

std::string words_for(const roll_call::CollectiveOrder& order, const roll_call::CollectiveState& state) {
  std::string line = text("collective ", order.id, " (", scope_words(order.scope), ", ", order.nranks, " ranks",
                          state.simulated ? ", simulated" : "", "): ");
  if (order.gpus.empty()) return line + "this node takes no part";
  const auto good = std::count_if(state.ranks.begin(), state.ranks.end(), went_well);
  line += text(good, " of ", order.gpus.size(), " ranks of this node went well");
  const auto shown = std::find_if(state.ranks.begin(), state.ranks.end(), went_well);
  if (shown != state.ranks.end()) {
    line += text(", rank ", shown->rank, " joined in ", seconds_words(shown->init_ms / 1000));
    if (shown->bus_gbytes > 0) line += text(", bus bandwidth ", shown->bus_gbytes, " GB/s");
    if (!shown->transport.empty()) line += text(" over ", shown->transport);
    if (!shown->network.empty()) line += text(" (", shown->network, ")");
  }
  constexpr int kMaxNamed = 8;
  int named = 0;
  for (const auto& result : state.ranks) {
    if (result.outcome == RankOutcome::Ok || ++named > kMaxNamed) continue;
    line += text("\nrank ", result.rank, " (GPU ", result.gpu, "): ", roll_call::to_string(result.outcome));
    if (!result.step.empty() && result.outcome != RankOutcome::Slow) line += text(" in ", result.step);
    if (!result.error.empty()) line += ": " + result.error;
  }
  if (named > kMaxNamed) line += text("\n… and ", named - kMaxNamed, " more");
  return line;
}

}  // namespace rollcall::probe
