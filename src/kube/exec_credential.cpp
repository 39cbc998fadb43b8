#include <nlohmann/json.hpp>

#include "kube/exec_plugin.h"

namespace rollcall::kube {
namespace {

using Json = nlohmann::json;

std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

Result<ExecCredential> exec_credential_from(const std::string& output, const std::string& api_version, WallTime now) {
  const Json credential = Json::parse(output, nullptr, false);
  if (!credential.is_object()) return Error{"it printed no JSON object"};
  if (const std::string kind = text_at(credential, "kind"); kind != "ExecCredential")
    return Error{"it printed the kind `" + kind + "`, not ExecCredential"};
  if (const std::string version = text_at(credential, "apiVersion"); version != api_version)
    return Error{"it printed apiVersion `" + version + "`, the kubeconfig says `" + api_version + "`"};
  const auto status = credential.find("status");
  if (status == credential.end() || !status->is_object()) return Error{"it printed no status"};
  ExecCredential out{text_at(*status, "token"), text_at(*status, "clientCertificateData"),
                     text_at(*status, "clientKeyData"), std::nullopt};
  if (out.certificate_pem.empty() != out.key_pem.empty())
    return Error{"clientCertificateData and clientKeyData belong together; it printed one of them"};
  if (out.token.empty() && out.certificate_pem.empty())
    return Error{"it printed neither a token nor clientCertificateData"};
  if (out.token.find_first_of("\r\n") != std::string::npos) return Error{"its token holds a line's end"};
  if (const std::string expires = text_at(*status, "expirationTimestamp"); !expires.empty()) {
    out.expires = rfc3339_from(expires);
    if (!out.expires) return Error{"its expirationTimestamp `" + expires + "` is no time"};
    if (*out.expires <= now)
      return Error{"what it printed expired at " + expires + "; is this machine's clock right (" + rfc3339(now) + ")?"};
  }
  return out;
}

}  // namespace rollcall::kube
