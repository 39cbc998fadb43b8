#include "desk/token/key_set.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include <nlohmann/json.hpp>

#include "desk/token/base64url.h"

namespace rollcall::desk {
namespace {

using Json = nlohmann::json;
template <class T, void (*Free)(T*)>
struct Freer {
  void operator()(T* p) const { Free(p); }
};
using Pkey = std::shared_ptr<EVP_PKEY>;
using Bignum = std::unique_ptr<BIGNUM, Freer<BIGNUM, BN_free>>;
using PkeyContext = std::unique_ptr<EVP_PKEY_CTX, Freer<EVP_PKEY_CTX, EVP_PKEY_CTX_free>>;
using ParamBuilder = std::unique_ptr<OSSL_PARAM_BLD, Freer<OSSL_PARAM_BLD, OSSL_PARAM_BLD_free>>;
using Params = std::unique_ptr<OSSL_PARAM, Freer<OSSL_PARAM, OSSL_PARAM_free>>;
using Digest = std::unique_ptr<EVP_MD_CTX, Freer<EVP_MD_CTX, EVP_MD_CTX_free>>;
using EcdsaSignature = std::unique_ptr<ECDSA_SIG, Freer<ECDSA_SIG, ECDSA_SIG_free>>;

/// Key sets hold one or two keys, a handful while they are rotated; more is not a cluster's.
constexpr std::size_t kMaxKeys = 64;
/// Largest RSA modulus in bytes (8,192 bits): verifying costs grow with its square.
constexpr std::size_t kMaxModulus = 1024;

struct Curve {
  const char* jose;  // RFC 7518, 6.2.1.1
  const char* openssl;
  const char* algorithm;
  std::size_t bytes;  // of a coordinate
};
constexpr Curve kCurves[] = {
    {"P-256", "prime256v1", "ES256", 32}, {"P-384", "secp384r1", "ES384", 48}, {"P-521", "secp521r1", "ES512", 66}};

const unsigned char* raw(const std::string& bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }

std::string bytes_at(const Json& key, const char* name) {
  const auto it = key.find(name);
  if (it == key.end() || !it->is_string()) return {};
  return from_base64url(it->get<std::string>()).value_or("");
}

Pkey pkey_from(const char* type, OSSL_PARAM_BLD* builder) {
  const PkeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  const Params params(OSSL_PARAM_BLD_to_param(builder));
  EVP_PKEY* key = nullptr;
  if (!context || !params || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, params.get()) != 1) {
    ERR_clear_error();
    return nullptr;
  }
  return {key, EVP_PKEY_free};
}

Pkey rsa_key(const Json& key) {
  const std::string n = bytes_at(key, "n"), e = bytes_at(key, "e");
  if (n.empty() || e.empty() || n.size() > kMaxModulus || e.size() > 8) return nullptr;
  const Bignum modulus(BN_bin2bn(raw(n), static_cast<int>(n.size()), nullptr));
  const Bignum exponent(BN_bin2bn(raw(e), static_cast<int>(e.size()), nullptr));
  const ParamBuilder builder(OSSL_PARAM_BLD_new());
  if (OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, modulus.get()) != 1 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, exponent.get()) != 1)
    return nullptr;
  return pkey_from("RSA", builder.get());
}

Pkey ec_key(const Json& key, const Curve& curve) {
  const std::string x = bytes_at(key, "x"), y = bytes_at(key, "y");
  if (x.size() != curve.bytes || y.size() != curve.bytes) return nullptr;
  const std::string point = "\x04" + x + y;  // uncompressed
  const ParamBuilder builder(OSSL_PARAM_BLD_new());
  if (OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, curve.openssl, 0) != 1 ||
      OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()) != 1)
    return nullptr;
  return pkey_from("EC", builder.get());
}

const Curve* curve_of(const std::string& algorithm) {
  for (const auto& curve : kCurves)
    if (algorithm == curve.algorithm) return &curve;
  return nullptr;
}

/// JOSE writes an ECDSA signature as r and s side by side; OpenSSL wants DER. Empty when it cannot be one.
std::string der_of(const std::string& signature, std::size_t bytes) {
  if (signature.size() != 2 * bytes) return {};
  const EcdsaSignature pair(ECDSA_SIG_new());
  BIGNUM* r = BN_bin2bn(raw(signature), static_cast<int>(bytes), nullptr);
  BIGNUM* s = BN_bin2bn(raw(signature) + bytes, static_cast<int>(bytes), nullptr);
  if (ECDSA_SIG_set0(pair.get(), r, s) != 1) {
    BN_free(r);
    BN_free(s);
    return {};
  }
  std::string der(static_cast<std::size_t>(i2d_ECDSA_SIG(pair.get(), nullptr)), '\0');
  auto* out = reinterpret_cast<unsigned char*>(der.data());
  i2d_ECDSA_SIG(pair.get(), &out);
  return der;
}

const EVP_MD* digest_of(const std::string& algorithm) {
  if (algorithm == "ES384") return EVP_sha384();
  if (algorithm == "ES512") return EVP_sha512();
  return EVP_sha256();
}

}  // namespace

Result<KeySet> KeySet::from_jwks(std::string_view json) {
  const auto document = Json::parse(json, nullptr, false);
  if (!document.is_object() || !document.contains("keys") || !document["keys"].is_array())
    return Error{"the cluster's key set is not a JSON object with a list `keys`"};
  KeySet set;
  for (const auto& key : document["keys"]) {
    if (set.keys_.size() >= kMaxKeys) break;
    if (!key.is_object()) continue;
    const std::string type = key.value("kty", Json()).is_string() ? key["kty"].get<std::string>() : "";
    const std::string kid = key.value("kid", Json()).is_string() ? key["kid"].get<std::string>() : "";
    if (type == "RSA") {
      if (auto pkey = rsa_key(key)) set.keys_[kid] = {"RS256", std::move(pkey)};
    } else if (type == "EC" && key.value("crv", Json()).is_string()) {
      for (const auto& curve : kCurves)
        if (key["crv"] == curve.jose)
          if (auto pkey = ec_key(key, curve)) set.keys_[kid] = {curve.algorithm, std::move(pkey)};
    }
  }
  if (set.keys_.empty())
    return Error{"the cluster's key set holds no RSA, P-256, P-384 or P-521 key among " +
                 std::to_string(document["keys"].size())};
  return set;
}

Signature KeySet::verify(const Claims& claims) const {
  const auto it = keys_.find(claims.key_id);
  if (it == keys_.end()) return Signature::UnknownKey;
  // The key says which algorithm is right, never the token: `none`, or HS256 with our public key as secret, ends here.
  if (claims.algorithm != it->second.algorithm) return Signature::Bad;
  std::string signature = claims.signature;
  if (const Curve* curve = curve_of(claims.algorithm)) signature = der_of(signature, curve->bytes);
  if (signature.empty()) return Signature::Bad;
  const Digest digest(EVP_MD_CTX_new());
  const bool good =
      digest &&
      EVP_DigestVerifyInit(digest.get(), nullptr, digest_of(claims.algorithm), nullptr, it->second.pkey.get()) == 1 &&
      EVP_DigestVerify(digest.get(), raw(signature), signature.size(), raw(claims.signed_part),
                       claims.signed_part.size()) == 1;
  ERR_clear_error();
  return good ? Signature::Good : Signature::Bad;
}

}  // namespace rollcall::desk
