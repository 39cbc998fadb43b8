#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

/// A thin client of the Kubernetes API: JSON in, JSON out. cpprestsdk stays behind client.cpp, with the seven guards
/// that docs/architecture.md lists.
namespace rollcall::kube {

using Json = nlohmann::json;

/// A kind as the API serves it.
struct Resource {
  std::string group;  ///< "" for core
  std::string version;
  std::string plural;
  bool namespaced = true;
};
extern const Resource kPods, kNodes, kServices, kSecrets, kEvents, kLeases, kTokenReviews, kTrainingJobs, kRollCalls;

/// Path of a resource, escaped; `name` and `subresource` may be empty. `namespace_name` empty = all namespaces or none.
std::string path_of(const Resource& resource, std::string_view namespace_name, std::string_view name = {},
                    std::string_view subresource = {});

struct Credentials {
  std::string server;      ///< https://HOST:PORT
  std::string ca_file;     ///< PEM file; or
  std::string ca_pem;      ///< the PEM itself
  std::string token_file;  ///< read again before each request, at most every 10 s
  std::string token;
  std::string certificate_pem;
  std::string key_pem;
  std::string default_namespace = "default";
};
/// The pod's own service account.
Result<Credentials> in_cluster_credentials();
/// `path` empty: $KUBECONFIG (first existing entry), then ~/.kube/config. `context` empty: the current one.
Result<Credentials> kubeconfig_credentials(const std::string& path = {}, const std::string& context = {});

/// A refusal by the API server, or a failure to ask it (http 0).
struct ApiError {
  int http = 0;
  std::string reason;  ///< metav1.Status reason: NotFound, AlreadyExists, Conflict, Forbidden, Invalid, Expired …
  std::string message;
  int retry_after_seconds = 0;

  bool not_found() const { return http == 404; }
  bool conflict() const { return http == 409 && reason != "AlreadyExists"; }
  bool already_exists() const { return http == 409 && reason == "AlreadyExists"; }
  bool gone() const { return http == 410; }
  /// Worth asking again: no answer, 429, 5xx.
  bool transient() const { return http == 0 || http == 429 || http >= 500; }
  std::string text() const;
};

/// Json or ApiError.
class [[nodiscard]] Reply {
 public:
  Reply(Json value) : value_(std::move(value)), ok_(true) {}       // NOLINT: implicit by design
  Reply(ApiError error) : error_(std::move(error)), ok_(false) {}  // NOLINT: implicit by design
  bool ok() const { return ok_; }
  explicit operator bool() const { return ok_; }
  const Json& value() const { return value_; }
  Json& value() { return value_; }
  const ApiError& error() const { return error_; }
  std::vector<std::string> warnings;  ///< Warning headers of the reply

 private:
  Json value_;
  ApiError error_;
  bool ok_;
};

struct WriteOptions {
  bool dry_run = false;
  bool strict = false;  ///< fieldValidation=Strict
  std::string field_manager = "rollcall";
};

struct DeleteOptions {
  std::string uid;  ///< precondition; empty = none
  std::optional<int> grace_seconds;
  std::string propagation;  ///< Background, Foreground, Orphan or empty
};

enum class WatchEventKind { Added, Modified, Deleted, Bookmark, Error };
struct WatchEvent {
  WatchEventKind kind;
  Json object;
};

/// All calls block for at most `deadline` in all and are safe from any thread. No call follows a redirect.
class Client {
 public:
  static Result<std::unique_ptr<Client>> make(Credentials credentials);
  virtual ~Client() = default;

  virtual Reply get(const Resource&, std::string_view ns, std::string_view name) = 0;
  virtual Reply create(const Resource&, std::string_view ns, const Json& object, const WriteOptions& = {}) = 0;
  /// PUT; carries the object's own resourceVersion, so that a resend cannot overwrite another's write.
  virtual Reply replace(const Resource&, std::string_view ns, std::string_view name, const Json& object,
                        const WriteOptions& = {}) = 0;
  virtual Reply replace_status(const Resource&, std::string_view ns, std::string_view name, const Json& object) = 0;
  virtual Reply merge_patch(const Resource&, std::string_view ns, std::string_view name, const Json& patch,
                            std::string_view subresource = {}) = 0;
  virtual Reply remove(const Resource&, std::string_view ns, std::string_view name, const DeleteOptions& = {}) = 0;
  /// One page; `continue_token` empty = first. `query` adds labelSelector, fieldSelector, resourceVersion …
  virtual Reply list(const Resource&, std::string_view ns, const std::map<std::string, std::string>& query = {}) = 0;
  /// Any other call: `/openid/v1/jwks`, a pod's log.
  virtual Reply raw_get(const std::string& path) = 0;
  virtual Result<std::string> raw_text(const std::string& path) = 0;

  /// Blocks while the watch lives; `on_event` is called in order, on a thread of the client. Returns how it ended:
  /// nullopt = the server closed it in good order. `stop` may be called from any thread to end it.
  virtual std::optional<ApiError> watch(const Resource&, std::string_view ns,
                                        const std::map<std::string, std::string>& query,
                                        const std::function<void(WatchEvent)>& on_event,
                                        const std::function<bool()>& stopped) = 0;

  /// Longest time one short call may take, connection and all.
  static constexpr std::chrono::seconds kDeadline{30};
};

}  // namespace rollcall::kube
