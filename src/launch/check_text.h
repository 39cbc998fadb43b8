#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "finding/finding.h"
#include "launch/check.h"
#include "launch/document/document.h"
#include "launch/document/pieces.h"

/// Judging the texts of one input, piece by piece. Two passes: what an object means may depend on a Service of another
/// file, so first every piece is asked for what stands beside the jobs, then each is judged by itself. Pure; everything
/// but add_context() may run for several pieces at once.
namespace rollcall::launch {

class Context;

/// A document that could not be read, and where it went wrong.
struct Unreadable {
  Mark mark;
  std::string message;
};

/// What was found in one piece.
struct TextChecked {
  Findings findings;                   ///< in the order of documents
  std::vector<PassedOver> ignored;     ///< likewise
  std::vector<Unreadable> unreadable;  ///< likewise
  int documents = 0;                   ///< non-empty ones, those that cannot be read included
  int judged = 0;                      ///< objects that rules were asked about, a List's items one by one
};

/// A document and how many non-empty ones stand before it in its file.
struct Numbered {
  int number = 0;
  Document document;
};

/// First pass: the documents of a piece in which something may stand that rules look at beside the object they judge.
/// `jobs` = also those that may be judged, for Context::jobs(). What cannot be read is left to the second pass.
std::vector<Numbered> documents_beside(const Piece& piece, bool jobs);
/// Takes what is of use from a document of `file` into `context`.
void add_context(const Numbered& one, const std::string& file, Context& context);

/// Second pass: every rule over every object of a piece. `file` is the name that findings bear.
TextChecked check_piece(const Piece& piece, const std::string& file, const Context& context);

/// Both passes over a text that is an input by itself.
TextChecked check_whole(std::string_view text, const std::string& file);

}  // namespace rollcall::launch
