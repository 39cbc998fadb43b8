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
#include "kube/api_error.h"
#include "kube/credentials.h"
#include "kube/resource.h"

/// A thin client of the Kubernetes API: JSON in, JSON out. cpprestsdk stays behind http.cpp, with the seven guards
/// that docs/architecture.md lists.
namespace rollcall::kube {

using Json = nlohmann::json;

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
  std::string uid = {};  ///< precondition; empty = none
  std::optional<int> grace_seconds = {};
  std::string propagation = {};  ///< Background, Foreground, Orphan or empty
};

enum class WatchEventKind { Added, Modified, Deleted, Bookmark, Error };
struct WatchEvent {
  WatchEventKind kind;
  Json object;
};

/// A request as metrics see it.
struct RequestSent {
  std::string_view method;  ///< GET, POST, PUT, PATCH, DELETE
  std::string_view host;    ///< HOST:PORT of the API server
  int code = 0;             ///< HTTP status; 0 = no reply came
  bool watch = false;
  double seconds = 0;  ///< from sending to the whole reply
  double waited = 0;   ///< seconds held back by `qps` before it was sent
};

/// Limits of a client. The defaults are for production; tests shorten them.
struct ClientOptions {
  /// Longest time one short call may take, connection and all.
  std::chrono::milliseconds deadline = std::chrono::seconds{30};
  /// Longest silence on a watch: above the API server's bookmark period of about a minute.
  std::chrono::milliseconds watch_silence = std::chrono::seconds{90};
  /// Largest reply to a short call. A page of 500 pods of 20 KB each is 10 MB; a reply above this is reported as
  /// ResponseTooLarge (the reflector then asks for smaller pages) instead of taking 7 to 10 times its size as a tree.
  std::size_t max_reply = std::size_t{64} << 20;
  /// Largest event of a watch: one object, which etcd limits to 1.5 MiB; as JSON with its escapes it stays below this.
  std::size_t max_line = std::size_t{4} << 20;
  std::string user_agent = "rollcall";
  /// Requests a second that this client sends on average, and how many at once; qps <= 0 = as many as are asked for,
  /// which is controller-runtime's default too: API priority and fairness of the server limits better than we could.
  double qps = -1;
  int burst = 0;  ///< at least 1 when qps > 0
  /// Told of each request that was sent, on the caller's thread, once its reply is read; of a watch when it ends. Must
  /// not block.
  std::function<void(const RequestSent&)> on_request = {};
};

/// Threads of the pool that all clients share; they only move bytes. To be called first in main: it has no effect once
/// a client exists. Without it the pool has 2 threads (cpprestsdk's own default would be 40).
void initialize(std::size_t threads);

/// All calls block for at most `ClientOptions::deadline` in all and are safe from any thread but those of the pool. No
/// call follows a redirect.
///
/// A write may be SENT TWICE without notice: when a kept connection turns out to be closed, the request goes out again.
/// So every write here is safe to resend: `create` refuses an object without metadata.name (an AlreadyExists may then
/// be our own first sending: compare uid of owner or content), `replace` refuses one without resourceVersion, patches
/// carry values, not increments, and `remove` should carry the uid.
///
/// Errors that no API server wrote have http 0 (or 400 for a call we refuse to send) and one of the reasons
/// Unreachable, Certificate, Deadline, ResponseTooLarge, LineTooLong, BrokenStream, Stopped, Token, BadRequest.
class Client {
 public:
  static Result<std::unique_ptr<Client>> make(Credentials credentials, ClientOptions options = {});
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

  /// Blocks while the watch lives; `on_event` is called in order, on the calling thread, and the server waits while it
  /// runs. Returns how it ended: nullopt = the server closed it in good order; an ERROR event is handed to `on_event`,
  /// then returned. `stopped` is asked at least every 100 ms; once true the watch ends with reason Stopped. `watch=1`
  /// and `allowWatchBookmarks` are added to `query`. An exception of `on_event` ends it with reason BrokenStream.
  virtual std::optional<ApiError> watch(const Resource&, std::string_view ns,
                                        const std::map<std::string, std::string>& query,
                                        const std::function<void(WatchEvent)>& on_event,
                                        const std::function<bool()>& stopped) = 0;
};

}  // namespace rollcall::kube
