#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "kube/reflector.h"

namespace rollcall::kube {

/// The newest known state of one list of objects, as projections: T holds the fields that are read, not the document.
/// Reads are snapshots, from any thread; what they return stays valid and unchanged for as long as it is held. The
/// cache lags behind the API server: decide from it, then let a resourceVersion or uid precondition catch what changed
/// meanwhile.
template <typename T>
class Cache {
 public:
  struct Entry {
    std::string ns, name, uid;
    std::shared_ptr<const T> value;
  };
  /// Object → T. An Error keeps the object out of the cache, and stands in `undecodable`.
  using Decode = std::function<Result<T>(const Json& object)>;
  /// After each change, on the reflector's thread, with the cache already changed; reads of the cache are allowed.
  /// `now` is null when the object is gone, `before` when it is new or has another uid than the one that was there.
  using Changed = std::function<void(const std::string& ns, const std::string& name,
                                     const std::shared_ptr<const T>& before, const std::shared_ptr<const T>& now)>;

  Cache(Client& client, Resource resource, std::string ns, std::map<std::string, std::string> selectors, Decode decode,
        Changed changed = {})
      : decode_(std::move(decode)),
        changed_(std::move(changed)),
        reflector_(client, std::move(resource), std::move(ns), std::move(selectors),
                   {.upsert = [this](const Json& object) { upsert(object); },
                    .removed = [this](const std::string& n, const std::string& name,
                                      const std::string& uid) { remove(n, name, uid); },
                    .synced = {}}) {}

  void start() { reflector_.start(); }
  void stop() { reflector_.stop(); }
  bool synced() const { return reflector_.synced(); }
  WatchHealth health() const { return reflector_.health(); }

  /// Null when there is none.
  std::shared_ptr<const T> get(const std::string& ns, const std::string& name) const {
    const std::shared_lock lock(mutex_);
    const auto found = entries_.find({ns, name});
    return found == entries_.end() ? nullptr : found->second.value;
  }
  std::optional<Entry> by_uid(const std::string& uid) const {
    const std::shared_lock lock(mutex_);
    const auto key = uids_.find(uid);
    if (key == uids_.end()) return std::nullopt;
    return entries_.at(key->second);
  }
  /// All, ordered by namespace and name; `ns` empty = of all namespaces.
  std::vector<Entry> all(const std::string& ns = {}) const {
    const std::shared_lock lock(mutex_);
    std::vector<Entry> out;
    for (auto it = ns.empty() ? entries_.begin() : entries_.lower_bound({ns, {}}); it != entries_.end(); ++it) {
      if (!ns.empty() && it->first.first != ns) break;
      out.push_back(it->second);
    }
    return out;
  }
  std::size_t size() const {
    const std::shared_lock lock(mutex_);
    return entries_.size();
  }
  /// `NAMESPACE/NAME` of objects that could not be decoded → why.
  std::map<std::string, std::string> undecodable() const {
    const std::shared_lock lock(mutex_);
    return undecodable_;
  }

 private:
  using Key = std::pair<std::string, std::string>;

  void upsert(const Json& object) {
    const Json& meta = object.at("metadata");
    Entry entry{meta.value("namespace", std::string{}), meta.value("name", std::string{}),
                meta.value("uid", std::string{}), nullptr};
    auto decoded = decode_(object);
    if (!decoded) {
      remove(entry.ns, entry.name, {});
      const std::unique_lock lock(mutex_);
      undecodable_[entry.ns + '/' + entry.name] = decoded.error().message;
      return;
    }
    entry.value = std::make_shared<const T>(std::move(*decoded));
    std::shared_ptr<const T> before;
    {
      const std::unique_lock lock(mutex_);
      undecodable_.erase(entry.ns + '/' + entry.name);
      Entry& slot = entries_[{entry.ns, entry.name}];
      before = slot.value;
      uids_.erase(slot.uid);
      slot = entry;
      uids_[entry.uid] = {entry.ns, entry.name};
    }
    if (changed_) changed_(entry.ns, entry.name, before, entry.value);
  }

  void remove(const std::string& ns, const std::string& name, const std::string& uid) {
    std::shared_ptr<const T> before;
    {
      const std::unique_lock lock(mutex_);
      undecodable_.erase(ns + '/' + name);
      const auto found = entries_.find({ns, name});
      if (found == entries_.end() || (!uid.empty() && found->second.uid != uid)) return;
      before = found->second.value;
      uids_.erase(found->second.uid);
      entries_.erase(found);
    }
    if (changed_) changed_(ns, name, before, nullptr);
  }

  Decode decode_;
  Changed changed_;
  mutable std::shared_mutex mutex_;
  std::map<Key, Entry> entries_;
  std::map<std::string, Key> uids_;
  std::map<std::string, std::string> undecodable_;
  Reflector reflector_;  ///< last: its thread ends before the rest goes
};

}  // namespace rollcall::kube
