#include "desk/support/tokens.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/rsa.h>

#include <stdexcept>
#include <vector>

#include "desk/token/base64url.h"

namespace rollcall::desk::testing {
namespace {

using Json = nlohmann::json;

std::string number(EVP_PKEY* pkey, const char* name, std::size_t pad) {
  BIGNUM* value = nullptr;
  if (EVP_PKEY_get_bn_param(pkey, name, &value) != 1) throw std::runtime_error(std::string("no parameter ") + name);
  const std::size_t size = pad != 0 ? pad : static_cast<std::size_t>(BN_num_bytes(value));
  std::string bytes(size, '\0');
  BN_bn2binpad(value, reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(size));
  BN_free(value);
  return bytes;
}

std::size_t coordinate(const std::string& curve) { return curve == "P-256" ? 32 : curve == "P-384" ? 48 : 66; }

}  // namespace

SigningKey SigningKey::rsa(std::string kid) {
  SigningKey key;
  key.kid_ = std::move(kid);
  key.algorithm_ = "RS256";
  key.pkey_ = {EVP_RSA_gen(2048), EVP_PKEY_free};
  return key;
}

SigningKey SigningKey::ec(std::string kid, const char* curve) {
  SigningKey key;
  key.kid_ = std::move(kid);
  key.curve_ = curve;
  key.algorithm_ = key.curve_ == "P-256" ? "ES256" : key.curve_ == "P-384" ? "ES384" : "ES512";
  key.pkey_ = {EVP_EC_gen(curve), EVP_PKEY_free};
  return key;
}

Json SigningKey::jwk() const {
  if (curve_.empty())
    return {{"kty", "RSA"},
            {"kid", kid_},
            {"use", "sig"},
            {"alg", "RS256"},
            {"n", to_base64url(number(pkey_.get(), OSSL_PKEY_PARAM_RSA_N, 0))},
            {"e", to_base64url(number(pkey_.get(), OSSL_PKEY_PARAM_RSA_E, 0))}};
  const auto size = coordinate(curve_);
  return {{"kty", "EC"},
          {"kid", kid_},
          {"use", "sig"},
          {"crv", curve_},
          {"x", to_base64url(number(pkey_.get(), OSSL_PKEY_PARAM_EC_PUB_X, size))},
          {"y", to_base64url(number(pkey_.get(), OSSL_PKEY_PARAM_EC_PUB_Y, size))}};
}

std::string SigningKey::sign(const std::string& text) const {
  const EVP_MD* digest = algorithm_ == "ES384" ? EVP_sha384() : algorithm_ == "ES512" ? EVP_sha512() : EVP_sha256();
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  std::size_t size = 0;
  const auto* input = reinterpret_cast<const unsigned char*>(text.data());
  EVP_DigestSignInit(context.get(), nullptr, digest, nullptr, pkey_.get());
  EVP_DigestSign(context.get(), nullptr, &size, input, text.size());
  std::vector<unsigned char> out(size);
  if (EVP_DigestSign(context.get(), out.data(), &size, input, text.size()) != 1)
    throw std::runtime_error("signing failed");
  if (curve_.empty()) return {out.begin(), out.begin() + static_cast<std::ptrdiff_t>(size)};
  const unsigned char* der = out.data();
  const std::unique_ptr<ECDSA_SIG, void (*)(ECDSA_SIG*)> pair(d2i_ECDSA_SIG(nullptr, &der, static_cast<long>(size)),
                                                              ECDSA_SIG_free);
  const auto each = coordinate(curve_);
  std::string joined(2 * each, '\0');
  auto* bytes = reinterpret_cast<unsigned char*>(joined.data());
  BN_bn2binpad(ECDSA_SIG_get0_r(pair.get()), bytes, static_cast<int>(each));
  BN_bn2binpad(ECDSA_SIG_get0_s(pair.get()), bytes + each, static_cast<int>(each));
  return joined;
}

Json jwks(std::initializer_list<SigningKey> keys) {
  Json list = Json::array();
  for (const auto& key : keys) list.push_back(key.jwk());
  return {{"keys", list}};
}

std::string sign_token(const SigningKey& key, const Json& header, const Json& payload) {
  const std::string part = to_base64url(header.dump()) + "." + to_base64url(payload.dump());
  return part + "." + to_base64url(key.sign(part));
}

Json payload_of(const TokenSpec& spec) {
  return {{"aud", Json::array({spec.audience})},
          {"exp", spec.expires},
          {"iss", "https://kubernetes.default.svc"},
          {"sub", "system:serviceaccount:" + spec.namespace_name + ":default"},
          {"kubernetes.io",
           {{"namespace", spec.namespace_name}, {"pod", {{"name", spec.pod_name}, {"uid", spec.pod_uid}}}}}};
}

std::string make_token(const SigningKey& key, const TokenSpec& spec) {
  return sign_token(key, {{"alg", key.algorithm()}, {"kid", key.kid()}}, payload_of(spec));
}

}  // namespace rollcall::desk::testing
