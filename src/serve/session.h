#pragma once

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "serve/core.h"

namespace rollcall::serve {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;
using ErrorCode = beast::error_code;

using PlainStream = beast::tcp_stream;
using TlsStream = beast::ssl_stream<beast::tcp_stream>;

/// One connection: handshake, then requests one after the other. All state belongs to the connection's strand; what
/// comes from other threads (drain, abort, a reply) is posted there.
template <class Stream>
class Session final : public Connection, public std::enable_shared_from_this<Session<Stream>> {
 public:
  template <class... StreamArgs>
  Session(std::shared_ptr<Core> core, std::uint64_t number, std::string peer, std::shared_ptr<asio::ssl::context> tls,
          StreamArgs&&... args)
      : core_(std::move(core)),
        number_(number),
        peer_(std::move(peer)),
        tls_(std::move(tls)),
        stream_(std::forward<StreamArgs>(args)...),
        respond_timer_(stream_.get_executor()),
        watch_timer_(stream_.get_executor()) {}

  ~Session() override {
    if (phase_ != Phase::Closed) core_->leave(number_, this, peer_);
  }

  void start() {
    asio::dispatch(stream_.get_executor(), [self = this->shared_from_this()] {
      if constexpr (kTls)
        self->handshake();
      else
        self->await_request();
    });
  }

  void drain() override {
    on_strand([](Session& self) {
      if (self.phase_ == Phase::Idle || self.phase_ == Phase::Handshake) self.close();
    });
  }
  void abort() override {
    on_strand([](Session& self) { self.close(); });
  }

 private:
  static constexpr bool kTls = !std::is_same_v<Stream, PlainStream>;
  enum class Phase { Handshake, Idle, Reading, Handling, Writing, Closing, Closed };

  /// The handler's right to one reply. Its end without a reply is a reply too.
  class Reply {
   public:
    Reply(std::shared_ptr<Session> session, std::uint64_t request) : session_(std::move(session)), request_(request) {}
    Reply(const Reply&) = delete;
    Reply& operator=(const Reply&) = delete;
    ~Reply() {
      if (used_) return;
      session_->core_->handler_failures++;
      session_->core_->report("a request was let go without a reply");
      session_->reply(request_, failure());
    }
    void operator()(Response response) {
      if (used_.exchange(true)) return;
      session_->reply(request_, std::move(response));
    }
    static Response failure() {
      return {500, "text/plain", "the server could not answer this request; its log says why\n", {}};
    }

   private:
    std::shared_ptr<Session> session_;
    std::uint64_t request_;
    std::atomic<bool> used_{false};
  };

  beast::tcp_stream& tcp_layer() { return beast::get_lowest_layer(stream_); }
  const Limits& limits() const { return core_->options.limits; }

  template <class Act>
  void on_strand(Act act) {
    const std::lock_guard lock(core_->mutex);
    if (core_->stopped) return;
    asio::post(stream_.get_executor(),
               [self = this->shared_from_this(), act = std::move(act)]() mutable { act(*self); });
  }

  void handshake() {
    if constexpr (kTls) {
      tcp_layer().expires_after(limits().handshake);
      stream_.async_handshake(asio::ssl::stream_base::server, [self = this->shared_from_this()](ErrorCode ec) {
        if (!ec) return self->await_request();
        self->core_->handshakes_failed++;
        self->note_timeout(ec);
        self->close();
      });
    }
  }

  void await_request() {
    if (phase_ == Phase::Closed) return;
    if (core_->draining) return finish();
    if (buffer_.size() > 0) return read_header();  // pipelined
    phase_ = Phase::Idle;
    tcp_layer().expires_after(served_ == 0 ? limits().read : limits().idle);
    stream_.async_read_some(buffer_.prepare(4096), [self = this->shared_from_this()](ErrorCode ec, std::size_t n) {
      if (ec) {
        self->note_timeout(ec);
        return self->close();
      }
      self->buffer_.commit(n);
      self->read_header();
    });
  }

  void read_header() {
    if (phase_ == Phase::Closed) return;
    phase_ = Phase::Reading;
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(limits().header_bytes));
    parser_->body_limit(limits().body_bytes);
    tcp_layer().expires_after(limits().read);  // one deadline for header and body: a byte at a time gains nothing
    http::async_read_header(stream_, buffer_, *parser_, [self = this->shared_from_this()](ErrorCode ec, std::size_t) {
      if (ec) return self->refuse(ec);
      self->read_body();
    });
  }

  void read_body() {
    if (phase_ == Phase::Closed) return;
    if (parser_->is_done()) return handle();
    const auto declared = parser_->content_length();
    reserved_ = declared ? static_cast<std::size_t>(*declared) : limits().body_bytes;
    if (!core_->take_body(reserved_)) {
      reserved_ = 0;
      return refuse(503, "too many request bodies at one time; ask again later\n");
    }
    if (beast::iequals(parser_->get()[http::field::expect], "100-continue")) {
      static constexpr char kContinue[] = "HTTP/1.1 100 Continue\r\n\r\n";
      return asio::async_write(stream_, asio::buffer(kContinue, sizeof kContinue - 1),
                               [self = this->shared_from_this()](ErrorCode ec, std::size_t) {
                                 if (ec) return self->refuse(ec);
                                 self->read_rest();
                               });
    }
    read_rest();
  }

  void read_rest() {
    http::async_read(stream_, buffer_, *parser_, [self = this->shared_from_this()](ErrorCode ec, std::size_t) {
      if (ec) return self->refuse(ec);
      self->handle();
    });
  }

  void handle() {
    if (phase_ == Phase::Closed) return;
    phase_ = Phase::Handling;
    ++served_;
    core_->requests++;
    auto message = parser_->release();
    parser_.reset();
    keep_alive_ = message.keep_alive();
    head_ = message.method() == http::verb::head;
    Request request{std::string(message.method_string()),
                    std::string(message.target()),
                    std::string(message[http::field::authorization]),
                    std::string(message[http::field::content_type]),
                    std::move(message.body()),
                    peer_,
                    [core = core_, number = number_] { core->vouch(number); }};
    respond_timer_.expires_after(limits().respond);
    respond_timer_.async_wait([self = this->shared_from_this(), request_number = served_](ErrorCode ec) {
      if (!ec) self->write(request_number, {503, "text/plain", "no answer in time; ask again\n", {}});
    });
    watch_for_end();
    auto reply = std::make_shared<Reply>(this->shared_from_this(), served_);
    try {
      core_->handler(std::move(request), [reply](Response response) { (*reply)(std::move(response)); });
    } catch (const std::exception& e) {
      core_->handler_failures++;
      core_->report(std::string("a request's handler threw: ") + e.what());
      (*reply)(Reply::failure());
    } catch (...) {
      core_->handler_failures++;
      core_->report("a request's handler threw something that is no exception");
      (*reply)(Reply::failure());
    }
    give_reserved();
  }

  /// While a reply is held nothing is read; a client that left would keep its place until the reply. So the socket is
  /// watched, and the peer's end closes the connection. The kernel is asked, because bytes may be a TLS closing alert
  /// or the next request, and must not be taken here.
  void watch_for_end() {
    tcp_layer().socket().async_wait(
        tcp::socket::wait_read, [self = this->shared_from_this(), request_number = served_](ErrorCode ec) {
          if (ec || self->phase_ != Phase::Handling || self->served_ != request_number) return;
          tcp_info info{};
          socklen_t size = sizeof info;
          const int fd = self->tcp_layer().socket().native_handle();
          if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 || info.tcpi_state != TCP_ESTABLISHED)
            return self->close();
          self->watch_again(request_number);
        });
  }

  /// Bytes came and the peer is still there: its closing alert, whose end follows in a segment of its own, or the next
  /// request. While they wait to be read the socket is always readable, so the next look is by time.
  void watch_again(std::uint64_t request_number) {
    watch_timer_.expires_after(kWatchAgain);
    watch_timer_.async_wait([self = this->shared_from_this(), request_number](ErrorCode ec) {
      if (!ec && self->phase_ == Phase::Handling && self->served_ == request_number) self->watch_for_end();
    });
  }

  void reply(std::uint64_t request_number, Response response) {
    on_strand([request_number, response = std::move(response)](Session& self) mutable {
      self.write(request_number, std::move(response));
    });
  }

  void write(std::uint64_t request_number, Response response) {
    if (phase_ != Phase::Handling || served_ != request_number) return;
    respond_timer_.cancel();
    watch_timer_.cancel();
    if (response.vouched && !std::exchange(vouched_, true)) core_->vouch(number_);
    const bool keep = keep_alive_ && !response.close && !core_->draining;
    send(std::move(response), keep);
  }

  void send(Response response, bool keep) {
    phase_ = Phase::Writing;
    out_.emplace();
    out_->version(11);
    out_->result(static_cast<unsigned>(response.status));
    out_->set(http::field::content_type, response.content_type);
    for (const auto& [name, value] : response.headers) out_->set(name, value);
    out_->keep_alive(keep);
    if (head_) {
      out_->content_length(response.body.size());
    } else {
      out_->body() = std::move(response.body);
      out_->prepare_payload();
    }
    tcp_layer().expires_after(limits().write);
    http::async_write(stream_, *out_, [self = this->shared_from_this(), keep](ErrorCode ec, std::size_t) {
      self->out_.reset();
      if (ec) {
        self->note_timeout(ec);
        return self->close();
      }
      if (!keep) return self->finish();
      self->await_request();
    });
  }

  /// What could not be read: said when it was HTTP enough to be answered, then closed either way.
  void refuse(ErrorCode ec) {
    give_reserved();
    note_timeout(ec);
    if (ec == http::error::header_limit)
      return refuse(431, "header fields larger than " + std::to_string(limits().header_bytes) + " bytes\n");
    if (ec == http::error::body_limit)
      return refuse(413, "body larger than " + std::to_string(limits().body_bytes) + " bytes\n");
    if (ec == http::error::end_of_stream || ec == http::error::partial_message ||
        ec.category() != http::make_error_code(http::error::bad_field).category())
      return close();
    refuse(400, "not a request this server can read: " + ec.message() + "\n");
  }

  void refuse(unsigned status, std::string why) {
    if (phase_ == Phase::Closed) return;
    core_->bad_requests++;
    parser_.reset();
    head_ = false;
    send({static_cast<int>(status), "text/plain", std::move(why), {}}, false);
  }

  /// An orderly end. Closing with unread bytes would reset the connection and could take our last reply with it, so
  /// what still comes is read and thrown away for a moment.
  void finish() {
    if (phase_ == Phase::Closed) return;
    phase_ = Phase::Closing;
    tcp_layer().expires_after(kLinger);
    if constexpr (kTls) {
      stream_.async_shutdown([self = this->shared_from_this()](ErrorCode) { self->linger(); });
    } else {
      linger();
    }
  }

  void linger() {
    ErrorCode ec;
    tcp_layer().socket().shutdown(tcp::socket::shutdown_send, ec);
    if (ec) return close();
    buffer_.clear();
    discard();
  }

  void discard() {
    tcp_layer().async_read_some(buffer_.prepare(16 * 1024),
                                [self = this->shared_from_this()](ErrorCode ec, std::size_t n) {
                                  self->discarded_ += n;
                                  if (ec || self->discarded_ > kLingerBytes) return self->close();
                                  self->discard();
                                });
  }

  void close() {
    if (phase_ == Phase::Closed) return;
    phase_ = Phase::Closed;
    respond_timer_.cancel();
    watch_timer_.cancel();
    give_reserved();
    tcp_layer().close();
    core_->leave(number_, this, peer_);
  }

  void give_reserved() { core_->give_body(std::exchange(reserved_, 0)); }
  void note_timeout(ErrorCode ec) {
    if (ec == beast::error::timeout) core_->timed_out++;
  }

  /// Time and bytes we spend on reading what a client still sends after our last reply: enough for a client that writes
  /// its whole body before it reads.
  static constexpr std::chrono::milliseconds kLinger{1'000};
  static constexpr std::size_t kLingerBytes = 8 * 1024 * 1024;
  /// How long a place is kept at most for a client that sent something and then left.
  static constexpr std::chrono::milliseconds kWatchAgain{500};

  const std::shared_ptr<Core> core_;
  const std::uint64_t number_;  // of its place
  const std::string peer_;
  const std::shared_ptr<asio::ssl::context> tls_;  // the stream refers to it
  Stream stream_;
  asio::steady_timer respond_timer_;
  asio::steady_timer watch_timer_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::string_body>> out_;
  Phase phase_ = Phase::Handshake;
  std::uint64_t served_ = 0;  // requests so far; the number of the one at hand
  std::size_t reserved_ = 0;
  std::size_t discarded_ = 0;
  bool keep_alive_ = false;
  bool head_ = false;
  bool vouched_ = false;
};

}  // namespace rollcall::serve
