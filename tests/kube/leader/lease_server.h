#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>

#include "kube/client.h"

namespace rollcall::kube::testing {

/// A client whose API server holds one object (a Lease; the desk's tests keep an EndpointSlice here), with
/// resourceVersions, and fails as it is told. From any thread.
class LeaseServer : public Client {
 public:
  /// Asked before each call: an error is its answer.
  using Fault = std::function<std::optional<ApiError>(const std::string& verb)>;
  void set_fault(Fault fault) {
    const std::lock_guard lock(mutex_);
    fault_ = std::move(fault);
  }
  std::optional<Json> lease() const {
    const std::lock_guard lock(mutex_);
    return lease_;
  }
  std::string holder() const {
    const auto one = lease();
    return one ? (*one)["spec"].value("holderIdentity", "") : "";
  }
  /// As another process, or a person.
  void change(const std::function<void(std::optional<Json>&)>& how) {
    const std::lock_guard lock(mutex_);
    how(lease_);
    if (lease_) (*lease_)["metadata"]["resourceVersion"] = std::to_string(++version_);
    changed_.notify_all();
  }
  /// Until `seen`, asked at each call, holds of the Lease or `longest` is over.
  bool wait(const std::function<bool(const std::optional<Json>&)>& seen,
            std::chrono::seconds longest = std::chrono::seconds{20}) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, longest, [&] { return seen(lease_); });
  }

  Reply get(const Resource&, std::string_view, std::string_view) override {
    const std::lock_guard lock(mutex_);
    if (auto error = fault("get")) return *error;
    if (!lease_) return missing();
    return *lease_;
  }
  Reply create(const Resource&, std::string_view, const Json& object, const WriteOptions&) override {
    const std::lock_guard lock(mutex_);
    if (auto error = fault("create")) return *error;
    if (lease_) return ApiError{409, "AlreadyExists", "the Lease exists", 0};
    return store(object);
  }
  Reply replace(const Resource&, std::string_view, std::string_view, const Json& object, const WriteOptions&) override {
    const std::lock_guard lock(mutex_);
    if (auto error = fault("replace")) return *error;
    if (!lease_) return missing();
    if (object["metadata"]["resourceVersion"] != (*lease_)["metadata"]["resourceVersion"])
      return ApiError{409, "Conflict", "the Lease has been modified", 0};
    return store(object);
  }

  Reply replace_status(const Resource&, std::string_view, std::string_view, const Json&) override { return none(); }
  Reply merge_patch(const Resource&, std::string_view, std::string_view, const Json&, std::string_view) override {
    return none();
  }
  Reply remove(const Resource&, std::string_view, std::string_view, const DeleteOptions& options) override {
    const std::lock_guard lock(mutex_);
    if (auto error = fault("remove")) return *error;
    if (!lease_) return missing();
    if (!options.uid.empty() && (*lease_)["metadata"]["uid"] != options.uid)
      return ApiError{409, "Conflict", "the uid is another's", 0};
    lease_.reset();
    changed_.notify_all();
    return Json::object();
  }
  Reply list(const Resource&, std::string_view, const std::map<std::string, std::string>&) override { return none(); }
  Reply raw_get(const std::string&) override { return none(); }
  Result<std::string> raw_text(const std::string&) override { return Error{"not played"}; }
  std::optional<ApiError> watch(const Resource&, std::string_view, const std::map<std::string, std::string>&,
                                const std::function<void(WatchEvent)>&, const std::function<bool()>&) override {
    return none();
  }

 private:
  static ApiError none() { return {500, "NotPlayed", "an elector needs no such call", 0}; }
  static ApiError missing() { return {404, "NotFound", "leases \"x\" not found", 0}; }
  std::optional<ApiError> fault(const std::string& verb) {
    changed_.notify_all();
    return fault_ ? fault_(verb) : std::nullopt;
  }
  Json store(const Json& object) {
    lease_ = object;
    if (!(*lease_)["metadata"].contains("uid")) (*lease_)["metadata"]["uid"] = "u" + std::to_string(version_);
    (*lease_)["metadata"]["resourceVersion"] = std::to_string(++version_);
    changed_.notify_all();
    return *lease_;
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Json> lease_;
  Fault fault_;
  int version_ = 0;
};

}  // namespace rollcall::kube::testing
