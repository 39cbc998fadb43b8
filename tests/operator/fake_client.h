#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "kube/client.h"

namespace rollcall::operator_::testing_world {

using kube::ApiError;
using kube::Json;
using kube::Reply;
using kube::Resource;

/// The API server as far as the operator needs it: uids, resourceVersions, generations, preconditions, the status
/// subresource, graceful deletion of scheduled pods. `writes_left` plays the kill of the operator: after so many writes
/// every call fails.
class FakeClient final : public kube::Client {
 public:
  std::map<std::string, Json> objects;       ///< `PLURAL/NAMESPACE/NAME`
  std::vector<std::string> writes;           ///< `create pods/ml/llama-0-1`
  std::optional<int> writes_left;            ///< nullopt = no kill is planned
  std::map<std::string, ApiError> refusals;  ///< by `VERB PLURAL/NS/NAME`, answered instead
  std::vector<Json> events;

  static std::string key(const Resource& resource, std::string_view ns, std::string_view name) {
    return resource.plural + "/" + std::string(ns) + "/" + std::string(name);
  }

  Reply get(const Resource& resource, std::string_view ns, std::string_view name) override {
    const std::lock_guard lock(mutex_);
    if (dead()) return unreachable();
    const auto at = objects.find(key(resource, ns, name));
    return at == objects.end() ? Reply(not_found()) : Reply(at->second);
  }

  Reply create(const Resource& resource, std::string_view ns, const Json& object,
               const kube::WriteOptions& options) override {
    const std::lock_guard lock(mutex_);
    if (resource.plural == "events") {
      events.push_back(object);
      return Json(object);
    }
    const auto name = object.at("metadata").at("name").get<std::string>();
    const auto where = key(resource, ns, name);
    if (auto error = before_write((options.dry_run ? "dry-run " : "create ") + where)) return *error;
    if (objects.contains(where)) return ApiError{409, "AlreadyExists", where + " already exists", 0};
    auto made = object;
    made["metadata"]["namespace"] = ns;
    made["metadata"]["uid"] = "uid-" + std::to_string(++uids_);
    made["metadata"]["generation"] = 1;
    if (resource.plural == "pods") made["status"] = {{"phase", "Pending"}};
    if (!options.dry_run) store(where, made);
    return made;
  }

  Reply replace(const Resource& resource, std::string_view ns, std::string_view name, const Json& object,
                const kube::WriteOptions&) override {
    return put(resource, ns, name, object, false);
  }
  Reply replace_status(const Resource& resource, std::string_view ns, std::string_view name,
                       const Json& object) override {
    return put(resource, ns, name, object, true);
  }

  Reply merge_patch(const Resource& resource, std::string_view ns, std::string_view name, const Json& patch,
                    std::string_view) override {
    const std::lock_guard lock(mutex_);
    const auto where = key(resource, ns, name);
    if (auto error = before_write("patch " + where)) return *error;
    const auto at = objects.find(where);
    if (at == objects.end()) return not_found();
    const auto metadata = patch.value("metadata", Json::object());
    if (metadata.contains("uid") && metadata["uid"] != at->second["metadata"]["uid"])
      return ApiError{422, "Invalid", "metadata.uid: field is immutable", 0};
    if (metadata.contains("resourceVersion") &&
        metadata["resourceVersion"] != at->second["metadata"]["resourceVersion"])
      return stale();
    auto patched = at->second;
    patched.merge_patch(patch);
    store(where, patched);
    return patched;
  }

  Reply remove(const Resource& resource, std::string_view ns, std::string_view name,
               const kube::DeleteOptions& options) override {
    const std::lock_guard lock(mutex_);
    const auto where = key(resource, ns, name);
    if (auto error = before_write("delete " + where)) return *error;
    const auto at = objects.find(where);
    if (at == objects.end()) return not_found();
    if (!options.uid.empty() && at->second["metadata"]["uid"] != options.uid) return stale();
    const bool on_a_node = at->second.contains("spec") && at->second["spec"].contains("nodeName");
    if (resource.plural == "pods" && on_a_node) {
      at->second["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
    } else {
      objects.erase(at);
    }
    return Json::object();
  }

  Reply list(const Resource&, std::string_view, const std::map<std::string, std::string>&) override {
    return unreachable();
  }
  Reply raw_get(const std::string&) override { return unreachable(); }
  Result<std::string> raw_text(const std::string&) override { return Error{"not played"}; }
  std::optional<ApiError> watch(const Resource&, std::string_view, const std::map<std::string, std::string>&,
                                const std::function<void(kube::WatchEvent)>&, const std::function<bool()>&) override {
    return unreachable();
  }

  std::size_t written() {
    const std::lock_guard lock(mutex_);
    return writes.size();
  }

  /// Another's write: no kill counts it.
  void store(const std::string& where, Json object) {
    object["metadata"]["resourceVersion"] = std::to_string(++versions_);
    objects[where] = std::move(object);
  }

 private:
  bool dead() const { return writes_left && *writes_left <= 0; }
  static ApiError unreachable() { return {0, "Unreachable", "the operator was killed", 0}; }
  static ApiError not_found() { return {404, "NotFound", "not found", 0}; }
  static ApiError stale() { return {409, "Conflict", "the object has been modified", 0}; }

  std::optional<ApiError> before_write(const std::string& what) {
    if (dead()) return unreachable();
    if (const auto refusal = refusals.find(what); refusal != refusals.end()) return refusal->second;
    if (writes_left) --*writes_left;
    writes.push_back(what);
    return std::nullopt;
  }

  Reply put(const Resource& resource, std::string_view ns, std::string_view name, const Json& object, bool status) {
    const std::lock_guard lock(mutex_);
    const auto where = key(resource, ns, name);
    if (auto error = before_write((status ? "put-status " : "put ") + where)) return *error;
    const auto at = objects.find(where);
    if (at == objects.end()) return not_found();
    if (object["metadata"]["resourceVersion"] != at->second["metadata"]["resourceVersion"]) return stale();
    auto next = status ? at->second : object;
    if (status) next["status"] = object["status"];
    store(where, next);
    return next;
  }

  std::mutex mutex_;
  int uids_ = 0;
  int versions_ = 0;
};

}  // namespace rollcall::operator_::testing_world
