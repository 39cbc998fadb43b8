#include "kube/https_server.h"

#include <arpa/inet.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <stdexcept>

#include "kube/certificates.h"

namespace rollcall::kube::testing {

namespace {

SSL_CTX* server_context() {
  static SSL_CTX* const made = [] {
    std::signal(SIGPIPE, SIG_IGN);
    SSL_CTX* context = SSL_CTX_new(TLS_server_method());
    const Pem& pem = certificates().server;
    BIO* certificate = BIO_new_mem_buf(pem.certificate.data(), static_cast<int>(pem.certificate.size()));
    BIO* key = BIO_new_mem_buf(pem.key.data(), static_cast<int>(pem.key.size()));
    X509* parsed = PEM_read_bio_X509(certificate, nullptr, nullptr, nullptr);
    EVP_PKEY* parsed_key = PEM_read_bio_PrivateKey(key, nullptr, nullptr, nullptr);
    if (SSL_CTX_use_certificate(context, parsed) != 1 || SSL_CTX_use_PrivateKey(context, parsed_key) != 1) {
      throw std::runtime_error("the test server's certificate");
    }
    X509_free(parsed);
    EVP_PKEY_free(parsed_key);
    BIO_free(certificate);
    BIO_free(key);
    return context;
  }();
  return made;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

struct Connection::State {
  int fd;
  SSL* ssl;
  std::string rest;
  bool good = false;

  explicit State(int f) : fd(f), ssl(SSL_new(server_context())) {
    SSL_set_fd(ssl, fd);
    good = SSL_accept(ssl) == 1;
  }
  ~State() {
    if (good) SSL_shutdown(ssl);
    SSL_free(ssl);
  }
  bool more() {
    char bytes[16384];
    const int n = good ? SSL_read(ssl, bytes, sizeof bytes) : 0;
    if (n <= 0) {
      good = false;
      return false;
    }
    rest.append(bytes, static_cast<std::size_t>(n));
    return true;
  }
};

Connection::Connection(int fd) : state_(std::make_shared<State>(fd)) {}

std::optional<Request> Connection::read() {
  std::size_t end = 0;
  while ((end = state_->rest.find("\r\n\r\n")) == std::string::npos) {
    if (!state_->more()) return std::nullopt;
  }
  const std::string head = state_->rest.substr(0, end);
  state_->rest.erase(0, end + 4);
  Request out;
  const std::size_t line_end = std::min(head.find("\r\n"), head.size());
  const std::size_t first = head.find(' ');
  const std::size_t second = head.find(' ', first + 1);
  out.method = head.substr(0, first);
  out.target = head.substr(first + 1, second - first - 1);
  for (std::size_t begin = line_end + 2; begin < head.size();) {
    const std::size_t stop = std::min(head.find("\r\n", begin), head.size());
    const std::string line = head.substr(begin, stop - begin);
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos) {
      const std::size_t value = std::min(line.find_first_not_of(' ', colon + 1), line.size());
      out.headers[lower(line.substr(0, colon))] = line.substr(value);
    }
    begin = stop + 2;
  }
  const std::size_t length = out.headers.contains("content-length") ? std::stoul(out.headers["content-length"]) : 0;
  while (state_->rest.size() < length) {
    if (!state_->more()) return std::nullopt;
  }
  out.body = state_->rest.substr(0, length);
  state_->rest.erase(0, length);
  return out;
}

bool Connection::send(std::string_view bytes) {
  while (state_->good && !bytes.empty()) {
    const int n = SSL_write(state_->ssl, bytes.data(), static_cast<int>(std::min<std::size_t>(bytes.size(), 16384)));
    if (n <= 0)
      state_->good = false;
    else
      bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return state_->good;
}

bool Connection::reply(int status, std::string_view body, std::string_view headers) {
  return send("HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Type: application/json\r\nContent-Length: " +
              std::to_string(body.size()) + "\r\n" + std::string(headers) + "\r\n" + std::string(body));
}

bool Connection::begin_chunks() {
  return send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
}

bool Connection::chunk(std::string_view bytes) {
  char size[24];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return send(std::string(size) + std::string(bytes) + "\r\n");
}

std::size_t Connection::flood(std::size_t most) {
  const std::string block(65536, '\n');
  // "Writable" may mean room for a part of the block: a write that waits for the rest must end too.
  const timeval patience{0, 300'000};
  ::setsockopt(state_->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  std::size_t sent = 0;
  while (sent < most) {
    pollfd writable{state_->fd, POLLOUT, 0};
    if (::poll(&writable, 1, 300) != 1 || !chunk(block)) break;
    sent += block.size();
  }
  return sent;
}

bool Connection::wait_closed(std::chrono::milliseconds longest) {
  pollfd readable{state_->fd, POLLIN, 0};
  if (::poll(&readable, 1, static_cast<int>(longest.count())) != 1) return false;
  return !state_->more();
}

void Connection::reset() {
  const linger hard{1, 0};
  ::setsockopt(state_->fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  state_->good = false;  // the close that follows sends the RST
}

void Connection::shut() {
  ::shutdown(state_->fd, SHUT_RDWR);
  state_->good = false;
}

HttpsServer::HttpsServer(Script script)
    : script_(std::move(script)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  server_context();
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_, generic, size) != 0 || ::listen(listener_, 64) != 0 ||
      ::getsockname(listener_, generic, &size) != 0) {
    throw std::runtime_error("the test server cannot listen");
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_all(); });
}

HttpsServer::~HttpsServer() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    ::shutdown(listener_, SHUT_RDWR);
    for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
  }
  acceptor_.join();
  for (std::thread& thread : threads_) thread.join();
  ::close(listener_);
}

void HttpsServer::accept_all() {
  while (true) {
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const std::lock_guard lock(mutex_);
    if (fd < 0 || closing_) {
      if (fd >= 0) ::close(fd);
      return;
    }
    ++connections_;
    // A small buffer, so that a client that does not read is soon felt.
    const int bytes = 65536;
    ::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    open_.push_back(fd);
    threads_.emplace_back([this, fd] {
      {
        Connection connection(fd);
        script_(connection);
      }
      const std::lock_guard inner(mutex_);
      std::erase(open_, fd);
      ::close(fd);
    });
  }
}

Credentials HttpsServer::credentials() const {
  Credentials out;
  out.server = url();
  out.ca_pem = certificates().ca.certificate;
  out.token = "secret";
  return out;
}

HttpsServer::Script each_request(std::function<void(const Request&, Connection&)> answer) {
  return [answer = std::move(answer)](Connection& connection) {
    while (const auto request = connection.read()) answer(*request, connection);
  };
}

}  // namespace rollcall::kube::testing
