#include "operator/trust/store.h"

#include "api/names.h"
#include "kube/base64.h"

namespace rollcall::operator_ {

using kube::base64_encode;
using nlohmann::json;
namespace names = api::names;

namespace {

/// Empty for what is not there or no base64: the certificate in it will not be readable either, and is made anew.
std::string field(const json& secret, const char* name) {
  const auto data = secret.find("data");
  if (data == secret.end() || !data->is_object()) return "";
  const auto text = data->find(name);
  return text != data->end() && text->is_string() ? kube::base64_decode(text->get<std::string>()).value_or("") : "";
}

std::optional<KeyPair> pair_in(const json& secret, const char* certificate, const char* key) {
  if (secret.is_null()) return std::nullopt;
  KeyPair pair{field(secret, certificate), field(secret, key)};
  if (pair.certificate.empty()) return std::nullopt;
  return pair;
}

std::optional<Authority> authority_from(const json& secret) {
  if (secret.is_null()) return std::nullopt;
  return Authority{{field(secret, "ca.crt"), field(secret, "ca.key")},
                   pair_in(secret, "next.crt", "next.key"),
                   field(secret, "previous.crt"),
                   field(secret, "bridge.crt")};
}

json data_of(const Authority& authority) {
  json data = {{"ca.crt", base64_encode(authority.current.certificate)},
               {"ca.key", base64_encode(authority.current.key)}};
  if (authority.next) {
    data["next.crt"] = base64_encode(authority.next->certificate);
    data["next.key"] = base64_encode(authority.next->key);
  }
  if (!authority.previous.empty()) data["previous.crt"] = base64_encode(authority.previous);
  if (!authority.bridge.empty()) data["bridge.crt"] = base64_encode(authority.bridge);
  return data;
}

Error refused(const std::string& doing, const kube::ApiError& error) {
  return {doing + ": " + error.text(), error.reason};
}

/// The Secret, or null when there is none.
Result<json> read(kube::Client& client, const std::string& ns, const std::string& name) {
  auto reply = client.get(kube::kSecrets, ns, name);
  if (reply) return std::move(reply.value());
  if (reply.error().not_found()) return json();
  return refused("reading Secret " + name, reply.error());
}

/// Creates, or replaces what was read. An Error of code Conflict or AlreadyExists: another wrote first.
Status write(kube::Client& client, const std::string& ns, const std::string& name, const char* type, const json& was,
             const json& data) {
  if (!was.is_null() && was.value("data", json::object()) == data) return Done{};
  auto secret = was;
  if (was.is_null()) {
    secret = {{"apiVersion", "v1"},
              {"kind", "Secret"},
              {"type", type},
              {"metadata",
               {{"name", name},
                {"namespace", ns},
                {"labels", {{"app.kubernetes.io/name", "rollcall"}, {"app.kubernetes.io/managed-by", "rollcall"}}}}}};
  }
  secret["data"] = data;
  const auto reply =
      was.is_null() ? client.create(kube::kSecrets, ns, secret) : client.replace(kube::kSecrets, ns, name, secret);
  if (reply) return Done{};
  return refused("writing Secret " + name, reply.error());
}

void note_expiry(Trust& trust, const std::string& certificate, const std::string& pem) {
  if (const auto validity = validity_of(pem)) trust.expires[certificate] = validity->to;
}

Result<Trust> keep_once(kube::Client& client, const std::string& ns, const std::vector<TlsServer>& servers,
                        const Lifetimes& lifetimes, WallTime now) {
  const auto ca_secret = read(client, ns, names::kCaSecret);
  if (!ca_secret) return ca_secret.error();
  const auto authority = authority_at(authority_from(*ca_secret), lifetimes, now);
  if (!authority) return authority.error();
  if (auto stored = write(client, ns, names::kCaSecret, "Opaque", *ca_secret, data_of(*authority)); !stored)
    return stored.error();

  Trust trust{bundle_of(*authority), {}};
  note_expiry(trust, "ca", authority->current.certificate);
  for (const auto& server : servers) {
    const auto secret = read(client, ns, server.secret);
    if (!secret) return secret.error();
    const auto leaf = leaf_at(pair_in(*secret, "tls.crt", "tls.key"), *authority, server.names(ns), lifetimes, now);
    if (!leaf) return leaf.error();
    const json data = {{"tls.crt", base64_encode(leaf->certificate)},
                       {"tls.key", base64_encode(leaf->key)},
                       {"ca.crt", base64_encode(trust.bundle)}};
    if (auto stored = write(client, ns, server.secret, "kubernetes.io/tls", *secret, data); !stored)
      return stored.error();
    note_expiry(trust, server.certificate, leaf->certificate);
  }
  return trust;
}

}  // namespace

std::vector<std::string> TlsServer::names(const std::string& ns) const {
  return {service + "." + ns + ".svc", service + "." + ns, service + "." + ns + ".svc.cluster.local"};
}

Result<Trust> keep_secrets(kube::Client& client, const std::string& ns, const std::vector<TlsServer>& servers,
                           const Lifetimes& lifetimes, WallTime now) {
  auto kept = keep_once(client, ns, servers, lifetimes, now);
  // Another writer, or our own first sending of a request that went out twice: what stands now is as good.
  for (int again = 0; again < 3 && !kept && (kept.error().code == "Conflict" || kept.error().code == "AlreadyExists");
       ++again) {
    kept = keep_once(client, ns, servers, lifetimes, now);
  }
  return kept;
}

Result<Trust> read_secrets(kube::Client& client, const std::string& ns, const std::vector<TlsServer>& servers) {
  Trust trust;
  for (const auto& server : servers) {
    const auto secret = read(client, ns, server.secret);
    if (!secret) return secret.error();
    if (&server == &servers.front()) {
      trust.bundle = field(*secret, "ca.crt");
      if (const auto readable = validity_of(trust.bundle); !readable) {
        return Error{
            (secret->is_null() ? "there is no Secret " + server.secret
                               : "Secret " + server.secret + " has no certificate in ca.crt") +
                " in namespace " + ns +
                "; with --certificates=external it is made by cert-manager or by you, with ca.crt, tls.crt for " +
                server.names(ns).front() + " and tls.key",
            "Certificate"};
      }
    }
    note_expiry(trust, server.certificate, field(*secret, "tls.crt"));
  }
  note_expiry(trust, "ca", trust.bundle);
  return trust;
}

}  // namespace rollcall::operator_
