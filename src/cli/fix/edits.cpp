#include "cli/fix/edits.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "cli/fix/emit.h"
#include "launch/document/path.h"

namespace rollcall::cli {
namespace {

using Json = nlohmann::json;
using launch::Marks;
using launch::Style;

constexpr auto kNowhere = std::string_view::npos;

/// An entry of a mapping or a list as it stands in the text.
struct Entry {
  std::size_t begin = 0;  ///< its key's or, in a list by brackets, its value's first byte
  std::size_t end = 0;    ///< behind its value
  std::size_t index = 0;  ///< among the children of the marks
};

class Differ {
 public:
  Differ(const Lines& lines, bool json) : lines_(lines), text_(lines.text()), json_(json) {}

  bool compare(const Json& before, const Json& after, const Marks& marks, const std::string& path) {
    if (before == after) return true;
    if (before.is_object() && after.is_object() && !before.empty()) return mappings(before, after, marks, path);
    if (before.is_array() && after.is_array() && !before.empty()) return lists(before, after, marks, path);
    return replace(after, marks, path);
  }

  std::vector<Edit> edits;
  std::string problem;

 private:
  bool fail(const std::string& path, const std::string& why) {
    problem = path + ": " + why;
    return false;
  }
  bool edit(std::size_t from, std::size_t to, std::string text) {
    edits.push_back({from, to, std::move(text)});
    return true;
  }

  static bool brackets(const Marks& marks) { return marks.style == Style::flow; }
  std::string in_line(const Json& value) const { return json_ ? value.dump() : inline_yaml(value); }
  std::string key_text(const std::string& key) const { return json_ ? Json(key).dump() : inline_yaml(key); }

  /// The children of a mapping or a list in the order of the text.
  std::optional<std::vector<Entry>> entries(const Marks& marks) const {
    std::vector<Entry> out;
    for (std::size_t i = 0; i < marks.children.size(); ++i) {
      const Marks& child = marks.children[i];
      const std::size_t begin = lines_.offset(marks.keys.empty() ? child.mark : child.key);
      const std::size_t end = lines_.offset(child.end);
      if (begin == kNowhere || end == kNowhere || end < begin) return std::nullopt;
      out.push_back({begin, end, i});
    }
    std::sort(out.begin(), out.end(), [](const Entry& a, const Entry& b) { return a.begin < b.begin; });
    return out;
  }

  bool replace(const Json& value, const Marks& marks, const std::string& path) {
    const std::size_t from = lines_.offset(marks.mark);
    const std::size_t to = without_blank_lines(lines_.offset(marks.end));
    if (from == kNowhere || to == kNowhere || to < from) return fail(path, "it is not known where it stands");
    std::string text = in_line(value);
    if (value.is_string() && marks.style == Style::double_quoted) text = value.dump();
    if (from == to) return edit(from, to, " " + text);  // `key:`
    if (text_[to - 1] == '\n') text += '\n';            // a block of text takes its last line feed along
    return edit(from, to, std::move(text));
  }

  bool mappings(const Json& before, const Json& after, const Marks& marks, const std::string& path) {
    std::vector<std::string> gone;
    std::vector<std::string> come;
    for (const auto& [key, value] : before.items())
      if (!after.contains(key)) gone.push_back(key);
    for (const auto& [key, value] : after.items())
      if (!before.contains(key)) come.push_back(key);
    for (const auto& [key, value] : before.items()) {
      if (!after.contains(key)) continue;
      const Marks* child = child_of(marks, key);
      if (child == nullptr) return fail(path, "it is not known where its fields stand");
      if (!compare(value, after[key], *child, launch::child(path, key))) return false;
    }
    if (gone.size() == 1 && come.size() == 1 && before[gone[0]] == after[come[0]])
      return rename(*child_of(marks, gone[0]), come[0], launch::child(path, gone[0]));
    if (gone.size() == before.size()) return replace_all(after, marks, path);
    std::vector<std::size_t> indexes;
    for (const std::string& key : gone) {
      const Marks* child = child_of(marks, key);
      if (child == nullptr) return fail(path, "it is not known where its fields stand");
      indexes.push_back(static_cast<std::size_t>(child - marks.children.data()));
    }
    return remove(indexes, marks, path) && add_fields(come, after, marks, path);
  }

  bool lists(const Json& before, const Json& after, const Marks& marks, const std::string& path) {
    if (marks.children.size() != before.size()) return fail(path, "it is not known where its entries stand");
    if (after.empty()) return replace_all(after, marks, path);
    std::size_t head = 0;
    while (head < std::min(before.size(), after.size()) && before[head] == after[head]) ++head;
    std::size_t tail = 0;
    while (tail < std::min(before.size(), after.size()) - head &&
           before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) {
      ++tail;
    }
    if (before.size() == after.size()) {
      for (std::size_t i = head; i + tail < before.size(); ++i)
        if (!compare(before[i], after[i], marks.children[i], launch::child(path, i))) return false;
      return true;
    }
    if (before.size() < after.size()) {
      if (head + tail < before.size()) return fail(path, "entries come and change at once");
      return insert(head, after.size() - before.size(), after, marks, path);
    }
    // What stays must stand in what was, in the same order.
    std::vector<std::size_t> gone;
    std::size_t kept = head;
    for (std::size_t i = head; i + tail < before.size(); ++i) {
      if (kept + tail < after.size() && before[i] == after[kept]) {
        ++kept;
      } else {
        gone.push_back(i);
      }
    }
    if (kept + tail != after.size()) return fail(path, "entries go and change at once");
    return remove(gone, marks, path);
  }

  static const Marks* child_of(const Marks& marks, const std::string& key) {
    const auto found = std::find(marks.keys.begin(), marks.keys.end(), key);
    return found == marks.keys.end() ? nullptr : &marks.children[static_cast<std::size_t>(found - marks.keys.begin())];
  }

  bool rename(const Marks& child, const std::string& key, const std::string& path) {
    const std::size_t from = lines_.offset(child.key);
    if (from == kNowhere || from >= text_.size()) return fail(path, "it is not known where its name stands");
    const bool quoted = text_[from] == '"' || text_[from] == '\'';
    const std::size_t close = quoted ? text_.find(text_[from], from + 1) : text_.find_first_of(":\r\n", from);
    if (close == kNowhere) return fail(path, "its name does not end");
    return edit(from, close + (quoted ? 1 : 0), quoted ? Json(key).dump() : key_text(key));
  }

  /// All of a mapping or list makes room for an empty one, or for another in brackets.
  bool replace_all(const Json& after, const Marks& marks, const std::string& path) {
    if (brackets(marks)) return replace(after, marks, path);
    const std::size_t from = lines_.offset(marks.mark);
    const std::size_t to = without_blank_lines(lines_.offset(marks.end));
    if (from == kNowhere || to == kNowhere) return fail(path, "it is not known where it stands");
    std::size_t begin = from;  // of a list, its first dash
    const std::size_t colon = lines_.before(begin);
    std::string text = in_line(after);
    if (colon != kNowhere && text_[colon] == ':') {
      begin = colon + 1;
      text = " " + text;
    }
    if (text_.substr(begin, to - begin).find('#') != kNowhere) return fail(path, "a comment stands in what would go");
    if (to > begin && text_[to - 1] == '\n') text += '\n';
    return edit(begin, to, std::move(text));
  }

  bool remove(const std::vector<std::size_t>& indexes, const Marks& marks, const std::string& path) {
    if (indexes.empty()) return true;
    const auto all = entries(marks);
    if (!all) return fail(path, "it is not known where its entries stand");
    const auto goes = [&](const Entry& entry) {
      return std::find(indexes.begin(), indexes.end(), entry.index) != indexes.end();
    };
    for (std::size_t i = 0; i < all->size(); ++i) {
      if (!goes((*all)[i])) continue;
      std::size_t last = i;
      while (last + 1 < all->size() && goes((*all)[last + 1])) ++last;
      if (!(brackets(marks) ? remove_in_brackets(*all, i, last, path) : remove_lines(*all, i, last, marks, path)))
        return false;
      i = last;
    }
    return true;
  }

  /// Entries `first` to `last` of a list or mapping in brackets, with the comma that parted them from what stays.
  bool remove_in_brackets(const std::vector<Entry>& all, std::size_t first, std::size_t last, const std::string& path) {
    const std::size_t begin = all[first].begin;
    if (last + 1 == all.size()) {
      const std::size_t from = first == 0 ? begin : all[first - 1].end;
      if (json_ || text_.substr(from, begin - from).find('#') == kNowhere) return edit(from, all[last].end, "");
      // A comment on the entry before stays, and so must the comma before that comment; YAML allows one at the end.
      if (!lines_.begins_line(begin) || text_.substr(from, 1) != ",")
        return fail(path, "a comment stands in what would go");
      std::size_t end = text_.find_first_not_of(" \t", all[last].end);
      if (end != kNowhere && text_[end] == ',') end = text_.find_first_not_of(" \t", end + 1);
      if (end == kNowhere || text_.find_first_of("#\r\n", end) != end)
        return edit(lines_.start(begin), all[last].end, "");
      return edit(lines_.start(begin), lines_.next(end), "");
    }
    std::size_t end = text_.find(',', all[last].end) + 1;  // something follows, so there is one
    if (lines_.begins_line(begin) && lines_.begins_line(all[last + 1].begin) && lines_.start(all[last + 1].begin) > end)
      return edit(lines_.start(begin), lines_.next(end - 1), "");
    end = std::min(text_.find_first_not_of(" \t", end), all[last + 1].begin);
    return edit(begin, end, "");
  }

  /// Entries `first` to `last` by indentation: their lines.
  bool remove_lines(const std::vector<Entry>& all, std::size_t first, std::size_t last, const Marks& marks,
                    const std::string& path) {
    std::size_t begin = all[first].begin;
    if (marks.keys.empty()) {
      begin = lines_.before(begin);
      if (begin == kNowhere || text_[begin] != '-' || !lines_.begins_line(begin))
        return fail(path, "its entries do not begin lines");
    }
    const std::size_t to = behind_line(all[last].end);
    if (lines_.begins_line(begin)) return edit(lines_.start(begin), to, "");
    // `- name: x`: what stands behind a dash takes the place of the next entry's first line.
    if (last + 1 == all.size()) return fail(path, "it does not begin a line");
    const std::size_t next = all[last + 1].begin;
    if (text_.substr(to, next - to).find('#') != kNowhere) return fail(path, "a comment stands in what would go");
    return edit(begin, next, "");
  }

  /// A block of text ends behind the blank lines that follow it; they part what stands around, so they stay.
  std::size_t without_blank_lines(std::size_t end) const {
    if (end == kNowhere || lines_.start(end) != end) return end;
    while (end > 1 && text_[end - 1] == '\n' && lines_.begins_line(end - (text_[end - 2] == '\r' ? 2 : 1)))
      end = lines_.start(end - 1);
    return end;
  }

  /// Behind the line that a value ends in; a block of text ends at the next line's start.
  std::size_t behind_line(std::size_t end) const {
    end = without_blank_lines(end);
    return end > 0 && lines_.start(end) == end && text_[end - 1] == '\n' ? end : lines_.next(end);
  }

  /// Puts whole lines behind an entry.
  bool put_lines(std::size_t end, std::string text) {
    const std::size_t at = behind_line(end);
    if (at > 0 && text_[at - 1] != '\n') {
      text.insert(0, 1, '\n');
      text.pop_back();
    }
    return edit(at, at, std::move(text));
  }

  std::size_t column(std::size_t offset) const { return offset - lines_.start(offset); }

  bool add_fields(const std::vector<std::string>& keys, const Json& after, const Marks& marks,
                  const std::string& path) {
    if (keys.empty()) return true;
    const auto all = entries(marks);
    if (!all || all->empty()) return fail(path, "it is not known where its fields stand");
    std::string text;
    for (const std::string& key : keys) {
      if (brackets(marks)) {
        text += separator(*all) + key_text(key) + ": " + in_line(after[key]);
      } else {
        const std::size_t indent = column(all->front().begin);
        text += std::string(indent, ' ') + block_entry(key, after[key], indent);
      }
    }
    return brackets(marks) ? edit(all->back().end, all->back().end, std::move(text))
                           : put_lines(all->back().end, std::move(text));
  }

  /// What parts a new last entry in brackets from the one before: as the others are parted.
  std::string separator(const std::vector<Entry>& all) const {
    if (!lines_.begins_line(all.back().begin)) return ", ";
    const std::size_t start = lines_.start(all.back().begin);
    return ",\n" + std::string(text_.substr(start, all.back().begin - start));
  }

  /// `count` entries of `after` at `at`, where none stands yet.
  bool insert(std::size_t at, std::size_t count, const Json& after, const Marks& marks, const std::string& path) {
    const auto all = entries(marks);
    if (!all || all->empty()) return fail(path, "it is not known where its entries stand");
    std::string text;
    if (brackets(marks)) {
      for (std::size_t i = at; i < at + count; ++i) {
        text += at < all->size() ? in_line(after[i]) + ", " : separator(*all) + in_line(after[i]);
      }
      const std::size_t place = at < all->size() ? (*all)[at].begin : all->back().end;
      return edit(place, place, std::move(text));
    }
    const std::size_t dash = lines_.before(all->front().begin);
    if (dash == kNowhere || text_[dash] != '-') return fail(path, "its entries do not begin with a dash");
    const std::size_t indent = column(dash);
    for (std::size_t i = at; i < at + count; ++i)
      text += std::string(indent, ' ') + "- " + block_item(after[i], indent);
    if (at == 0) {
      if (!lines_.begins_line(dash)) return fail(path, "its entries do not begin lines");
      return edit(lines_.start(dash), lines_.start(dash), std::move(text));
    }
    return put_lines((*all)[at - 1].end, std::move(text));
  }

  const Lines& lines_;
  std::string_view text_;
  bool json_;
};

}  // namespace

Result<std::vector<Edit>> edits_between(const Lines& lines, const Json& before, const Json& after, const Marks& marks,
                                        bool json) {
  Differ differ(lines, json);
  if (!differ.compare(before, after, marks, "")) return Error{differ.problem};
  return std::move(differ.edits);
}

Result<std::string> applied(std::string_view text, std::vector<Edit> edits) {
  std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.from < b.from; });
  std::string out;
  std::size_t done = 0;
  for (const Edit& edit : edits) {
    if (edit.from < done || edit.to < edit.from || edit.to > text.size()) return Error{"two edits overlap"};
    out += text.substr(done, edit.from - done);
    out += edit.text;
    done = edit.to;
  }
  out += text.substr(done);
  return out;
}

}  // namespace rollcall::cli
