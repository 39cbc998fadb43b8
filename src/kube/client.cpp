#include "kube/client.h"

#include <thread>

#include "kube/http.h"
#include "kube/line_splitter.h"
#include "kube/token_bucket.h"
#include "kube/token_source.h"
#include "kube/warnings.h"

namespace rollcall::kube {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kJsonType = "application/json";
constexpr auto kMergePatchType = "application/merge-patch+json";

std::string string_at(const Json& object, const char* first, const char* second) {
  const auto outer = object.find(first);
  if (outer == object.end() || !outer->is_object()) return {};
  const auto inner = outer->find(second);
  return inner != outer->end() && inner->is_string() ? inner->get<std::string>() : std::string{};
}

/// A call that we do not send, because it could not be sent twice.
ApiError refuse(std::string message) { return {400, "BadRequest", std::move(message), 0}; }

/// Reviews are answered and not stored, so they need no name and may be sent twice.
bool stored(const Resource& resource) {
  return resource.group != "authentication.k8s.io" && resource.group != "authorization.k8s.io";
}

std::string with_query(std::string path, const std::map<std::string, std::string>& query) {
  if (!query.empty()) path += '?' + query_of(query);
  return path;
}

std::map<std::string, std::string> query_of_write(const WriteOptions& options) {
  std::map<std::string, std::string> query;
  if (!options.field_manager.empty()) query["fieldManager"] = options.field_manager;
  if (options.dry_run) query["dryRun"] = "All";
  if (options.strict) query["fieldValidation"] = "Strict";
  return query;
}

/// `https://HOST:PORT` → `HOST:PORT`.
std::string host_of(const std::string& server) {
  const auto scheme = server.find("://");
  return scheme == std::string::npos ? server : server.substr(scheme + 3);
}

/// What the lines of one watch mean; remembers why it must end.
class WatchReader {
 public:
  WatchReader(std::size_t max_line, const std::function<void(WatchEvent)>& on_event)
      : max_line_(max_line), lines_(max_line), on_event_(on_event) {}

  /// False when the stream has to end; `end` then says why.
  bool feed(std::string_view bytes) {
    const bool short_enough = lines_.feed(bytes, [this](std::string_view line) { return take(line); });
    if (!short_enough) {
      end_ = ApiError{
          0, "LineTooLong",
          "an event of the watch is longer than " + std::to_string(max_line_) + " bytes; no object of an API server is",
          0};
    }
    return !end_;
  }

  /// After the stream closed in good order.
  void finish() {
    if (!end_ && lines_.pending() > 0) {
      end_ = ApiError{0, http_error::kBroken,
                      "the watch ended within an event, after " + std::to_string(lines_.pending()) + " bytes of it", 0};
    }
  }

  const std::optional<ApiError>& end() const { return end_; }

 private:
  bool take(std::string_view line) {
    Json event = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    static const std::map<std::string, WatchEventKind> kKinds{{"ADDED", WatchEventKind::Added},
                                                              {"MODIFIED", WatchEventKind::Modified},
                                                              {"DELETED", WatchEventKind::Deleted},
                                                              {"BOOKMARK", WatchEventKind::Bookmark},
                                                              {"ERROR", WatchEventKind::Error}};
    const auto kind = event.is_object() && event.contains("type") && event["type"].is_string()
                          ? kKinds.find(event["type"].get<std::string>())
                          : kKinds.end();
    if (kind == kKinds.end() || !event.contains("object") || !event["object"].is_object()) {
      end_ =
          ApiError{0, http_error::kBroken, "a line of the watch is no event: " + std::string(line.substr(0, 200)), 0};
      return false;
    }
    if (kind->second == WatchEventKind::Error)
      end_ = api_error_from(200, event["object"].dump(-1, ' ', false, Json::error_handler_t::replace), 0, {});
    try {
      on_event_(WatchEvent{kind->second, std::move(event["object"])});
    } catch (const std::exception& e) {
      // The caller's fault, but the stream has to be ended in order all the same.
      end_ = ApiError{0, http_error::kBroken, std::string("the reader of the watch failed: ") + e.what(), 0};
    }
    return !end_;
  }

  std::size_t max_line_;
  LineSplitter lines_;
  const std::function<void(WatchEvent)>& on_event_;
  std::optional<ApiError> end_;
};

class HttpClient : public Client {
 public:
  HttpClient(std::unique_ptr<Http> http, const Credentials& credentials, ClientOptions options)
      : http_(std::move(http)),
        tokens_(credentials),
        host_(host_of(credentials.server)),
        options_(std::move(options)),
        bucket_(options_.qps, options_.burst) {}

  Reply get(const Resource& resource, std::string_view ns, std::string_view name) override {
    if (name.empty()) return refuse("a GET of one object needs its name");
    return json({.method = "GET", .target = path_of(resource, ns, name)});
  }

  Reply create(const Resource& resource, std::string_view ns, const Json& object,
               const WriteOptions& options) override {
    if (stored(resource) && string_at(object, "metadata", "name").empty()) {
      return refuse(
          "create without metadata.name: a request may be sent twice, and generateName would make two objects; choose "
          "a name that follows from the content");
    }
    return write("POST",
                 with_query(path_of(resource, ns),
                            stored(resource) ? query_of_write(options) : std::map<std::string, std::string>{}),
                 object);
  }

  Reply replace(const Resource& resource, std::string_view ns, std::string_view name, const Json& object,
                const WriteOptions& options) override {
    return put(with_query(path_of(resource, ns, name), query_of_write(options)), name, object);
  }

  Reply replace_status(const Resource& resource, std::string_view ns, std::string_view name,
                       const Json& object) override {
    return put(with_query(path_of(resource, ns, name, "status"), query_of_write({})), name, object);
  }

  Reply merge_patch(const Resource& resource, std::string_view ns, std::string_view name, const Json& patch,
                    std::string_view subresource) override {
    if (name.empty()) return refuse("a patch needs the object's name");
    return write("PATCH", with_query(path_of(resource, ns, name, subresource), query_of_write({})), patch,
                 kMergePatchType);
  }

  Reply remove(const Resource& resource, std::string_view ns, std::string_view name,
               const DeleteOptions& options) override {
    // Without a name it would be deletecollection.
    if (name.empty()) return refuse("a deletion needs the object's name");
    Json body{{"kind", "DeleteOptions"}, {"apiVersion", "v1"}};
    if (!options.uid.empty()) body["preconditions"] = {{"uid", options.uid}};
    if (options.grace_seconds) body["gracePeriodSeconds"] = *options.grace_seconds;
    if (!options.propagation.empty()) body["propagationPolicy"] = options.propagation;
    return write("DELETE", path_of(resource, ns, name), body);
  }

  Reply list(const Resource& resource, std::string_view ns, const std::map<std::string, std::string>& query) override {
    return json({.method = "GET", .target = with_query(path_of(resource, ns), query)});
  }

  Reply raw_get(const std::string& path) override {
    // Not all documents have the common type: the keys are application/jwk-set+json.
    return json({.method = "GET", .target = path, .accept = "application/json, */*"});
  }

  Result<std::string> raw_text(const std::string& path) override {
    const auto reply = send({.method = "GET", .target = path, .accept = "text/plain, */*"});
    if (!reply) return Error{reply.error().message, reply.error().code};
    if (reply->status != 200) {
      const ApiError error = api_error_from(reply->status, reply->body, reply->retry_after_seconds, reply->location);
      return Error{error.text(), error.reason};
    }
    return reply->body;
  }

  std::optional<ApiError> watch(const Resource& resource, std::string_view ns,
                                const std::map<std::string, std::string>& query,
                                const std::function<void(WatchEvent)>& on_event,
                                const std::function<bool()>& stopped) override {
    auto full = query;
    full["watch"] = "1";
    full["allowWatchBookmarks"] = "true";
    HttpRequest request{.method = "GET", .target = with_query(path_of(resource, ns), full)};
    for (bool again = true;; again = false) {
      auto token = tokens_.token();
      if (!token) return ApiError{0, "Token", token.error().message, 0};
      request.bearer = *token;
      const auto waited = wait_for_turn();
      if (!waited) return api_error_from(waited.error());
      WatchReader reader(options_.max_line, on_event);
      const auto sent = Clock::now();
      const auto reply = http_->stream(
          request, [&](std::string_view bytes) { return reader.feed(bytes); }, stopped);
      // A stream that we ended ourselves was a good one.
      const bool ours = reader.end() || (!reply && reply.error().code == http_error::kStopped);
      tell(request.method, ours ? 200 : reply ? reply->status : 0, true, sent, *waited);
      if (reader.end()) return reader.end();
      if (!reply) return api_error_from(reply.error());
      if (reply->status == 401 && again && tokens_.refresh(*token)) continue;
      if (reply->status != 200) {
        return api_error_from(reply->status, reply->body, reply->retry_after_seconds, reply->location);
      }
      reader.finish();
      return reader.end();
    }
  }

 private:
  /// Seconds that the request was held back; an Error when its turn would come after its deadline.
  Result<double> wait_for_turn() {
    const auto wait = bucket_.take(Clock::now(), options_.deadline);
    if (!wait) {
      return Error{"more requests than the limit of " + std::to_string(options_.qps) +
                       " a second lets through within the deadline",
                   http_error::kDeadline};
    }
    if (*wait > Clock::duration::zero()) std::this_thread::sleep_for(*wait);
    return std::chrono::duration<double>(*wait).count();
  }

  void tell(std::string_view method, int code, bool watch, Clock::time_point sent, double waited) const {
    if (!options_.on_request) return;
    options_.on_request(
        {method, host_, code, watch, std::chrono::duration<double>(Clock::now() - sent).count(), waited});
  }

  Result<HttpReply> send(HttpRequest request) {
    for (bool again = true;; again = false) {
      auto token = tokens_.token();
      if (!token) return Error{token.error().message, "Token"};
      request.bearer = *token;
      const auto waited = wait_for_turn();
      if (!waited) return waited.error();
      const auto sent = Clock::now();
      auto reply = http_->call(request);
      tell(request.method, reply ? reply->status : 0, false, sent, *waited);
      // The kubelet may have replaced the token since we read it.
      if (reply && reply->status == 401 && again && tokens_.refresh(*token)) continue;
      return reply;
    }
  }

  Reply json(HttpRequest request) {
    auto reply = send(std::move(request));
    if (!reply) return api_error_from(reply.error());
    const bool good = reply->status >= 200 && reply->status < 300;
    Reply out = [&]() -> Reply {
      if (!good) return api_error_from(reply->status, reply->body, reply->retry_after_seconds, reply->location);
      Json value = Json::parse(reply->body, nullptr, /*allow_exceptions=*/false);
      if (value.is_discarded()) {
        return ApiError{0, http_error::kBroken, "the reply is not JSON: " + reply->body.substr(0, 200), 0};
      }
      return value;
    }();
    out.warnings = warnings_from(reply->warning);
    return out;
  }

  Reply write(const std::string& method, std::string target, const Json& body, const char* type = kJsonType) {
    // Invalid UTF-8 (a container's words in a message) becomes U+FFFD instead of an exception.
    return json({.method = method,
                 .target = std::move(target),
                 .body = body.dump(-1, ' ', false, Json::error_handler_t::replace),
                 .content_type = type});
  }

  Reply put(std::string target, std::string_view name, const Json& object) {
    if (name.empty()) return refuse("a PUT needs the object's name");
    if (string_at(object, "metadata", "resourceVersion").empty()) {
      return refuse(
          "PUT without metadata.resourceVersion: a request may be sent twice and would undo a write in "
          "between; read the object first");
    }
    return write("PUT", std::move(target), object);
  }

  std::unique_ptr<Http> http_;
  TokenSource tokens_;
  const std::string host_;
  const ClientOptions options_;
  TokenBucket bucket_;
};

}  // namespace

void initialize(std::size_t threads) { start_pool(threads); }

Result<std::unique_ptr<Client>> Client::make(Credentials credentials, ClientOptions options) {
  auto http = Http::make(credentials, {.deadline = options.deadline,
                                       .silence = options.watch_silence,
                                       .max_reply = options.max_reply,
                                       .user_agent = options.user_agent});
  if (!http) return http.error();
  return std::unique_ptr<Client>(std::make_unique<HttpClient>(std::move(*http), credentials, std::move(options)));
}

}  // namespace rollcall::kube
