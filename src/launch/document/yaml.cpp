#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "launch/document/builder.h"
#include "launch/document/parsers.h"
#include "launch/document/scalar.h"

namespace rollcall::launch {
namespace {

/// libyaml's parser over a text that outlives it. The text is read where it lies.
class Parser {
 public:
  explicit Parser(std::string_view text) : made_(yaml_parser_initialize(&parser_) != 0) {
    if (made_) yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  ~Parser() {
    if (made_) yaml_parser_delete(&parser_);
  }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  /// Whether `event` now holds the next event.
  bool next(yaml_event_t& event) { return made_ && yaml_parser_parse(&parser_, &event) != 0; }
  /// What went wrong; of a parser that was never made, that there was no memory.
  const yaml_parser_t* wrong() const { return made_ ? &parser_ : nullptr; }

 private:
  yaml_parser_t parser_{};
  bool made_;
};

/// An event and what it owns.
class Event {
 public:
  Event() = default;
  ~Event() { yaml_event_delete(&event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  yaml_event_t& operator*() { return event_; }
  const yaml_event_t* operator->() const { return &event_; }

 private:
  yaml_event_t event_{};
};

std::string_view text_of(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

Style style_of(yaml_scalar_style_t style) {
  switch (style) {
    case YAML_PLAIN_SCALAR_STYLE:
      return Style::plain;
    case YAML_SINGLE_QUOTED_SCALAR_STYLE:
      return Style::single_quoted;
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE:
      return Style::double_quoted;
    case YAML_LITERAL_SCALAR_STYLE:
      return Style::literal;
    case YAML_FOLDED_SCALAR_STYLE:
      return Style::folded;
    default:
      return Style::unknown;
  }
}

/// libyaml's events, to Builder's.
class Reader {
 public:
  Reader(std::string_view text, int first_line) : text_(text), first_line_(first_line), parser_(text) {}

  Status read(const std::function<void(Document)>& each) {
    for (;;) {
      Event event;
      if (!parser_.next(*event)) return error();
      if (event->type == YAML_STREAM_END_EVENT) return Done{};
      if (!take(*event)) return Error{builder_.error()};
      if (event->type != YAML_DOCUMENT_END_EVENT) continue;
      Document document = builder_.take();
      if (!document.value.is_null()) each(std::move(document));
    }
  }

 private:
  Mark mark_of(const yaml_mark_t& mark) const {
    return {static_cast<int>(mark.line) + first_line_, static_cast<int>(mark.column) + 1};
  }

  bool take(yaml_event_t& event) {
    const Mark start = mark_of(event.start_mark);
    const Mark end = mark_of(event.end_mark);
    switch (event.type) {
      case YAML_ALIAS_EVENT:
        if (builder_.expects_key()) return builder_.fail(start, "an alias as a key is not supported");
        return builder_.alias(text_of(event.data.alias.anchor), start, end);
      case YAML_SCALAR_EVENT:
        return scalar(event, start, end);
      case YAML_SEQUENCE_START_EVENT:
        return open(false, {start, {}, in_brackets(event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE)},
                    event.data.sequence_start.anchor);
      case YAML_MAPPING_START_EVENT:
        return open(true, {start, {}, in_brackets(event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE)},
                    event.data.mapping_start.anchor);
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        // By indentation, libyaml ends a collection where the next thing begins, comments and blank lines later.
        return builder_.end(event.end_mark.index > event.start_mark.index ? end : Mark{});
      default:
        return true;
    }
  }

  static Style in_brackets(bool flow) { return flow ? Style::flow : Style::block; }

  bool scalar(const yaml_event_t& event, Mark start, Mark end) {
    const auto& data = event.data.scalar;
    const std::string_view value(reinterpret_cast<const char*>(data.value), data.length);
    std::string_view tag = text_of(data.tag);
    if (tag.empty()) tag = data.plain_implicit != 0 ? "?" : "!";
    if (builder_.expects_key()) return builder_.key(scalar_key(value, tag), start, tag == "?" && value == "<<");
    return builder_.scalar(scalar_value(value, tag), {start, end, style_of(data.style)}, text_of(data.anchor));
  }

  bool open(bool mapping, const Builder::Extent& extent, const yaml_char_t* anchor) {
    if (builder_.expects_key()) return builder_.fail(extent.mark, "a key must be a scalar");
    return builder_.start(mapping, extent, text_of(anchor));
  }

  Error error() const {
    const yaml_parser_t* wrong = parser_.wrong();
    if (wrong == nullptr || wrong->error == YAML_MEMORY_ERROR)
      return Error{fmt::format("{}:1: there was no memory to read it", first_line_)};
    Mark mark = mark_of(wrong->problem_mark);
    // Of bytes that are no text, libyaml knows the offset alone.
    if (wrong->error == YAML_READER_ERROR) mark = mark_at(wrong->problem_offset);
    std::string message = fmt::format("{}:{}: this is no YAML: {}", mark.line, mark.column,
                                      text_of(reinterpret_cast<const yaml_char_t*>(wrong->problem)));
    const int context_line = mark_of(wrong->context_mark).line;
    if (wrong->context != nullptr) message += fmt::format(" {}", wrong->context);
    if (wrong->context != nullptr && context_line != mark.line)
      message += fmt::format(" that begins at line {}", context_line);
    return Error{std::move(message)};
  }

  Mark mark_at(std::size_t offset) const {
    const std::string_view before = text_.substr(0, std::min(offset, text_.size()));
    const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 = 0
    const auto columns = std::count_if(before.begin() + static_cast<std::ptrdiff_t>(line_start), before.end(),
                                       [](char c) { return (c & 0xC0) != 0x80; });
    return {static_cast<int>(std::count(before.begin(), before.end(), '\n')) + first_line_,
            static_cast<int>(columns) + 1};
  }

  std::string_view text_;
  int first_line_;
  Parser parser_;
  Builder builder_;
};

}  // namespace

Status read_yaml(std::string_view text, int first_line, const std::function<void(Document)>& each) {
  return Reader(text, first_line).read(each);
}

}  // namespace rollcall::launch
