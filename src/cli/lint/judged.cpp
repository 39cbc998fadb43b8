#include "cli/lint/judged.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iterator>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "cli/inputs.h"
#include "cli/lint/documents.h"
#include "cli/lint/side_by_side.h"
#include "launch/check_text.h"
#include "launch/kinds/context.h"

namespace rollcall::cli {
namespace {

/// Bytes of manifests that are held at once; parsed they take some twenty times as much.
constexpr std::size_t kHeaviest = 32 << 20;

template <typename T>
void move_to_end(std::vector<T>& from, std::vector<T>& to) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

std::string shown(const std::string& file) { return file == "-" ? "<stdin>" : file; }

/// What a file is by whatever name: one that was judged under two would be two jobs, and mended twice.
std::string identity(const std::string& file) {
  if (file == "-") return file;
  std::error_code error;  // what cannot be looked at is told when it is read
  const auto real = std::filesystem::weakly_canonical(file, error);
  return error ? file : real.string();
}

/// Every file that `names` stand for, each once, under its first name.
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
      if (seen.insert(identity(file)).second) all.push_back(std::move(file));
  }
  return all;
}

unsigned threads() {
  // A container without a limit on CPUs sees all of its node; more threads than this wait for the one that reads.
  constexpr unsigned kMost = 32;
  return std::clamp(std::thread::hardware_concurrency(), 1u, kMost);
}

std::size_t weight(const Batch& batch) { return batch.bytes; }

/// First pass: what stands beside the jobs, wherever in the input.
launch::Context context_of(Documents& documents, const std::vector<std::string>& files) {
  struct Beside {
    std::size_t file = 0;
    std::vector<launch::Numbered> documents;
  };
  launch::Context context;
  // One job or several: nobody asks how many, so that of a long input nearly all jobs need not be parsed here.
  std::atomic<bool> several = false;
  SideBySide<Batch, Beside>(threads(), kHeaviest, weight)
      .run([&documents] { return documents.next(); },
           [&several](const Batch& batch) {
             Beside beside{batch.file, {}};
             for (const launch::Piece& piece : batch.pieces) {
               std::vector<launch::Numbered> more = launch::documents_beside(piece, !several);
               move_to_end(more, beside.documents);
             }
             return beside;
           },
           [&](const Beside& beside) {
             const std::string file = shown(files[beside.file]);
             for (const launch::Numbered& one : beside.documents) launch::add_context(one, file, context);
             several = context.jobs() >= launch::kSeveral;
           });
  return context;
}

/// What a batch comes to.
struct JudgedBatch {
  launch::TextChecked checked;
  Batch batch;  ///< without its pieces
};

JudgedBatch judge(Batch batch, const std::string& file, const launch::Context& context) {
  JudgedBatch judged;
  for (const launch::Piece& piece : batch.pieces) {
    launch::TextChecked one = launch::check_piece(piece, file, context);
    move_to_end(one.findings, judged.checked.findings);
    move_to_end(one.ignored, judged.checked.ignored);
    move_to_end(one.unreadable, judged.checked.unreadable);
    judged.checked.documents += one.documents;
    judged.checked.judged += one.judged;
  }
  batch.pieces = {};
  judged.batch = std::move(batch);
  return judged;
}

void take(JudgedBatch one, const std::string& file, JudgedFile& counts, Judged& judged) {
  move_to_end(one.checked.findings, judged.findings);
  move_to_end(one.checked.ignored, judged.ignored);
  for (launch::Unreadable& unreadable : one.checked.unreadable)
    judged.errors.push_back({file, unreadable.mark.line, unreadable.mark.column, std::move(unreadable.message)});
  if (one.batch.error) judged.errors.push_back({file, 0, 0, std::move(*one.batch.error)});
  counts.documents += one.checked.documents;
  counts.judged += one.checked.judged;
  if (!one.batch.last) return;
  counts.name = file;
  if (!one.batch.error || counts.documents > 0) judged.files.push_back(counts);
  counts = {};
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
  const std::vector<std::string> files = all_files(names, judged.errors);
  Documents documents(files, in);
  const launch::Context context = context_of(documents, files);
  documents.rewind();
  JudgedFile counts;
  SideBySide<Batch, JudgedBatch>(threads(), kHeaviest, weight)
      .run([&documents] { return documents.next(); },
           [&files, &context](Batch batch) {
             const std::string file = shown(files[batch.file]);
             return judge(std::move(batch), file, context);
           },
           [&](JudgedBatch one) {
             const std::string file = shown(files[one.batch.file]);
             take(std::move(one), file, counts, judged);
           });
  return judged;
}

}  // namespace rollcall::cli
