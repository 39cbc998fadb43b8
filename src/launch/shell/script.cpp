#include "launch/shell/script.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "launch/shell/kubelet.h"
#include "launch/shell/lexer.h"
#include "launch/shell/names.h"

namespace rollcall::launch::shell {
namespace {

constexpr std::array kOpeners{"if", "for", "while", "until", "case", "select", "{", "function"};
constexpr std::array kClosers{"fi", "done", "esac", "}"};
constexpr std::array kBetween{"then", "else", "elif", "do", "!"};
constexpr std::array kDeclare{"export", "declare", "local", "readonly", "typeset"};
constexpr std::array kTests{"[", "[[", "test", "grep", "true", "false"};

// Words that unquoted variables of one script are split into; a script that means more would be a list of flags longer
// than any, and a short one could otherwise name millions.
constexpr std::size_t kMostPieces = 10'000;

template <typename Row>
bool in(const Row& row, std::string_view name) {
  for (const std::string_view entry : row) {
    if (entry == name) return true;
  }
  return false;
}

/// Length of `NAME` in `NAME=…`; 0 for a word that assigns nothing.
std::size_t assigned_name(const std::string& text) {
  std::size_t at = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
  if (at == std::string::npos || at == 0 || text[at] != '=') return 0;
  return text[0] >= '0' && text[0] <= '9' ? 0 : at;
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
  /// `unclear`: variables whose value is open wherever they stand.
  Reader(const std::vector<EnvEntry>& env, std::string path, std::set<std::string> unclear)
      : env_(env), path_(std::move(path)), unclear_(std::move(unclear)) {}

  std::vector<Command> run(const std::vector<Token>& tokens) {
    for (const Token& token : tokens) {
      if (token.kind == Token::Kind::separator) {
        separator(token.separator);
      } else {
        word(token);
      }
    }
    end_command();
    return std::move(commands_);
  }

  /// How often each variable was assigned in a way that was read.
  const std::map<std::string, std::size_t>& assigned() const { return assigned_; }

 private:
  void separator(const std::string& text) {
    // Inside `[[ … ]]` the separators are operators of the test.
    if (!command_.words.empty() && command_.words[0].text.text == "[[" && command_.words.back().text.text != "]]" &&
        text != ";") {
      return;
    }
    // A line may end behind `&&`, `||` or `|`: the command goes on.
    if (text == ";" && continues_ && command_.words.empty() && assignments_.empty()) return;
    continues_ = text == "&&" || text == "||" || text == "|";
    const bool test = !command_.words.empty() && in(kTests, command_.words[0].text.text);
    const bool function = text == "(" && command_.words.size() == 1;
    if (function) command_ = {};  // `name() {`: the brace opens the branch
    end_command();
    if (text == "(" && !function) ++subshells_;
    if (text == "(" && function) function_ = true;
    if (text == ")") {
      if (!std::exchange(function_, false) && subshells_ > 0) --subshells_;
    }
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
    if (command_.words.empty() && assignments_.empty()) {
      const bool bare = token.parts.size() == 1 && !token.parts[0].quoted;
      if (bare && in(kOpeners, literal)) ++depth_;
      if (bare && in(kClosers, literal) && depth_ > 0) --depth_;
      if (bare && literal == "!") negated_ = true;
      if (bare && (in(kBetween, literal) || in(kClosers, literal) || literal == "{" || literal == "if" ||
                   literal == "while" || literal == "until")) {
        return;
      }
    }
    add(token);
  }

  void add(const Token& token) {
    Word word{{}, path_, false};
    std::vector<Word> split;
    for (const Part& part : token.parts) {
      const Text text = value_of(part);
      if (part.quoted || part.kind == Part::Kind::literal) {
        word.text.add(text);
        continue;
      }
      word.may_split = word.may_split || !text.known();
      split_into(text, word, split);
    }
    const std::size_t name = command_.words.empty() ? assigned_name(word.text.text) : 0;
    if (name != 0 && split.empty()) {
      assignments_.emplace_back(word.text.text.substr(0, name), word.text.part(name + 1));
      return;
    }
    for (Word& piece : split) command_.words.push_back(std::move(piece));
    // An unquoted variable that is empty leaves no word behind.
    const bool vanished =
        word.text.text.empty() && token.parts[0].kind == Part::Kind::variable && !token.parts[0].quoted;
    if (!vanished) command_.words.push_back(std::move(word));
  }

  /// An unquoted value: blanks in it end the word. An assignment's value is never split.
  void split_into(const Text& text, Word& word, std::vector<Word>& split) {
    const bool assigns = command_.words.empty() && assigned_name(word.text.text) != 0;
    if (assigns) {
      word.text.add(text);
      return;
    }
    if (pieces_ > kMostPieces || text.text.size() > kLongestFilledIn) {
      word.may_split = true;
      word.text.hole("a variable of many words is not looked into");
      return;
    }
    for (std::size_t at = 0; at < text.text.size(); ++at) {
      const char c = text.text[at];
      if (c == ' ' || c == '\t' || c == '\n') {
        if (word.text.text.empty()) continue;
        split.push_back(std::exchange(word, Word{{}, path_, false}));
        ++pieces_;
      } else {
        word.text.add(text.part(at, 1));
      }
    }
  }

  Text value_of(const Part& part) const {
    switch (part.kind) {
      case Part::Kind::literal: {
        Text text{part.text, {}};
        if (!text.known()) text.reason = "a part of the script is filled in by the kubelet at run time";
        return text;
      }
      case Part::Kind::open:
        return Text::open("`" + part.text.substr(0, 60) + "` is worked out by the shell at run time");
      case Part::Kind::variable:
        break;
    }
    if (unclear_.contains(part.text)) return Text::open("`$" + part.text + "` may be changed by the script");
    if (const auto own = variables_.find(part.text); own != variables_.end()) return own->second;
    if (sourced_) return Text::open("`$" + part.text + "` may be set by a file that the script reads");
    return variable(part.text, env_);
  }

  bool in_branch() const { return depth_ > 0 || subshells_ > 0 || after_test_ || after_or_ || negated_; }

  void assign(const std::string& name, Text value) {
    ++assigned_[name];
    variables_[name] = in_branch() ? Text::open("`$" + name + "` is set in a branch of the script") : std::move(value);
  }

  void end_command() {
    const std::string program = command_.words.empty() ? "" : command_.words[0].text.text;
    if (command_.words.empty()) {
      for (auto& [name, value] : assignments_) assign(name, std::move(value));
    } else if (in(kDeclare, program)) {
      for (std::size_t i = 1; i < command_.words.size(); ++i) {
        const Text& text = command_.words[i].text;
        if (const std::size_t name = assigned_name(text.text); name != 0) {
          assign(text.text.substr(0, name), text.part(name + 1));
        } else if (program == "export" || program == "readonly") {
          ++assigned_[text.text];  // keeps the value
        }
      }
    } else if (reads_a_script(command_)) {
      sourced_ = true;
      variables_.clear();
    }
    assignments_.clear();
    if (command_.words.empty()) return;
    command_.in_branch = in_branch();
    commands_.push_back(std::exchange(command_, {}));
  }

  const std::vector<EnvEntry>& env_;
  std::string path_;
  std::set<std::string> unclear_;
  std::vector<Command> commands_;
  Command command_;
  std::vector<std::pair<std::string, Text>> assignments_;
  std::map<std::string, Text> variables_;
  std::map<std::string, std::size_t> assigned_;
  std::size_t pieces_ = 0;
  int depth_ = 0;
  int subshells_ = 0;
  bool function_ = false;
  bool continues_ = false;
  bool after_test_ = false;
  bool after_or_ = false;
  bool negated_ = false;
  bool sourced_ = false;
};

}  // namespace

std::vector<Command> commands_of(std::string_view script, const std::vector<EnvEntry>& env, const std::string& path) {
  const auto tokens = tokens_of(script);
  Reader first(env, path, {});
  first.run(tokens);
  // `read NAME`, `unset NAME`, `printf -v NAME`, `for NAME in`, `((NAME /= 2))`: whatever names a variable may change
  // it. The ways to do so are too many to know; those that were read are counted instead.
  std::set<std::string> unclear;
  for (const auto& [name, count] : mentions_in(script)) {
    const auto read = first.assigned().find(name);
    if (count > (read == first.assigned().end() ? 0 : read->second)) unclear.insert(name);
  }
  return Reader(env, path, std::move(unclear)).run(tokens);
}

std::vector<EnvEntry> env_below(std::string_view script, const std::vector<Command>& commands,
                                std::vector<EnvEntry> env) {
  const bool sourced = std::any_of(commands.begin(), commands.end(), reads_a_script);
  const auto mentions = mentions_in(script);
  for (EnvEntry& entry : env) {
    if (sourced || mentions.contains(entry.name))
      entry.value = Text::open("`" + entry.name + "` may be changed by the script");
  }
  return env;
}

}  // namespace rollcall::launch::shell
