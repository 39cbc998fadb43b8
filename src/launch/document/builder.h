#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launch/document/document.h"

namespace rollcall::launch {

/// Builds a Document from the events of a parser, within the limits. Every call returns false once a limit is passed or
/// the document is wrong; error() then says why, and no further event may be given. Both parsers, YAML's and JSON's,
/// share it.
class Builder {
 public:
  using Anchor = std::size_t;  ///< 0 = none

  bool scalar(nlohmann::json value, Mark mark, Anchor anchor = 0);
  bool start(bool mapping, Mark mark, Anchor anchor = 0);
  bool end();
  /// A mapping's key; its value is the next event. `merge`: the plain `<<` of YAML 1.1.
  bool key(std::string name, Mark mark, bool merge = false);
  bool alias(Anchor anchor, Mark mark);

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
    Anchor anchor = 0;
    std::optional<std::pair<std::string, Mark>> key;
    bool merging = false;
    std::vector<Node> merges;
  };

  bool finish(Node node, Anchor anchor);
  bool put(Node node);
  bool merge(Open& open);
  bool spend(std::size_t nodes, Mark mark);
  std::string path() const;

  std::vector<Open> open_;
  std::map<Anchor, Node> anchors_;
  std::optional<Node> root_;
  std::vector<DuplicateKey> duplicates_;
  std::size_t spent_ = 0;
  std::string error_;
};

}  // namespace rollcall::launch
