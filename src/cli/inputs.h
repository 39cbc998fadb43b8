#pragma once

#include <cstddef>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace rollcall::cli {

/// What is held in memory of an input that can be read only once (standard input, a pipe): the output of `helm
/// template` or `kubectl get` of a large cluster is a tenth of it.
inline constexpr std::size_t kMaxHeld = 1u << 30;

/// The files that `names` stand for, in order: a file is itself, `-` is standard input, a directory every *.yaml, *.yml
/// and *.json below it by name (symbolic links to directories are not followed). An Error names what is not there.
Result<std::vector<std::string>> files_of(const std::string& name);

/// The whole text of a file, or of `in` for `-`. An Error says why not.
Result<std::string> read_text(const std::string& file, std::istream& in);

/// Files as they are read from the start, block by block and more than once. A file on disk is opened anew each time
/// and never held; what can be read only once is held from its first reading on. Not for several threads.
class Inputs {
 public:
  /// A file that is being read; refers to its Inputs.
  class Reading {
   public:
    virtual ~Reading() = default;
    /// The next block, valid until the next call; empty = the end.
    virtual Result<std::string_view> next() = 0;
  };

  explicit Inputs(std::istream& in) : in_(in) {}

  /// Begins to read a file, `-` for standard input. An Error says why not: `No such file or directory`.
  Result<std::unique_ptr<Reading>> read(const std::string& file);

 private:
  std::istream& in_;
  std::map<std::string, std::string> held_;
};

}  // namespace rollcall::cli
