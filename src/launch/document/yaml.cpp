#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <istream>
#include <streambuf>
#include <string>

#include "launch/document/builder.h"
#include "launch/document/parsers.h"
#include "launch/document/scalar.h"

namespace rollcall::launch {
namespace {

/// Ends the parser's run when the builder has failed; never leaves this file.
struct Stop {};

Mark mark_of(const YAML::Mark& mark) { return mark.is_null() ? Mark{} : Mark{mark.line + 1, mark.column + 1}; }

class Events : public YAML::EventHandler {
 public:
  explicit Events(Builder& builder) : builder_(builder) {}

  /// yaml-cpp 0.7 reads a `,` outside of every list as an empty document and does not go past it: without this it would
  /// do so for ever.
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (mark.pos == at_) {
      builder_.fail(mark_of(mark), "this is no YAML: here begins no value");
      throw Stop{};
    }
    at_ = mark.pos;
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (builder_.expects_key()) return check(builder_.key("null", mark_of(mark)));
    check(builder_.scalar(nullptr, mark_of(mark), anchor));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (builder_.expects_key()) return check(builder_.fail(mark_of(mark), "an alias as a key is not supported"));
    check(builder_.alias(anchor, mark_of(mark)));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (!builder_.expects_key()) return check(builder_.scalar(scalar_value(value, tag), mark_of(mark), anchor));
    check(builder_.key(scalar_key(value, tag), mark_of(mark), tag == "?" && value == "<<"));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(false, mark, anchor);
  }
  void OnSequenceEnd() override { check(builder_.end()); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(true, mark, anchor);
  }
  void OnMapEnd() override { check(builder_.end()); }

 private:
  void open(bool mapping, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (builder_.expects_key()) return check(builder_.fail(mark_of(mark), "a key must be a scalar"));
    check(builder_.start(mapping, mark_of(mark), anchor));
  }

  static void check(bool went_well) {
    if (!went_well) throw Stop{};
  }

  Builder& builder_;
  int at_ = -1;  ///< where the last document began
};

/// Reads a text where it lies; std::istringstream would copy it.
class View : public std::streambuf {
 public:
  explicit View(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // NOLINT: a get area is only read
    setg(begin, begin, begin + text.size());
  }
};

}  // namespace

Status read_yaml(std::string_view text, const std::function<void(Document)>& each) {
  View view(text);
  std::istream stream(&view);
  Builder builder;
  try {
    YAML::Parser parser(stream);
    Events events(builder);
    for (bool more = true; more;) {
      more = parser.HandleNextDocument(events);
      Document document = builder.take();
      if (!document.value.is_null()) each(std::move(document));
    }
  } catch (const Stop&) {
    return Error{builder.error()};
  } catch (const YAML::Exception& exception) {
    const Mark mark = mark_of(exception.mark);
    return Error{fmt::format("{}:{}: this is no YAML: {}", mark.line, mark.column, exception.msg)};
  }
  return Done{};
}

}  // namespace rollcall::launch
