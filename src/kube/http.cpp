#include "kube/http.h"

#include <cpprest/astreambuf.h>
#include <cpprest/http_client.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <pplx/threadpool.h>

#include <boost/asio/ssl.hpp>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

namespace rollcall::kube {

namespace {

using Clock = std::chrono::steady_clock;
namespace streams = concurrency::streams;

/// How often a stream asks whether it is to stop: what a person would wait for at shutdown without noticing.
constexpr std::chrono::milliseconds kAskStopped{100};
/// Of the body of a refused stream: a metav1.Status is hundreds of bytes.
constexpr std::size_t kMaxRefusal = std::size_t{1} << 20;

std::string header_of(const web::http::http_response& response, const char* name) {
  const auto found = response.headers().find(name);
  return found == response.headers().end() ? std::string{} : found->second;
}

HttpReply reply_of(const web::http::http_response& response) {
  HttpReply reply;
  reply.status = response.status_code();
  reply.location = header_of(response, "Location");
  reply.warning = header_of(response, "Warning");
  // Seconds only; the other form, a date, is not what API servers send. Above an hour it is no advice.
  const std::string after = header_of(response, "Retry-After");
  if (!after.empty() && after.size() <= 4 && after.find_first_not_of("0123456789") == std::string::npos) {
    reply.retry_after_seconds = std::min(std::stoi(after), 3600);
  }
  return reply;
}

/// One request on its way, shared between the caller's thread, which waits, and the pool's, which move bytes. A chunk
/// stays in `chunk` until the caller has dealt with it; `taken` then lets the pool read on: that is the back-pressure.
struct Exchange {
  std::mutex mutex;
  std::condition_variable changed;
  /// Not the response itself: that holds the sink, which holds this, and none would ever be freed.
  std::optional<HttpReply> head;
  std::optional<std::string> chunk;
  pplx::task_completion_event<std::size_t> taken;
  bool done = false;
  std::exception_ptr failure;
  bool abandoned = false;

  void finish(std::exception_ptr why) {
    const std::lock_guard lock(mutex);
    if (done) return;
    done = true;
    failure = std::move(why);
    changed.notify_all();
  }
};

/// Where cpprestsdk puts a body.
class Sink : public streams::details::streambuf_state_manager<std::uint8_t> {
 public:
  explicit Sink(std::shared_ptr<Exchange> exchange)
      : streambuf_state_manager(std::ios_base::out), exchange_(std::move(exchange)) {}

  bool can_seek() const override { return false; }
  bool has_size() const override { return false; }
  std::size_t buffer_size(std::ios_base::openmode) const override { return 0; }
  void set_buffer_size(std::size_t, std::ios_base::openmode) override {}
  std::size_t in_avail() const override { return 0; }
  pos_type getpos(std::ios_base::openmode) const override { return static_cast<pos_type>(traits::eof()); }
  pos_type seekpos(pos_type, std::ios_base::openmode) override { return static_cast<pos_type>(traits::eof()); }
  pos_type seekoff(off_type, std::ios_base::seekdir, std::ios_base::openmode) override {
    return static_cast<pos_type>(traits::eof());
  }
  bool acquire(std::uint8_t*& ptr, std::size_t& count) override {
    ptr = nullptr;
    count = 0;
    return false;
  }
  void release(std::uint8_t*, std::size_t) override {}

 protected:
  pplx::task<std::size_t> _putn(const std::uint8_t* bytes, std::size_t count) override {
    const std::lock_guard lock(exchange_->mutex);
    if (exchange_->abandoned) {
      return pplx::task_from_exception<std::size_t>(
          std::make_exception_ptr(std::runtime_error("nobody reads the reply")));
    }
    exchange_->chunk.emplace(reinterpret_cast<const char*>(bytes), count);
    exchange_->taken = pplx::task_completion_event<std::size_t>();
    exchange_->changed.notify_all();
    return pplx::create_task(exchange_->taken);
  }
  pplx::task<int_type> _putc(std::uint8_t byte) override {
    return _putn(&byte, 1).then([byte](std::size_t) -> int_type { return byte; });
  }
  pplx::task<bool> _sync() override { return pplx::task_from_result(true); }
  std::uint8_t* _alloc(std::size_t) override { return nullptr; }
  void _commit(std::size_t) override {}
  // Reading: never asked for, the buffer is open for writing only.
  pplx::task<int_type> _bumpc() override { return pplx::task_from_result<int_type>(traits::eof()); }
  int_type _sbumpc() override { return traits::eof(); }
  pplx::task<int_type> _getc() override { return pplx::task_from_result<int_type>(traits::eof()); }
  int_type _sgetc() override { return traits::eof(); }
  pplx::task<int_type> _nextc() override { return pplx::task_from_result<int_type>(traits::eof()); }
  pplx::task<int_type> _ungetc() override { return pplx::task_from_result<int_type>(traits::eof()); }
  pplx::task<std::size_t> _getn(std::uint8_t*, std::size_t) override { return pplx::task_from_result<std::size_t>(0); }
  std::size_t _scopy(std::uint8_t*, std::size_t) override { return 0; }

 private:
  std::shared_ptr<Exchange> exchange_;
};

/// What a new connection trusts and shows. Throws boost::system::system_error, which cpprestsdk hands to the request's
/// task.
void set_up_tls(boost::asio::ssl::context& context, const Credentials& credentials) {
  SSL_CTX* native = context.native_handle();
  SSL_CTX_set_cert_store(native, X509_STORE_new());  // without the system's CAs
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  context.set_verify_mode(boost::asio::ssl::verify_peer);
  if (!credentials.ca_file.empty()) {
    context.load_verify_file(credentials.ca_file);
  } else {
    context.add_certificate_authority(boost::asio::buffer(credentials.ca_pem));
  }
  if (!credentials.certificate_pem.empty()) {
    context.use_certificate_chain(boost::asio::buffer(credentials.certificate_pem));
    context.use_private_key(boost::asio::buffer(credentials.key_pem), boost::asio::ssl::context::pem);
    if (SSL_CTX_check_private_key(native) != 1) {
      const auto code =
          boost::system::error_code(static_cast<int>(ERR_get_error()), boost::asio::error::get_ssl_category());
      throw boost::system::system_error(code, "the key does not belong to the certificate");
    }
  }
}

/// Tries the credentials before the first connection, so that a wrong one is named and not "handshake failed".
Status check_tls(const Credentials& credentials) {
  const auto attempt = [](const std::string& what, const Credentials& part) -> Status {
    try {
      boost::asio::ssl::context context(boost::asio::ssl::context::tls_client);
      set_up_tls(context, part);
      return Done{};
    } catch (const std::exception& e) {
      return Error{what + " cannot be used: " + e.what(), http_error::kCertificate};
    }
  };
  if (credentials.ca_file.empty() && credentials.ca_pem.empty()) {
    return Error{"no CA certificate for the API server is named", http_error::kCertificate};
  }
  Credentials ca_only;
  ca_only.ca_file = credentials.ca_file;
  ca_only.ca_pem = credentials.ca_pem;
  const std::string ca_name = credentials.ca_file.empty() ? std::string{} : " " + credentials.ca_file;
  if (auto status = attempt("the API server's CA certificate" + ca_name, ca_only); !status) return status;
  return attempt("the client certificate or its key", credentials);
}

Error describe(const std::exception_ptr& failure, const std::string& server) {
  std::string text = "no reason given";
  try {
    std::rethrow_exception(failure);
  } catch (const web::http::http_exception& e) {
    text = e.what();
    std::string detail = e.error_code().message();
    // OpenSSL's codes lose their category on the way: "Unknown error 167772294" is "certificate verify failed".
    const char* of_openssl = ERR_reason_error_string(static_cast<unsigned long>(e.error_code().value()));
    if (detail.starts_with("Unknown error") && of_openssl != nullptr) detail = of_openssl;
    if (text.find(detail) == std::string::npos) text += " (" + detail + ")";
  } catch (const std::exception& e) {
    text = e.what();
  } catch (...) {
    // Not of the standard kind: "no reason given" is all there is to say.
  }
  // A handshake that ends otherwise (reset, cut off) is a server that cannot be reached just now.
  if (text.find("certificate") != std::string::npos) {
    return {
        server + ": TLS handshake failed: " + text +
            ". Either the server's certificate is not signed by the CA given, or it does not name this host, or the "
            "server refused our client certificate.",
        http_error::kCertificate};
  }
  return {server + ": " + text, http_error::kUnreachable};
}

web::http::client::http_client_config config_of(const Credentials& credentials, std::chrono::milliseconds timeout) {
  web::http::client::http_client_config config;
  config.set_max_redirects(0);
  config.set_request_compressed_response(false);
  config.set_timeout(timeout);
  config.set_validate_certificates(true);
  config.set_ssl_context_callback(
      [credentials](boost::asio::ssl::context& context) { set_up_tls(context, credentials); });
  return config;
}

}  // namespace

struct Http::State {
  Credentials credentials;
  HttpLimits limits;
  web::http::client::http_client calls;

  State(const Credentials& c, HttpLimits l)
      : credentials(c), limits(std::move(l)), calls(web::uri(c.server), config_of(c, limits.deadline)) {}

  /// Sends and reads; `on_bytes` false ends it. `until` bounds all of it, where there is one.
  Result<HttpReply> exchange(web::http::client::http_client client, const HttpRequest& request,
                             std::optional<Clock::time_point> until,
                             const std::function<Status(int status, std::string_view)>& on_bytes,
                             const std::function<bool()>& stopped) {
    try {
      return run(std::move(client), request, until, on_bytes, stopped);
    } catch (const std::exception& e) {
      return Error{credentials.server + ": " + e.what(), http_error::kUnreachable};
    }
  }

 private:
  std::shared_ptr<Exchange> send(web::http::client::http_client client, const HttpRequest& request,
                                 const pplx::cancellation_token& token) {
    auto exchange = std::make_shared<Exchange>();
    web::http::http_request message(request.method);
    message.set_request_uri(web::uri(request.target));
    message.headers().add("Accept", request.accept);
    message.headers().add("User-Agent", limits.user_agent);
    if (!request.bearer.empty()) message.headers().add("Authorization", "Bearer " + request.bearer);
    if (!request.content_type.empty()) message.set_body(request.body, request.content_type);
    const std::shared_ptr<streams::details::basic_streambuf<std::uint8_t>> sink = std::make_shared<Sink>(exchange);
    message.set_response_stream(streams::streambuf<std::uint8_t>(sink).create_ostream());
    client.request(message, token)
        .then([exchange](const web::http::http_response& response) {
          {
            const std::lock_guard lock(exchange->mutex);
            exchange->head = reply_of(response);
            exchange->changed.notify_all();
          }
          return response.content_ready();
        })
        .then([exchange](const pplx::task<web::http::http_response>& end) {
          try {
            end.get();
            exchange->finish(nullptr);
          } catch (...) {
            exchange->finish(std::current_exception());
          }
        });
    return exchange;
  }

  Result<HttpReply> run(web::http::client::http_client client, const HttpRequest& request,
                        std::optional<Clock::time_point> until,
                        const std::function<Status(int status, std::string_view)>& on_bytes,
                        const std::function<bool()>& stopped) {
    pplx::cancellation_token_source source;
    const auto exchange = send(std::move(client), request, source.get_token());
    const auto give_up = [&](std::unique_lock<std::mutex>& lock, Error why) -> Error {
      exchange->abandoned = true;
      const bool waiting = exchange->chunk.has_value();
      lock.unlock();
      if (waiting) exchange->taken.set(0);  // let the pool's side come to its end
      source.cancel();
      return why;
    };

    std::unique_lock lock(exchange->mutex);
    while (true) {
      const auto ready = [&] { return (exchange->chunk && exchange->head) || exchange->done; };
      auto wake = Clock::now() + kAskStopped;
      if (until && !stopped) wake = *until;
      exchange->changed.wait_until(lock, wake, ready);
      if (stopped && stopped()) return give_up(lock, {"stopped by the caller", http_error::kStopped});
      if (until && Clock::now() >= *until && !exchange->done) {
        return give_up(
            lock, {credentials.server + ": no whole answer within " + std::to_string(limits.deadline.count()) + " ms",
                   http_error::kDeadline});
      }
      if (exchange->chunk && exchange->head) {
        const std::string bytes = std::move(*exchange->chunk);
        const int status = exchange->head->status;
        lock.unlock();
        const Status taken = on_bytes(status, bytes);
        lock.lock();
        if (!taken.ok()) return give_up(lock, taken.error());
        exchange->chunk.reset();
        const auto event = exchange->taken;
        lock.unlock();
        event.set(bytes.size());
        lock.lock();
        continue;
      }
      if (!exchange->done) continue;
      if (exchange->failure) {
        Error why = describe(exchange->failure, credentials.server);
        if (exchange->head && why.code == http_error::kUnreachable) why.code = http_error::kBroken;
        return why;
      }
      return *exchange->head;
    }
  }
};

Http::Http(std::unique_ptr<State> state) : state_(std::move(state)) {}
Http::~Http() = default;

Result<std::unique_ptr<Http>> Http::make(const Credentials& credentials, HttpLimits limits) {
  if (auto status = check_server(credentials.server); !status) return status.error();
  if (auto status = check_tls(credentials); !status) return status.error();
  start_pool(2);
  try {
    return std::unique_ptr<Http>(new Http(std::make_unique<State>(credentials, std::move(limits))));
  } catch (const std::exception& e) {
    return Error{"the API server's address `" + credentials.server + "` cannot be used: " + e.what()};
  }
}

Result<HttpReply> Http::call(const HttpRequest& request) {
  std::string body;
  const auto until = Clock::now() + state_->limits.deadline;
  auto reply = state_->exchange(
      state_->calls, request, until,
      [&](int, std::string_view bytes) -> Status {
        if (body.size() + bytes.size() > state_->limits.max_reply) {
          return Error{state_->credentials.server + request.target + ": the reply is larger than " +
                           std::to_string(state_->limits.max_reply) + " bytes",
                       http_error::kTooLarge};
        }
        body += bytes;
        return Done{};
      },
      nullptr);
  if (reply) reply->body = std::move(body);
  return reply;
}

Result<HttpReply> Http::stream(const HttpRequest& request, const std::function<bool(std::string_view)>& on_bytes,
                               const std::function<bool()>& stopped) {
  std::string refusal;
  web::http::client::http_client own(web::uri(state_->credentials.server),
                                     config_of(state_->credentials, state_->limits.silence));
  auto reply = state_->exchange(
      std::move(own), request, std::nullopt,
      [&](int status, std::string_view bytes) -> Status {
        if (status != 200) {
          refusal += bytes.substr(0, kMaxRefusal - std::min(kMaxRefusal, refusal.size()));
          return Done{};
        }
        if (!on_bytes(bytes)) return Error{"ended by the reader", http_error::kStopped};
        return Done{};
      },
      stopped);
  if (reply) reply->body = std::move(refusal);
  return reply;
}

void start_pool(std::size_t threads) {
  static std::once_flag once;
  std::call_once(once, [threads] {
    try {
      crossplat::threadpool::initialize_with_threads(std::max<std::size_t>(threads, 1));
    } catch (const std::exception&) {
      // Somebody used cpprestsdk before us: the pool is there, only larger than wanted.
    }
  });
}

}  // namespace rollcall::kube
