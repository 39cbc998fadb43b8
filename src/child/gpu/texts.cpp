#include <algorithm>
#include <cctype>

#include "child/gpu/gpu.h"

namespace rollcall::child {

std::string uuid_text(std::string_view kind, const CUuuid& uuid) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = std::string(kind) + "-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string kernel_module_version(std::string_view text) {
  // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar …", "… Open Kernel Module for x86_64  570.86.15
  // …": the first word that is digits and dots, with a dot.
  const auto line = text.substr(0, text.find('\n'));
  for (std::size_t at = 0; at < line.size();) {
    const auto end = std::min(line.find(' ', at), line.size());
    const auto word = line.substr(at, end - at);
    const bool version =
        word.find('.') != std::string_view::npos &&
        std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c) != 0 || c == '.'; });
    if (version) return std::string(word);
    at = end + 1;
  }
  return "";
}

}  // namespace rollcall::child
