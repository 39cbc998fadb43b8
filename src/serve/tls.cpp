#include "serve/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <ctime>

namespace rollcall::serve {
namespace {

/// The first error is the cause ("No such file or directory"); those after it only say who passed it on.
std::string openssl_words() {
  const unsigned long code = ERR_peek_error();
  ERR_clear_error();
  if (code == 0) return "no reason given";
  char text[256];
  ERR_error_string_n(code, text, sizeof text);
  return text;
}

}  // namespace

Result<std::shared_ptr<boost::asio::ssl::context>> make_tls_context(const std::string& certificate_file,
                                                                    const std::string& key_file) {
  ERR_clear_error();
  auto context = std::make_shared<boost::asio::ssl::context>(boost::asio::ssl::context::tls_server);
  SSL_CTX* ctx = context->native_handle();
  if (SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION) != 1) return Error{"TLS 1.2: " + openssl_words()};
  // Forward secrecy and AEAD only; the suites of TLS 1.3 are all AEAD.
  if (SSL_CTX_set_cipher_list(ctx, "ECDHE+AESGCM:ECDHE+CHACHA20") != 1) return Error{"cipher list: " + openssl_words()};
  SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
  // Clients keep their connection; sessions to resume would be memory that strangers can make us hold.
  SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(ctx, 0);
  // A held reply leaves its connection silent for seconds: 34 KiB of buffers each are given back meanwhile.
  SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS);
  if (SSL_CTX_use_certificate_chain_file(ctx, certificate_file.c_str()) != 1)
    return Error{"certificate " + certificate_file + ": " + openssl_words()};
  // OpenSSL compares the key with the certificate here.
  if (SSL_CTX_use_PrivateKey_file(ctx, key_file.c_str(), SSL_FILETYPE_PEM) != 1)
    return Error{"key " + key_file + ": " + openssl_words()};
  if (SSL_CTX_check_private_key(ctx) != 1)
    return Error{"key " + key_file + " does not belong to certificate " + certificate_file + ": " + openssl_words()};
  return context;
}

std::chrono::system_clock::time_point end_of_certificate(boost::asio::ssl::context& context) {
  std::tm end{};
  const X509* certificate = SSL_CTX_get0_certificate(context.native_handle());
  if (certificate == nullptr || ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) != 1) return {};
  return std::chrono::system_clock::from_time_t(::timegm(&end));
}

}  // namespace rollcall::serve
