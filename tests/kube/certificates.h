#pragma once

#include <string>

namespace rollcall::kube::testing {

struct Pem {
  std::string certificate;
  std::string key;
};

/// A CA and a server's certificate for the address 127.0.0.1 alone, made anew in each process: nothing to expire in a
/// tree.
struct Certificates {
  Pem ca;
  Pem server;
};
const Certificates& certificates();

/// A CA that has signed nothing here.
const Pem& stranger();

}  // namespace rollcall::kube::testing
