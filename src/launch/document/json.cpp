#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>

#include "launch/document/builder.h"
#include "launch/document/parsers.h"

namespace rollcall::launch {
namespace {

using nlohmann::json;

/// Walks over the text and tells how far the lexer has read: nlohmann_json gives no positions with its events.
class Cursor {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Cursor(const char* at, const char** reached) : at_(at), reached_(reached) {}
  reference operator*() const { return *at_; }
  Cursor& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  bool operator==(const Cursor& other) const { return at_ == other.at_; }
  bool operator!=(const Cursor& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** reached_;
};

/// nlohmann_json's SAX interface, to Builder's events.
class Events : public nlohmann::json_sax<json> {
 public:
  Events(std::string_view text, int first_line, const char*& reached, Builder& builder)
      : begin_(text.data()), counted_(text.data()), reached_(reached), builder_(builder), at_{first_line, 1} {}

  bool null() override { return scalar(nullptr, word(4)); }
  bool boolean(bool value) override { return scalar(value, word(value ? 4 : 5)); }
  bool number_integer(number_integer_t value) override { return scalar(value, number()); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value <= static_cast<std::uint64_t>(INT64_MAX)) return scalar(static_cast<std::int64_t>(value), number());
    return scalar(value, number());
  }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return scalar(value, number()); }
  bool string(string_t& value) override { return scalar(std::move(value), quoted()); }
  bool binary(binary_t& /*value*/) override { return builder_.fail(back(0), "JSON has no binary values"); }
  bool start_object(std::size_t /*size*/) override { return builder_.start(true, bracket()); }
  bool key(string_t& value) override { return builder_.key(std::move(value), quoted().mark); }
  bool end_object() override { return builder_.end(mark(reached_)); }
  bool start_array(std::size_t /*size*/) override { return builder_.start(false, bracket()); }
  bool end_array() override { return builder_.end(mark(reached_)); }
  bool parse_error(std::size_t /*position*/, const std::string& /*last*/,
                   const nlohmann::detail::exception& /*error*/) override {
    syntax_ = true;
    return builder_.fail(back(1), "this is no JSON");
  }

  /// Whether the text is no JSON, rather than over a limit.
  bool syntax() const { return syntax_; }

 private:
  using Extent = Builder::Extent;

  bool scalar(json value, const Extent& extent) { return builder_.scalar(std::move(value), extent); }

  /// Positions only grow, so lines and characters are counted once over the whole text.
  Mark mark(const char* at) {
    for (; counted_ < at; ++counted_) {
      if (*counted_ == '\n') {
        at_ = {at_.line + 1, 1};
      } else if ((*counted_ & 0xC0) != 0x80) {  // the first byte of a character
        ++at_.column;
      }
    }
    return at_;
  }
  Extent extent(const char* from, const char* to, Style style) {
    const Mark begin = mark(from);
    return {begin, mark(to), style};
  }

  const char* behind(std::ptrdiff_t length) const { return reached_ - begin_ >= length ? reached_ - length : begin_; }
  Mark back(std::ptrdiff_t length) { return mark(behind(length)); }
  Extent word(std::ptrdiff_t length) { return extent(behind(length), reached_, Style::plain); }
  Extent bracket() { return {back(1), {}, Style::flow}; }
  /// The lexer has read one character behind the number, unless the text ended.
  Extent number() {
    const auto digit = [](char c) { return std::string_view("0123456789+-.eE").find(c) != std::string_view::npos; };
    const char* at = reached_;
    if (at > begin_ && !digit(at[-1])) --at;
    const char* end = at;
    while (at > begin_ && digit(at[-1])) --at;
    return extent(at, end, Style::plain);
  }
  /// From the closing quote back to the opening one: the nearest that no odd number of backslashes stands before.
  Extent quoted() {
    const char* at = reached_ - 2;
    for (; at > begin_; --at) {
      if (*at != '"') continue;
      const char* slash = at;
      while (slash > begin_ && slash[-1] == '\\') --slash;
      if ((at - slash) % 2 == 0) break;
    }
    return extent(std::max(at, begin_), reached_, Style::double_quoted);
  }

  const char* begin_;
  const char* counted_;
  const char*& reached_;
  Builder& builder_;
  Mark at_;  ///< of counted_
  bool syntax_ = false;
};

}  // namespace

Status read_json(std::string_view text, int first_line, const std::function<void(Document)>& each) {
  const char* reached = text.data();
  Builder builder;
  Events events(text, first_line, reached, builder);
  const bool complete =
      json::sax_parse(Cursor(text.data(), &reached), Cursor(text.data() + text.size(), &reached), &events);
  if (builder.failed()) return Error{builder.error(), events.syntax() ? kSyntax : ""};
  if (!complete) return Error{fmt::format("{}:1: this is no JSON", first_line)};
  Document document = builder.take();
  if (!document.value.is_null()) each(std::move(document));
  return Done{};
}

}  // namespace rollcall::launch
