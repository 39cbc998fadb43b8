#include "operator/certificate_store.h"

#include <openssl/evp.h>

#include "api/names.h"

namespace rollcall::operator_ {

using nlohmann::json;
namespace names = api::names;

namespace {

std::string encoded(const std::string& bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int size =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

/// Empty for what is no base64: the certificate in it will not be readable either, and is made anew.
std::string decoded(const std::string& text) {
  std::string bytes(3 * (text.size() / 4) + 3, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  if (size < 0) return "";
  bytes.resize(static_cast<std::size_t>(size));
  // EVP_DecodeBlock counts the padding as bytes.
  for (std::size_t i = 0; i < 2 && text.size() > i && text[text.size() - 1 - i] == '='; ++i) bytes.pop_back();
  return bytes;
}

std::string field(const json& secret, const char* name) {
  const auto data = secret.value("data", json::object());
  return data.is_object() ? decoded(data.value(name, "")) : "";
}

std::optional<Authority> authority_from(const json& secret) {
  if (secret.is_null()) return std::nullopt;
  Authority authority{{field(secret, "ca.crt"), field(secret, "ca.key")}, std::nullopt, field(secret, "previous.crt")};
  if (const KeyPair next{field(secret, "next.crt"), field(secret, "next.key")}; !next.certificate.empty())
    authority.next = next;
  return authority;
}

json data_of(const Authority& authority) {
  json data = {{"ca.crt", encoded(authority.current.certificate)}, {"ca.key", encoded(authority.current.key)}};
  if (authority.next) {
    data["next.crt"] = encoded(authority.next->certificate);
    data["next.key"] = encoded(authority.next->key);
  }
  if (!authority.previous.empty()) data["previous.crt"] = encoded(authority.previous);
  return data;
}

Error refused(const std::string& doing, const kube::ApiError& error) {
  return {doing + ": " + error.text(), error.reason};
}

/// The Secret, or null when there is none.
Result<json> read(kube::Client& client, const std::string& ns, const char* name) {
  auto reply = client.get(kube::kSecrets, ns, name);
  if (reply) return std::move(reply.value());
  if (reply.error().not_found()) return json();
  return refused(std::string("reading Secret ") + name, reply.error());
}

/// Creates, or replaces what was read. An Error of code Conflict or AlreadyExists: another wrote first.
Status write(kube::Client& client, const std::string& ns, const char* name, const char* type, const json& was,
             const json& data) {
  if (!was.is_null() && was.value("data", json::object()) == data) return Done{};
  auto secret = was;
  if (was.is_null()) {
    secret = {
        {"apiVersion", "v1"}, {"kind", "Secret"}, {"type", type}, {"metadata", {{"name", name}, {"namespace", ns}}}};
  }
  secret["data"] = data;
  const auto reply =
      was.is_null() ? client.create(kube::kSecrets, ns, secret) : client.replace(kube::kSecrets, ns, name, secret);
  if (reply) return Done{};
  return refused(std::string("writing Secret ") + name, reply.error());
}

Result<std::string> keep_once(kube::Client& client, const std::string& ns, const std::string& name, WallTime now) {
  const auto ca_secret = read(client, ns, names::kCaSecret);
  if (!ca_secret) return ca_secret.error();
  const auto authority = authority_at(authority_from(*ca_secret), now);
  if (!authority) return authority.error();
  if (auto stored = write(client, ns, names::kCaSecret, "Opaque", *ca_secret, data_of(*authority)); !stored)
    return stored.error();

  const auto tls_secret = read(client, ns, names::kDeskSecret);
  if (!tls_secret) return tls_secret.error();
  std::optional<KeyPair> before;
  if (!tls_secret->is_null()) before = KeyPair{field(*tls_secret, "tls.crt"), field(*tls_secret, "tls.key")};
  const auto leaf = leaf_at(before, *authority, name, now);
  if (!leaf) return leaf.error();
  const json data = {{"tls.crt", encoded(leaf->certificate)},
                     {"tls.key", encoded(leaf->key)},
                     {"ca.crt", encoded(bundle_of(*authority))}};
  if (auto stored = write(client, ns, names::kDeskSecret, "kubernetes.io/tls", *tls_secret, data); !stored)
    return stored.error();
  return bundle_of(*authority);
}

}  // namespace

Result<std::string> keep_certificates(kube::Client& client, const std::string& ns, const std::string& name,
                                      WallTime now) {
  auto kept = keep_once(client, ns, name, now);
  // Another writer, or our own first sending of a request that went out twice: what stands now is as good.
  for (int again = 0; again < 3 && !kept && (kept.error().code == "Conflict" || kept.error().code == "AlreadyExists");
       ++again) {
    kept = keep_once(client, ns, name, now);
  }
  return kept;
}

}  // namespace rollcall::operator_
