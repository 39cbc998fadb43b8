#include "probe/support/certificates.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <memory>

#include "base/freed.h"

namespace rollcall::probe::testing {
namespace {

using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Bio = std::unique_ptr<BIO, Freed<BIO_free_all>>;

std::string text_of(const Bio& bio) {
  const char* bytes = nullptr;
  std::size_t size = 0;
  BUF_MEM* memory = nullptr;
  BIO_get_mem_ptr(bio.get(), &memory);
  bytes = memory->data;
  size = memory->length;
  return {bytes, size};
}

void extend(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>> extension(
      X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  X509_add_ext(certificate, extension.get(), -1);
}

Certificate blank(const std::string& name, EVP_PKEY* key, long from, long to) {
  static std::atomic<long> serial{1};
  Certificate certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial++);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), from);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), to);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  return certificate;
}

KeyPair written(X509* certificate, EVP_PKEY* key) {
  const Bio certificate_out(BIO_new(BIO_s_mem()));
  const Bio key_out(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(certificate_out.get(), certificate);
  PEM_write_bio_PrivateKey(key_out.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return {text_of(certificate_out), text_of(key_out)};
}

}  // namespace

KeyPair make_authority(const std::string& name) {
  const Key key(EVP_EC_gen("P-256"));
  const auto certificate = blank(name, key.get(), -3600, 86400);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get()));
  extend(certificate.get(), certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
  X509_sign(certificate.get(), key.get(), EVP_sha256());
  return written(certificate.get(), key.get());
}

KeyPair make_server(const KeyPair& authority, const std::string& dns_name, long from, long to) {
  const Bio certificate_in(
      BIO_new_mem_buf(authority.certificate.data(), static_cast<int>(authority.certificate.size())));
  const Bio key_in(BIO_new_mem_buf(authority.key.data(), static_cast<int>(authority.key.size())));
  const Certificate issuer(PEM_read_bio_X509(certificate_in.get(), nullptr, nullptr, nullptr));
  const Key issuer_key(PEM_read_bio_PrivateKey(key_in.get(), nullptr, nullptr, nullptr));
  const Key key(EVP_EC_gen("P-256"));
  const auto certificate = blank(dns_name, key.get(), from, to);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer.get()));
  extend(certificate.get(), issuer.get(), NID_subject_alt_name, "DNS:" + dns_name);
  X509_sign(certificate.get(), issuer_key.get(), EVP_sha256());
  return written(certificate.get(), key.get());
}

}  // namespace rollcall::probe::testing
