#include "desk/token/claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "desk/support/tokens.h"
#include "desk/token/base64url.h"

namespace rollcall::desk {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::payload_of;
using testing::sign_token;
using testing::SigningKey;

const SigningKey& key() {
  static const SigningKey kKey = SigningKey::ec("k1");
  return kKey;
}

TEST(Base64Url, ReadsWhatItWrites) {
  for (std::size_t size = 0; size < 70; ++size) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<char>(i * 37 + size));
    EXPECT_EQ(from_base64url(to_base64url(bytes)), bytes);
  }
  EXPECT_EQ(to_base64url("\xfb\xff"), "-_8");
}

TEST(Base64Url, OneValueHasOneForm) {
  for (const char* text : {"a", "ab+/", "ab==", "YWI", "YW J", "-_9", "abcde"}) {
    if (std::string(text) == "YWI") {
      EXPECT_EQ(from_base64url(text), "ab");
      continue;
    }
    EXPECT_EQ(from_base64url(text), std::nullopt) << text;
  }
}

TEST(Claims, AreReadFromAProjectedToken) {
  const auto claims = claims_of(make_token(key(), {.expires = 1796053000, .pod_uid = "u-7"}));
  ASSERT_TRUE(claims.ok());
  EXPECT_EQ(claims->algorithm, "ES256");
  EXPECT_EQ(claims->key_id, "k1");
  EXPECT_THAT(claims->audiences, ElementsAre("rollcall"));
  EXPECT_EQ(claims->expires, 1796053000);
  EXPECT_EQ(claims->pod_uid, "u-7");
  EXPECT_EQ(claims->pod_name, "llama-0-1");
  EXPECT_EQ(claims->namespace_name, "train");
}

TEST(Claims, OneAudienceMayBeAString) {
  auto payload = payload_of({});
  payload["aud"] = "rollcall";
  EXPECT_THAT(claims_of(sign_token(key(), {{"alg", "ES256"}}, payload))->audiences, ElementsAre("rollcall"));
}

TEST(Claims, OddTypesAreNothingRatherThanAGuess) {
  const auto claims = claims_of(sign_token(key(), {{"alg", 7}, {"kid", nullptr}},
                                           {{"aud", {1, nullptr, "rollcall"}},
                                            {"exp", "soon"},
                                            {"kubernetes.io", {{"pod", {{"uid", {1}}}}, {"namespace", 3}}}}));
  ASSERT_TRUE(claims.ok());
  EXPECT_EQ(claims->algorithm, "");
  EXPECT_THAT(claims->audiences, ElementsAre("rollcall"));
  EXPECT_EQ(claims->expires, 0);
  EXPECT_EQ(claims->pod_uid, "");
}

TEST(Claims, AnExpiryNoClockCanSayIsNone) {
  for (const double when : {-5.0, 1e300, 1e12}) {
    auto payload = payload_of({});
    payload["exp"] = when;
    EXPECT_EQ(claims_of(sign_token(key(), {{"alg", "ES256"}}, payload))->expires, 0) << when;
  }
}

TEST(Claims, WhatIsMalformedIsSaidWithoutTheToken) {
  const std::string good = make_token(key(), {});
  const struct {
    std::string token;
    const char* says;
  } cases[] = {
      {"", "three parts"},
      {"secret", "three parts"},
      {"secret.secret", "three parts"},
      {good + ".secret", "three parts"},
      {"secret!.e30.AA", "header is not base64url"},
      {"c2VjcmV0.e30.AA", "header is not a JSON object"},
      {"e30.c2VjcmV0.AA", "payload is not a JSON object"},
      {"e30.W10.AA", "payload is not a JSON object"},
      {"e30.e30.secret!", "signature is not base64url"},
      {std::string(kMaxTokenBytes + 1, 'x'), "8193 bytes, more than 8192"},
  };
  for (const auto& [token, says] : cases) {
    const auto claims = claims_of(token);
    ASSERT_FALSE(claims.ok()) << says;
    EXPECT_THAT(claims.error().message, HasSubstr(says));
    EXPECT_THAT(claims.error().message, Not(HasSubstr("secret")));
  }
}

TEST(BearerToken, IsTakenFromItsHeader) {
  EXPECT_EQ(*bearer_token("Bearer abc"), "abc");
  EXPECT_EQ(*bearer_token("bearer abc"), "abc");
  for (const char* header : {"", "Bearer", "Bearer ", "Basic abc", "abc"}) {
    const auto token = bearer_token(header);
    ASSERT_FALSE(token.ok()) << header;
    EXPECT_THAT(token.error().message, HasSubstr("Authorization: Bearer TOKEN"));
  }
}

}  // namespace
}  // namespace rollcall::desk
