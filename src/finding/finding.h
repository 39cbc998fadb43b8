#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rollcall {

enum class Severity { deny, warn, info };

std::string_view to_string(Severity severity);
/// "deny", "warn" or "info"; anything else is nullopt.
std::optional<Severity> severity_from(std::string_view text);

/// Where a finding stands. `path` is relative to the object: `spec.template.spec.containers[0].args[4]`,
/// `…limits["nvidia.com/gpu"]`.
struct Place {
  std::string file;         ///< as the user named it; empty where there is none (admission, operator)
  int line = 0;             ///< from 1; 0 = not known
  int column = 0;           ///< from 1; 0 = not known
  int document = 0;         ///< counts non-empty documents from 0
  std::optional<int> item;  ///< index in a List
  std::string path;
};

struct ObjectName {
  std::string api_version;
  std::string kind;
  std::string namespace_name;
  std::string name;
};

/// What is wrong, where, and what to write instead. The same finding prints as an admission message, a terminal line, a
/// condition, or JSON; the words never differ between them.
struct Finding {
  std::string rule;  ///< `family/what-is-wrong`
  Severity severity = Severity::deny;
  ObjectName object;
  Place place;
  std::string message;  ///< one sentence: what is wrong, with the values in it
  std::string fix;      ///< one sentence: what to write instead; empty where we cannot know
  std::string patch;    ///< JSON patch (RFC 6902) as text, or empty
  /// What a RollcallPolicy changed: "deny instead of warn by RollcallPolicy gpu-teams"; empty = nothing.
  std::string policy = {};
};

using Findings = std::vector<Finding>;

bool any_denial(const Findings& findings);

/// `PATH: MESSAGE FIX [RULE]`: the words every form shares. No file, no line.
std::string sentence(const Finding& finding);

/// `FILE:LINE:COLUMN: SEVERITY: PATH: MESSAGE FIX [RULE]`, the terminal's line.
std::string terminal_line(const Finding& finding);

/// {"findings": [...]}; keys in a fixed order, invalid UTF-8 replaced. A whole run of lint has its form in forms.h.
std::string to_json(const Findings& findings);

}  // namespace rollcall
