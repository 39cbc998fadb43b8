#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/credentials.h"

/// The room's only door to cpprestsdk: none of its types pass it.
namespace rollcall::kube {

struct HttpRequest {
  std::string method;
  std::string target;       ///< path and query, escaped
  std::string bearer = {};  ///< empty = no Authorization header
  std::string body = {};
  std::string content_type = {};  ///< with a body
  std::string accept = "application/json";
};

struct HttpReply {
  int status = 0;
  std::string body;  ///< of a stream: only when the status is not 200, and then at most 1 MiB of it
  int retry_after_seconds = 0;
  std::string location;
  std::string warning;  ///< Warning headers as they came, joined by ", "
};

/// Error::code of what fails below HTTP.
namespace http_error {
inline constexpr auto kUnreachable = "Unreachable";
inline constexpr auto kCertificate = "Certificate";
inline constexpr auto kDeadline = "Deadline";
inline constexpr auto kTooLarge = "ResponseTooLarge";
inline constexpr auto kStopped = "Stopped";
inline constexpr auto kBroken = "BrokenStream";
}  // namespace http_error

struct HttpLimits {
  std::chrono::milliseconds deadline;  ///< of a call, in all
  std::chrono::milliseconds silence;   ///< of a stream, between two reads
  std::size_t max_reply;               ///< bytes of a call's body
  std::string user_agent;
};

/// HTTPS to one server. From any thread but those of cpprestsdk's pool, which it would block.
///
/// Guards: redirects are reported, not followed (cpprestsdk would send Authorization along); the store of trusted CAs
/// is emptied before the cluster's CA is added (it would add the system's); no compression is asked for (its inflater
/// loses bytes); bodies go through a sink of our own that lets the server wait; each stream has a client of its own;
/// calls have a deadline over all (its timeout starts anew with each read). Nothing keeps it from sending a request
/// twice.
class Http {
 public:
  static Result<std::unique_ptr<Http>> make(const Credentials& credentials, HttpLimits limits);
  ~Http();

  Result<HttpReply> call(const HttpRequest& request);

  /// Hands the body of a 200 to `on_bytes` as it comes, on the calling thread; the server waits meanwhile. `on_bytes`
  /// ends the stream by returning false, `stopped` (asked every 100 ms) by returning true: code Stopped.
  Result<HttpReply> stream(const HttpRequest& request, const std::function<bool(std::string_view)>& on_bytes,
                           const std::function<bool()>& stopped);

 private:
  struct State;
  explicit Http(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// See client.h. Once; later calls have no effect.
void start_pool(std::size_t threads);

}  // namespace rollcall::kube
