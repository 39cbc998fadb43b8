#pragma once

#include <string>

namespace rollcall::probe::testing {

struct KeyPair {
  std::string certificate;  ///< PEM
  std::string key;          ///< PEM
};

/// An authority for tests.
KeyPair make_authority(const std::string& name);

/// A server's certificate for `dns_name`, signed by `authority`, valid from now + `from` to now + `to` seconds.
KeyPair make_server(const KeyPair& authority, const std::string& dns_name, long from = -3600, long to = 3600);

}  // namespace rollcall::probe::testing
