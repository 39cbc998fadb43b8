#include "launch/launchers/command.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "launch/launchers/accelerate.h"
#include "launch/launchers/deepspeed.h"
#include "launch/launchers/mpirun.h"
#include "launch/launchers/program.h"
#include "launch/launchers/torchrun.h"
#include "launch/shell/kubelet.h"
#include "launch/shell/script.h"

namespace rollcall::launch {
namespace {

using Kind = Program::Kind;

/// `bash -c 'bash -c …'` is read this deep; nobody writes more, and each level is the reader's stack.
constexpr int kMaxShells = 3;

/// Longest argument that Linux hands to a program (MAX_ARG_STRLEN); a longer script never starts.
constexpr std::size_t kLongestScript = 128 * 1024;

Command unknown(std::string reason, std::string path) {
  Command command;
  command.launcher = Fact<std::string>::unknown(std::move(reason), std::move(path));
  return command;
}

bool is_launcher(Kind kind) {
  return kind == Kind::torchrun || kind == Kind::tune || kind == Kind::accelerate || kind == Kind::deepspeed ||
         kind == Kind::mpi || kind == Kind::foreign;
}

Command read_words(const std::vector<Word>& words, const std::vector<EnvEntry>& env, bool exec_form, int shells);

/// The one command of a script that starts the training: its launcher; without a launcher its python.
Command read_script(std::string_view script, const std::vector<EnvEntry>& env, const std::string& path, int shells) {
  const std::vector<shell::Command> commands = shell::commands_of(script, env, path);
  const shell::Command* chosen = nullptr;
  bool launcher = false;
  for (const shell::Command& command : commands) {
    const Kind kind = program_of(command.words).kind;
    const bool counts = is_launcher(kind) || kind == Kind::shell;
    if (counts && launcher) return unknown("the script starts more than one launcher", path);
    // `torchrun --standalone check.py; python train.py`: the first may be a rehearsal of one node and the second the
    // training.
    if (kind == Kind::python && launcher)
      return unknown("a python program follows the launcher, and either may train", path);
    if (counts || (kind == Kind::python && !launcher)) chosen = &command;
    launcher = launcher || counts;
  }
  if (chosen == nullptr) return unknown("the script starts no launcher that can be read", path);
  if (chosen->in_branch) return unknown("the launcher stands in a branch of the script", path);
  return read_words(chosen->words, shell::env_below(script, commands, env), false, shells);
}

/// The script of `bash FLAGS… -c SCRIPT`, flags like `-lc` and `-o pipefail` included; nullptr when a file is run.
const Word* script_of(const std::vector<Word>& words, std::size_t at) {
  for (; at < words.size(); ++at) {
    const std::string& flag = words[at].text.text;
    if (flag == "-o" || flag == "+o" || flag == "-O" || flag == "--rcfile") {
      ++at;
    } else if (flag.starts_with("-") && !flag.starts_with("--") && flag.find('c') != std::string::npos) {
      // `-euxo pipefail -c` keeps its o's value before the c; `-ec SCRIPT` has the script next.
      ++at;
      if (flag.find('o') != std::string::npos) ++at;
      return at < words.size() ? &words[at] : nullptr;
    } else if (flag.starts_with("-") && !flag.starts_with("--") && flag.ends_with('o')) {
      ++at;
    } else if (!flag.starts_with("-")) {
      return nullptr;
    }
  }
  return nullptr;
}

/// Whether `word` sets or takes away the variable: `NAME=…`, or `NAME` behind `-u`.
bool names(const std::string& word, const std::string& variable) {
  return word.starts_with(variable) && (word.size() == variable.size() || word[variable.size()] == '=');
}

/// What `env A=B -u C sh` leaves of the environment: the names in front of the program are open. nullopt = all of it.
std::optional<std::vector<EnvEntry>> env_behind(const std::vector<Word>& words, std::size_t arguments,
                                                const std::vector<EnvEntry>& env) {
  std::optional<std::vector<EnvEntry>> left;
  for (std::size_t i = 0; i < arguments && i < words.size(); ++i) {
    for (std::size_t j = 0; j < env.size(); ++j) {
      if (!names(words[i].text.text, env[j].name)) continue;
      if (!left) left = env;
      (*left)[j].value = Text::open("`" + env[j].name + "` is set anew by the command");
    }
  }
  return left;
}

/// The flags of a program whose grammar nobody here knows: `--name=value`, or `--name value` where the next word is no
/// flag. Behind an open word nothing is certain.
std::map<std::string, Flag> program_flags(const std::vector<Word>& words, std::size_t first) {
  std::map<std::string, Flag> flags;
  for (std::size_t at = first; at < words.size(); ++at) {
    const std::string& text = words[at].text.text;
    if (text.starts_with(kHole)) break;
    if (!text.starts_with("--")) continue;
    const std::size_t equals = text.find('=');
    const bool joined = equals != std::string::npos;
    const bool next = !joined && at + 1 < words.size() && !words[at + 1].text.text.starts_with('-');
    const Word& value = next ? words[at + 1] : words[at];
    const Text read = joined ? value.text.part(equals + 1) : next ? value.text : Text{};
    std::string name = text.substr(0, equals);
    std::replace(name.begin(), name.end(), '_', '-');
    flags[name] = {text.substr(0, equals), joined ? "=" : " ", read, value.path, ""};
    if (next) ++at;
  }
  return flags;
}

Command read_words(const std::vector<Word>& words, const std::vector<EnvEntry>& env, bool exec_form, int shells) {
  const Program program = program_of(words);
  // Of the program's own word, which stands before its arguments; of the first word where the program's name is open.
  const std::size_t behind = std::clamp<std::size_t>(program.arguments, 1, words.size() + 1);
  const std::string path = behind <= words.size() ? words[behind - 1].path : "";
  const auto known = [&](const char* launcher) {
    Command command;
    command.launcher = Fact<std::string>::of(launcher, path);
    command.program = program.name;
    const auto left = env_behind(words, program.arguments, env);
    command.env = left ? *left : env;
    return command;
  };
  const auto with_flags = [&](const char* launcher, std::size_t first, const Grammar& grammar) {
    Command command = known(launcher);
    command.flags = flags_of(words, first, grammar, exec_form);
    return command;
  };
  switch (program.kind) {
    case Kind::torchrun:
      return with_flags("torchrun", program.arguments, torchrun_grammar());
    case Kind::tune:
      return with_flags("tune", program.arguments, torchrun_grammar());
    case Kind::accelerate: {
      const bool verb = program.arguments < words.size() && words[program.arguments].text.text == "launch";
      return with_flags("accelerate", program.arguments + (verb ? 1 : 0), accelerate_grammar());
    }
    case Kind::deepspeed:
      return with_flags("deepspeed", program.arguments, deepspeed_grammar());
    case Kind::mpi: {
      Command command = known("mpirun");
      read_mpirun(words, program.arguments, command);
      return command;
    }
    case Kind::python: {
      Command command = known("none");
      command.flags = program_flags(words, program.arguments);
      return command;
    }
    case Kind::foreign:
      return unknown("`" + program.name + "` decides by itself what it starts where", path);
    case Kind::shell: {
      const Word* script = script_of(words, program.arguments);
      if (script == nullptr) return unknown("`" + program.name + "` runs a file of the image", path);
      if (script->text.text.size() > kLongestScript) return unknown("the script is longer than 128 KiB", path);
      if (shells >= kMaxShells) return unknown("shells start shells more than 3 deep", path);
      const auto left = env_behind(words, program.arguments, env);
      return read_script(script->text.text, left ? *left : env, script->path, shells + 1);
    }
    case Kind::unknown:
      return unknown("the program's name shows only at run time", path);
    case Kind::other:
      break;
  }
  return unknown("`" + program.name + "` is no launcher that can be read", path);
}

}  // namespace

Command read_command(const Field& container, const std::vector<EnvEntry>& env, const std::vector<EnvEntry>& given) {
  std::vector<EnvEntry> names = env;
  names.insert(names.end(), given.begin(), given.end());
  std::vector<Word> words;
  const Field command = container["command"];
  if (command.size() == 0) return unknown("the image's entrypoint decides what starts", command.path());
  for (const char* list : {"command", "args"}) {
    const Field elements = container[list];
    for (std::size_t i = 0; i < elements.size(); ++i) {
      words.push_back({expand(elements[i].text(), names), elements[i].path(), false});
    }
  }
  return read_words(words, names, true, 0);
}

}  // namespace rollcall::launch
