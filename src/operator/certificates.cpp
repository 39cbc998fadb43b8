#include "operator/certificates.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <memory>

namespace rollcall::operator_ {
namespace {

using std::chrono::hours;

// Clocks of nodes differ; a certificate that is a day old already is accepted by all of them.
constexpr auto kBackdated = hours(24);
constexpr auto kAuthorityLife = hours(24 * 365);
constexpr auto kLeafLife = hours(24 * 90);

template <auto Free>
struct Freed {
  template <typename T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};
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
  std::string alternative_name;  ///< empty = an authority
  Validity validity;
};

Result<KeyPair> make(const Wanted& wanted, X509* issuer, EVP_PKEY* issuer_key) {
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate(X509_new());
  if (!key || !certificate) return failed("making a key");
  X509* x = certificate.get();
  X509* by = issuer != nullptr ? issuer : x;
  const bool authority = wanted.alternative_name.empty();
  const bool made =
      X509_set_version(x, 2) == 1 && set_serial(x) && set_time(X509_getm_notBefore(x), wanted.validity.from) &&
      set_time(X509_getm_notAfter(x), wanted.validity.to) && set_name(X509_get_subject_name(x), wanted.common_name) &&
      X509_set_issuer_name(x, X509_get_subject_name(by)) == 1 && X509_set_pubkey(x, key.get()) == 1 &&
      add_extension(x, by, NID_basic_constraints, authority ? "critical,CA:TRUE,pathlen:0" : "critical,CA:FALSE") &&
      add_extension(x, by, NID_key_usage, authority ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature") &&
      add_extension(x, by, NID_subject_key_identifier, "hash") &&
      add_extension(x, by, NID_authority_key_identifier, "keyid:always") &&
      (authority || (add_extension(x, by, NID_ext_key_usage, "serverAuth") &&
                     add_extension(x, by, NID_subject_alt_name, "DNS:" + wanted.alternative_name))) &&
      X509_sign(x, issuer_key != nullptr ? issuer_key : key.get(), EVP_sha256()) > 0;
  if (!made) return failed("making a certificate");

  const Bio certificate_text(BIO_new(BIO_s_mem()));
  const Bio key_text(BIO_new(BIO_s_mem()));
  if (!certificate_text || !key_text || PEM_write_bio_X509(certificate_text.get(), x) != 1 ||
      PEM_write_bio_PKCS8PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return failed("writing a certificate");
  }
  return KeyPair{text_of(certificate_text), text_of(key_text)};
}

/// The moment at which `part` of `whole` of a certificate's life is over; nullopt when it cannot be read.
std::optional<WallTime> life(const std::string& pem, int part, int whole) {
  const auto validity = validity_of(pem);
  if (!validity) return std::nullopt;
  return validity->from + (validity->to - validity->from) / whole * part;
}

bool fits(const KeyPair& pair) {
  const auto certificate = certificate_from(pair.certificate);
  const auto key = key_from(pair.key);
  const bool fit = certificate && key && X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  return fit;
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

Result<KeyPair> make_authority(WallTime now) {
  // The date in the name tells two authorities apart in a bundle.
  return make({"rollcall-ca " + rfc3339(now), "", {now - kBackdated, now + kAuthorityLife}}, nullptr, nullptr);
}

Result<KeyPair> issue(const KeyPair& authority, const std::string& name, WallTime now) {
  const auto certificate = certificate_from(authority.certificate);
  const auto key = key_from(authority.key);
  const auto validity = validity_of(authority.certificate);
  if (!certificate || !key || !validity)
    return Error{"the authority's certificate or key cannot be read", "Certificate"};
  return make(
      {"rollcall-desk", name, {std::max(now - kBackdated, validity->from), std::min(now + kLeafLife, validity->to)}},
      certificate.get(), key.get());
}

bool issued_by(const std::string& certificate_pem, const std::string& authority_pem, const std::string& name) {
  const auto certificate = certificate_from(certificate_pem);
  const auto authority = certificate_from(authority_pem);
  if (!certificate || !authority) return false;
  const bool signed_by = X509_verify(certificate.get(), X509_get0_pubkey(authority.get())) == 1;
  const bool named = X509_check_host(certificate.get(), name.data(), name.size(), 0, nullptr) == 1;
  ERR_clear_error();
  return signed_by && named;
}

Result<Authority> authority_at(const std::optional<Authority>& stored, WallTime now) {
  Authority authority;
  if (stored && fits(stored->current)) authority = *stored;
  const auto expiry = life(authority.current.certificate, 1, 1);
  if (!expiry || *expiry <= now) {
    // Nothing to carry over: what it signed is not accepted any more.
    auto made = make_authority(now);
    if (!made) return made.error();
    return Authority{std::move(made.value()), std::nullopt, ""};
  }
  if (authority.next && !fits(*authority.next)) authority.next.reset();
  if (!authority.next && now >= *life(authority.current.certificate, 2, 3)) {
    auto made = make_authority(now);
    if (!made) return made.error();
    authority.next = std::move(made.value());
  }
  // Promoted only when it has been told for a while: a next one made this moment waits for the following look.
  if (authority.next && stored->next == authority.next && now >= *life(authority.current.certificate, 5, 6)) {
    authority.previous = authority.current.certificate;
    authority.current = *authority.next;
    authority.next.reset();
  }
  if (!authority.previous.empty()) {
    const auto end = life(authority.previous, 1, 1);
    if (!end || *end <= now) authority.previous.clear();
  }
  return authority;
}

Result<KeyPair> leaf_at(const std::optional<KeyPair>& stored, const Authority& authority, const std::string& name,
                        WallTime now) {
  if (stored && fits(*stored) && issued_by(stored->certificate, authority.current.certificate, name)) {
    const auto renew = life(stored->certificate, 2, 3);
    if (renew && now < *renew) return *stored;
  }
  return issue(authority.current, name, now);
}

std::string bundle_of(const Authority& authority) {
  return authority.current.certificate + (authority.next ? authority.next->certificate : "") + authority.previous;
}

}  // namespace rollcall::operator_
