#pragma once

#include <openssl/evp.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

namespace rollcall::desk::testing {

/// A key pair as a cluster has it, made for this process.
class SigningKey {
 public:
  static SigningKey rsa(std::string kid);
  static SigningKey ec(std::string kid, const char* curve = "P-256");

  const std::string& kid() const { return kid_; }
  const std::string& algorithm() const { return algorithm_; }
  nlohmann::json jwk() const;
  /// Signature in JOSE's form.
  std::string sign(const std::string& text) const;

 private:
  std::string kid_, algorithm_, curve_;
  std::shared_ptr<EVP_PKEY> pkey_;
};

nlohmann::json jwks(std::initializer_list<SigningKey> keys);

/// What a projected token of a pod holds.
struct TokenSpec {
  std::string audience = "rollcall";
  std::int64_t expires = 0;  ///< seconds since 1970
  std::string pod_uid = "uid-0";
  std::string pod_name = "llama-0-1";
  std::string namespace_name = "train";
};
std::string make_token(const SigningKey& key, const TokenSpec& spec);
/// Any header and payload, signed by `key`.
std::string sign_token(const SigningKey& key, const nlohmann::json& header, const nlohmann::json& payload);
nlohmann::json payload_of(const TokenSpec& spec);

}  // namespace rollcall::desk::testing
