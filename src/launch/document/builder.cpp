#include "launch/document/builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "launch/document/limits.h"
#include "launch/document/path.h"

namespace rollcall::launch {

bool Builder::fail(Mark mark, const std::string& message) {
  if (error_.empty()) error_ = fmt::format("{}:{}: {}", mark.line, mark.column, message);
  return false;
}

bool Builder::spend(Mark mark) {
  if (++written_ <= kMaxNodes) return true;
  return fail(mark, fmt::format("the document has more than {} values; split it", kMaxNodes));
}

bool Builder::repeat(std::size_t nodes, Mark mark) {
  repeated_ += nodes;
  if (repeated_ <= kMaxRepeated) return true;
  return fail(mark, fmt::format("the document's anchors and aliases stand for more than {} values", kMaxRepeated));
}

namespace {

void set(Marks& marks, const Builder::Extent& extent) {
  marks.mark = extent.mark;
  marks.end = extent.end;
  marks.style = extent.style;
}

}  // namespace

bool Builder::scalar(nlohmann::json value, Extent extent, Anchor anchor) {
  if (!spend(extent.mark)) return false;
  Node node;
  node.value = std::move(value);
  set(node.marks, extent);
  return finish(std::move(node), anchor);
}

bool Builder::start(bool mapping, Extent extent, Anchor anchor) {
  if (!spend(extent.mark)) return false;
  if (open_.size() >= static_cast<std::size_t>(kMaxDepth)) {
    return fail(extent.mark, fmt::format("values are nested more than {} deep", kMaxDepth));
  }
  Open open;
  open.mapping = mapping;
  open.anchor = anchor;
  open.node.value = mapping ? nlohmann::json::object() : nlohmann::json::array();
  set(open.node.marks, extent);
  // An anchor that is given anew stands for nothing until its value is read: an alias inside of it is a cycle.
  if (const auto former = anchors_.find(anchor); former != anchors_.end()) anchors_.erase(former);
  open_.push_back(std::move(open));
  return true;
}

bool Builder::key(std::string name, Mark mark, bool merging) {
  if (!spend(mark)) return false;
  Open& open = open_.back();
  open.key.emplace(std::move(name), mark);
  open.merging = merging;
  return true;
}

bool Builder::end(Mark behind) {
  Open open = std::move(open_.back());
  open_.pop_back();
  if (!merge(open)) return false;
  if (behind.line != 0) open.node.marks.end = behind;
  return finish(std::move(open.node), open.anchor);
}

bool Builder::alias(Anchor anchor, Mark mark, Mark behind) {
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end()) {
    const bool inside =
        std::any_of(open_.begin(), open_.end(), [anchor](const Open& open) { return open.anchor == anchor; });
    return fail(mark, inside ? "the alias stands inside of what it repeats"
                             : fmt::format("there is no anchor &{} before this alias", anchor));
  }
  if (!repeat(found->second.size, mark)) return false;
  if (static_cast<int>(open_.size()) + found->second.depth > kMaxDepth) {
    return fail(mark, fmt::format("values are nested more than {} deep", kMaxDepth));
  }
  if (!put(found->second)) return false;
  // The list or mapping that the alias stands in ends here, whatever lines the anchor is on.
  if (!open_.empty()) open_.back().node.marks.end = behind;
  return true;
}

bool Builder::finish(Node node, std::string_view anchor) {
  if (!anchor.empty()) {
    // The copy that aliases are made of is memory too.
    if (!repeat(node.size, node.marks.mark)) return false;
    anchors_.insert_or_assign(std::string(anchor), node);
  }
  return put(std::move(node));
}

bool Builder::put(Node node) {
  if (open_.empty()) {
    root_ = std::move(node);
    return true;
  }
  Open& open = open_.back();
  open.node.size += node.size + (open.mapping ? 1 : 0);
  open.node.depth = std::max(open.node.depth, node.depth + 1);
  open.node.marks.end = node.marks.end;
  if (!open.mapping) {
    open.node.value.push_back(std::move(node.value));
    open.node.marks.children.push_back(std::move(node.marks));
    return true;
  }
  auto [name, mark] = std::move(*open.key);
  open.key.reset();
  node.marks.key = mark;
  if (open.merging) {
    open.merging = false;
    open.merges.push_back(std::move(node));
    return true;
  }
  if (open.node.value.contains(name)) {
    const auto first = std::find(open.node.marks.keys.begin(), open.node.marks.keys.end(), name);
    Marks& place = open.node.marks.children[static_cast<std::size_t>(first - open.node.marks.keys.begin())];
    if (duplicates_.size() < kMaxDuplicates) duplicates_.push_back({child(path(), name), place.mark, mark});
    open.node.value[name] = std::move(node.value);  // the last one counts, as for Kubernetes
    place = std::move(node.marks);
    return true;
  }
  open.node.value[name] = std::move(node.value);
  open.node.marks.keys.push_back(std::move(name));
  open.node.marks.children.push_back(std::move(node.marks));
  return true;
}

/// `<<: *base` and `<<: [*a, *b]`: what the mapping does not have itself, the first that has it wins.
bool Builder::merge(Open& open) {
  const auto take_in = [&open](nlohmann::json& value, Marks& marks) {
    for (std::size_t i = 0; i < marks.keys.size(); ++i) {
      if (open.node.value.contains(marks.keys[i])) continue;
      open.node.value[marks.keys[i]] = value[marks.keys[i]];
      open.node.marks.keys.push_back(marks.keys[i]);
      open.node.marks.children.push_back(marks.children[i]);
    }
  };
  for (Node& node : open.merges) {
    if (node.value.is_object()) {
      take_in(node.value, node.marks);
      continue;
    }
    bool mappings = node.value.is_array();
    for (std::size_t i = 0; mappings && i < node.value.size(); ++i) {
      mappings = node.value[i].is_object();
      if (mappings) take_in(node.value[i], node.marks.children[i]);
    }
    if (!mappings) return fail(node.marks.mark, "`<<` takes a mapping or a list of mappings");
  }
  open.merges.clear();
  return true;
}

std::string Builder::path() const {
  std::string out;
  for (std::size_t i = 0; i + 1 < open_.size(); ++i) {
    const Open& open = open_[i];
    out = open.mapping ? child(out, open.key ? open.key->first : "") : child(out, open.node.value.size());
  }
  return out;
}

Document Builder::take() {
  Document document;
  if (root_) {
    document.value = std::move(root_->value);
    document.marks = std::move(root_->marks);
  }
  document.duplicates = std::move(duplicates_);
  *this = Builder();
  return document;
}

}  // namespace rollcall::launch
