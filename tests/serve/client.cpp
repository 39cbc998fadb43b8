#include "serve/client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace rollcall::serve::testing {

RawClient::RawClient(std::uint16_t port, bool tls, bool v6, const std::string& from) : tls_(tls) {
  static const auto ignored = std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes without MSG_NOSIGNAL
  static_cast<void>(ignored);
  fd_ = ::socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  timeval patience{kPatience.count(), 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  sockaddr_in source{};
  source.sin_family = AF_INET;
  if (!from.empty() && (::inet_pton(AF_INET, from.c_str(), &source.sin_addr) != 1 ||
                        ::bind(fd_, reinterpret_cast<const sockaddr*>(&source), sizeof source) != 0)) {
    close();
    return;
  }
  sockaddr_in v4_address{};
  sockaddr_in6 v6_address{};
  v4_address.sin_family = AF_INET;
  v4_address.sin_port = htons(port);
  v4_address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  v6_address.sin6_family = AF_INET6;
  v6_address.sin6_port = htons(port);
  v6_address.sin6_addr = in6addr_loopback;
  const int rc = v6 ? ::connect(fd_, reinterpret_cast<const sockaddr*>(&v6_address), sizeof v6_address)
                    : ::connect(fd_, reinterpret_cast<const sockaddr*>(&v4_address), sizeof v4_address);
  if (rc != 0) close();
}

RawClient::~RawClient() { close(); }

void RawClient::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

bool RawClient::handshake(long min_version, long max_version, const char* tls12_ciphers) {
  ctx_.reset(SSL_CTX_new(TLS_client_method()));
  if (min_version != 0) SSL_CTX_set_min_proto_version(ctx_.get(), static_cast<int>(min_version));
  if (max_version != 0) SSL_CTX_set_max_proto_version(ctx_.get(), static_cast<int>(max_version));
  if (tls12_ciphers != nullptr && SSL_CTX_set_cipher_list(ctx_.get(), tls12_ciphers) != 1) return false;
  ssl_.reset(SSL_new(ctx_.get()));
  SSL_set_fd(ssl_.get(), fd_);
  return SSL_connect(ssl_.get()) == 1;
}

bool RawClient::send(const std::string& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const auto n = tls_ ? SSL_write(ssl_.get(), bytes.data() + sent, static_cast<int>(bytes.size() - sent))
                        : static_cast<int>(::send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL));
    if (n <= 0) return false;
    sent += static_cast<std::size_t>(n);
  }
  return true;
}

int RawClient::read_some(char* into, int size) {
  return tls_ && ssl_ ? SSL_read(ssl_.get(), into, size)
                      : static_cast<int>(::recv(fd_, into, static_cast<std::size_t>(size), 0));
}

Answered RawClient::read_reply() {
  char chunk[4096];
  std::size_t end = std::string::npos;
  while ((end = pending_.find("\r\n\r\n")) == std::string::npos) {
    const int n = read_some(chunk, sizeof chunk);
    if (n <= 0) return {};
    pending_.append(chunk, static_cast<std::size_t>(n));
  }
  Answered reply;
  reply.head = pending_.substr(0, end);
  pending_.erase(0, end + 4);
  reply.status = std::atoi(reply.head.c_str() + std::string("HTTP/1.1 ").size());
  const auto at = reply.head.find("Content-Length: ");
  const std::size_t length = at == std::string::npos ? 0 : std::strtoul(reply.head.c_str() + at + 16, nullptr, 10);
  while (pending_.size() < length) {
    const int n = read_some(chunk, sizeof chunk);
    if (n <= 0) return {};
    pending_.append(chunk, static_cast<std::size_t>(n));
  }
  reply.body = pending_.substr(0, length);
  pending_.erase(0, length);
  return reply;
}

bool RawClient::closed_by_server() {
  char chunk[4096];
  for (;;) {
    errno = 0;
    const int n = read_some(chunk, sizeof chunk);
    if (n > 0) continue;
    return errno != EAGAIN && errno != EWOULDBLOCK;
  }
}

std::string RawClient::peer_serial() const {
  const std::unique_ptr<X509, void (*)(X509*)> cert(SSL_get1_peer_certificate(ssl_.get()), X509_free);
  if (!cert) return {};
  return std::to_string(ASN1_INTEGER_get(X509_get0_serialNumber(cert.get())));
}

CertificateDir::CertificateDir(long serial) {
  char name[] = "/tmp/rollcall-serve-XXXXXX";
  if (::mkdtemp(name) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = name;
  replace(serial);
}

CertificateDir::~CertificateDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void CertificateDir::replace(long serial) {
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> pkey(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const std::unique_ptr<X509, void (*)(X509*)> cert(X509_new(), X509_free);
  X509_set_version(cert.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(cert.get()), serial);
  X509_gmtime_adj(X509_getm_notBefore(cert.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(cert.get()), 3600);
  X509_set_pubkey(cert.get(), pkey.get());
  X509_NAME* subject = X509_get_subject_name(cert.get());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("desk.test"), -1, -1,
                             0);
  X509_set_issuer_name(cert.get(), subject);
  X509_sign(cert.get(), pkey.get(), EVP_sha256());
  std::FILE* file = std::fopen(certificate().c_str(), "w");
  PEM_write_X509(file, cert.get());
  std::fclose(file);
  file = std::fopen(key().c_str(), "w");
  PEM_write_PrivateKey(file, pkey.get(), nullptr, nullptr, 0, nullptr, nullptr);
  std::fclose(file);
}

int open_descriptors() {
  const auto entries = std::filesystem::directory_iterator("/proc/self/fd");
  return static_cast<int>(std::distance(begin(entries), end(entries)));
}

}  // namespace rollcall::serve::testing
