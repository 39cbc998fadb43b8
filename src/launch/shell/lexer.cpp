#include "launch/shell/lexer.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "launch/shell/kubelet.h"

namespace rollcall::launch::shell {
namespace {

bool name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) step();
    end_word();
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\n'; }
  bool more() const { return at_ < text_.size(); }

  void step() {
    const char c = peek();
    if (c == '\\') {
      if (peek(1) != '\n' && at_ + 1 < text_.size()) literal(peek(1), true);
      at_ += 2;
    } else if (c == '\'') {
      single_quoted();
    } else if (c == '"') {
      double_quoted();
    } else if (c == kFilledIn) {
      filled_in(false);
    } else if (c == '`') {
      open_until_backtick(false);
    } else if (c == '$') {
      dollar(false);
    } else if (c == '#' && !in_word_) {
      while (more() && peek() != '\n') ++at_;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      end_word();
      ++at_;
    } else if (c == '\n') {
      end_word();
      separator(";");
      ++at_;
      skip_here_documents();
    } else if (c == '<' || c == '>') {
      redirection();
    } else if (c == ';' || c == '&' || c == '|') {
      control(c);
    } else if (c == '(' && in_word_ && ends_in_equals()) {
      array();
    } else if (c == '(' && peek(1) == '(' && !in_word_) {
      arithmetic();
    } else if (c == '(' || c == ')') {
      end_word();
      separator(std::string(1, c));
      ++at_;
    } else {
      literal(c, false);
      ++at_;
    }
  }

  void control(char c) {
    // `2>&1` is read by redirection(); `&>` here.
    if (c == '&' && peek(1) == '>') {
      end_word();
      ++at_;
      redirection();
      return;
    }
    end_word();
    if (peek(1) == c) {
      separator(std::string(2, c));
      at_ += 2;
    } else {
      separator(std::string(1, c));
      ++at_;
      if (c == '|' && peek() == '&') ++at_;
    }
  }

  void single_quoted() {
    in_word_ = true;
    for (++at_; more() && peek() != '\'';) {
      if (peek() == kFilledIn) {
        filled_in(true);
      } else {
        literal(peek(), true);
        ++at_;
      }
    }
    if (parts_.empty()) parts_.push_back({Part::Kind::literal, "", true});
    ++at_;
  }

  void double_quoted() {
    in_word_ = true;
    for (++at_; more() && peek() != '"';) {
      if (peek() == '\\' && at_ + 1 < text_.size()) {
        const char next = peek(1);
        if (next != '\n') {
          if (next != '$' && next != '"' && next != '\\' && next != '`') literal('\\', true);
          literal(next, true);
        }
        at_ += 2;
      } else if (peek() == '$') {
        dollar(true);
      } else if (peek() == kFilledIn) {
        filled_in(true);
      } else if (peek() == '`') {
        open_until_backtick(true);
      } else {
        literal(peek(), true);
        ++at_;
      }
    }
    if (parts_.empty()) parts_.push_back({Part::Kind::literal, "", true});
    ++at_;
  }

  void filled_in(bool quoted) {
    in_word_ = true;
    const std::size_t end = std::min(text_.find(kFilledInEnd, at_), text_.size());
    add({Part::Kind::filled_in, std::string(text_.substr(at_ + 1, end - at_ - 1)), quoted});
    at_ = std::min(end + 1, text_.size());
  }

  void dollar(bool quoted) {
    in_word_ = true;
    const std::size_t start = at_++;
    const char c = peek();
    if (c == '{') {
      braced(start, quoted);
    } else if (c == '(') {
      balanced('(', ')');
      add({Part::Kind::open, std::string(text_.substr(start, at_ - start)), quoted});
    } else if (name_start(c) && more()) {
      const std::size_t from = at_;
      while (more() && name_char(peek())) ++at_;
      add({Part::Kind::variable, std::string(text_.substr(from, at_ - from)), quoted});
    } else if (more() && std::string_view("@*123456789").find(c) != std::string_view::npos) {
      ++at_;
      add({Part::Kind::positional, std::string(1, c), quoted});
    } else if (more() && std::string_view("#?$!-0").find(c) != std::string_view::npos) {
      ++at_;
      add({Part::Kind::open, std::string(text_.substr(start, 2)), quoted});
    } else if (c == '\'' || (c == '"' && !quoted)) {
      // `$'…'` and `$"…"`: the quotes speak for themselves, escapes inside are rare enough to be left as they stand.
    } else {
      literal('$', quoted);
    }
  }

  /// `${NAME}`, `${NAME:-WORD}` with its kin, `${NAME[@]}`; every other form (`#`, `%`, `:0:3`) is open.
  void braced(std::size_t start, bool quoted) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && name_char(text_[end])) ++end;
    const std::string name(text_.substr(at_ + 1, end - at_ - 1));
    balanced('{', '}');
    at_ = std::min(at_, text_.size());
    const std::string_view source = text_.substr(start, at_ - start);
    const std::size_t from = end - start;
    Part part{Part::Kind::open, std::string(source), quoted};
    if (!name.empty() && source.ends_with('}') && from < source.size()) {
      const std::string_view rest = source.substr(from, source.size() - from - 1);
      if (!name_start(name[0])) {
        if (rest.empty() && name.size() == 1 && name[0] != '0') part = {Part::Kind::positional, name, quoted};
      } else if (rest == "[@]" || rest == "[*]") {
        part = {Part::Kind::list, name, quoted && rest == "[*]"};
      } else {
        expansion(name, rest, part);
      }
    } else if (source == "${@}" || source == "${*}") {
      part = {Part::Kind::positional, std::string(source.substr(2, 1)), quoted};
    }
    if (source.find("[@]") != std::string_view::npos) part.quoted = false;
    add(std::move(part));
  }

  /// `rest` is what stands between the name and the brace. Leaves `part` open where it is another form.
  static void expansion(const std::string& name, std::string_view rest, Part& part) {
    const bool colon = rest.starts_with(':');
    const std::string_view form = colon ? rest.substr(1) : rest;
    const char op = form.empty() ? '\0' : form[0];
    if (rest.empty() || op == '?') {
      part = {Part::Kind::variable, name, part.quoted};
    } else if (op == '-' || op == '=') {
      part = {Part::Kind::variable,        name,     part.quoted, colon ? Part::When::empty : Part::When::unset,
              std::string(form.substr(1)), op == '='};
    }
  }

  /// Moves behind the bracket that closes the one at at_; quotes inside are passed over.
  void balanced(char open, char close) {
    int depth = 0;
    char quote = 0;
    for (; more(); ++at_) {
      const char c = peek();
      if (c == '\\' && quote != '\'') {
        ++at_;
      } else if (quote != 0) {
        if (c == quote) quote = 0;
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if (c == open) {
        ++depth;
      } else if (c == close && --depth == 0) {
        ++at_;
        return;
      }
    }
  }

  void open_until_backtick(bool quoted) {
    in_word_ = true;
    const std::size_t start = at_++;
    for (; more() && peek() != '`'; ++at_) {
      if (peek() == '\\') ++at_;
    }
    if (more()) ++at_;
    at_ = std::min(at_, text_.size());
    add({Part::Kind::open, std::string(text_.substr(start, at_ - start)), quoted});
  }

  /// `NAME=(…)`: an array; its elements are words of their own.
  void array() {
    const std::size_t start = at_;
    balanced('(', ')');
    at_ = std::min(at_, text_.size());
    const std::string_view source = text_.substr(start, at_ - start);
    if (source.size() < 2 || !source.ends_with(')')) return add({Part::Kind::open, std::string(source), true});
    add({Part::Kind::elements, std::string(source.substr(1, source.size() - 2)), true});
  }

  /// `((…))`: a test of numbers, which may set some.
  void arithmetic() {
    const std::size_t start = at_;
    balanced('(', ')');
    at_ = std::min(at_, text_.size());
    tokens_.push_back({Token::Kind::word, {{Part::Kind::literal, "test", false}}, {}});
    tokens_.push_back(
        {Token::Kind::word, {{Part::Kind::open, std::string(text_.substr(start, at_ - start)), true}}, {}});
  }

  bool ends_in_equals() const {
    return !parts_.empty() && parts_.back().kind == Part::Kind::literal && parts_.back().text.ends_with('=');
  }

  /// `2> file`, `>&1`, `<<EOF`: takes the descriptor before and the word behind out of the command.
  void redirection() {
    if (in_word_ && parts_.size() == 1 && parts_[0].kind == Part::Kind::literal &&
        parts_[0].text.find_first_not_of("0123456789") == std::string::npos) {
      parts_.clear();
      in_word_ = false;
    }
    end_word();
    const std::size_t start = at_;
    while (more() && (peek() == '<' || peek() == '>' || peek() == '&' || (peek() == '|' && at_ > start))) ++at_;
    const std::string_view op = text_.substr(start, at_ - start);
    // `<(…)` is a word of the command: a file made by another command.
    if (peek() == '(' && (op == "<" || op == ">")) {
      balanced('(', ')');
      in_word_ = true;
      add({Part::Kind::open, "<(…)", true});
      return;
    }
    const bool here = op == "<<";
    if (here && peek() == '-') ++at_;
    while (more() && (peek() == ' ' || peek() == '\t')) ++at_;
    target_ = here ? Target::here : Target::file;
  }

  void skip_here_documents() {
    for (const std::string& delimiter : std::exchange(here_, {})) {
      while (more()) {
        const std::size_t end = std::min(text_.find('\n', at_), text_.size());
        std::string_view line = text_.substr(at_, end - at_);
        line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
        at_ = std::min(end + 1, text_.size());
        if (line == delimiter) break;
      }
    }
  }

  void literal(char c, bool quoted) {
    in_word_ = true;
    if (parts_.empty() || parts_.back().kind != Part::Kind::literal || parts_.back().quoted != quoted) {
      parts_.push_back({Part::Kind::literal, "", quoted});
    }
    parts_.back().text += c;
  }

  void add(Part part) { parts_.push_back(std::move(part)); }

  void end_word() {
    if (!in_word_) return;
    Token token{Token::Kind::word, std::move(parts_), {}};
    parts_.clear();
    in_word_ = false;
    const Target target = std::exchange(target_, Target::none);
    if (target == Target::here) here_.push_back(token.literal());
    if (target == Target::none) tokens_.push_back(std::move(token));
  }

  void separator(std::string text) {
    target_ = Target::none;
    tokens_.push_back({Token::Kind::separator, {}, std::move(text)});
  }

  enum class Target { none, file, here };

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
  std::vector<Part> parts_;
  bool in_word_ = false;
  Target target_ = Target::none;
  std::vector<std::string> here_;
};

}  // namespace

std::string Token::literal() const {
  std::string out;
  for (const Part& part : parts) {
    if (part.kind != Part::Kind::literal) return "";
    out += part.text;
  }
  return out;
}

std::vector<Token> tokens_of(std::string_view script) { return Lexer(script).run(); }

}  // namespace rollcall::launch::shell
