#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>

#include "kube/client.h"

namespace rollcall::kube::testing {

/// A client whose lists and watches are played from a script, and that remembers what was asked. From any thread.
class FakeClient : public Client {
 public:
  struct Asked {
    std::string verb;  ///< get, create, patch, list, watch
    std::string ns, name;
    std::map<std::string, std::string> query;
    Json body;
  };
  struct Watch {
    std::vector<WatchEvent> events;
    std::optional<ApiError> end;
  };

  std::deque<Reply> lists, creates, gets, patches;  ///< next answers; a 500 when there is none
  std::deque<Watch> watches;                        ///< when there is none: a watch that lives until it is stopped

  std::vector<Asked> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  /// Until the script is played and the client is asked for one more watch.
  bool wait_played(std::chrono::seconds longest = std::chrono::seconds{20}) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, longest, [this] { return idle_; });
  }

  Reply get(const Resource&, std::string_view ns, std::string_view name) override {
    return next(gets, {"get", std::string(ns), std::string(name), {}, nullptr});
  }
  Reply create(const Resource&, std::string_view ns, const Json& object, const WriteOptions&) override {
    return next(creates, {"create", std::string(ns), object["metadata"]["name"], {}, object});
  }
  Reply merge_patch(const Resource&, std::string_view ns, std::string_view name, const Json& patch,
                    std::string_view) override {
    return next(patches, {"patch", std::string(ns), std::string(name), {}, patch});
  }
  Reply list(const Resource&, std::string_view ns, const std::map<std::string, std::string>& query) override {
    return next(lists, {"list", std::string(ns), {}, query, nullptr});
  }
  std::optional<ApiError> watch(const Resource&, std::string_view ns, const std::map<std::string, std::string>& query,
                                const std::function<void(WatchEvent)>& on_event,
                                const std::function<bool()>& stopped) override {
    std::unique_lock lock(mutex_);
    asked_.push_back({"watch", std::string(ns), {}, query, nullptr});
    if (watches.empty()) {
      idle_ = true;
      changed_.notify_all();
      while (!stopped()) changed_.wait_for(lock, std::chrono::milliseconds{5});
      return ApiError{0, "Stopped", "", 0};
    }
    Watch script = std::move(watches.front());
    watches.pop_front();
    lock.unlock();
    for (WatchEvent& event : script.events) on_event(std::move(event));
    return script.end;
  }

  Reply replace(const Resource&, std::string_view, std::string_view, const Json&, const WriteOptions&) override {
    return unexpected();
  }
  Reply replace_status(const Resource&, std::string_view, std::string_view, const Json&) override {
    return unexpected();
  }
  Reply remove(const Resource&, std::string_view, std::string_view, const DeleteOptions&) override {
    return unexpected();
  }
  Reply raw_get(const std::string&) override { return unexpected(); }
  Result<std::string> raw_text(const std::string&) override { return Error{"not played"}; }

 private:
  static ApiError unexpected() { return {500, "NotPlayed", "the script has no answer", 0}; }
  Reply next(std::deque<Reply>& answers, Asked what) {
    const std::lock_guard lock(mutex_);
    asked_.push_back(std::move(what));
    if (answers.empty()) return unexpected();
    Reply out = std::move(answers.front());
    answers.pop_front();
    return out;
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Asked> asked_;
  bool idle_ = false;
};

}  // namespace rollcall::kube::testing
