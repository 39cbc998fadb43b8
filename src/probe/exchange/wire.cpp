#include "probe/exchange/wire.h"

#include <openssl/crypto.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <cstring>

namespace rollcall::probe {
namespace {

constexpr std::string_view kMagic = "ROLLCAL1";
constexpr std::size_t kHeadBytes = 20;  // magic 8, kind 1, side 1, zero 2, from 4, to 4
static_assert(kHeadBytes + 32 == kGreetingBytes);

void put_u32(unsigned char* at, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) at[i] = static_cast<unsigned char>(value >> (24 - 8 * i));
}

std::uint32_t get_u32(const unsigned char* at) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = (value << 8) | at[i];
  return value;
}

/// HMAC-SHA256 of the head, written behind it.
void sign(GreetingBytes& bytes, std::string_view nonce) {
  unsigned int length = 32;
  HMAC(EVP_sha256(), nonce.data(), static_cast<int>(nonce.size()), bytes.data(), kHeadBytes, bytes.data() + kHeadBytes,
       &length);
}

}  // namespace

GreetingBytes encode(const Greeting& greeting, std::string_view nonce) {
  GreetingBytes bytes{};
  std::memcpy(bytes.data(), kMagic.data(), kMagic.size());
  bytes[8] = static_cast<unsigned char>(greeting.kind);
  bytes[9] = static_cast<unsigned char>(greeting.side);
  put_u32(bytes.data() + 12, static_cast<std::uint32_t>(greeting.from));
  put_u32(bytes.data() + 16, static_cast<std::uint32_t>(greeting.to));
  sign(bytes, nonce);
  return bytes;
}

std::optional<Greeting> decode(const GreetingBytes& bytes, std::string_view nonce) {
  if (std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) return std::nullopt;
  GreetingBytes expected = bytes;
  sign(expected, nonce);
  if (CRYPTO_memcmp(bytes.data(), expected.data(), bytes.size()) != 0) return std::nullopt;
  return Greeting{static_cast<ExchangeKind>(bytes[8]), static_cast<ExchangeSide>(bytes[9]),
                  static_cast<int>(get_u32(bytes.data() + 12)), static_cast<int>(get_u32(bytes.data() + 16))};
}

namespace {

std::string period_of(ExchangeSide side) {
  std::string period(kPayloadPeriod, '\0');
  auto state = static_cast<std::uint32_t>(side) * 2654435761U + 1;
  std::generate(period.begin(), period.end(), [&state] {
    state = state * 1664525U + 1013904223U;  // any sequence that does not repeat within a packet will do
    return static_cast<char>(state >> 24);
  });
  return period;
}

}  // namespace

std::string_view payload_from(ExchangeSide side, std::size_t at, std::size_t left) {
  static const std::string of_client = period_of(ExchangeSide::Client);
  static const std::string of_server = period_of(ExchangeSide::Server);
  const std::string& period = side == ExchangeSide::Client ? of_client : of_server;
  return std::string_view(period).substr(at % kPayloadPeriod, left);
}

}  // namespace rollcall::probe
