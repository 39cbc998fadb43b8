#include "webhook/policies/policy_book.h"

#include <utility>

namespace rollcall::webhook {

PolicyBook::Found PolicyBook::for_namespace(const std::string& ns, bool labels_matter) const {
  if (!open_) return NotOpen{};
  std::shared_ptr<const Policies> policies;
  std::shared_ptr<const Labels> labels;
  {
    const std::lock_guard lock(mutex_);
    policies = policies_;
    if (const auto found = namespaces_.find(ns); found != namespaces_.end()) labels = found->second;
  }
  if (policies->unreadable) return *policies->unreadable;
  if (!labels && (labels_matter || policies->selective)) return UnknownNamespace{};
  if (policies->read.empty()) return OfNamespace{{}, std::move(labels)};
  return OfNamespace{launch::policy_for(policies->read, labels ? *labels : Labels{}), std::move(labels)};
}

void PolicyBook::policy_changed(const std::string& name, Result<api::RollcallPolicy> policy) {
  const std::lock_guard lock(mutex_);
  stored_.insert_or_assign(name, std::move(policy));
  put_together();
}

void PolicyBook::policy_removed(const std::string& name) {
  const std::lock_guard lock(mutex_);
  stored_.erase(name);
  put_together();
}

void PolicyBook::namespace_changed(const std::string& name, Labels labels) {
  bool fresh = false;
  {
    const std::lock_guard lock(mutex_);
    fresh = namespaces_.insert_or_assign(name, std::make_shared<const Labels>(std::move(labels))).second;
  }
  if (fresh && on_namespace_) on_namespace_(name);
}

void PolicyBook::namespace_removed(const std::string& name) {
  const std::lock_guard lock(mutex_);
  namespaces_.erase(name);
}

std::size_t PolicyBook::policies() const {
  const std::lock_guard lock(mutex_);
  return stored_.size();
}

std::size_t PolicyBook::namespaces() const {
  const std::lock_guard lock(mutex_);
  return namespaces_.size();
}

void PolicyBook::put_together() {
  auto all = std::make_shared<Policies>();
  for (const auto& [name, policy] : stored_) {
    if (!policy) {
      all->unreadable = Error{"RollcallPolicy " + name + " cannot be read: " + policy.error().message +
                              " Correct it or delete it; nothing is decided without it."};
      continue;
    }
    const api::LabelSelector& selector = policy->namespace_selector;
    all->selective = all->selective || !selector.match_labels.empty() || !selector.match_expressions.empty();
    all->read.push_back(*policy);
  }
  policies_ = std::move(all);
}

}  // namespace rollcall::webhook
