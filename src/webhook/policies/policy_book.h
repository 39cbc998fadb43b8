#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/rollcall_policy.h"
#include "base/result.h"
#include "launch/policy/policy.h"

namespace rollcall::webhook {

/// What the watches have seen of policies and namespaces, and what it comes to for one namespace. Any thread; no I/O.
class PolicyBook {
 public:
  using Labels = std::map<std::string, std::string>;
  struct OfNamespace {
    launch::Policy policy;
    std::shared_ptr<const Labels> labels;  ///< nullptr = the namespace is not known
  };
  /// Its labels have to be asked, and the namespace is not known: made a moment ago, most likely.
  struct UnknownNamespace {};
  /// The lists are not read yet: a policy may be missing.
  struct NotOpen {};
  /// Error: a stored policy cannot be read. What it would say is not known, so nothing is decided without it.
  using Found = std::variant<OfNamespace, UnknownNamespace, NotOpen, Error>;

  /// `labels_matter`: whoever asks looks at the labels too, so that they must be known.
  Found for_namespace(const std::string& ns, bool labels_matter = false) const;

  /// Both lists have been read once.
  void open() { open_ = true; }

  void policy_changed(const std::string& name, Result<api::RollcallPolicy> policy);
  void policy_removed(const std::string& name);
  void namespace_changed(const std::string& name, Labels labels);
  void namespace_removed(const std::string& name);

  /// Called with the name of each namespace that became known, after it is; set before the first change.
  void on_namespace(std::function<void(const std::string& name)> act) { on_namespace_ = std::move(act); }

  std::size_t policies() const;
  std::size_t namespaces() const;

 private:
  struct Policies {
    std::vector<api::RollcallPolicy> read;
    bool selective = false;  ///< some selector asks for labels
    std::optional<Error> unreadable;
  };
  void put_together();  ///< with mutex_ held

  std::atomic<bool> open_{false};
  mutable std::mutex mutex_;
  std::map<std::string, Result<api::RollcallPolicy>> stored_;
  std::shared_ptr<const Policies> policies_ = std::make_shared<Policies>();
  std::map<std::string, std::shared_ptr<const Labels>> namespaces_;
  std::function<void(const std::string&)> on_namespace_;
};

}  // namespace rollcall::webhook
