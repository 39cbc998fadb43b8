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
  Events(std::string_view text, const char*& reached, Builder& builder)
      : begin_(text.data()), line_start_(text.data()), counted_(text.data()), reached_(reached), builder_(builder) {}

  bool null() override { return builder_.scalar(nullptr, back(4)); }
  bool boolean(bool value) override { return builder_.scalar(value, back(value ? 4 : 5)); }
  bool number_integer(number_integer_t value) override { return builder_.scalar(value, number()); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value <= static_cast<std::uint64_t>(INT64_MAX))
      return builder_.scalar(static_cast<std::int64_t>(value), number());
    return builder_.scalar(value, number());
  }
  bool number_float(number_float_t value, const string_t& /*text*/) override {
    return builder_.scalar(value, number());
  }
  bool string(string_t& value) override { return builder_.scalar(std::move(value), quoted()); }
  bool binary(binary_t& /*value*/) override { return builder_.fail(back(0), "JSON has no binary values"); }
  bool start_object(std::size_t /*size*/) override { return builder_.start(true, back(1)); }
  bool key(string_t& value) override { return builder_.key(std::move(value), quoted()); }
  bool end_object() override { return builder_.end(); }
  bool start_array(std::size_t /*size*/) override { return builder_.start(false, back(1)); }
  bool end_array() override { return builder_.end(); }
  bool parse_error(std::size_t /*position*/, const std::string& /*last*/,
                   const nlohmann::detail::exception& /*error*/) override {
    syntax_ = true;
    return builder_.fail(back(1), "this is no JSON");
  }

  /// Whether the text is no JSON, rather than over a limit.
  bool syntax() const { return syntax_; }

 private:
  /// Positions only grow, so lines are counted once over the whole text.
  Mark mark(const char* at) {
    for (; counted_ < at; ++counted_) {
      if (*counted_ == '\n') {
        ++line_;
        line_start_ = counted_ + 1;
      }
    }
    return {line_, static_cast<int>(at - line_start_) + 1};
  }
  Mark back(std::ptrdiff_t length) { return mark(reached_ - begin_ >= length ? reached_ - length : begin_); }
  /// The lexer has read one character behind the number, unless the text ended.
  Mark number() {
    const auto digit = [](char c) { return std::string_view("0123456789+-.eE").find(c) != std::string_view::npos; };
    const char* at = reached_;
    if (at > begin_ && !digit(at[-1])) --at;
    while (at > begin_ && digit(at[-1])) --at;
    return mark(at);
  }
  /// From the closing quote back to the opening one: the nearest that no odd number of backslashes stands before.
  Mark quoted() {
    for (const char* at = reached_ - 2; at >= begin_; --at) {
      if (*at != '"') continue;
      const char* slash = at;
      while (slash > begin_ && slash[-1] == '\\') --slash;
      if ((at - slash) % 2 == 0) return mark(at);
    }
    return mark(begin_);
  }

  const char* begin_;
  const char* line_start_;
  const char* counted_;
  const char*& reached_;
  Builder& builder_;
  int line_ = 1;
  bool syntax_ = false;
};

}  // namespace

Status read_json(std::string_view text, const std::function<void(Document)>& each) {
  const char* reached = text.data();
  Builder builder;
  Events events(text, reached, builder);
  const bool complete =
      json::sax_parse(Cursor(text.data(), &reached), Cursor(text.data() + text.size(), &reached), &events);
  if (builder.failed()) return Error{builder.error(), events.syntax() ? kSyntax : ""};
  if (!complete) return Error{"1:1: this is no JSON"};
  Document document = builder.take();
  if (!document.value.is_null()) each(std::move(document));
  return Done{};
}

}  // namespace rollcall::launch
