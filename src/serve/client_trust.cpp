#include "serve/client_trust.h"

#include <openssl/x509v3.h>

#include <algorithm>
#include <utility>

namespace rollcall::serve {
namespace {

/// The API server's client certificate has a common name and often nothing else.
std::string common_name(const X509* certificate) {
  const X509_NAME* subject = X509_get_subject_name(certificate);
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at < 0) return {};
  const ASN1_STRING* text = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at));
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
          static_cast<std::size_t>(ASN1_STRING_length(text))};
}

bool carries(X509* certificate, const std::string& name) {
  if (common_name(certificate) == name) return true;
  constexpr unsigned kExactly = X509_CHECK_FLAG_NO_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT;
  return X509_check_host(certificate, name.data(), name.size(), kExactly, nullptr) == 1;
}

}  // namespace

Status require_clients(boost::asio::ssl::context& context, const std::string& ca_file, std::vector<std::string> names) {
  namespace ssl = boost::asio::ssl;
  boost::system::error_code ec;
  context.load_verify_file(ca_file, ec);
  if (ec) return Error{"clients' authority " + ca_file + ": " + ec.message()};
  context.set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert, ec);
  if (ec) return Error{"asking clients for certificates: " + ec.message()};
  context.set_verify_callback(
      [names = std::move(names)](bool signed_by_ca, ssl::verify_context& verified) {
        X509_STORE_CTX* store = verified.native_handle();
        if (!signed_by_ca || X509_STORE_CTX_get_error_depth(store) > 0 || names.empty()) return signed_by_ca;
        X509* certificate = X509_STORE_CTX_get_current_cert(store);
        const bool known = std::any_of(names.begin(), names.end(),
                                       [certificate](const std::string& name) { return carries(certificate, name); });
        if (!known) X509_STORE_CTX_set_error(store, X509_V_ERR_HOSTNAME_MISMATCH);
        return known;
      },
      ec);
  if (ec) return Error{"asking clients for names: " + ec.message()};
  return Done{};
}

}  // namespace rollcall::serve
