#include "probe/desk/http.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "probe/log.h"
#include "probe/text.h"

namespace rollcall::probe {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool fits_in_header(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

Error odd(std::string_view what) {
  return Error{text("the desk's reply is not the HTTP expected: ", printable(what, 200))};
}

}  // namespace

Result<ResponseHead> response_head_from(std::string_view head, std::size_t max_body) {
  ResponseHead response;
  const auto line_end = std::min(head.find("\r\n"), head.size());
  const std::string_view status_line = head.substr(0, line_end);
  // "HTTP/1.1 200 OK"
  if (status_line.size() < 12 || status_line.substr(0, 7) != "HTTP/1." || status_line[8] != ' ')
    return odd(status_line);
  const auto code = status_line.substr(9, 3);
  const auto [end, error] = std::from_chars(code.data(), code.data() + code.size(), response.status);
  if (error != std::errc() || end != code.data() + code.size() || response.status < 200) return odd(status_line);
  response.keep_alive = status_line[7] == '1';

  std::optional<std::size_t> length;
  std::string_view rest = head.substr(std::min(line_end + 2, head.size()));
  while (!rest.empty()) {
    const auto next = std::min(rest.find("\r\n"), rest.size());
    const std::string_view line = rest.substr(0, next);
    rest.remove_prefix(std::min(next + 2, rest.size()));
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return odd(line);
    const auto name = lower(line.substr(0, colon));
    const auto value = trimmed(line.substr(colon + 1));
    if (name == "content-length") {
      std::size_t bytes = 0;
      const auto [stop, wrong] = std::from_chars(value.data(), value.data() + value.size(), bytes);
      if (wrong != std::errc() || stop != value.data() + value.size() || length) return odd(line);
      if (bytes > max_body) return odd(text("a body of ", bytes, " bytes, more than ", max_body));
      length = bytes;
    } else if (name == "transfer-encoding") {
      return odd(line);
    } else if (name == "connection") {
      response.keep_alive = lower(value) != "close" && response.keep_alive;
    }
  }
  if (!length) return odd("no Content-Length");
  response.content_length = *length;
  return response;
}

Result<std::string> post_request(std::string_view host, std::string_view target, std::string_view token,
                                 std::string_view body) {
  if (!fits_in_header(host)) return Error{"the desk's name holds a character that no host name has"};
  if (!fits_in_header(token)) return Error{"the token file holds a character that no token has"};
  return text("POST ", target, " HTTP/1.1\r\nHost: ", host, "\r\nAuthorization: Bearer ", token,
              "\r\nContent-Type: application/json\r\nContent-Length: ", body.size(), "\r\n\r\n", body);
}

}  // namespace rollcall::probe
