#include "kube/leader/elector.h"

#include <fmt/format.h>
#include <time.h>

#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>

#include "kube/leader/election.h"

namespace rollcall::kube {
namespace {

using TimePoint = Election::TimePoint;

/// CLOCK_BOOTTIME, not steady_clock's CLOCK_MONOTONIC: the latter stands still while the machine is suspended, and the
/// other replica's does not.
TimePoint boot_time() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return TimePoint(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

}  // namespace

struct Elector::State {
  Client& client;
  const Options options;
  const Callbacks callbacks;
  const std::function<TimePoint()> now;

  mutable std::mutex mutex;  ///< guards election, stopping
  std::condition_variable wake;
  Election election;
  bool stopping = false;
  std::thread thread;

  Json lease;  ///< as last read or written; the thread's own, stop()'s once the thread has ended
  bool told = false;

  State(Client& c, Options o, Callbacks b)
      : client(c),
        options(std::move(o)),
        callbacks(std::move(b)),
        now(options.now ? options.now : boot_time),
        election(options.identity, options.times, [engine = std::mt19937_64(std::random_device{}())]() mutable {
          return std::uniform_real_distribution<double>(0, 1)(engine);
        }) {}

  void run() {
    for (;;) {
      Election::Step step;
      {
        std::unique_lock lock(mutex);
        if (stopping) return;
        step = election.next(now());
        if (step.act == Election::Act::Wait) {
          wake.wait_for(lock, step.wait, [this] { return stopping; });
          continue;
        }
      }
      if (step.act == Election::Act::Lost) {
        if (callbacks.lost) callbacks.lost(step.why);
        return;
      }
      if (step.act == Election::Act::Get) {
        look();
      } else {
        write(step);
      }
    }
  }

  void look() {
    auto reply = client.get(kLeases, options.ns, options.name);
    if (!reply) {
      if (!reply.error().not_found()) return failed("reading", reply.error());
      const std::lock_guard lock(mutex);
      return election.missing(now());
    }
    auto record = lease_record_from(reply.value());
    if (!record) return failed("reading", {0, "BadLease", record.error().message, 0});
    lease = std::move(reply.value());
    const std::lock_guard lock(mutex);
    election.read(*record, now());
  }

  void write(const Election::Step& step) {
    const bool create = step.act == Election::Act::Create;
    const LeaseRecord record = stamped(step.record);
    const TimePoint sent = now();
    auto reply =
        create ? client.create(kLeases, options.ns, new_lease(options.ns, options.name, record)) : replace(record);
    if (!reply) {
      const auto& error = reply.error();
      if (error.conflict() || error.already_exists()) {
        const std::lock_guard lock(mutex);
        return election.beaten(error.text());
      }
      // Of a Create it is the namespace that is missing.
      if (error.not_found() && !create) {
        const std::lock_guard lock(mutex);
        return election.missing(now());
      }
      return failed(create ? "creating" : "writing", error);
    }
    lease = std::move(reply.value());
    {
      const std::lock_guard lock(mutex);
      election.wrote(record, sent);
      // A process that was stopped while the reply was on its way has not won.
      if (told || !election.leading(now())) return;
    }
    told = true;
    if (callbacks.won) callbacks.won(record.transitions);
  }

  Reply replace(const LeaseRecord& record) {
    Json next = lease;
    next["metadata"].erase("managedFields");
    put(record, next);
    return client.replace(kLeases, options.ns, options.name, next);
  }

  /// Wall-clock times are for people; nobody compares them.
  static LeaseRecord stamped(LeaseRecord record) {
    record.renew_time = micro_time(std::chrono::system_clock::now());
    if (record.acquire_time.empty()) record.acquire_time = record.renew_time;
    return record;
  }

  void failed(const char* doing, const ApiError& error) {
    const std::string why = fmt::format("{} Lease {}/{}: {}", doing, options.ns, options.name, error.text());
    {
      const std::lock_guard lock(mutex);
      election.failed(why);
    }
    if (callbacks.failed) callbacks.failed(why);
  }

  void give_back() {
    std::optional<LeaseRecord> record;
    {
      const std::lock_guard lock(mutex);
      record = election.resign(now());
    }
    if (!record) return;
    auto reply = replace(stamped(*record));
    if (!reply && reply.error().conflict()) {
      // Our own last renewal, whose reply was lost, or a person's edit: look once who holds it.
      auto seen = client.get(kLeases, options.ns, options.name);
      if (!seen) return report("giving back", seen.error());
      const auto held = lease_record_from(seen.value());
      if (!held || held->holder != options.identity) return;
      lease = std::move(seen.value());
      reply = replace(stamped(*record));
    }
    if (!reply && !reply.error().not_found()) report("giving back", reply.error());
  }

  void report(const char* doing, const ApiError& error) const {
    if (callbacks.failed)
      callbacks.failed(fmt::format("{} Lease {}/{}: {}", doing, options.ns, options.name, error.text()));
  }
};

Elector::Elector(Client& client, Options options, Callbacks callbacks)
    : state_(std::make_unique<State>(client, std::move(options), std::move(callbacks))) {}

Elector::~Elector() { stop(); }

ClientOptions Elector::client_options(const LeaseTimes& times) {
  ClientOptions options;
  options.deadline = times.renew / 2;
  return options;
}

void Elector::start() {
  state_->thread = std::thread([state = state_.get()] { state->run(); });
}

void Elector::stop() {
  State& state = *state_;
  {
    const std::lock_guard lock(state.mutex);
    state.stopping = true;
  }
  state.wake.notify_all();
  if (state.thread.joinable()) state.thread.join();
  state.give_back();
}

bool Elector::leading() const {
  const std::lock_guard lock(state_->mutex);
  return !state_->stopping && state_->election.leading(state_->now());
}

std::int64_t Elector::transitions() const {
  const std::lock_guard lock(state_->mutex);
  return state_->election.transitions();
}

std::string Elector::holder() const {
  const std::lock_guard lock(state_->mutex);
  return state_->election.holder();
}

std::string identity_of(const std::string& pod_name) {
  std::random_device random;
  return fmt::format("{}_{:08x}{:08x}", pod_name, random(), random());
}

}  // namespace rollcall::kube
