#include "desk/service.h"

#include <openssl/rand.h>

#include <array>
#include <stdexcept>

#include "desk/start/program.h"

namespace rollcall::desk {
namespace {

/// Of the 20 s that a reply may be held. A probe whose desk stands still (its machine hangs, its network is cut)
/// notices when the reply is overdue, so this is part of how long a takeover takes; 1,000 waiting probes ask 100 times
/// a second.
constexpr std::chrono::seconds kHold{10};

TimePoint wall_clock() {
  return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

std::string random_hex() {
  std::array<unsigned char, 16> bytes;
  // Without randomness a listener could be answered by who guessed its nonce: no roll call is better than that.
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
    throw std::runtime_error("OpenSSL has no randomness");
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text.push_back(kHex[byte >> 4]);
    text.push_back(kHex[byte & 15]);
  }
  return text;
}

}  // namespace

Status make_service(Program& program) {
  Service::Options options;
  options.now = wall_clock;
  if (program.elector) {
    options.leading = [&program] { return program.elector->leading(); };
    options.leader = [&program] { return program.elector->holder(); };
  } else {
    // Without a lease there are no transitions to count; the term only has to differ from that of the process before.
    options.term = std::chrono::duration_cast<std::chrono::seconds>(wall_clock().time_since_epoch()).count();
  }
  options.nonce_seed = random_hex;
  options.hold = kHold;
  options.numbers = program.metrics.numbers();
  program.service = std::make_unique<Service>(*program.client, std::move(options));
  program.metrics.follow([&program] { return program.service->figures(); });
  return Done{};
}

}  // namespace rollcall::desk
