#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "launch/rules/nccl_env/family.h"
#include "launch/rules/nccl_env/settings.h"

namespace rollcall::launch::rules {
namespace {

/// The words of one setting. Source: NCCL 2.30, graph/topo.cc (levels), socket.cc, debug.cc, init.cc; CollNet of 2.14
/// and earlier.
struct Words {
  std::string_view name;
  bool any_case;
  bool list;     ///< divided by commas, with ^ for all but these; NCCL 2.24 and later: `allreduce:ring;broadcast:tree`
  bool numbers;  ///< a number will do too
  std::array<std::string_view, 10> words;
  std::string_view otherwise;  ///< what NCCL does with another word
};

constexpr std::array<std::string_view, 10> kLevels{"LOC", "NVL", "NVB", "C2C", "PIX",
                                                   "PXB", "P2C", "PXN", "PHB", "SYS"};

constexpr std::array kWords{
    Words{"NCCL_P2P_LEVEL", false, false, true, kLevels, "passes it over"},
    Words{"NCCL_NET_GDR_LEVEL", false, false, true, kLevels, "passes it over"},
    Words{"NCCL_SOCKET_FAMILY", false, false, false, {"AF_INET", "AF_INET6"}, "passes it over"},
    Words{"NCCL_IB_ADDR_FAMILY", false, false, false, {"AF_INET", "AF_INET6"}, "takes AF_INET"},
    Words{"NCCL_DEBUG", true, false, false, {"VERSION", "WARN", "INFO", "ABORT", "TRACE"}, "logs nothing"},
    Words{"NCCL_PROTO", true, true, false, {"LL", "LL128", "Simple"}, "refuses to start"},
    Words{"NCCL_ALGO",
          true,
          true,
          false,
          {"Tree", "Ring", "CollNetDirect", "CollNetChain", "CollNet", "NVLS", "NVLSTree", "PAT"},
          "refuses to start"},
};

std::string upper(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; });
  return out;
}

/// The known word that `text` is, in its right spelling; empty when it is none.
std::string_view word_of(const Words& one, std::string_view text) {
  const auto same = [&](std::string_view word) { return !word.empty() && upper(word) == upper(text); };
  const auto found = std::find_if(one.words.begin(), one.words.end(), same);
  return found == one.words.end() ? std::string_view() : *found;
}

/// The first word of a list that is not known; empty when all are, or the list is of a form that is not looked into.
std::string_view unknown_in(const Words& one, std::string_view text) {
  if (text.find_first_of(":;") != std::string_view::npos) return {};
  if (text.starts_with('^')) text.remove_prefix(1);
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view word = text.substr(0, comma);
    if (!word.empty() && word_of(one, word).empty()) return word;
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return {};
}

std::string listed(const Words& one) {
  std::string out;
  for (const std::string_view word : one.words) out += (out.empty() || word.empty() ? "" : " ") + std::string(word);
  return out;
}

void check_one(const Words& one, const Setting& setting, Judgement& judgement) {
  const std::string& text = setting.value.text;
  if (text.empty() || (one.numbers && text[0] >= '0' && text[0] <= '9')) return;
  const std::string_view word = one.list ? std::string_view() : word_of(one, text);
  if (one.list ? unknown_in(one, text).empty() : (!word.empty() && (one.any_case || word == text))) return;
  judgement.add(nccl_env_value_not_known, setting.path)
      .wrong("{} `{}` is no value of it, and NCCL {}.", setting.name, text, one.otherwise)
      .instead("Write one of {}.", word.empty() ? listed(one) : "these, in capitals: " + std::string(word))
      .patch(word.empty() ? without(setting) : with_value(setting, std::string(word)));
}

void check(const Launch& launch, Judgement& judgement) {
  for (const Role& role : launch.roles) {
    const auto settings = settings_of(launch, role);
    for (const Words& one : kWords) {
      const Setting* setting = find(settings, one.name);
      if (setting != nullptr && setting->known()) check_one(one, *setting, judgement);
    }
  }
}

}  // namespace

const Rule nccl_env_value_not_known{
    .id = "nccl-env/value-not-known",
    .severity = Severity::warn,
    .title = "a value that NCCL does not know",
    .why =
        "NCCL compares these values with a list of words, the levels even by capitals. Another word is passed over "
        "without a line in the log, or, for NCCL_ALGO and NCCL_PROTO, ends the job when the communicator is made.",
    .wrong = "NCCL_P2P_LEVEL: nvl",
    .right = "NCCL_P2P_LEVEL: NVL",
    .check = check,
    .kinds = kEveryKind,
};

}  // namespace rollcall::launch::rules
