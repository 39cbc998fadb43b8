#pragma once

#include <map>
#include <string>
#include <vector>

#include "kube/client.h"
#include "operator/trust/authority.h"

namespace rollcall::operator_ {

/// A server that has its pair in a Secret of type kubernetes.io/tls, beside the bundle of its authority (ca.crt).
struct TlsServer {
  std::string certificate;  ///< short name for metrics: desk, webhook
  std::string secret;
  std::string service;  ///< of the same namespace

  /// Every name under which a client inside the cluster may verify the Service: NAME.NS.svc first, which probes and API
  /// servers use.
  std::vector<std::string> names(const std::string& ns) const;
};

/// What clients trust, and until when what stands is good.
struct Trust {
  std::string bundle;                       ///< PEM, for probes and webhook configurations
  std::map<std::string, WallTime> expires;  ///< by short name; `ca` is the one that signs
};

/// Brings the authority's Secret (names.h) and those of `servers` to what authority.h says they should be at `now`. The
/// authority is stored before anything it signed, the bundle together with a leaf. A write that another made first is
/// read again; safe to repeat at any moment.
Result<Trust> keep_secrets(kube::Client& client, const std::string& ns, const std::vector<TlsServer>& servers,
                           const Lifetimes& lifetimes, WallTime now);

/// What others keep (cert-manager, or a person): reads the Secrets and writes nothing. An Error when that of the first
/// server lacks ca.crt, without which no probe could verify it.
Result<Trust> read_secrets(kube::Client& client, const std::string& ns, const std::vector<TlsServer>& servers);

}  // namespace rollcall::operator_
