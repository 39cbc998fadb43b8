#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

/// The little HTTP/1.1 the probe speaks to its one server. Only what that server sends is understood; all else is an
/// Error.
namespace rollcall::probe {

/// Status line and headers: the desk sends under 300 bytes.
inline constexpr std::size_t kMaxResponseHead = 16 * 1024;

struct ResponseHead {
  int status = 0;
  std::size_t content_length = 0;
  bool keep_alive = true;
};

/// `head` ends before the empty line. An Error when it is not HTTP/1.x, has no or two Content-Length, a transfer
/// coding, or a body above `max_body`.
Result<ResponseHead> response_head_from(std::string_view head, std::size_t max_body);

/// `POST target` with a bearer token and a JSON body. An Error when host or token hold bytes that could end a header
/// line.
Result<std::string> post_request(std::string_view host, std::string_view target, std::string_view token,
                                 std::string_view body);

}  // namespace rollcall::probe
