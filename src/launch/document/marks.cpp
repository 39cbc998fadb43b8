#include <algorithm>

#include "launch/document/document.h"
#include "launch/document/path.h"

namespace rollcall::launch {
namespace {

const Marks* below(const Marks& marks, const PathStep& step) {
  if (const auto* index = std::get_if<std::size_t>(&step)) {
    return marks.keys.empty() && *index < marks.children.size() ? &marks.children[*index] : nullptr;
  }
  const auto found = std::find(marks.keys.begin(), marks.keys.end(), std::get<std::string>(step));
  if (found == marks.keys.end()) return nullptr;
  return &marks.children[static_cast<std::size_t>(found - marks.keys.begin())];
}

}  // namespace

Mark Marks::at(std::string_view path) const {
  const Marks* marks = this;
  for (const PathStep& step : steps_of(path)) {
    const Marks* next = below(*marks, step);
    if (next == nullptr) break;
    marks = next;
  }
  return marks->mark;
}

const Marks* Marks::find(std::string_view path) const {
  const Marks* marks = this;
  for (const PathStep& step : steps_of(path)) {
    marks = below(*marks, step);
    if (marks == nullptr) return nullptr;
  }
  return marks;
}

}  // namespace rollcall::launch
