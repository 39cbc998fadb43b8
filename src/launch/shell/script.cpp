#include "launch/shell/script.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "launch/shell/lexer.h"
#include "launch/shell/names.h"
#include "launch/shell/variables.h"
#include "launch/shell/words.h"

namespace rollcall::launch::shell {
namespace {

/// What opens a block, and what closes it.
struct Opener {
  std::string_view word;
  std::string_view closes;
};
constexpr std::array kOpeners{Opener{"if", "fi"},      Opener{"for", "done"},  Opener{"while", "done"},
                              Opener{"until", "done"}, Opener{"case", "esac"}, Opener{"select", "done"}};
constexpr std::array<std::string_view, 4> kClosers{"fi", "done", "esac", "}"};
constexpr std::array<std::string_view, 5> kBetween{"then", "else", "elif", "do", "!"};
// Those of the openers behind which a command follows at once.
constexpr std::array<std::string_view, 3> kConditions{"if", "while", "until"};
constexpr std::array<std::string_view, 5> kDeclare{"export", "declare", "local", "readonly", "typeset"};
constexpr std::array<std::string_view, 6> kTests{"[", "[[", "test", "grep", "true", "false"};

template <typename Row>
bool in(const Row& row, std::string_view name) {
  return std::find(row.begin(), row.end(), name) != row.end();
}

/// `NAME=` or `NAME+=` at the beginning of a token.
struct Assigned {
  std::string name;
  std::size_t length = 0;  ///< with the sign
  bool append = false;
};

std::optional<Assigned> assigned(const Token& token) {
  const Part& first = token.parts[0];
  if (first.kind != Part::Kind::literal || first.quoted) return std::nullopt;
  const std::string& text = first.text;
  const std::size_t end = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
  if (end == std::string::npos || end == 0 || (text[0] >= '0' && text[0] <= '9')) return std::nullopt;
  if (text[end] == '=') return Assigned{text.substr(0, end), end + 1, false};
  if (text.compare(end, 2, "+=") == 0) return Assigned{text.substr(0, end), end + 2, true};
  return std::nullopt;
}

/// The command's own name, behind `builtin` and `command`.
std::string program_name(const Command& command) {
  std::size_t at = 0;
  while (at + 1 < command.words.size() &&
         (command.words[at].text.text == "builtin" || command.words[at].text.text == "command"))
    ++at;
  return command.words.empty() ? "" : command.words[at].text.text;
}

bool reads_a_script(const Command& command) {
  const std::string program = program_name(command);
  return program == "source" || program == "." || program == "eval";
}

class Reader {
 public:
  Reader(const std::vector<EnvEntry>& env, const std::string& path, std::set<std::string> unclear,
         const std::vector<Word>* arguments)
      : variables_(env, std::move(unclear)), expander_(variables_, path), arguments_(arguments) {
    expander_.arguments(arguments);
  }

  Script run(const std::vector<Token>& tokens) {
    for (const Token& token : tokens) {
      if (token.kind == Token::Kind::separator) {
        separator(token.separator);
      } else {
        word(token);
      }
    }
    end_command();
    if (!sourced_) script_.sourced = script_.commands.size();
    return std::move(script_);
  }

  const Variables& variables() const { return variables_; }

 private:
  /// A block that is open, and what stood in front of it.
  struct Block {
    std::string_view closes;
    bool branch = false;
    bool after_test = false;
    bool after_or = false;
    std::string function = {};  ///< that it is the body of
  };
  enum class Function { none, name, open, body };

  bool conditional() const { return after_test_ || after_or_ || negated_; }
  bool in_branch() const {
    return broken_ || conditional() ||
           std::any_of(blocks_.begin(), blocks_.end(), [](const Block& block) { return block.branch; });
  }
  /// What a subshell assigns is lost behind it.
  bool assigns_in_branch() const {
    return in_branch() ||
           std::any_of(blocks_.begin(), blocks_.end(), [](const Block& block) { return block.closes == ")"; });
  }

  void open(std::string_view closes, bool branch) {
    blocks_.push_back({closes, branch || conditional(), after_test_, after_or_, std::exchange(function_name_, {})});
    after_test_ = after_or_ = negated_ = false;
    expander_.arguments(in_branch() ? nullptr : arguments_);
  }

  void close(std::string_view word) {
    // `a)` of a case.
    if (word == ")" && (blocks_.empty() || blocks_.back().closes != ")")) return;
    if (blocks_.empty() || blocks_.back().closes != word) {
      broken_ = true;  // no script that a shell would run, or one that is read wrongly here
      return;
    }
    after_test_ = blocks_.back().after_test;
    after_or_ = blocks_.back().after_or;
    blocks_.pop_back();
    expander_.arguments(in_branch() ? nullptr : arguments_);
  }

  void separator(const std::string& text) {
    // Inside `[[ … ]]` the separators are operators of the test.
    if (!command_.words.empty() && command_.words[0].text.text == "[[" && command_.words.back().text.text != "]]" &&
        text != ";") {
      return;
    }
    // `name() {` and `function name() {`: what follows is its body.
    if (text == "(" && (function_ == Function::name || (command_.words.size() == 1 && command_.prefix.empty()))) {
      name_function();
      function_ = Function::open;
      return;
    }
    if (text == ")" && function_ == Function::open) {
      function_ = Function::body;
      return;
    }
    if (function_ == Function::name) {
      name_function();
      function_ = Function::body;
    }
    // A line may end behind `&&`, `||` or `|`: the command goes on.
    if (text == ";" && continues_ && command_.words.empty() && command_.prefix.empty()) return;
    continues_ = text == "&&" || text == "||" || text == "|";
    const bool test = !command_.words.empty() && in(kTests, command_.words[0].text.text);
    end_command();
    if (text == "(") return open(")", std::exchange(function_, Function::none) == Function::body);
    if (text == ")") return close(")");
    if (text == ";" || text == "&" || text == ";;") {
      after_test_ = after_or_ = false;
    } else if (text == "&&") {
      after_test_ = after_test_ || test || negated_;
    } else if (text == "||") {
      after_or_ = true;
    }
    negated_ = false;
  }

  void word(const Token& token) {
    const std::string literal = token.literal();
    const bool bare = token.parts.size() == 1 && !token.parts[0].quoted;
    if (bare && literal == "{" && function_ == Function::name && command_.words.size() == 1) {  // `function name {`
      name_function();
      function_ = Function::none;
      return open("}", true);
    }
    if (bare && command_.words.empty() && command_.prefix.empty() && reserved(literal)) return;
    for (const Part& part : token.parts)
      if (part.assigns) assign_default(part);
    if (const auto name = assigned(token); name && assign(token, *name)) return;
    for (Word& word : expander_.words(token)) command_.words.push_back(std::move(word));
  }

  /// Words of the shell's own, where a command may begin.
  bool reserved(const std::string& word) {
    if (word == "function") {
      function_ = Function::name;
      return true;
    }
    if (word == "{") {
      open("}", std::exchange(function_, Function::none) == Function::body);
      return true;
    }
    if (in(kClosers, word)) {
      close(word);
      return true;
    }
    if (word == "!") negated_ = true;
    if (in(kBetween, word)) return true;
    const auto opener =
        std::find_if(kOpeners.begin(), kOpeners.end(), [&word](const Opener& one) { return one.word == word; });
    if (opener == kOpeners.end()) return false;
    open(opener->closes, true);
    return in(kConditions, word);
  }

  /// `${NAME:=WORD}`: the variable has that value from here on, where it has none.
  void assign_default(const Part& part) {
    const Text before = variables_.value(part.text);
    if (before.known() && (!before.text.empty() || part.when == Part::When::unset)) return;
    variables_.assign(part.text, expander_.value({Token::Kind::word, {part}, {}}), false, assigns_in_branch());
    changed(part.text, all_exported_);
  }

  /// False where the word is an argument of a program.
  bool assign(const Token& token, const Assigned& to) {
    const bool declares = !command_.words.empty() && in(kDeclare, command_.words[0].text.text);
    if (!command_.words.empty() && !declares) return false;
    const bool list = token.parts.size() == 2 && token.parts[1].kind == Part::Kind::elements &&
                      token.parts[0].text.size() == to.length;
    if (list) {
      variables_.assign(to.name, expander_.elements(token.parts[1]), to.append, assigns_in_branch());
    } else if (declares) {
      variables_.assign(to.name, expander_.value(token, to.length), to.append, assigns_in_branch());
      changed(to.name, exports());
    } else {
      command_.prefix.emplace_back(to.name, expander_.value(token, to.length));
      append_.push_back(to.append);
    }
    return true;
  }

  /// Of a declaring command: whether it hands its variables to programs.
  bool exports() const {
    if (command_.words[0].text.text == "export") return true;
    return std::any_of(command_.words.begin(), command_.words.end(), [](const Word& word) {
      return word.text.text.starts_with('-') && word.text.text.find('x') != std::string::npos;
    });
  }

  void changed(const std::string& name, bool exported) {
    script_.changes.push_back({script_.commands.size(), name, variables_.value(name), exported});
  }

  void declare() {
    const bool exported = exports();
    for (std::size_t i = 1; i < command_.words.size(); ++i) {
      const std::string& name = command_.words[i].text.text;
      if (name.starts_with('-')) continue;
      if (command_.words[0].text.text != "export" && command_.words[0].text.text != "readonly") continue;
      variables_.keep(name);
      changed(name, exported);
    }
  }

  void end_command() {
    if (command_.words.empty()) {
      for (std::size_t i = 0; i < command_.prefix.size(); ++i) {
        variables_.assign(command_.prefix[i].first, std::move(command_.prefix[i].second), append_[i],
                          assigns_in_branch());
        changed(command_.prefix[i].first, all_exported_);
      }
      command_.prefix.clear();
      append_.clear();
      return;
    }
    append_.clear();
    for (const auto& [name, value] : command_.prefix) variables_.keep(name);
    const std::string& program = command_.words[0].text.text;
    if (in(kDeclare, program)) {
      declare();
    } else if (reads_a_script(command_)) {
      if (!std::exchange(sourced_, true)) script_.sourced = script_.commands.size();
      variables_.forget();
    } else if (program == "shift" || program == "set") {
      set();
    }
    // What stands behind `exit` runs only where that was not reached.
    command_.in_branch = in_branch() || left_;
    if (leaves()) leave();
    script_.commands.push_back(std::exchange(command_, {}));
  }

  void name_function() {
    function_name_ = command_.words.empty() ? "" : command_.words[0].text.text;
    command_ = {};
  }

  /// Whether the script may end well with this command: `exit` but with a status of failure, `exec`, a function that
  /// does so. Where a check fails the job (`cd /work || exit`), what follows is still what was meant to run.
  bool leaves() const {
    const std::string program = program_name(command_);
    if (leaving_.contains(program)) return true;
    if (program == "exec") return command_.words.size() > 1;
    if (program != "exit") return false;
    if (command_.words.size() == 1) return !after_or_;
    const Text& status = command_.words[1].text;
    return status.known() ? status.text == "0" : !after_or_;
  }

  void leave() {
    const auto is_subshell = [](const Block& block) { return block.closes == ")"; };
    if (std::any_of(blocks_.begin(), blocks_.end(), is_subshell)) return;
    const auto function =
        std::find_if(blocks_.begin(), blocks_.end(), [](const Block& block) { return !block.function.empty(); });
    if (function == blocks_.end()) {
      left_ = true;
    } else {
      leaving_.insert(function->function);
    }
  }

  /// `set -a`, `set -- …`, `shift`.
  void set() {
    bool value = false;
    for (std::size_t i = 1; i < command_.words.size(); ++i) {
      const std::string& word = command_.words[i].text.text;
      const bool flag = word.starts_with('-') || word.starts_with('+');
      if (word == "-a" || word == "allexport") all_exported_ = true;
      if ((!flag && !value) || word == "--" || !command_.words[i].text.known()) arguments_ = nullptr;
      value = flag && word.ends_with('o');
    }
    if (command_.words[0].text.text == "shift") arguments_ = nullptr;
    if (arguments_ == nullptr) expander_.arguments(nullptr);
  }

  Variables variables_;
  Expander expander_;
  const std::vector<Word>* arguments_;
  Script script_;
  Command command_;
  std::vector<bool> append_;  ///< beside command_.prefix: `+=`
  std::vector<Block> blocks_;
  Function function_ = Function::none;
  std::string function_name_;      ///< of the body that is to be opened
  std::set<std::string> leaving_;  ///< functions that may end the script
  bool left_ = false;              ///< the script may have ended
  bool continues_ = false;
  bool after_test_ = false;
  bool after_or_ = false;
  bool negated_ = false;
  bool broken_ = false;
  bool sourced_ = false;
  bool all_exported_ = false;
};

void put(std::vector<EnvEntry>& env, const std::string& name, Text value, const std::string& path, bool add) {
  const auto found =
      std::find_if(env.rbegin(), env.rend(), [&name](const EnvEntry& entry) { return entry.name == name; });
  if (found != env.rend()) {
    found->value = std::move(value);
    found->value_path = path;
  } else if (add) {
    env.push_back({name, std::move(value), path, path});
  }
}

}  // namespace

Script read_script(std::string_view text, const std::vector<EnvEntry>& env, const std::string& path,
                   const std::vector<Word>* arguments) {
  const auto tokens = tokens_of(text);
  Reader first(env, path, {}, arguments);
  first.run(tokens);
  // `read NAME`, `unset NAME`, `printf -v NAME`, `for NAME in`, `((NAME /= 2))`: whatever names a variable may change
  // it. The ways to do so are too many to know; those that were read are counted instead.
  std::set<std::string> unclear;
  const auto& assigned = first.variables().assigned();
  for (const auto& [name, count] : mentions_in(text)) {
    const auto read = assigned.find(name);
    if (count > (read == assigned.end() ? 0 : read->second)) unclear.insert(name);
  }
  Script script = Reader(env, path, unclear, arguments).run(tokens);
  script.unclear = std::move(unclear);
  script.path = path;
  return script;
}

std::vector<EnvEntry> env_of(const Script& script, std::size_t command, std::vector<EnvEntry> env) {
  std::set<std::string> exported;
  for (const Change& change : script.changes) {
    if (change.before > command) break;
    if (change.exported) exported.insert(change.name);
    put(env, change.name, change.value, script.path, exported.contains(change.name));
  }
  for (const auto& [name, value] : script.commands[command].prefix) put(env, name, value, script.path, true);
  for (EnvEntry& entry : env) {
    const auto& prefix = script.commands[command].prefix;
    const bool own =
        std::any_of(prefix.begin(), prefix.end(), [&entry](const auto& one) { return one.first == entry.name; });
    if (script.sourced < command || (script.unclear.contains(entry.name) && !own))
      entry.value = Text::open("`" + entry.name + "` may be changed by the script");
  }
  return env;
}

}  // namespace rollcall::launch::shell
