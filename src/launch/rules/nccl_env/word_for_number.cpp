#include <algorithm>
#include <array>
#include <string>

#include "launch/rules/nccl_env/family.h"
#include "launch/rules/nccl_env/names.h"
#include "launch/rules/nccl_env/settings.h"

namespace rollcall::launch::rules {
namespace {

constexpr std::array<std::string_view, 5> kOn{"true", "yes", "on", "enable", "enabled"};
constexpr std::array<std::string_view, 6> kOff{"false", "no", "off", "disable", "disabled", "none"};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
  return text;
}

template <std::size_t N>
bool among(const std::array<std::string_view, N>& words, const std::string& text) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    for (const Setting& setting : settings_of(launch, role)) {
      const std::string text = setting.known() ? lower(setting.value.text) : "";
      if (!is_number_to_nccl(setting.name) || text.empty()) continue;
      if (text.find_first_of("0123456789") != std::string::npos || among(kOff, text)) continue;
      judgement.add(nccl_env_word_for_number, setting.path)
          .wrong("{} `{}` is 0 to NCCL, which reads a number there.", setting.name, setting.value.text)
          .instead("Write {}.", among(kOn, text) ? "\"1\"" : "a number, or leave it out")
          .patch(among(kOn, text) ? with_value(setting, "1") : without(setting));
    }
  }
}

}  // namespace

const Rule nccl_env_word_for_number{
    .id = "nccl-env/word-for-number",
    .severity = Severity::warn,
    .title = "a word where NCCL reads a number",
    .why =
        "NCCL reads its switches by strtoll, which makes 0 of any word and complains of nothing. `true` switches off "
        "what it was to switch on.",
    .wrong = "NCCL_CUMEM_ENABLE: \"true\"",
    .right = "NCCL_CUMEM_ENABLE: \"1\"",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
