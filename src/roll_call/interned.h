#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <unordered_map>

/// Values that thousands of nodes say alike, kept once. Not for use from several threads.
namespace rollcall::roll_call {

/// A value that others may share; reads like a const T. Never empty: a default one is T's own default.
template <typename T>
class Interned {
 public:
  Interned() : value_(nothing()) {}
  explicit Interned(std::shared_ptr<const T> value) : value_(std::move(value)) {}

  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  operator const T&() const { return *value_; }  // NOLINT(google-explicit-constructor): it stands for the value
  auto begin() const { return value_->begin(); }
  auto end() const { return value_->end(); }
  auto size() const { return value_->size(); }
  bool empty() const { return value_->empty(); }
  template <typename Key>
  auto find(const Key& key) const {
    return value_->find(key);
  }
  template <typename Key>
  auto count(const Key& key) const {
    return value_->count(key);
  }
  template <typename Key>
  const auto& at(const Key& key) const {
    return value_->at(key);
  }
  bool operator==(const T& other) const { return *value_ == other; }
  /// The same value for certain; false says nothing.
  bool same_as(const Interned& other) const { return value_ == other.value_; }

 private:
  static const std::shared_ptr<const T>& nothing() {
    static const std::shared_ptr<const T> kNothing = std::make_shared<const T>();
    return kNothing;
  }
  std::shared_ptr<const T> value_;
};

/// Where a value is looked up. Values nobody holds any more are dropped when the pool has doubled.
template <typename T>
class Pool {
 public:
  using Hash = std::size_t (*)(const T&);
  explicit Pool(Hash hash) : hash_(hash) {}

  Interned<T> take(T value) {
    const std::size_t hash = hash_(value);
    const auto [first, last] = known_.equal_range(hash);
    for (auto at = first; at != last; ++at) {
      if (auto held = at->second.lock(); held && *held == value) return Interned<T>(std::move(held));
    }
    if (known_.size() >= sweep_at_) {
      std::erase_if(known_, [](const auto& each) { return each.second.expired(); });
      sweep_at_ = 2 * known_.size() + kLeastSweep;
    }
    auto made = std::make_shared<const T>(std::move(value));
    known_.emplace(hash, made);
    return Interned<T>(std::move(made));
  }

 private:
  static constexpr std::size_t kLeastSweep = 64;
  Hash hash_;
  std::unordered_multimap<std::size_t, std::weak_ptr<const T>> known_;
  std::size_t sweep_at_ = kLeastSweep;
};

}  // namespace rollcall::roll_call
