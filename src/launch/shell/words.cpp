#include "launch/shell/words.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace rollcall::launch::shell {
namespace {

// Words that unquoted variables of one script are split into; a script that means more would be a list of flags longer
// than any, and a short one could otherwise name millions.
constexpr std::size_t kMostPieces = 10'000;

bool is_plain(std::string_view word) {
  return !word.empty() &&
         word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-") ==
             std::string_view::npos;
}

/// `localhost` of `$(… || echo localhost)`; empty where a substitution has no such end.
std::string fallback_of(std::string_view source) {
  if (!source.starts_with("$(") || !source.ends_with(')')) return "";
  source.remove_suffix(1);
  constexpr std::string_view kOr = "|| echo ";
  const std::size_t at = source.rfind(kOr);
  if (at == std::string_view::npos) return "";
  std::string_view word = source.substr(at + kOr.size());
  const std::size_t end = word.find_last_not_of(" \t\n");
  word = word.substr(0, end == std::string_view::npos ? 0 : end + 1);
  if (word.size() > 2 && (word.front() == '"' || word.front() == '\'') && word.back() == word.front())
    word = word.substr(1, word.size() - 2);
  return is_plain(word) ? std::string(word) : "";
}

}  // namespace

std::vector<Word> Expander::words(const Token& token) {
  std::vector<Word> out;
  if (const std::vector<Word>* list = list_of(token); list != nullptr && pieces_ <= kMostPieces) {
    pieces_ += list->size();
    return *list;
  }
  Word word{{}, path_, false};
  for (const Part& part : token.parts) {
    const Text text = value_of(part);
    if (part.quoted || part.kind == Part::Kind::literal) {
      word.text.add(text);
      continue;
    }
    word.may_split = word.may_split || !text.known();
    split_into(text, word, out);
  }
  const bool vanished = word.text.text.empty() && token.parts[0].kind != Part::Kind::literal && !token.parts[0].quoted;
  if (!vanished) out.push_back(std::move(word));
  return out;
}

Text Expander::value(const Token& token, std::size_t skip) const {
  Text out;
  for (const Part& part : token.parts) {
    const Text text = value_of(part);
    out.add(&part == &token.parts.front() ? text.part(skip) : text);
  }
  return out;
}

std::vector<Word> Expander::elements(const Part& part) {
  std::vector<Word> out;
  for (const Token& token : tokens_of(part.text)) {
    if (token.kind != Token::Kind::word) continue;
    for (Word& word : words(token)) out.push_back(std::move(word));
  }
  return out;
}

const std::vector<Word>* Expander::list_of(const Token& token) const {
  if (token.parts.size() != 1) return nullptr;
  const Part& part = token.parts[0];
  if (part.kind == Part::Kind::list && !part.quoted) return variables_.list(part.text);
  return part.kind == Part::Kind::positional && part.text == "@" ? arguments_ : nullptr;
}

Text Expander::value_of(const Part& part) const {
  switch (part.kind) {
    case Part::Kind::literal: {
      Text text{part.text, {}};
      if (!text.known()) text.reason = "a part of the script is filled in by the kubelet at run time";
      return text;
    }
    case Part::Kind::variable:
      return variable_of(part);
    case Part::Kind::filled_in:
      return variables_.given(part.text);
    case Part::Kind::positional: {
      const std::size_t index =
          part.text[0] >= '1' && part.text[0] <= '9' ? static_cast<std::size_t>(part.text[0] - '1') : std::string::npos;
      if (arguments_ == nullptr || index == std::string::npos)
        return Text::open("`$" + part.text + "` is what the script is started with");
      return index < arguments_->size() ? (*arguments_)[index].text : Text{};
    }
    case Part::Kind::list:
      return Text::open("`${" + part.text + "[@]}` is worked out by the shell at run time");
    case Part::Kind::elements:
    case Part::Kind::open:
      break;
  }
  return Text::open("`" + part.text.substr(0, 60) + "` is worked out by the shell at run time", {},
                    fallback_of(part.text));
}

Text Expander::variable_of(const Part& part) const {
  Text value = variables_.value(part.text);
  if (part.when == Part::When::never) return value;
  if (value.known()) return value.text.empty() && part.when == Part::When::empty ? instead_of(part) : value;
  // Nobody gives it a value: the image may, or it stays what stands instead.
  if (variables_.set(part.text)) return value;
  const Text instead = instead_of(part);
  return Text::open("`$" + part.text + "` is set at run time", part.text,
                    instead.known() && is_plain(instead.text) ? instead.text : "");
}

/// WORD of `${NAME:-WORD}`. It is one word however many blanks it has, so only its expansions are looked at.
Text Expander::instead_of(const Part& part) const {
  if (part.instead.find_first_of("$`\\\"'") == std::string::npos) return Text{part.instead, {}};
  const std::vector<Token> tokens = tokens_of(part.instead);
  if (tokens.size() != 1 || tokens[0].kind != Token::Kind::word)
    return Text::open("`" + part.instead.substr(0, 60) + "` is worked out by the shell at run time");
  return value(tokens[0]);
}

/// An unquoted value: blanks in it end the word.
void Expander::split_into(const Text& text, Word& word, std::vector<Word>& out) {
  if (pieces_ > kMostPieces || text.text.size() > kLongestFilledIn) {
    word.may_split = true;
    word.text.hole("a variable of many words is not looked into");
    return;
  }
  constexpr std::string_view kBlanks = " \t\n";
  for (std::size_t at = 0; at < text.text.size();) {
    const std::size_t end = std::min(text.text.find_first_of(kBlanks, at), text.text.size());
    if (end > at) word.text.add(text.part(at, end - at));
    at = end + 1;
    if (end == text.text.size() || word.text.text.empty()) continue;
    out.push_back(std::exchange(word, Word{{}, path_, false}));
    ++pieces_;
  }
}

}  // namespace rollcall::launch::shell
