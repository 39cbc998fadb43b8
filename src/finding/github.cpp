#include "finding/forms.h"
#include "finding/utf8.h"

namespace rollcall {
namespace {

/// GitHub ends a command at the line's end and reads `%XX` in it (actions/toolkit, command.ts); a property ends besides
/// at `:` and `,`.
std::string escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '%':
        out += "%25";
        break;
      case '\r':
        out += "%0D";
        break;
      case '\n':
        out += "%0A";
        break;
      case ':':
        out += property ? "%3A" : ":";
        break;
      case ',':
        out += property ? "%2C" : ",";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    }
  }
  return out;
}

/// A path as GitHub names the files of a change: without `./`, which a folder's name in the command line brings.
std::string_view plain_path(std::string_view file) {
  while (file.starts_with("./")) file.remove_prefix(2);
  return file;
}

std::string_view command_of(Severity severity) {
  switch (severity) {
    case Severity::deny:
      return "error";
    case Severity::warn:
      return "warning";
    case Severity::info:
      break;
  }
  return "notice";
}

}  // namespace

std::string to_github(const LintOutcome& outcome) {
  std::string out;
  for (const Finding& finding : outcome.findings) {
    out += "::" + std::string(command_of(finding.severity)) + " file=" + escaped(plain_path(finding.place.file), true);
    if (finding.place.line > 0) out += ",line=" + std::to_string(finding.place.line);
    if (finding.place.line > 0 && finding.place.column > 0) out += ",col=" + std::to_string(finding.place.column);
    out += ",title=" + escaped(finding.rule, true) + "::" + escaped(sentence(finding), false) + "\n";
  }
  for (const std::string& error : outcome.errors) out += "::error title=not readable::" + escaped(error, false) + "\n";
  return valid_utf8(out + escaped(summary_line(outcome), false) + "\n");
}

}  // namespace rollcall
