#include "operator/trust/certificates.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/freed.h"

namespace rollcall::operator_ {
namespace {

/// X.520: a longer common name is refused; verification goes by the alternative names alone.
constexpr std::size_t kLongestCommonName = 64;

using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Bio = std::unique_ptr<BIO, Freed<BIO_free_all>>;
using Extension = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>>;

Error failed(const std::string& what) {
  std::array<char, 256> text{};
  ERR_error_string_n(ERR_get_error(), text.data(), text.size());
  ERR_clear_error();
  return {what + ": " + text.data(), "Certificate"};
}

Bio reading(const std::string& pem) { return Bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()))); }

std::string text_of(const Bio& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return size > 0 ? std::string(data, static_cast<std::size_t>(size)) : std::string();
}

std::string text_of(X509* certificate) {
  const Bio bio(BIO_new(BIO_s_mem()));
  return bio && PEM_write_bio_X509(bio.get(), certificate) == 1 ? text_of(bio) : "";
}

Certificate certificate_from(const std::string& pem) {
  Certificate certificate(PEM_read_bio_X509(reading(pem).get(), nullptr, nullptr, nullptr));
  if (!certificate) ERR_clear_error();
  return certificate;
}

Key key_from(const std::string& pem) {
  Key key(PEM_read_bio_PrivateKey(reading(pem).get(), nullptr, nullptr, nullptr));
  if (!key) ERR_clear_error();
  return key;
}

bool set_time(ASN1_TIME* field, WallTime time) {
  return ASN1_TIME_set(field, std::chrono::system_clock::to_time_t(time)) != nullptr;
}

std::optional<WallTime> time_of(const ASN1_TIME* field) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(field, &parts) != 1) return std::nullopt;
  return std::chrono::time_point_cast<WallTime::duration>(std::chrono::system_clock::from_time_t(timegm(&parts)));
}

bool set_serial(X509* certificate) {
  std::array<unsigned char, 16> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) return false;
  bytes[0] &= 0x7f;  // a serial number is positive
  const std::unique_ptr<BIGNUM, Freed<BN_free>> number(
      BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr));
  return number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool add_extension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool set_name(X509_NAME* name, const std::string& common) {
  return X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(common.c_str()),
                                    -1, -1, 0) == 1;
}

struct Wanted {
  std::string common_name;
  std::vector<std::string> names;  ///< empty = an authority
  Validity validity;
};

std::string alternatives(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "DNS:" : ",DNS:") + name;
  return text;
}

bool set_identity(X509* x, const Validity& validity, const X509_NAME* issuer) {
  return X509_set_version(x, 2) == 1 && set_serial(x) && set_time(X509_getm_notBefore(x), validity.from) &&
         set_time(X509_getm_notAfter(x), validity.to) && X509_set_issuer_name(x, issuer) == 1;
}

bool set_purpose(X509* x, X509* by, const std::vector<std::string>& names, int authorities_below) {
  const bool authority = names.empty();
  const auto constraints =
      authority ? "critical,CA:TRUE,pathlen:" + std::to_string(authorities_below) : std::string("critical,CA:FALSE");
  return add_extension(x, by, NID_basic_constraints, constraints) &&
         add_extension(x, by, NID_key_usage,
                       authority ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature") &&
         add_extension(x, by, NID_subject_key_identifier, "hash") &&
         add_extension(x, by, NID_authority_key_identifier, "keyid:always") &&
         (authority || (add_extension(x, by, NID_ext_key_usage, "serverAuth") &&
                        add_extension(x, by, NID_subject_alt_name, alternatives(names))));
}

Result<KeyPair> make(const Wanted& wanted, X509* issuer, EVP_PKEY* issuer_key) {
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate(X509_new());
  if (!key || !certificate) return failed("making a key");
  X509* x = certificate.get();
  X509* by = issuer != nullptr ? issuer : x;
  // The subject stands before the issuer is copied from it: an authority is its own issuer.
  const bool made = set_name(X509_get_subject_name(x), wanted.common_name) && X509_set_pubkey(x, key.get()) == 1 &&
                    set_identity(x, wanted.validity, X509_get_subject_name(by)) &&
                    set_purpose(x, by, wanted.names, 1) &&
                    X509_sign(x, issuer_key != nullptr ? issuer_key : key.get(), EVP_sha256()) > 0;
  if (!made) return failed("making a certificate");

  const auto certificate_text = text_of(x);
  const Bio key_text(BIO_new(BIO_s_mem()));
  if (certificate_text.empty() || !key_text ||
      PEM_write_bio_PKCS8PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return failed("writing a certificate");
  }
  return KeyPair{certificate_text, text_of(key_text)};
}

}  // namespace

Result<Validity> validity_of(const std::string& certificate_pem) {
  const auto certificate = certificate_from(certificate_pem);
  if (!certificate) return Error{"no certificate in the text", "Certificate"};
  const auto from = time_of(X509_get0_notBefore(certificate.get()));
  const auto to = time_of(X509_get0_notAfter(certificate.get()));
  if (!from || !to) return Error{"a certificate with unreadable times", "Certificate"};
  return Validity{*from, *to};
}

Result<KeyPair> make_authority(WallTime now, std::chrono::hours life) {
  // The date in the name tells two authorities apart in a bundle.
  return make({"rollcall-ca " + rfc3339(now), {}, {now - kBackdated, now + life}}, nullptr, nullptr);
}

Result<KeyPair> issue(const KeyPair& authority, const std::vector<std::string>& names, WallTime now,
                      std::chrono::hours life) {
  const auto certificate = certificate_from(authority.certificate);
  const auto key = key_from(authority.key);
  const auto validity = validity_of(authority.certificate);
  if (!certificate || !key || !validity)
    return Error{"the authority's certificate or key cannot be read", "Certificate"};
  return make({names.front().substr(0, kLongestCommonName),
               names,
               {std::max(now - kBackdated, validity->from), std::min(now + life, validity->to)}},
              certificate.get(), key.get());
}

Result<std::string> bridge_from(const KeyPair& older, const std::string& authority_pem) {
  const auto authority = certificate_from(authority_pem);
  const auto certificate = certificate_from(older.certificate);
  const auto key = key_from(older.key);
  const auto validity = validity_of(older.certificate);
  if (!authority || !certificate || !key || !validity)
    return Error{"an authority's certificate or key cannot be read", "Certificate"};
  const Certificate bridge(X509_new());
  X509* x = bridge.get();
  const auto from = time_of(X509_get0_notBefore(authority.get()));
  const bool made = x != nullptr && from && X509_set_subject_name(x, X509_get_subject_name(authority.get())) == 1 &&
                    X509_set_pubkey(x, X509_get0_pubkey(authority.get())) == 1 &&
                    set_identity(x, {*from, validity->to}, X509_get_subject_name(certificate.get())) &&
                    set_purpose(x, certificate.get(), {}, 0) && X509_sign(x, key.get(), EVP_sha256()) > 0;
  auto text = made ? text_of(x) : "";
  if (text.empty()) return failed("making a certificate between two authorities");
  return text;
}

bool issued_by(const std::string& certificate_pem, const std::string& authority_pem,
               const std::vector<std::string>& names) {
  const auto certificate = certificate_from(certificate_pem);
  const auto authority = certificate_from(authority_pem);
  if (!certificate || !authority) return false;
  const bool signed_by = X509_verify(certificate.get(), X509_get0_pubkey(authority.get())) == 1;
  const bool named = std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return X509_check_host(certificate.get(), name.data(), name.size(), 0, nullptr) == 1;
  });
  ERR_clear_error();
  return signed_by && named;
}

bool fits(const KeyPair& pair) {
  const auto certificate = certificate_from(pair.certificate);
  const auto key = key_from(pair.key);
  const bool fit = certificate && key && X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  return fit;
}

std::string first_of(const std::string& chain_pem) {
  constexpr std::string_view kEnd = "-----END CERTIFICATE-----\n";
  const auto end = chain_pem.find(kEnd);
  return end == std::string::npos ? chain_pem : chain_pem.substr(0, end + kEnd.size());
}

}  // namespace rollcall::operator_
