#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rollcall::kube {

/// Standard alphabet with padding (RFC 4648 section 4), as kubeconfigs and Secrets carry it; white space is passed
/// over. nullopt for anything else.
std::optional<std::string> base64_decode(std::string_view text);
std::string base64_encode(std::string_view bytes);

}  // namespace rollcall::kube
