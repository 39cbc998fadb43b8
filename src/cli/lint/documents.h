#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/inputs.h"
#include "launch/document/pieces.h"

namespace rollcall::cli {

/// Neighbouring documents of one file: enough for a thread to be worth waking.
struct Batch {
  std::size_t file = 0;  ///< index in the list of files
  std::vector<launch::Piece> pieces;
  std::size_t bytes = 0;
  std::optional<std::string> error;  ///< why no more of the file could be read, behind the pieces
  bool last = false;                 ///< of its file; every file has one
};

/// The documents of many files in order, read as they are asked for. Not for several threads.
class Documents {
 public:
  /// Refers to `files` and `in`.
  Documents(const std::vector<std::string>& files, std::istream& in) : files_(files), inputs_(in) {}

  /// nullopt = that was all.
  std::optional<Batch> next();
  /// Back to the first document.
  void rewind();

 private:
  bool begin(Batch& batch);
  bool add(Batch& batch);

  const std::vector<std::string>& files_;
  Inputs inputs_;
  std::size_t file_ = 0;
  std::unique_ptr<Inputs::Reading> reading_;  ///< of files_[file_]; empty = not begun
  launch::Pieces cut_;
  bool ended_ = false;  ///< the file has no more blocks
};

}  // namespace rollcall::cli
