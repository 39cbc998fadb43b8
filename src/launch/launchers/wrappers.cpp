#include "launch/launchers/wrappers.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

namespace rollcall::launch {
namespace {

enum class Unknown {
  without,  ///< a flag that is not listed has no value: the wrapper has few, and those with a value are listed
  with,     ///< each has one: Nsight's
  stop,     ///< where the program stands is open
};

/// A wrapper's command line, from its manual page.
struct Wrapper {
  std::string_view name;
  std::string_view verb;     ///< the word that follows the name: `run`; empty = none
  std::string_view values;   ///< flags that take the next word, one blank between them
  std::size_t operands = 0;  ///< words of its own in front of the program: timeout's duration
  Unknown unknown = Unknown::without;
  std::string_view without = {};  ///< flags without a value, where an unknown one stops the reading
};

constexpr std::string_view kUvWithout =
    "--active --all-extras --all-groups --all-packages --exact --frozen --isolated --locked --managed-python "
    "--native-tls "
    "--no-cache --no-config --no-default-groups --no-dev --no-editable --no-env-file --no-progress --no-project "
    "--no-python-downloads --no-sync --offline --only-dev --quiet -q --refresh --reinstall --upgrade -U --verbose -v";
constexpr std::string_view kUvValues =
    "--cache-dir --config-file --default-index --directory --env-file --extra --extra-index-url --find-links -f "
    "--group "
    "--index --index-url -i --no-extra --no-group --only-group --package --project --python -p --resolution --with "
    "--with-editable --with-requirements -w";

constexpr std::array kWrappers{
    Wrapper{"exec", "", "-a"},
    Wrapper{"nohup", "", ""},
    Wrapper{"setsid", "", ""},
    Wrapper{"time", "", "-f -o --format --output"},
    Wrapper{"tini", "", "-p -e"},
    Wrapper{"tini-static", "", "-p -e"},
    Wrapper{"dumb-init", "", "-r --rewrite"},
    Wrapper{"catatonit", "", ""},
    Wrapper{"catchsegv", "", ""},
    Wrapper{"ionice", "", "-c -n --class --classdata"},
    Wrapper{"nice", "", "-n --adjustment"},
    Wrapper{"stdbuf", "", "-i -o -e --input --output --error"},
    Wrapper{"unbuffer", "", ""},
    Wrapper{"timeout", "", "-k -s --kill-after --signal", 1},
    Wrapper{"numactl", "",
            "-N --cpunodebind -m --membind -C --physcpubind -i --interleave -p --preferred -w --weighted-interleave"},
    Wrapper{"taskset", "", "", 1},
    Wrapper{"gosu", "", "", 1},
    Wrapper{"su-exec", "", "", 1},
    Wrapper{"poetry", "run", "-C --directory -P --project"},
    Wrapper{"pipenv", "run", ""},
    Wrapper{"pdm", "run", "-p --project"},
    Wrapper{"rye", "run", ""},
    Wrapper{"conda", "run", "-n --name -p --prefix --cwd"},
    Wrapper{"mamba", "run", "-n --name -p --prefix --cwd"},
    Wrapper{"micromamba", "run", "-n --name -p --prefix --cwd -r --root-prefix"},
    Wrapper{"uv", "run", kUvValues, 0, Unknown::stop, kUvWithout},
    Wrapper{"nsys", "profile", "", 0, Unknown::with},
};

bool listed(std::string_view row, std::string_view flag) {
  while (!row.empty()) {
    const std::size_t blank = row.find(' ');
    if (row.substr(0, blank) == flag) return true;
    row.remove_prefix(blank == std::string_view::npos ? row.size() : blank + 1);
  }
  return false;
}

std::string_view base_name(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

const Wrapper* wrapper_at(const std::vector<Word>& words, std::size_t at) {
  const std::string_view name = base_name(words[at].text.text);
  const auto found = std::find_if(kWrappers.begin(), kWrappers.end(), [&](const Wrapper& wrapper) {
    return wrapper.name == name &&
           (wrapper.verb.empty() || (at + 1 < words.size() && words[at + 1].text.text == wrapper.verb));
  });
  return found == kWrappers.end() ? nullptr : &*found;
}

std::optional<Wrapped> behind_env(const std::vector<Word>& words, std::size_t at) {
  Wrapped wrapped;
  for (++at; at < words.size(); ++at) {
    const std::string& argument = words[at].text.text;
    if (argument == "-i" || argument == "-" || argument == "--ignore-environment") wrapped.fresh_env = true;
    if (argument.starts_with("-S") || argument.starts_with("--split-string")) return std::nullopt;
    if (argument == "-u" || argument == "-C") {
      ++at;
    } else if (!argument.starts_with('-') && !is_assignment(argument)) {
      break;
    }
  }
  wrapped.program = at;
  return wrapped;
}

std::optional<Wrapped> behind_sudo(const std::vector<Word>& words, std::size_t at) {
  Wrapped wrapped;
  wrapped.fresh_env = true;
  for (++at; at < words.size(); ++at) {
    const std::string& argument = words[at].text.text;
    if (argument == "-E" || argument == "--preserve-env") wrapped.fresh_env = false;
    if (argument == "-i" || argument == "-s") return std::nullopt;
    if (listed("-u -g -C -D -h -p -r -t -T -U --user --group --chdir", argument)) {
      ++at;
    } else if (argument == "--") {
      ++at;
      break;
    } else if (!argument.starts_with('-') && !is_assignment(argument)) {
      break;
    }
  }
  wrapped.program = at;
  return wrapped;
}

/// `command PROGRAM`; `command -v NAME` only looks a name up.
std::optional<Wrapped> behind_command(const std::vector<Word>& words, std::size_t at) {
  for (++at; at < words.size() && words[at].text.text.starts_with('-'); ++at)
    if (words[at].text.text != "-p" && words[at].text.text != "--") return std::nullopt;
  Wrapped wrapped;
  wrapped.program = at;
  return wrapped;
}

std::optional<Wrapped> behind(const Wrapper& wrapper, const std::vector<Word>& words, std::size_t at) {
  Wrapped wrapped;
  for (at += wrapper.verb.empty() ? 1 : 2; at < words.size(); ++at) {
    const std::string& flag = words[at].text.text;
    if (!words[at].text.known() && !flag.starts_with("--")) break;
    if (!flag.starts_with('-')) break;
    if (flag == "--") {
      ++at;
      break;
    }
    if (wrapper.name == "uv" && (flag == "-m" || flag == "--module")) {
      wrapped.program = at + 1;
      wrapped.module = true;
      return wrapped;
    }
    if (flag.find('=') != std::string::npos) continue;
    const bool takes = listed(wrapper.values, flag) || wrapper.unknown == Unknown::with;
    if (!takes && wrapper.unknown == Unknown::stop && !listed(wrapper.without, flag)) return std::nullopt;
    if (takes) ++at;
  }
  wrapped.program = at + wrapper.operands;
  return wrapped;
}

}  // namespace

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  return word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == equals;
}

bool is_wrapper(const std::vector<Word>& words, std::size_t at) {
  const std::string_view name = base_name(words[at].text.text);
  return name == "env" || name == "sudo" || name == "command" || wrapper_at(words, at) != nullptr;
}

std::optional<Wrapped> behind_wrapper(const std::vector<Word>& words, std::size_t at) {
  const std::string_view name = base_name(words[at].text.text);
  if (name == "env") return behind_env(words, at);
  if (name == "sudo") return behind_sudo(words, at);
  if (name == "command") return behind_command(words, at);
  const Wrapper* wrapper = wrapper_at(words, at);
  return wrapper == nullptr ? std::nullopt : behind(*wrapper, words, at);
}

}  // namespace rollcall::launch
