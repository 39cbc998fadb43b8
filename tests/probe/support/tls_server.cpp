#include "probe/support/tls_server.h"

#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "probe/net/listen.h"
#include "probe/net/wake.h"

namespace rollcall::probe::testing {
namespace {

SSL_CTX* context_of(const KeyPair& pair) {
  SSL_CTX* context = SSL_CTX_new(TLS_server_method());
  BIO* certificate_in = BIO_new_mem_buf(pair.certificate.data(), static_cast<int>(pair.certificate.size()));
  BIO* key_in = BIO_new_mem_buf(pair.key.data(), static_cast<int>(pair.key.size()));
  X509* certificate = PEM_read_bio_X509(certificate_in, nullptr, nullptr, nullptr);
  EVP_PKEY* key = PEM_read_bio_PrivateKey(key_in, nullptr, nullptr, nullptr);
  SSL_CTX_use_certificate(context, certificate);
  SSL_CTX_use_PrivateKey(context, key);
  X509_free(certificate);
  EVP_PKEY_free(key);
  BIO_free(certificate_in);
  BIO_free(key_in);
  return context;
}

class Server final : public TlsServer {
 public:
  Server(const KeyPair& pair, Handler handler) : context_(context_of(pair)), handler_(std::move(handler)) {
    ::signal(SIGPIPE, SIG_IGN);
    auto listener = listen_everywhere(0, 64);
    if (!listener) throw std::runtime_error(listener.error().message);
    listener_ = std::move(listener).value();
    thread_ = std::thread([this] { accept_all(); });
  }

  ~Server() override {
    stop_.notify();
    thread_.join();
    {
      const std::lock_guard lock(mutex_);
      for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
    }
    for (auto& thread : threads_) thread.join();
    SSL_CTX_free(context_);
  }

  int port() const override { return listener_.port; }
  int connections() const override { return connections_; }

 private:
  void accept_all() {
    while (true) {
      pollfd polled[2] = {{listener_.fd.get(), POLLIN, 0}, {stop_.fd(), POLLIN, 0}};
      ::poll(polled, 2, -1);
      if (polled[1].revents != 0) return;
      const int fd = ::accept4(listener_.fd.get(), nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) continue;
      const std::lock_guard lock(mutex_);
      open_.insert(fd);
      threads_.emplace_back([this, fd] { serve(fd); });
    }
  }

  void serve(int fd) {
    SSL* session = SSL_new(context_);
    SSL_set_fd(session, fd);
    if (SSL_accept(session) == 1) {
      ++connections_;
      while (exchange(session)) {
      }
    }
    SSL_free(session);
    const std::lock_guard lock(mutex_);
    open_.erase(fd);
    ::close(fd);
  }

  bool exchange(SSL* session) {
    std::string received;
    std::size_t head_end = 0;
    while ((head_end = received.find("\r\n\r\n")) == std::string::npos) {
      if (!more(session, received)) return false;
    }
    HttpRequest request{received.substr(0, head_end), received.substr(head_end + 4)};
    const auto at = request.head.find("Content-Length: ");
    const auto length = at == std::string::npos ? 0 : std::stoul(request.head.substr(at + 16));
    while (request.body.size() < length) {
      if (!more(session, request.body)) return false;
    }
    const auto reply = handler_(request);
    return !reply.empty() && SSL_write(session, reply.data(), static_cast<int>(reply.size())) > 0;
  }

  static bool more(SSL* session, std::string& into) {
    char buffer[16384];
    const int got = SSL_read(session, buffer, sizeof buffer);
    if (got <= 0) return false;
    into.append(buffer, static_cast<std::size_t>(got));
    return true;
  }

  SSL_CTX* context_;
  Handler handler_;
  Listener listener_;
  Wake stop_;
  std::thread thread_;
  std::mutex mutex_;
  std::set<int> open_;
  std::vector<std::thread> threads_;
  std::atomic<int> connections_{0};
};

}  // namespace

std::string HttpRequest::token() const {
  constexpr std::string_view kKey = "Authorization: Bearer ";
  const auto at = head.find(kKey);
  return at == std::string::npos ? "" : head.substr(at + kKey.size(), head.find("\r\n", at) - at - kKey.size());
}

std::string http_reply(int status, const std::string& body) {
  return "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         body;
}

std::unique_ptr<TlsServer> TlsServer::start(const KeyPair& pair, Handler handler) {
  return std::make_unique<Server>(pair, std::move(handler));
}

}  // namespace rollcall::probe::testing
