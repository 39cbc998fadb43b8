#include "launch/launchers/command.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "launch/launchers/accelerate.h"
#include "launch/launchers/accelerate_config.h"
#include "launch/launchers/deepspeed.h"
#include "launch/launchers/elsewhere.h"
#include "launch/launchers/horovod.h"
#include "launch/launchers/host_file.h"
#include "launch/launchers/mpirun.h"
#include "launch/launchers/program.h"
#include "launch/launchers/program_flags.h"
#include "launch/launchers/srun.h"
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

/// A command of a script as a person would write it: what is open shows as `…`.
std::string written(const shell::Command& command) {
  std::string text;
  for (const Word& word : command.words) text += (text.empty() ? "" : " ") + word.text.text;
  for (std::size_t at = text.find(kHole); at != std::string::npos; at = text.find(kHole)) text.replace(at, 1, "…");
  constexpr std::size_t kMost = 200;  // of a sentence for a person
  return text.size() <= kMost ? text : text.substr(0, kMost) + "…";
}

/// Whether the environment of everything that the script starts is the container's.
bool sets_nothing(const shell::Script& script) {
  return script.changes.empty() && script.sourced >= script.commands.size() &&
         std::all_of(script.commands.begin(), script.commands.end(),
                     [](const shell::Command& command) { return command.prefix.empty(); });
}

/// Whether `word` sets or takes away the variable: `NAME=…`, or `NAME` behind `-u`.
bool names(const std::string& word, const std::string& variable) {
  return word.starts_with(variable) && (word.size() == variable.size() || word[variable.size()] == '=');
}

/// Where the sign stands in `NAME=…`; npos for every other word.
std::size_t assignment(const Word& word) {
  const std::string& text = word.text.text;
  const std::size_t end = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
  const bool is_name = end != std::string::npos && end > 0 && text[end] == '=' && (text[0] < '0' || text[0] > '9');
  return is_name ? end : std::string::npos;
}

/// What `env A=B -u C sh` and `sudo sh` make of the environment: other names in front of the program are open. nullopt
/// = all of it.
std::optional<std::vector<EnvEntry>> env_behind(const std::vector<Word>& words, const Program& program,
                                                const std::vector<EnvEntry>& env) {
  std::optional<std::vector<EnvEntry>> left;
  if (program.fresh_env) {
    left = env;
    for (EnvEntry& entry : *left) entry.value = Text::open("`" + entry.name + "` may be taken away by the command");
  }
  for (std::size_t i = 0; i < program.arguments && i < words.size(); ++i) {
    for (std::size_t j = 0; j < env.size(); ++j) {
      if (!names(words[i].text.text, env[j].name)) continue;
      if (!left) left = env;
      (*left)[j].value = Text::open("`" + env[j].name + "` is set anew by the command");
    }
    const std::size_t sign = assignment(words[i]);
    if (sign == std::string::npos) continue;
    if (!left) left = env;
    const std::string name = words[i].text.text.substr(0, sign);
    const Text value = words[i].text.part(sign + 1);
    const auto had = std::find_if(left->rbegin(), left->rend(), [&](const EnvEntry& one) { return one.name == name; });
    if (had == left->rend()) {
      left->push_back({name, value, words[i].path, words[i].path});
    } else {
      had->value = value;
      had->value_path = words[i].path;
    }
  }
  return left;
}

/// Whether a file's first line asks for a shell; one without such a line is run by the shell that started it.
bool is_shell_script(std::string_view text) {
  if (!text.starts_with("#!")) return true;
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::size_t end = line.find_last_not_of(" \t\r");
  for (const std::string_view shell : {"/sh", "bash", "dash", "/ash", "zsh", " sh"})
    if (line.substr(0, end + 1).ends_with(shell) || line.find(std::string(shell) + " -") != std::string_view::npos)
      return true;
  return false;
}

std::vector<Word> rest_of(const std::vector<Word>& words, std::size_t first) {
  return {words.begin() + static_cast<std::ptrdiff_t>(std::min(first, words.size())), words.end()};
}

/// Reads commands of one container.
class Reader {
 public:
  /// `names` is what the kubelet fills in from. Both must outlive this.
  Reader(const MountedFiles& files, const std::vector<EnvEntry>& names) : files_(files), names_(names) {}

  Command words(const std::vector<Word>& words, const std::vector<EnvEntry>& env, bool exec_form, int shells);
  /// As set_elsewhere().
  const std::string& elsewhere() const { return elsewhere_; }

 private:
  Command unread(std::string reason, std::string path);
  void note(std::string elsewhere) {
    if (elsewhere_.empty()) elsewhere_ = std::move(elsewhere);
  }
  Command script(std::string_view text, const std::vector<EnvEntry>& env, const std::string& path, int shells,
                 const std::vector<Word>& arguments);
  Command shell(const std::vector<Word>& words, const Program& program, const std::vector<EnvEntry>& env, int shells);
  Command file(const MountedFile& file, const std::vector<EnvEntry>& env, const std::string& path, int shells,
               const std::vector<Word>& arguments);
  void started(const std::vector<Word>& words, std::size_t first, int shells, Command& command);
  bool is_script(const shell::Command& command, const Program& program) const;

  const MountedFiles& files_;
  const std::vector<EnvEntry>& names_;
  std::string elsewhere_;
};

/// As unknown(), where the program's environment is unknown with it.
Command Reader::unread(std::string reason, std::string path) {
  note("the command cannot be read: " + reason);
  return unknown(std::move(reason), std::move(path));
}

/// The one command of a script that starts the training: its launcher; without a launcher its python.
Command Reader::script(std::string_view text, const std::vector<EnvEntry>& env, const std::string& path, int shells,
                       const std::vector<Word>& arguments) {
  if (text.size() > kLongestScript) return unread("the script is longer than 128 KiB", path);
  if (shells >= kMaxShells) return unread("shells start shells more than 3 deep", path);
  const shell::Script script = shell::read_script(text, env, path, &arguments);
  const shell::Command* chosen = nullptr;
  bool launcher = false;
  for (const shell::Command& command : script.commands) {
    const Program program = program_of(command.words);
    const bool counts = is_launcher(program.kind) || is_script(command, program);
    if (counts && launcher) return unread("the script starts more than one launcher", path);
    // `torchrun --standalone check.py; python train.py`: the first may be a rehearsal of one node and the second the
    // training.
    const bool python = program.kind == Kind::python;
    if (python && launcher) return unread("a python program follows the launcher, and either may train", path);
    if (counts || python) chosen = &command;
    launcher = launcher || counts;
    if (!command.in_branch && command.words[0].text.text == "exec" && program.kind != Kind::other) break;
  }
  if (chosen == nullptr) {
    constexpr auto reason = "the script starts no launcher that can be read";
    return sets_nothing(script) ? unknown(reason, path) : unread(reason, path);
  }
  if (chosen->in_branch) return unread("the launcher stands in a branch of the script", path);
  const auto index = static_cast<std::size_t>(chosen - script.commands.data());
  if (script.sourced < index) note("the command runs `" + written(script.commands[script.sourced]) + "`");
  return words(chosen->words, shell::env_of(script, index, env), false, shells + 1);
}

bool Reader::is_script(const shell::Command& command, const Program& program) const {
  if (program.kind == Kind::shell) return true;
  return program.kind == Kind::other && program.arguments > 0 && program.arguments <= command.words.size() &&
         files_.find(command.words[program.arguments - 1].text.text).has_value();
}

Command Reader::file(const MountedFile& file, const std::vector<EnvEntry>& env, const std::string& path, int shells,
                     const std::vector<Word>& arguments) {
  Command command = script(file.text, env, path, shells, arguments);
  if (command.script_from.empty()) {
    command.script_from = file.from;
    command.script_path = path;
  }
  return command;
}

/// `bash FLAGS… -c SCRIPT`, flags like `-lc` and `-o pipefail` included, or `bash FLAGS… FILE`.
Command Reader::shell(const std::vector<Word>& words, const Program& program, const std::vector<EnvEntry>& env,
                      int shells) {
  bool text = false;
  std::size_t at = program.arguments;
  for (; at < words.size(); ++at) {
    const std::string& flag = words[at].text.text;
    if (!flag.starts_with('-') && !flag.starts_with('+')) break;
    if (flag == "--") {
      ++at;
      break;
    }
    if (flag == "--rcfile" || flag == "--init-file") ++at;
    if (flag.starts_with("--")) continue;
    text = text || (flag[0] == '-' && flag.find('c') != std::string::npos);
    // `-euxo pipefail`: the value of o and O is the next word.
    if (flag.find('o') != std::string::npos || flag.find('O') != std::string::npos) ++at;
  }
  const std::string path = words[program.arguments - 1].path;
  if (at >= words.size()) return unread("`" + program.name + "` reads its commands from where it is started", path);
  const Word& word = words[at];
  // `bash -c SCRIPT NAME A B`: NAME is `$0`.
  if (text)
    return script(word.raw.empty() ? word.text.text : expand_script(word.raw, names_), env, word.path, shells,
                  rest_of(words, at + 2));
  const auto found = word.text.known() ? files_.find(word.text.text) : std::nullopt;
  if (!found) {
    note("`" + program.name + "` runs " + (word.text.known() ? word.text.text : "a file") + " of the image");
    return unknown("`" + program.name + "` runs a file of the image", path);
  }
  return file(*found, env, word.path, shells, rest_of(words, at + 1));
}

Command Reader::words(const std::vector<Word>& words, const std::vector<EnvEntry>& env, bool exec_form, int shells) {
  const Program program = program_of(words);
  // Of the program's own word, which stands before its arguments; of the first word where the program's name is open.
  const std::size_t behind = std::clamp<std::size_t>(program.arguments, 1, words.size() + 1);
  const std::string path = behind <= words.size() ? words[behind - 1].path : "";
  const auto left = env_behind(words, program, env);
  const std::vector<EnvEntry>& here = left ? *left : env;
  const auto known = [&](const char* launcher) {
    Command command;
    command.launcher = Fact<std::string>::of(launcher, path);
    command.program = program.name;
    command.env = here;
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
      Command command = with_flags("accelerate", program.arguments + (verb ? 1 : 0), accelerate_grammar());
      add_config_file(files_, command);
      return command;
    }
    case Kind::deepspeed: {
      Command command = with_flags("deepspeed", program.arguments, deepspeed_grammar());
      read_host_file(files_, "/job/hostfile", HostForm::slots_only, command);
      return command;
    }
    case Kind::mpi: {
      Command command = known("mpirun");
      const std::size_t rest = read_mpirun(words, program.arguments, command);
      read_host_file(files_, "", HostForm::any, command);
      started(words, rest, shells, command);
      return command;
    }
    case Kind::srun: {
      Command command = known("srun");
      std::size_t rest = words.size();
      command.flags = flags_of(words, program.arguments, srun_grammar(), exec_form, &rest);
      started(words, rest, shells, command);
      return command;
    }
    case Kind::horovod:
      return with_flags("horovodrun", program.arguments, horovod_grammar());
    case Kind::python: {
      Command command = known("none");
      command.flags = program_flags(words, program.arguments);
      return command;
    }
    case Kind::foreign:
      return unknown("`" + program.name + "` decides by itself what it starts where", path);
    case Kind::shell:
      return shell(words, program, here, shells);
    case Kind::unknown:
      return unknown("the program's name shows only at run time", path);
    case Kind::other:
      break;
  }
  const auto found =
      program.arguments > 0 && behind <= words.size() ? files_.find(words[behind - 1].text.text) : std::nullopt;
  if (found && is_shell_script(found->text)) return file(*found, here, path, shells, rest_of(words, behind));
  Command command = unknown("`" + program.name + "` is no launcher that can be read", path);
  command.env = here;
  if (program.name.ends_with(".sh")) note("`" + program.name + "` is a script of the image");
  return command;
}

/// What each task of a launcher starts. Its environment is the launcher's, and what that adds.
void Reader::started(const std::vector<Word>& words, std::size_t first, int shells, Command& command) {
  if (first >= words.size() || shells >= kMaxShells) return;
  command.starts = std::make_shared<const Command>(this->words(rest_of(words, first), command.env, false, shells + 1));
}

/// Everything that the kubelet fills in from, the last of a name first in rank.
std::vector<EnvEntry> names_of(const Field& container, const std::vector<EnvEntry>& env,
                               const std::vector<EnvEntry>& given, const MountedFiles& files) {
  std::vector<EnvEntry> names = read_env_from(container, files.maps());
  names.insert(names.end(), env.begin(), env.end());
  names.insert(names.end(), given.begin(), given.end());
  return names;
}

std::vector<Word> words_of(const Field& container, const std::vector<EnvEntry>& names) {
  std::vector<Word> words;
  for (const char* list : {"command", "args"}) {
    const Field elements = container[list];
    for (std::size_t i = 0; i < elements.size(); ++i) {
      words.push_back({expand(elements[i].text(), names), elements[i].path(), false, elements[i].text()});
    }
  }
  return words;
}

}  // namespace

Command read_command(const Field& container, const std::vector<EnvEntry>& env, const std::vector<EnvEntry>& given,
                     const MountedFiles& files) {
  const Field command = container["command"];
  if (command.size() == 0) return unknown("the image's entrypoint decides what starts", command.path());
  const std::vector<EnvEntry> names = names_of(container, env, given, files);
  return Reader(files, names).words(words_of(container, names), names, true, 0);
}

std::string set_elsewhere(const Field& container, const std::vector<EnvEntry>& env, const std::vector<EnvEntry>& given,
                          const MountedFiles& files) {
  if (container["command"].size() == 0)
    return "the image's entrypoint starts the trainer: the container has no command";
  const std::vector<EnvEntry> names = names_of(container, env, given, files);
  Reader reader(files, names);
  reader.words(words_of(container, names), names, true, 0);
  return reader.elsewhere();
}

}  // namespace rollcall::launch
