#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/document/document.h"

namespace rollcall::launch {

/// Builds a Document from the events of a parser, within the limits. Every call returns false once a limit is passed or
/// the document is wrong; error() then says why, and no further event may be given. Both parsers, YAML's and JSON's,
/// share it.
class Builder {
 public:
  using Anchor = std::string_view;  ///< its name; empty = none

  /// Where a value begins and, of a scalar, ends.
  struct Extent {
    Mark mark;
    Mark end;
    Style style = Style::unknown;
  };

  bool scalar(nlohmann::json value, Extent extent, Anchor anchor = {});
  bool start(bool mapping, Extent extent, Anchor anchor = {});
  /// `behind` = behind the closing bracket; not known = the last value's end.
  bool end(Mark behind = {});
  /// A mapping's key; its value is the next event. `merge`: the plain `<<` of YAML 1.1.
  bool key(std::string name, Mark mark, bool merge = false);
  /// `behind` = behind its last character.
  bool alias(Anchor anchor, Mark mark, Mark behind = {});

  /// Whether the next event of a mapping is a key.
  bool expects_key() const { return !open_.empty() && open_.back().mapping && !open_.back().key; }
  bool fail(Mark mark, const std::string& message);

  const std::string& error() const { return error_; }
  bool failed() const { return !error_.empty(); }
  /// The finished document; the builder is then as new.
  Document take();

 private:
  struct Node {
    nlohmann::json value;
    Marks marks;
    std::size_t size = 1;  ///< values in it, itself included
    int depth = 1;         ///< levels in it, itself included
  };
  struct Open {
    Node node;
    bool mapping = false;
    std::string anchor;
    std::optional<std::pair<std::string, Mark>> key;
    bool merging = false;
    std::vector<Node> merges;
  };

  bool finish(Node node, std::string_view anchor);
  bool put(Node node);
  bool merge(Open& open);
  bool spend(Mark mark);
  bool repeat(std::size_t nodes, Mark mark);
  std::string path() const;

  std::vector<Open> open_;
  std::map<std::string, Node, std::less<>> anchors_;
  std::optional<Node> root_;
  std::vector<DuplicateKey> duplicates_;
  std::size_t written_ = 0;
  std::size_t repeated_ = 0;
  std::string error_;
};

}  // namespace rollcall::launch
