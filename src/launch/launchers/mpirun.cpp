#include "launch/launchers/mpirun.h"

#include <array>
#include <string>
#include <string_view>

namespace rollcall::launch {
namespace {

struct Option {
  std::string_view name;  ///< behind its hyphens
  int values;
  std::string_view means = {};  ///< the one name that all spellings have; empty = of no interest
};

// mpirun(1) of Open MPI 4 and 5 and mpiexec of Hydra 4, what people write in manifests.
constexpr std::array kOptions{Option{"np", 1, "--np"},
                              Option{"n", 1, "--np"},
                              Option{"c", 1, "--np"},
                              Option{"npernode", 1, "--npernode"},
                              Option{"N", 1, "--npernode"},
                              Option{"ppn", 1, "--npernode"},
                              Option{"perhost", 1, "--npernode"},
                              Option{"map-by", 1, "--map-by"},
                              Option{"H", 1, "--host"},
                              Option{"host", 1, "--host"},
                              Option{"hosts", 1, "--host"},
                              Option{"hostfile", 1, "--hostfile"},
                              Option{"machinefile", 1, "--hostfile"},
                              Option{"f", 1, "--hostfile"},
                              Option{"oversubscribe", 0, "--oversubscribe"},
                              Option{"bind-to", 1},
                              Option{"rank-by", 1},
                              Option{"mca", 2},
                              Option{"prtemca", 2},
                              Option{"pmixmca", 2},
                              Option{"gmca", 2},
                              Option{"x", 1},
                              Option{"genv", 2},
                              Option{"env", 2},
                              Option{"genvlist", 1},
                              Option{"wdir", 1},
                              Option{"wd", 1},
                              Option{"prefix", 1},
                              Option{"display", 1},
                              Option{"output", 1},
                              Option{"output-filename", 1},
                              Option{"timeout", 1},
                              Option{"launcher", 1},
                              Option{"bootstrap", 1},
                              Option{"iface", 1},
                              Option{"tag-output", 0},
                              Option{"timestamp-output", 0},
                              Option{"allow-run-as-root", 0},
                              Option{"report-bindings", 0},
                              Option{"display-map", 0},
                              Option{"display-allocation", 0},
                              Option{"nolocal", 0},
                              Option{"verbose", 0},
                              Option{"v", 0},
                              Option{"q", 0},
                              Option{"l", 0},
                              Option{"prepend-rank", 0},
                              Option{"use-hwthread-cpus", 0}};

const Option* option_of(std::string_view word) {
  while (word.starts_with('-')) word.remove_prefix(1);
  for (const Option& option : kOptions)
    if (option.name == word) return &option;
  return nullptr;
}

void export_to_ranks(const Word& word, Command& command) {
  const std::string& text = word.text.text;
  const std::size_t equals = text.find('=');
  // `-x NAME` hands on what the launcher itself has.
  if (equals == std::string::npos || text.find(kHole) < equals) return;
  command.exported.push_back({text.substr(0, equals), word.text.part(equals + 1), word.path, word.path});
}

}  // namespace

std::size_t read_mpirun(const std::vector<Word>& words, std::size_t first, Command& command) {
  const auto open_all = [&](const Text& why, const std::string& path) {
    for (const Option& option : kOptions)
      if (!option.means.empty())
        command.flags[std::string(option.means)] = {std::string(option.means), " ", why, path, ""};
  };
  for (std::size_t at = first; at < words.size(); ++at) {
    const Word& word = words[at];
    const std::string& text = word.text.text;
    if (text.starts_with(kHole)) {
      open_all(Text::open(word.text.reason), word.path);
      return words.size();
    }
    if (!text.starts_with('-')) return at;
    const std::size_t equals = text.find('=');
    const Option* option = option_of(std::string_view(text).substr(0, equals));
    if (option == nullptr) {
      open_all(Text::open("mpirun's flag `" + text.substr(0, equals) + "` is not known here"), word.path);
      return words.size();
    }
    const bool joined = equals != std::string::npos;
    if (!joined && at + static_cast<std::size_t>(option->values) >= words.size()) return words.size();
    const Word& value = joined || option->values == 0 ? word : words[at + 1];
    // `--mca rmaps_base_oversubscribe 1`
    if (option->name.ends_with("mca") && !joined && value.text.text.find("oversubscribe") != std::string::npos)
      command.flags["--oversubscribe"] = {text, " ", value.text, value.path, ""};
    if (option->name == "x") export_to_ranks(value, command);
    if (option->name == "genv" && !joined)
      command.exported.push_back({value.text.text, words[at + 2].text, words[at + 2].path, words[at + 2].path});
    if (!option->means.empty()) {
      const Text read = joined ? word.text.part(equals + 1) : option->values == 0 ? Text{} : value.text;
      command.flags[std::string(option->means)] = {text.substr(0, equals), joined ? "=" : " ", read, value.path, ""};
    }
    if (!joined) at += static_cast<std::size_t>(option->values);
  }
  return words.size();
}

}  // namespace rollcall::launch
