#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// What two probes say to each other over one TCP connection, to prove that it works and that it reaches the right
/// peer:
///   client: greeting, payload    server: greeting at once; payload when all of the client's has come    client: closes
/// The client closes first, always: what a closing server leaves behind on its port is met by the trainer.
namespace rollcall::probe {

enum class ExchangeKind : char {
  MasterPort = 'M',    ///< greetings alone
  Mesh = 'E',          ///< with the mesh's payload
  MeshGreeting = 'G',  ///< greetings alone, to a mesh's server
  MeshLarge = 'L',     ///< with its large one
};
enum class ExchangeSide : char { Client = 'C', Server = 'S' };

inline constexpr std::size_t kGreetingBytes = 52;
using GreetingBytes = std::array<unsigned char, kGreetingBytes>;

struct Greeting {
  ExchangeKind kind = ExchangeKind::Mesh;
  ExchangeSide side = ExchangeSide::Client;
  int from = 0;  ///< node ranks
  int to = 0;
};

/// The greeting is keyed with the round's nonce, which is never sent: only a peer that the desk told can answer it, and
/// a mirror or a probe of another round cannot.
GreetingBytes encode(const Greeting& greeting, std::string_view nonce);
/// nullopt when the bytes are not a greeting of this nonce.
std::optional<Greeting> decode(const GreetingBytes& bytes, std::string_view nonce);

/// Payloads differ by side, so that an echo is not taken for an answer, and repeat after this many bytes: more than any
/// packet holds, so that a part which is missing or comes twice does not look right.
inline constexpr std::size_t kPayloadPeriod = 64 * 1024;

/// The payload of a side from byte `at` on, up to where it repeats; `left` is how much of it is still wanted. Never
/// empty unless `left` is 0.
std::string_view payload_from(ExchangeSide side, std::size_t at, std::size_t left);

}  // namespace rollcall::probe
