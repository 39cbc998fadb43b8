#include "cli/lint/judged.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "cli/inputs.h"
#include "launch/check_text.h"
#include "launch/kinds/context.h"

namespace rollcall::cli {
namespace {

template <typename T>
void move_to_end(std::vector<T>& from, std::vector<T>& to) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

std::string shown(const std::string& file) { return file == "-" ? "<stdin>" : file; }

struct Text {
  std::string file;
  std::string text;
};

/// Every file that `names` stand for, each once.
std::vector<std::string> all_files(const std::vector<std::string>& names, std::vector<InputError>& errors) {
  std::vector<std::string> all;
  std::set<std::string> seen;
  for (const std::string& name : names) {
    auto files = files_of(name);
    if (!files.ok()) {
      errors.push_back({"", 0, 0, files.error().message});
      continue;
    }
    for (std::string& file : files.value())
      if (seen.insert(file).second) all.push_back(std::move(file));
  }
  return all;
}

void take(launch::TextChecked checked, const std::string& file, Judged& judged) {
  move_to_end(checked.findings, judged.findings);
  move_to_end(checked.ignored, judged.ignored);
  for (launch::Unreadable& one : checked.unreadable)
    judged.errors.push_back({file, one.mark.line, one.mark.column, std::move(one.message)});
  judged.files.push_back({file, checked.documents, checked.judged});
}

}  // namespace

std::string InputError::text() const {
  if (file.empty()) return message;
  if (line == 0) return file + ": " + message;
  return fmt::format("{}:{}:{}: {}", file, line, column, message);
}

int Judged::documents() const {
  int sum = 0;
  for (const JudgedFile& file : files) sum += file.documents;
  return sum;
}

int Judged::judged() const {
  int sum = 0;
  for (const JudgedFile& file : files) sum += file.judged;
  return sum;
}

Judged judge_inputs(const std::vector<std::string>& names, std::istream& in) {
  Judged judged;
  std::vector<Text> texts;
  launch::Context context;
  for (const std::string& file : all_files(names, judged.errors)) {
    Result<std::string> text = read_text(file, in);
    if (!text.ok()) {
      judged.errors.push_back({"", 0, 0, text.error().message});
      continue;
    }
    launch::add_context(*text, shown(file), context);
    texts.push_back({shown(file), std::move(text.value())});
  }
  for (const Text& text : texts) take(launch::check_text(text.text, text.file, context), text.file, judged);
  return judged;
}

}  // namespace rollcall::cli
