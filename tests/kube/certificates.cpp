#include "kube/certificates.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <stdexcept>

#include "base/freed.h"

namespace rollcall::kube::testing {

namespace {

using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Bio = std::unique_ptr<BIO, Freed<BIO_free_all>>;

void require(bool good, const char* what) {
  if (!good) throw std::runtime_error(what);
}

void add_extension(X509* to, X509* issuer, int id, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, to, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>> extension(
      X509V3_EXT_conf_nid(nullptr, &context, id, value));
  require(extension && X509_add_ext(to, extension.get(), -1) == 1, value);
}

template <typename Write>
std::string pem(const Write& write) {
  const Bio out(BIO_new(BIO_s_mem()));
  require(write(out.get()) == 1, "PEM");
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(out.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

struct Pair {
  Key key;
  Certificate certificate;
  Pem text() const {
    return {pem([&](BIO* out) { return PEM_write_bio_X509(out, certificate.get()); }), pem([&](BIO* out) {
              return PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
            })};
  }
};

/// `issuer` null: signs itself, as a CA.
Pair make(const char* name, const Pair* issuer) {
  Pair out{Key(EVP_EC_gen("P-256")), Certificate(X509_new())};
  require(out.key && out.certificate, "key");
  X509* certificate = out.certificate.get();
  X509_set_version(certificate, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), issuer == nullptr ? 1 : 2);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 86400);
  X509_set_pubkey(certificate, out.key.get());
  X509_NAME* subject = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(name), -1, -1, 0);
  X509* signer = issuer == nullptr ? certificate : issuer->certificate.get();
  X509_set_issuer_name(certificate, X509_get_subject_name(signer));
  if (issuer == nullptr) {
    add_extension(certificate, signer, NID_basic_constraints, "critical,CA:TRUE");
  } else {
    add_extension(certificate, signer, NID_subject_alt_name, "IP:127.0.0.1");
  }
  EVP_PKEY* key = issuer == nullptr ? out.key.get() : issuer->key.get();
  require(X509_sign(certificate, key, EVP_sha256()) > 0, "sign");
  return out;
}

}  // namespace

const Certificates& certificates() {
  static const Certificates made = [] {
    const Pair ca = make("test CA", nullptr);
    return Certificates{ca.text(), make("test server", &ca).text()};
  }();
  return made;
}

const Pem& stranger() {
  static const Pem made = make("stranger", nullptr).text();
  return made;
}

}  // namespace rollcall::kube::testing
