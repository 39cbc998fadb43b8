#include "launch/launchers/torchrun.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "launch/patch.h"

namespace rollcall::launch {
namespace {

// torch.distributed.run's parser, torch 1.10 to 2.9.
constexpr std::array kWithValue{"--nnodes",
                                "--nproc-per-node",
                                "--rdzv-backend",
                                "--rdzv-endpoint",
                                "--rdzv-id",
                                "--rdzv-conf",
                                "--max-restarts",
                                "--monitor-interval",
                                "--start-method",
                                "--event-log-handler",
                                "--log-dir",
                                "--redirects",
                                "--tee",
                                "--local-ranks-filter",
                                "--node-rank",
                                "--master-addr",
                                "--master-port",
                                "--local-addr",
                                "--logs-specs",
                                "--role",
                                "--numa-binding",
                                "--signals-to-handle",
                                "--duplicate-stdout-filters",
                                "--duplicate-stderr-filters",
                                "-r",
                                "-t"};
constexpr std::array kWithout{"--standalone", "--run-path",           "--module", "--no-python", "-m",
                              "--use-env",    "--virtual-local-rank", "-h",       "--help"};

template <typename Row>
bool in(const Row& row, std::string_view name) {
  return std::find(row.begin(), row.end(), name) != row.end();
}

/// `--nproc_per_node` and `--nproc-per-node` are one flag.
std::string canonical(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

/// Both in the same list and neighbours, so that removing the first's index twice takes out both.
bool same_list(const std::string& a, const std::string& b) {
  return a.substr(0, a.rfind('[')) == b.substr(0, b.rfind('['));
}

/// What stands in the command may be replaced by what cannot be read, and what does not may stand there.
void open_all(std::map<std::string, Flag>& flags, const Text& open, const std::string& path) {
  for (const std::string_view name : kWithValue) flags[std::string(name)] = {std::string(name), " ", open, path, ""};
  for (auto& [name, flag] : flags) flag.value = open;
}

}  // namespace

std::map<std::string, Flag> torchrun_flags(const std::vector<Word>& words, std::size_t first, bool exec_form) {
  std::map<std::string, Flag> flags;
  for (std::size_t at = first; at < words.size(); ++at) {
    const Word& word = words[at];
    const std::string& text = word.text.text;
    if (text.starts_with(kHole)) {
      // Flags of its own, or the script, behind which nothing is torchrun's: which shows only at run time.
      open_all(flags, Text::open(word.text.reason), word.path);
      break;
    }
    if (!text.starts_with('-') || text == "-" || text == "--") break;
    const std::size_t equals = text.find('=');
    const std::string spelled = text.substr(0, equals);
    const std::string name = canonical(spelled);
    if (spelled.find(kHole) != std::string::npos) {
      open_all(flags, Text::open(word.text.reason), word.path);
      break;
    } else if (in(kWithout, name)) {
      flags[name] = {spelled, "", {}, word.path, exec_form ? remove_patch(word.path, 1) : ""};
    } else if (equals != std::string::npos) {
      flags[name] = {spelled, "=", word.text.part(equals + 1), word.path, exec_form ? remove_patch(word.path, 1) : ""};
    } else if (in(kWithValue, name) && at + 1 < words.size()) {
      const Word& value = words[++at];
      const bool patchable = exec_form && same_list(word.path, value.path);
      flags[name] = {spelled, " ", value.text, value.path, patchable ? remove_patch(word.path, 2) : ""};
      // An unquoted variable may be empty or several words: then the next word is the value, or the rest is flags.
      if (value.may_split && !value.text.known()) continue;
    } else {
      // A flag of a later torch: whether the next word is its value is open, and with it where the script begins.
      open_all(flags, Text::open("torchrun's flag `" + spelled + "` is not known here"), word.path);
      break;
    }
  }
  return flags;
}

}  // namespace rollcall::launch
