#include "kube/reflector.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>

#include "kube/reflector_policy.h"

namespace rollcall::kube {

namespace {

using Clock = std::chrono::steady_clock;

std::string text_of(const Json& object, const char* key) {
  const auto value = object.find(key);
  return value != object.end() && value->is_string() ? value->get<std::string>() : std::string{};
}

std::string meta_of(const Json& object, const char* key) {
  const auto meta = object.find("metadata");
  return meta != object.end() && meta->is_object() ? text_of(*meta, key) : std::string{};
}

struct Key {
  std::string ns, name;
  auto operator<=>(const Key&) const = default;
};

}  // namespace

struct Reflector::State {
  Client& client;
  const Resource resource;
  const std::string ns;
  const std::map<std::string, std::string> selectors;
  const Callbacks callbacks;

  std::atomic<bool> stopping = false;
  std::mutex mutex;  ///< guards health; `wake` ends a wait
  std::condition_variable wake;
  WatchHealth health;
  std::thread thread;

  // The thread's own.
  std::map<Key, std::string> known;  ///< → uid
  ReflectorPolicy policy;

  State(Client& c, Resource r, std::string n, std::map<std::string, std::string> s, Callbacks b)
      : client(c),
        resource(std::move(r)),
        ns(std::move(n)),
        selectors(std::move(s)),
        callbacks(std::move(b)),
        policy([engine = std::mt19937_64(std::random_device{}())]() mutable {
          return std::uniform_real_distribution<double>(0, 1)(engine);
        }) {}

  void run() {
    while (!stopping) {
      const auto step = policy.next();
      if (!wait(step.wait)) return;
      if (step.act == ReflectorPolicy::Act::List) {
        list(step);
      } else {
        watch(step);
      }
      const std::lock_guard lock(mutex);
      health.restarts = policy.restarts();
    }
  }

  bool wait(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex);
    return !wake.wait_for(lock, time, [this] { return stopping.load(); });
  }

  void failed(const ApiError& error) {
    const std::lock_guard lock(mutex);
    health.last_error = error.text();
  }

  template <typename F>
  void call(const F& callback) {
    try {
      callback();
    } catch (const std::exception& e) {
      // The callback's own fault; the next object must still be heard of.
      const std::lock_guard lock(mutex);
      ++health.callback_failures;
      health.last_error = std::string("a callback failed: ") + e.what();
    }
  }

  void upsert(Json& object) {
    const Key key{meta_of(object, "namespace"), meta_of(object, "name")};
    const std::string uid = meta_of(object, "uid");
    if (key.name.empty()) return failed({0, "BrokenStream", "an object without metadata.name", 0});
    object["metadata"].erase("managedFields");
    auto& known_uid = known[key];
    if (!known_uid.empty() && known_uid != uid) {
      call([&] { callbacks.removed(key.ns, key.name, known_uid); });
    }
    known_uid = uid;
    call([&] { callbacks.upsert(object); });
  }

  void remove(const Key& key) {
    const auto entry = known.find(key);
    if (entry == known.end()) return;
    const std::string uid = entry->second;
    known.erase(entry);
    call([&] { callbacks.removed(key.ns, key.name, uid); });
  }

  void list(const ReflectorPolicy::Step& step) {
    std::map<Key, std::string> listed;
    std::string version;
    std::string continue_token;
    do {
      auto query = selectors;
      query["limit"] = std::to_string(step.page);
      if (!continue_token.empty()) {
        query["continue"] = continue_token;
      } else if (!step.resource_version.empty()) {
        query["resourceVersion"] = step.resource_version;
      }
      auto page = client.list(resource, ns, query);
      if (stopping) return;
      if (page && (!page.value().contains("items") || meta_of(page.value(), "resourceVersion").empty())) {
        page = ApiError{0, "BrokenStream", "the reply to a list is no list", 0};
      }
      if (!page) {
        failed(page.error());
        return policy.list_failed(page.error(), Clock::now());
      }
      if (version.empty()) version = meta_of(page.value(), "resourceVersion");
      continue_token = meta_of(page.value(), "continue");
      const std::string api_version = text_of(page.value(), "apiVersion");
      std::string kind = text_of(page.value(), "kind");
      if (kind.ends_with("List")) kind.resize(kind.size() - 4);
      for (Json& object : page.value()["items"]) {
        // Items of a list of built-in kinds come without these two, events of a watch with them.
        if (object.is_object() && !object.contains("kind"))
          object.update({{"apiVersion", api_version}, {"kind", kind}});
        listed.emplace(Key{meta_of(object, "namespace"), meta_of(object, "name")}, meta_of(object, "uid"));
        upsert(object);
        object = nullptr;  // a page is large as a tree: give each object back as it is done with
      }
    } while (!continue_token.empty());

    std::vector<Key> gone;
    for (const auto& [key, uid] : known) {
      if (!listed.contains(key)) gone.push_back(key);
    }
    for (const Key& key : gone) remove(key);
    policy.listed(version);
    {
      const std::lock_guard lock(mutex);
      ++health.lists;
      health.synced = true;
    }
    call([&] { callbacks.synced(); });
  }

  void watch(const ReflectorPolicy::Step& step) {
    auto query = selectors;
    query["resourceVersion"] = step.resource_version;
    query["timeoutSeconds"] = std::to_string(step.server_timeout.count());
    {
      const std::lock_guard lock(mutex);
      ++health.watches;
    }
    policy.watch_started(Clock::now());
    const auto end = client.watch(
        resource, ns, query, [this](WatchEvent event) { take(event); }, [this] { return stopping.load(); });
    if (stopping) return;
    if (end) failed(*end);
    policy.watch_ended(end, Clock::now());
  }

  void take(WatchEvent& event) {
    if (stopping || event.kind == WatchEventKind::Error) return;  // watch() returns the error
    const std::string version = meta_of(event.object, "resourceVersion");
    if (event.kind == WatchEventKind::Deleted) {
      remove({meta_of(event.object, "namespace"), meta_of(event.object, "name")});
    } else if (event.kind != WatchEventKind::Bookmark) {
      upsert(event.object);
    }
    policy.saw(version);
    if (event.kind == WatchEventKind::Bookmark) return;
    const std::lock_guard lock(mutex);
    ++health.events;
  }
};

Reflector::Reflector(Client& client, Resource resource, std::string ns, std::map<std::string, std::string> selectors,
                     Callbacks callbacks) {
  // Empty callbacks are allowed: nobody need listen to all three.
  if (!callbacks.upsert) callbacks.upsert = [](const Json&) {};
  if (!callbacks.removed) callbacks.removed = [](const std::string&, const std::string&, const std::string&) {};
  if (!callbacks.synced) callbacks.synced = [] {};
  state_ =
      std::make_unique<State>(client, std::move(resource), std::move(ns), std::move(selectors), std::move(callbacks));
}

Reflector::~Reflector() { stop(); }

void Reflector::start() {
  state_->thread = std::thread([state = state_.get()] { state->run(); });
}

void Reflector::stop() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->wake.notify_all();
  if (state_->thread.joinable()) state_->thread.join();
}

bool Reflector::synced() const {
  const std::lock_guard lock(state_->mutex);
  return state_->health.synced;
}

WatchHealth Reflector::health() const {
  const std::lock_guard lock(state_->mutex);
  return state_->health;
}

}  // namespace rollcall::kube
