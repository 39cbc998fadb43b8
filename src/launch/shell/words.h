#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "launch/launchers/program.h"
#include "launch/shell/lexer.h"
#include "launch/shell/variables.h"

namespace rollcall::launch::shell {

/// Turns the tokens of a script into the words that a program is handed: expansion, then splitting at blanks.
class Expander {
 public:
  /// `variables` must outlive this. `path` is given to every word.
  Expander(const Variables& variables, std::string path) : variables_(variables), path_(std::move(path)) {}

  /// `$1` and those behind it; nullptr = not known. Must outlive the words that are asked for.
  void arguments(const std::vector<Word>* arguments) { arguments_ = arguments; }

  /// None for an unquoted variable that is empty.
  std::vector<Word> words(const Token& token);
  /// The same without splitting: what is assigned. From the `skip`th character of the token's first part on.
  Text value(const Token& token, std::size_t skip = 0) const;
  /// The elements of `(…)`.
  std::vector<Word> elements(const Part& part);

 private:
  Text value_of(const Part& part) const;
  Text variable_of(const Part& part) const;
  Text instead_of(const Part& part) const;
  /// The words that `$@` or `${NAME[@]}` stands for, alone in its word; nullptr where they are open, or it is none.
  const std::vector<Word>* list_of(const Token& token) const;
  void split_into(const Text& text, Word& word, std::vector<Word>& out);

  const Variables& variables_;
  std::string path_;
  const std::vector<Word>* arguments_ = nullptr;
  std::size_t pieces_ = 0;
};

}  // namespace rollcall::launch::shell
