#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace rollcall::cli {

/// Does tasks on several threads and hands their outcomes on in the tasks' order. `next` and `sink` run on the calling
/// thread alone. No more than a few tasks are held at once, so memory does not grow with their number. What a callback
/// throws ends everything and is thrown by run().
template <typename Task, typename Outcome>
class SideBySide {
 public:
  using Next = std::function<std::optional<Task>()>;  ///< nullopt = there are no more
  using Work = std::function<Outcome(Task)>;
  using Sink = std::function<void(Outcome)>;
  using Weight = std::function<std::size_t(const Task&)>;

  /// Tasks of at most `heaviest` together are held at once, or a single one of any weight.
  SideBySide(unsigned threads, std::size_t heaviest, Weight weight)
      : threads_(std::max(1u, threads)), heaviest_(heaviest), weight_(std::move(weight)) {}

  void run(const Next& next, const Work& work, const Sink& sink) {
    std::optional<Task> first = next();
    if (!first) return;
    std::optional<Task> second = next();
    if (!second) return sink(work(std::move(*first)));  // one task needs no thread
    const Team team(*this, work);
    give(std::move(*first));
    for (bool more = true; more || !order_.empty();) {
      if (second) give(std::move(*std::exchange(second, std::nullopt)));
      if (more && has_room()) {
        second = next();
        more = second.has_value();
        continue;
      }
      sink(first_outcome());
    }
  }

 private:
  struct Slot {
    std::optional<Task> task;
    std::optional<Outcome> outcome;
    std::exception_ptr failure;
    std::size_t weight = 0;
    bool done = false;
  };

  /// The threads, ended and joined when it goes.
  class Team {
   public:
    Team(SideBySide& shared, const Work& work) : shared_(shared) {
      try {
        for (unsigned i = 0; i < shared.threads_; ++i) members_.emplace_back([&shared, &work] { shared.serve(work); });
      } catch (const std::system_error&) {
        if (members_.empty()) throw;  // a limit on threads: those that there are do the work
      }
    }
    ~Team() {
      {
        const std::lock_guard lock(shared_.mutex_);
        shared_.ending_ = true;
      }
      shared_.waiting_.notify_all();
      for (std::thread& member : members_) member.join();
    }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

   private:
    SideBySide& shared_;
    std::vector<std::thread> members_;
  };

  /// Twice as many as threads wait, so that none is idle while the calling thread is at `sink`.
  bool has_room() const { return order_.size() < 3 * std::size_t{threads_} && weight_held_ < heaviest_; }

  void give(Task task) {
    auto slot = std::make_shared<Slot>();
    slot->weight = weight_(task);
    slot->task = std::move(task);
    weight_held_ += slot->weight;
    order_.push_back(slot);
    {
      const std::lock_guard lock(mutex_);
      todo_.push_back(std::move(slot));
    }
    waiting_.notify_one();
  }

  Outcome first_outcome() {
    const std::shared_ptr<Slot> slot = std::move(order_.front());
    order_.pop_front();
    weight_held_ -= slot->weight;
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [&slot] { return slot->done; });
    if (slot->failure) std::rethrow_exception(slot->failure);
    return std::move(*slot->outcome);
  }

  void serve(const Work& work) {
    std::unique_lock lock(mutex_);
    for (;;) {
      waiting_.wait(lock, [this] { return ending_ || !todo_.empty(); });
      if (ending_) return;
      const std::shared_ptr<Slot> slot = std::move(todo_.front());
      todo_.pop_front();
      lock.unlock();
      try {
        slot->outcome = work(std::move(*slot->task));
      } catch (...) {
        slot->failure = std::current_exception();
      }
      slot->task.reset();
      lock.lock();
      slot->done = true;
      finished_.notify_one();
    }
  }

  const unsigned threads_;
  const std::size_t heaviest_;
  const Weight weight_;
  std::deque<std::shared_ptr<Slot>> order_;  ///< of the calling thread
  std::size_t weight_held_ = 0;              ///< of the calling thread
  std::mutex mutex_;
  std::condition_variable waiting_;
  std::condition_variable finished_;
  std::deque<std::shared_ptr<Slot>> todo_;  ///< under mutex_
  bool ending_ = false;                     ///< under mutex_
};

}  // namespace rollcall::cli
