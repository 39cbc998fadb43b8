#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace rollcall::kube {

/// Which events are written, counted, combined or dropped: client-go's rules, without clock and network.
class EventCorrelator {
 public:
  using TimePoint = std::chrono::system_clock::time_point;

  static constexpr int kSimilar = 10;  ///< messages of one reason before they are combined
  static constexpr std::chrono::seconds kSimilarIn{600};
  static constexpr int kBurst = 25;                    ///< events of one object at once …
  static constexpr std::chrono::seconds kRefill{300};  ///< … and one more each
  /// As long as an API server keeps an event; after that a repeat is a new one.
  static constexpr std::chrono::hours kRemember{1};
  /// Objects and events remembered; the oldest go first. 4,096 of about 300 bytes are a little over 1 MiB.
  static constexpr std::size_t kMost = 4096;

  struct Seen {
    std::string name;     ///< of the event object
    std::string message;  ///< perhaps combined
    int count = 1;        ///< above 1: written before
    bool drop = false;    ///< too many for this object
  };

  Seen see(const std::string& target_name, const std::string& uid, const std::string& type, const std::string& reason,
           const std::string& message, TimePoint now);

  /// The API server has this event with another count (written by an earlier run), or (1) no longer has it.
  void correct(const std::string& event_name, int count);

 private:
  struct Known {
    int count = 0;
    TimePoint last;
  };
  struct Group {
    std::set<std::uint64_t> messages;
    TimePoint since;
  };
  struct Bucket {
    double tokens = kBurst;
    TimePoint at;
  };
  void forget_old(TimePoint now);

  std::map<std::string, Known> events_;
  std::map<std::string, Group> groups_;
  std::map<std::string, Bucket> buckets_;
};

/// The first `most` bytes, without half a UTF-8 character at the end.
std::string cut_text(const std::string& text, std::size_t most);

}  // namespace rollcall::kube
