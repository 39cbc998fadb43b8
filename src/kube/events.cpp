#include "kube/events.h"

#include <unistd.h>

#include <condition_variable>
#include <ctime>
#include <deque>
#include <mutex>
#include <thread>

#include "kube/event_correlator.h"

namespace rollcall::kube {

namespace {

using SystemClock = std::chrono::system_clock;

constexpr std::size_t kMostWaiting = 1000;
constexpr std::size_t kLongestMessage = 1024;
constexpr int kAttempts = 3;
constexpr std::chrono::seconds kBetweenAttempts{2};
constexpr std::chrono::seconds kFarewell{2};

std::string rfc3339(SystemClock::time_point time) {
  const std::time_t seconds = SystemClock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

struct Waiting {
  EventTarget target;
  std::string type, reason, message;
  SystemClock::time_point at;
};

}  // namespace

struct EventRecorder::State {
  Client& client;
  const std::string component;
  const std::string host = host_name();

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::deque<Waiting> waiting;
  bool busy = false;
  bool stopping = false;
  SystemClock::time_point stop_at;
  std::uint64_t dropped = 0;
  std::string last_error;

  EventCorrelator correlator;  ///< the thread's own
  std::thread thread;

  State(Client& c, std::string name) : client(c), component(std::move(name)) {}

  void lose(const std::string& why) {
    const std::lock_guard lock(mutex);
    ++dropped;
    last_error = why;
  }

  void run() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return stopping || !waiting.empty(); });
      if (waiting.empty() || (stopping && SystemClock::now() >= stop_at)) {
        dropped += waiting.size();
        waiting.clear();
        changed.notify_all();
        if (stopping) return;
        continue;
      }
      const Waiting next = std::move(waiting.front());
      waiting.pop_front();
      busy = true;
      lock.unlock();
      handle(next);
      lock.lock();
      busy = false;
      changed.notify_all();
    }
  }

  void handle(const Waiting& event) {
    const auto seen =
        correlator.see(event.target.name, event.target.uid, event.type, event.reason, event.message, event.at);
    if (seen.drop) return lose("too many events for " + event.target.kind + ' ' + event.target.name);
    std::optional<ApiError> error;
    for (int attempt = 1; attempt <= kAttempts; ++attempt) {
      error = write(event, seen);
      if (!error) return;
      if (!error->transient() || attempt == kAttempts) break;
      std::unique_lock lock(mutex);
      if (changed.wait_for(lock, kBetweenAttempts, [this] { return stopping; })) break;
    }
    correlator.correct(seen.name, seen.count - 1);
    lose(error->text());
  }

  std::string ns_of(const Waiting& event) const {
    return event.target.namespace_name.empty() ? "default" : event.target.namespace_name;
  }

  std::optional<ApiError> write(const Waiting& event, const EventCorrelator::Seen& seen) {
    if (seen.count > 1) {
      auto patched = patch(event, seen, seen.count);
      if (patched) return std::nullopt;
      if (!patched.error().not_found()) return patched.error();
      correlator.correct(seen.name, 1);  // the API server forgot it
    }
    const auto created = client.create(kEvents, ns_of(event), object(event, seen));
    if (created) return std::nullopt;
    if (!created.error().already_exists()) return created.error();
    // Of an earlier run of this program, or our own request sent twice; the second adds one to the count, no more.
    const auto old = client.get(kEvents, ns_of(event), seen.name);
    if (!old) return old.error();
    const auto stored = old.value().find("count");
    const int count = (stored != old.value().end() && stored->is_number_integer() ? stored->get<int>() : 1) + 1;
    correlator.correct(seen.name, count);
    auto patched = patch(event, seen, count);
    if (!patched) return patched.error();
    return std::nullopt;
  }

  Reply patch(const Waiting& event, const EventCorrelator::Seen& seen, int count) {
    return client.merge_patch(kEvents, ns_of(event), seen.name,
                              {{"count", count}, {"lastTimestamp", rfc3339(event.at)}, {"message", seen.message}});
  }

  Json object(const Waiting& event, const EventCorrelator::Seen& seen) const {
    return {{"apiVersion", "v1"},
            {"kind", "Event"},
            {"metadata", {{"name", seen.name}, {"namespace", ns_of(event)}}},
            {"involvedObject",
             {{"apiVersion", event.target.api_version},
              {"kind", event.target.kind},
              {"namespace", event.target.namespace_name},
              {"name", event.target.name},
              {"uid", event.target.uid}}},
            {"type", event.type},
            {"reason", event.reason},
            {"message", seen.message},
            {"count", 1},
            {"firstTimestamp", rfc3339(event.at)},
            {"lastTimestamp", rfc3339(event.at)},
            {"source", {{"component", component}, {"host", host}}},
            {"reportingComponent", component},
            {"reportingInstance", host}};
  }
};

EventRecorder::EventRecorder(Client& client, std::string component)
    : state_(std::make_unique<State>(client, std::move(component))) {
  state_->thread = std::thread([state = state_.get()] { state->run(); });
}

EventRecorder::~EventRecorder() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
    state_->stop_at = SystemClock::now() + kFarewell;
  }
  state_->changed.notify_all();
  state_->thread.join();
}

void EventRecorder::record(const EventTarget& target, const std::string& type, const std::string& reason,
                           const std::string& message) {
  const std::lock_guard lock(state_->mutex);
  if (state_->waiting.size() >= kMostWaiting) {
    state_->waiting.pop_front();
    ++state_->dropped;
    state_->last_error = "more than 1,000 events were waiting";
  }
  state_->waiting.push_back({target, type, reason, cut_text(message, kLongestMessage), SystemClock::now()});
  state_->changed.notify_all();
}

bool EventRecorder::flush(std::chrono::milliseconds longest) {
  std::unique_lock lock(state_->mutex);
  return state_->changed.wait_for(lock, longest, [this] { return state_->waiting.empty() && !state_->busy; });
}

std::uint64_t EventRecorder::dropped() const {
  const std::lock_guard lock(state_->mutex);
  return state_->dropped;
}

std::string EventRecorder::last_error() const {
  const std::lock_guard lock(state_->mutex);
  return state_->last_error;
}

}  // namespace rollcall::kube
