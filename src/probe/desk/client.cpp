#include "probe/desk/client.h"

#include "probe/desk/http.h"
#include "probe/files.h"
#include "probe/log.h"
#include "probe/text.h"
#include "roll_call/messages.h"

namespace rollcall::probe {
namespace {

/// A token is about 1.2 KiB; the server takes 16 KiB of headers.
constexpr std::size_t kMaxToken = 15 * 1024;

Result<std::string> token_from(const std::string& path) {
  auto token = read_file(path, kMaxToken);
  if (!token) return token.error().in("the pod's token");
  while (!token->empty() && (token->back() == '\n' || token->back() == '\r')) token->pop_back();
  if (token->empty()) return Error{text("the pod's token file ", path, " is empty")};
  return token;
}

}  // namespace

Result<std::string> DeskClient::post(const std::string& body, const Wake& wake) {
  const auto token = token_from(options_.token_file);
  if (!token) return token.error();
  const auto request = post_request(options_.name, "/v1/answer", *token, body);
  if (!request) return request.error();

  const bool reused = connection_ != nullptr;
  auto reply = post_once(*request, wake);
  // A kept connection may have been closed by the desk while idle; that is no failure of the desk's.
  const bool closed_idle =
      !reply && reused && !connection_ && (reply.error().code == "ECONNRESET" || reply.error().code == "EPIPE");
  return closed_idle ? post_once(*request, wake) : reply;
}

Result<std::string> DeskClient::post_once(const std::string& request, const Wake& wake) {
  using Clock = std::chrono::steady_clock;
  if (!connection_) {
    auto made =
        TlsConnection::connect(options_.desk, options_.name, options_.ca_pem, Clock::now() + options_.connect, wake);
    if (!made) return made.error();
    connection_ = std::move(made).value();
  }
  // Whatever ends badly below ends the connection: its next bytes could belong to this reply.
  auto connection = std::move(connection_);
  const auto deadline = Clock::now() + options_.reply;
  if (auto sent = connection->write(request, deadline, wake); !sent) return sent.error();

  std::string received;
  std::size_t head_end = std::string::npos;
  while ((head_end = received.find("\r\n\r\n")) == std::string::npos) {
    if (received.size() > kMaxResponseHead) return Error{"the desk's reply has headers without end"};
    auto more = connection->read(4096, deadline, wake);
    if (!more) return more.error();
    if (more->empty()) return Error{"the desk closed the connection without a reply", "ECONNRESET"};
    received += *more;
  }
  const auto head = response_head_from(std::string_view(received).substr(0, head_end), roll_call::kMaxInstructionBytes);
  if (!head) return head.error();
  std::string body = received.substr(head_end + 4);
  while (body.size() < head->content_length) {
    auto more = connection->read(std::min<std::size_t>(head->content_length - body.size(), 65536), deadline, wake);
    if (!more) return more.error();
    if (more->empty())
      return Error{text("the desk's reply ended after ", body.size(), " of ", head->content_length, " bytes")};
    body += *more;
  }
  if (body.size() > head->content_length) return Error{"the desk's reply is longer than it says"};
  if (head->keep_alive) connection_ = std::move(connection);
  if (head->status != 200) {
    return Error{text("the desk refused the answer with status ", head->status, ": ", printable(body, 500)),
                 std::to_string(head->status)};
  }
  return body;
}

}  // namespace rollcall::probe
