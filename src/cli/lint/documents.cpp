#include "cli/lint/documents.h"

#include <utility>

namespace rollcall::cli {
namespace {

/// Some milliseconds of work: waking a thread takes a hundredth of one.
constexpr std::size_t kBatchBytes = 32 << 10;

}  // namespace

std::optional<Batch> Documents::next() {
  if (file_ == files_.size()) return std::nullopt;
  Batch batch;
  batch.file = file_;
  bool more = reading_ != nullptr || begin(batch);
  while (more && batch.bytes < kBatchBytes) more = add(batch);
  if (more) return batch;
  batch.last = true;
  reading_.reset();
  ++file_;
  return batch;
}

void Documents::rewind() {
  reading_.reset();
  file_ = 0;
}

/// Opens the file; whether there is anything to add.
bool Documents::begin(Batch& batch) {
  auto reading = inputs_.read(files_[file_]);
  if (!reading.ok()) {
    batch.error = reading.error().message;
    return false;
  }
  reading_ = std::move(reading.value());
  cut_ = launch::Pieces();
  ended_ = false;
  return true;
}

/// Adds a piece or reads a block; whether there may be more.
bool Documents::add(Batch& batch) {
  if (std::optional<launch::Piece> piece = cut_.next()) {
    batch.bytes += piece->text.size();
    batch.pieces.push_back(std::move(*piece));
    return true;
  }
  if (ended_) return false;
  const Result<std::string_view> block = reading_->next();
  if (!block.ok()) {
    batch.error = block.error().message;
    return false;
  }
  ended_ = block->empty();
  if (ended_) cut_.finish();
  cut_.feed(*block);
  return true;
}

}  // namespace rollcall::cli
