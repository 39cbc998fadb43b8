#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "finding/finding.h"

/// Findings in the forms that the API server hands on. What stands in a manifest can be in them, so all is printable.
namespace rollcall::webhook {

/// A refusal's size. The API server writes it into a Status and perhaps an audit line, kubectl onto a terminal: a
/// person needs the first few, and lint shows all.
inline constexpr std::size_t kRefusalLines = 40;
inline constexpr std::size_t kRefusalBytes = 16 * 1024;
inline constexpr std::size_t kLineBytes = 2 * 1024;

/// Warnings besides the count of those left out.
inline constexpr std::size_t kWarnings = 3;
/// Longest warning. The API server asks for 120 characters and 4,096 for all webhooks together; beyond the sum it cuts
/// each to 256. 120 would cut off what to write instead, 4 x 256 leaves three quarters of the sum to others.
inline constexpr std::size_t kWarningBytes = 256;

/// Longest audit annotation: it stands in each audit event of the request.
inline constexpr std::size_t kAuditBytes = 4 * 1024;

/// A head line, then each finding on one: path, message, fix, rule.
std::string refusal(const ObjectName& object, const Findings& denials);

/// At most kWarnings sentences and one that counts the rest.
std::vector<std::string> warnings(const Findings& findings);

/// Joins entries by "; ", cut where it gets long.
std::string audit_text(const std::vector<std::string>& entries);

}  // namespace rollcall::webhook
