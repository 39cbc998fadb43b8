#pragma once

#include <openssl/ssl.h>

#include <chrono>
#include <memory>
#include <string>

namespace rollcall::serve::testing {

struct Answered {
  int status = 0;  ///< 0 = the connection ended without a reply
  std::string head;
  std::string body;
};

/// A client with no manners of its own: sends what it is told, reads one reply at a time. Blocking; a read gives up
/// after `patience`.
class RawClient {
 public:
  static constexpr std::chrono::seconds kPatience{10};

  /// Connects to 127.0.0.1 (or ::1); `tls` without verifying anything.
  /// `from`: an address of 127.0.0.0/8 to come from.
  RawClient(std::uint16_t port, bool tls, bool v6 = false, const std::string& from = {});
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  bool connected() const { return fd_ >= 0; }
  /// False when the handshake fails.
  bool handshake(long min_version = 0, long max_version = 0, const char* tls12_ciphers = nullptr);
  bool send(const std::string& bytes);
  Answered read_reply();
  /// True when the server closed (end of stream or reset) within the patience.
  bool closed_by_server();
  void close();
  void say_goodbye() { SSL_shutdown(ssl_.get()); }  ///< TLS's closing alert alone; the connection stays
  std::string cipher() const { return SSL_get_cipher(ssl_.get()); }
  /// Serial number of the server's certificate, hex.
  std::string peer_serial() const;

 private:
  int read_some(char* into, int size);
  int fd_ = -1;
  bool tls_;
  std::string pending_;
  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> ctx_{nullptr, SSL_CTX_free};
  std::unique_ptr<SSL, void (*)(SSL*)> ssl_{nullptr, SSL_free};
};

/// A fresh directory with tls.crt and tls.key (self-signed, P-256); removed at the end.
class CertificateDir {
 public:
  explicit CertificateDir(long serial);
  ~CertificateDir();
  void replace(long serial);  ///< new pair under the same names
  std::string certificate() const { return path_ + "/tls.crt"; }
  std::string key() const { return path_ + "/tls.key"; }

 private:
  std::string path_;
};

int open_descriptors();

}  // namespace rollcall::serve::testing
