#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "finding/finding.h"
#include "launch/check.h"

namespace rollcall::cli {

/// An input, or a part of it, that could not be read.
struct InputError {
  std::string file;  ///< as findings name it
  int line = 0;      ///< from 1; 0 = not known
  int column = 0;    ///< from 1; 0 = not known
  std::string message;

  /// `FILE:LINE:COLUMN: MESSAGE`, without what is not known.
  std::string text() const;
};

/// A file that was read, in part at least.
struct JudgedFile {
  std::string name;   ///< as findings name it: the path as given or found, `<stdin>` for `-`
  int documents = 0;  ///< non-empty ones, those that cannot be read included
  int judged = 0;     ///< objects that rules were asked about, a List's items one by one
};

/// Everything that lint knows of its inputs. The same inputs give the same, however many threads there were.
struct Judged {
  Findings findings;                        ///< in the order of files, then of documents
  std::vector<launch::PassedOver> ignored;  ///< likewise: what annotations of the objects pass over
  std::vector<InputError> errors;           ///< likewise, those of names that stand for no file first
  std::vector<JudgedFile> files;            ///< in the order of names, a folder's by path; each once

  int documents() const;
  int judged() const;
};

/// Reads and judges files, folders and `-`, all as one input: a Service of one file is known to the job of another.
/// Whatever cannot be read is an error by name and the rest is judged all the same. `in` is what `-` stands for.
Judged judge_inputs(const std::vector<std::string>& names, std::istream& in);

}  // namespace rollcall::cli
