#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "finding/finding.h"

namespace rollcall::launch {

struct Marks;
struct Rule;

/// Where the object under judgement came from.
struct Origin {
  std::string file;
  int document = 0;
  std::optional<int> item;
  const Marks* marks = nullptr;  ///< of the whole document; nullptr = no lines are known
  std::string prefix;            ///< path of the object in the document: `items[3]`; usually empty
};

/// Where `path` of the object stands.
Place place_of(const Origin& origin, const std::string& path);

/// Collects what the rules find in one object and gives each finding its place.
class Judgement {
 public:
  Judgement(ObjectName object, Origin origin) : object_(std::move(object)), origin_(std::move(origin)) {}

  /// The words of a finding that was just added. Valid until the next add().
  class Words {
   public:
    explicit Words(Finding& finding) : finding_(finding) {}

    /// One sentence: what is wrong, with the values in it.
    template <typename... Args>
    Words& wrong(fmt::format_string<Args...> text, Args&&... args) {
      finding_.message = fmt::format(text, std::forward<Args>(args)...);
      return *this;
    }
    /// One sentence: what to write instead.
    template <typename... Args>
    Words& instead(fmt::format_string<Args...> text, Args&&... args) {
      finding_.fix = fmt::format(text, std::forward<Args>(args)...);
      return *this;
    }
    /// A JSON patch of the object that clears the finding and brings no other; empty = there is none.
    Words& patch(std::string patch) {
      finding_.patch = std::move(patch);
      return *this;
    }

   private:
    Finding& finding_;
  };

  Words add(const Rule& rule, const std::string& path);
  /// A finding about this object that stands in another of the input: the NetworkPolicy that cuts its pods off.
  Words add_in(const Rule& rule, const ObjectName& object, const Place& place);

  /// Whether a denial stands at `path` already: a lesser complaint of the same value would only be noise.
  bool denied(const std::string& path) const;

  /// Whether the rule of this id has found something already; a rule that asks stands behind it in the catalogue.
  bool found(std::string_view rule) const;

  Findings take() { return std::move(findings_); }

 private:
  ObjectName object_;
  Origin origin_;
  Findings findings_;
};

}  // namespace rollcall::launch
