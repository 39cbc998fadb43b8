#include "desk/token/key_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "desk/support/tokens.h"
#include "desk/token/base64url.h"

namespace rollcall::desk {
namespace {

using ::testing::HasSubstr;
using testing::jwks;
using testing::make_token;
using testing::payload_of;
using testing::sign_token;
using testing::SigningKey;
using Json = nlohmann::json;

KeySet set_of(std::initializer_list<SigningKey> keys) { return *KeySet::from_jwks(jwks(keys).dump()); }
Signature verdict(const KeySet& set, const std::string& token) { return set.verify(*claims_of(token)); }

TEST(KeySet, VerifiesWhatTheClusterSigned) {
  const auto rsa = SigningKey::rsa("r");
  const auto p256 = SigningKey::ec("a"), p384 = SigningKey::ec("b", "P-384"), p521 = SigningKey::ec("c", "P-521");
  const KeySet set = set_of({rsa, p256, p384, p521});
  EXPECT_EQ(set.size(), 4u);
  for (const auto& key : {rsa, p256, p384, p521})
    EXPECT_EQ(verdict(set, make_token(key, {})), Signature::Good) << key.kid();
}

TEST(KeySet, RefusesWhatAnotherKeySigned) {
  for (const bool rsa : {true, false}) {
    const auto make = [&] { return rsa ? SigningKey::rsa("k") : SigningKey::ec("k"); };
    const auto cluster = make(), stranger = make();
    EXPECT_EQ(verdict(set_of({cluster}), make_token(stranger, {})), Signature::Bad);
  }
}

TEST(KeySet, RefusesChangedClaims) {
  const auto key = SigningKey::ec("k");
  const std::string token = make_token(key, {.pod_uid = "mine"});
  const auto first = token.find('.'), second = token.find('.', first + 1);
  const std::string forged =
      token.substr(0, first + 1) + to_base64url(payload_of({.pod_uid = "theirs"}).dump()) + token.substr(second);
  EXPECT_EQ(verdict(set_of({key}), forged), Signature::Bad);
}

TEST(KeySet, TheKeySaysTheAlgorithmNeverTheToken) {
  const auto rsa = SigningKey::rsa("r"), ec = SigningKey::ec("e");
  const KeySet set = set_of({rsa, ec});
  for (const char* algorithm : {"none", "HS256", "RS512", "ES256", "", "rs256"}) {
    EXPECT_EQ(verdict(set, sign_token(rsa, {{"alg", algorithm}, {"kid", "r"}}, payload_of({}))), Signature::Bad)
        << algorithm;
  }
  EXPECT_EQ(verdict(set, sign_token(ec, {{"alg", "RS256"}, {"kid", "e"}}, payload_of({}))), Signature::Bad);
}

TEST(KeySet, AnEmptyOrCutSignatureIsBad) {
  const auto ec = SigningKey::ec("e"), rsa = SigningKey::rsa("r");
  const KeySet set = set_of({ec, rsa});
  for (const auto& key : {ec, rsa}) {
    std::string token = make_token(key, {});
    EXPECT_EQ(verdict(set, token.substr(0, token.rfind('.') + 1)), Signature::Bad);
    const auto whole = claims_of(token)->signature;
    const auto cut = token.substr(0, token.rfind('.') + 1) + to_base64url(whole.substr(0, whole.size() - 1));
    EXPECT_EQ(verdict(set, cut), Signature::Bad);
    const auto zeros = token.substr(0, token.rfind('.') + 1) + to_base64url(std::string(64, '\0'));
    EXPECT_EQ(verdict(set, zeros), Signature::Bad);
  }
}

TEST(KeySet, AKeyItLacksIsUnknown) {
  EXPECT_EQ(verdict(set_of({SigningKey::ec("old")}), make_token(SigningKey::ec("new"), {})), Signature::UnknownKey);
}

TEST(KeySet, PassesOverKeysItCannotUse) {
  const auto good = SigningKey::ec("good");
  Json document = jwks({good});
  document["keys"].push_back({{"kty", "OKP"}, {"crv", "Ed25519"}, {"kid", "x"}, {"x", "AA"}});
  document["keys"].push_back({{"kty", "RSA"}, {"kid", "y"}, {"n", std::string(3000, 'A')}, {"e", "AQAB"}});
  document["keys"].push_back({{"kty", "EC"},
                              {"crv", "P-256"},
                              {"kid", "z"},
                              {"x", to_base64url(std::string(32, 1))},
                              {"y", to_base64url(std::string(32, 2))}});
  document["keys"].push_back("no object");
  const auto set = KeySet::from_jwks(document.dump());
  ASSERT_TRUE(set.ok());
  EXPECT_EQ(set->size(), 1u) << "a point off the curve and a modulus beyond reason are no keys";
}

TEST(KeySet, WhatIsNoKeySetIsSaid) {
  for (const char* text : {"", "[]", "{}", R"({"keys": 3})"}) {
    const auto set = KeySet::from_jwks(text);
    ASSERT_FALSE(set.ok());
    EXPECT_THAT(set.error().message, HasSubstr("list `keys`"));
  }
  EXPECT_THAT(KeySet::from_jwks(R"({"keys": []})").error().message, HasSubstr("no RSA, P-256"));
}

}  // namespace
}  // namespace rollcall::desk
