#include "probe/desk/tls.h"

#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "base/freed.h"
#include "probe/text.h"

namespace rollcall::probe {
namespace {

using Clock = std::chrono::steady_clock;

using Context = std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>>;
using Session = std::unique_ptr<SSL, Freed<SSL_free>>;
using Bio = std::unique_ptr<BIO, Freed<BIO_free_all>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;

/// OpenSSL's words on what failed last.
std::string openssl_words() {
  const auto code = ERR_peek_last_error();
  ERR_clear_error();
  if (code == 0) return "unknown TLS error";
  const char* reason = ERR_reason_error_string(code);
  return reason != nullptr ? reason : text("TLS error ", code);
}

Error interrupted() { return {"interrupted", kInterrupted}; }

/// Waits until `fd` is ready for `events`.
Status await(int fd, short events, TlsConnection::Deadline deadline, const Wake& wake, const char* doing) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return Error{text("no answer while ", doing), "ETIMEDOUT"};
    pollfd polled[2] = {{fd, events, 0}, {wake.fd(), POLLIN, 0}};
    const int ready = ::poll(polled, 2, static_cast<int>(left));
    if (ready < 0 && errno != EINTR) return Error{text(doing, ": ", errno_words(errno)), errno_name(errno)};
    if (ready <= 0) continue;
    if (polled[0].revents != 0) return Done{};
    if (polled[1].revents != 0) return interrupted();
  }
}

/// What this node's clock and the certificate say, for a certificate refused for its time.
std::string time_words(const X509* certificate) {
  const Bio out(BIO_new(BIO_s_mem()));
  const std::unique_ptr<ASN1_TIME, Freed<ASN1_TIME_free>> now(X509_gmtime_adj(nullptr, 0));
  BIO_puts(out.get(), "; possible clock skew: this node's clock says ");
  ASN1_TIME_print(out.get(), now.get());
  if (certificate != nullptr) {
    BIO_puts(out.get(), ", the certificate is valid from ");
    ASN1_TIME_print(out.get(), X509_get0_notBefore(certificate));
    BIO_puts(out.get(), " to ");
    ASN1_TIME_print(out.get(), X509_get0_notAfter(certificate));
  }
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(out.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

/// Called for each certificate of the chain; keeps the words of a refusal in the std::string that the session carries,
/// since the certificate is gone once the handshake has failed.
int remember_refusal(int accepted, X509_STORE_CTX* chain) {
  if (accepted == 1) return 1;
  auto* session = static_cast<SSL*>(X509_STORE_CTX_get_ex_data(chain, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto* words = static_cast<std::string*>(SSL_get_app_data(session));
  const int error = X509_STORE_CTX_get_error(chain);
  *words = text("the desk's certificate was refused: ", X509_verify_cert_error_string(error));
  if (error == X509_V_ERR_CERT_NOT_YET_VALID || error == X509_V_ERR_CERT_HAS_EXPIRED) {
    *words += time_words(X509_STORE_CTX_get_current_cert(chain));
  }
  return 0;
}

/// SSL_set_tlsext_host_name without the macro's casts: OpenSSL copies the name.
bool set_server_name(SSL* session, std::string name) {
  return SSL_ctrl(session, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name.data()) == 1;
}

Result<Context> context_of(const std::string& ca_pem) {
  // The image's openssl.cnf may name modules that a static program cannot load: none is read.
  OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
  Context context(SSL_CTX_new(TLS_client_method()));
  if (!context) return Error{text("preparing TLS: ", openssl_words())};
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, remember_refusal);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  const Bio pem(BIO_new_mem_buf(ca_pem.data(), static_cast<int>(ca_pem.size())));
  int authorities = 0;
  while (true) {
    const Certificate certificate(PEM_read_bio_X509(pem.get(), nullptr, nullptr, nullptr));
    if (!certificate) break;
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), certificate.get()) == 1) ++authorities;
  }
  ERR_clear_error();  // the loop ends by an error: no more certificates
  if (authorities == 0) return Error{"ROLLCALL_DESK_CA holds no PEM certificate, so the desk cannot be verified"};
  return context;
}

Result<Fd> tcp_connect(const SocketAddress& address, TlsConnection::Deadline deadline, const Wake& wake) {
  Fd fd(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return Error{text("opening a socket: ", errno_words(errno)), errno_name(errno)};
  const int on = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(fd.get(), address.raw(), address.length()) != 0) {
    if (errno != EINPROGRESS) return Error{errno_words(errno), errno_name(errno)};
    if (auto ready =
            await(fd.get(), POLLOUT, deadline, wake, "connecting (the request was dropped on the way, or its answer)");
        !ready) {
      return ready.error();
    }
    int error = 0;
    socklen_t length = sizeof error;
    ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &length);
    if (error != 0) return Error{errno_words(error), errno_name(error)};
  }
  return fd;
}

class Connection final : public TlsConnection {
 public:
  Connection(Context context, Fd fd)
      : context_(std::move(context)), fd_(std::move(fd)), session_(SSL_new(context_.get())) {}

  Status handshake(const std::string& name, Deadline deadline, const Wake& wake) {
    if (!session_ || SSL_set_fd(session_.get(), fd_.get()) != 1 || SSL_set1_host(session_.get(), name.c_str()) != 1 ||
        !set_server_name(session_.get(), name)) {
      return Error{text("preparing TLS for `", name, "`: ", openssl_words())};
    }
    SSL_set_app_data(session_.get(), &refusal_);
    SSL_set_hostflags(session_.get(), X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    while (true) {
      ERR_clear_error();
      const int done = SSL_connect(session_.get());
      if (done == 1) return Done{};
      auto more = again(done, deadline, wake, "in the TLS handshake");
      if (more) continue;
      if (!refusal_.empty()) return Error{refusal_};
      return more;
    }
  }

  Status write(std::string_view bytes, Deadline deadline, const Wake& wake) override {
    while (!bytes.empty()) {
      ERR_clear_error();
      std::size_t written = 0;
      const int done = SSL_write_ex(session_.get(), bytes.data(), bytes.size(), &written);
      if (done == 1) {
        bytes.remove_prefix(written);
        continue;
      }
      if (auto more = again(done, deadline, wake, "sending"); !more) return more;
    }
    return Done{};
  }

  Result<std::string> read(std::size_t most, Deadline deadline, const Wake& wake) override {
    std::string bytes(most, '\0');
    while (true) {
      ERR_clear_error();
      std::size_t got = 0;
      const int done = SSL_read_ex(session_.get(), bytes.data(), most, &got);
      if (done == 1) {
        bytes.resize(got);
        return bytes;
      }
      if (SSL_get_error(session_.get(), done) == SSL_ERROR_ZERO_RETURN) return std::string();
      if (auto more = again(done, deadline, wake, "waiting for the desk's reply"); !more) return more.error();
    }
  }

 private:
  /// After a call that did not finish: waits for what it needs, or says why it cannot go on.
  Status again(int result, Deadline deadline, const Wake& wake, const char* doing) {
    const int saved = errno;
    switch (SSL_get_error(session_.get(), result)) {
      case SSL_ERROR_WANT_READ:
        return await(fd_.get(), POLLIN, deadline, wake, doing);
      case SSL_ERROR_WANT_WRITE:
        return await(fd_.get(), POLLOUT, deadline, wake, doing);
      case SSL_ERROR_SYSCALL:
        if (saved != 0 && ERR_peek_last_error() == 0)
          return Error{text(doing, ": ", errno_words(saved)), errno_name(saved)};
        return Error{text(doing, ": the connection was closed"), "ECONNRESET"};
      case SSL_ERROR_SSL:
        // A peer that closes without a TLS goodbye, as a stopped desk does.
        if (ERR_GET_REASON(ERR_peek_last_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
          return Error{text(doing, ": the connection was closed"), "ECONNRESET"};
        }
        return Error{text(doing, ": ", openssl_words())};
      default:
        return Error{text(doing, ": ", openssl_words())};
    }
  }

  Context context_;
  Fd fd_;
  Session session_;
  std::string refusal_;  // why the certificate was refused
};

}  // namespace

Result<std::unique_ptr<TlsConnection>> TlsConnection::connect(const SocketAddress& address, const std::string& name,
                                                              const std::string& ca_pem, Deadline deadline,
                                                              const Wake& wake) {
  auto context = context_of(ca_pem);
  if (!context) return context.error();
  auto fd = tcp_connect(address, deadline, wake);
  if (!fd)
    return fd.error().code == kInterrupted ? fd.error() : fd.error().in(text("connecting to ", address.to_string()));
  auto connection = std::make_unique<Connection>(std::move(context).value(), std::move(fd).value());
  if (auto done = connection->handshake(name, deadline, wake); !done) {
    return done.error().code == kInterrupted ? done.error() : done.error().in(address.to_string());
  }
  return std::unique_ptr<TlsConnection>(std::move(connection));
}

}  // namespace rollcall::probe
