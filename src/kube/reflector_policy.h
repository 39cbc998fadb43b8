#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "kube/api_error.h"

namespace rollcall::kube {

/// What a reflector does next, given how its last list or watch ended. Pure: time and chance come in from outside. The
/// rules are those of client-go's reflector, but for two that make it quicker after an API server's absence.
class ReflectorPolicy {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  static constexpr std::chrono::milliseconds kFirstDelay{800};
  /// client-go waits up to 30 s, with its spread a minute. Here jobs wait with GPUs for what a reflector has not heard
  /// (seen: 70 s after the API server was back); the dozen watches of all our programs burden nobody at this pace.
  static constexpr std::chrono::milliseconds kLongestDelay{10'000};
  /// So long without a failure, and delays start anew.
  static constexpr std::chrono::minutes kHealthy{2};
  /// Server-side end of a watch: random in this range, so that the watches of a cluster do not all come back at once.
  static constexpr std::chrono::seconds kShortestWatch{300};
  static constexpr std::chrono::seconds kLongestWatch{600};
  /// A watch that ends sooner without an event counts as a failure: something on the way closes it at once.
  static constexpr std::chrono::seconds kTooShort{1};
  static constexpr int kPage = 500;

  enum class Act { List, Watch };
  struct Step {
    Act act = Act::List;
    std::string resource_version = {};
    std::chrono::milliseconds wait{0};       ///< before it
    std::chrono::seconds server_timeout{0};  ///< for a watch
    int page = kPage;                        ///< for a list
  };

  /// `random` gives values in [0, 1).
  explicit ReflectorPolicy(std::function<double()> random) : random_(std::move(random)) {}

  /// What to do now. Asked once after each report below.
  Step next();

  void listed(const std::string& resource_version);
  void list_failed(const ApiError& error, TimePoint now);
  void watch_started(TimePoint now);
  /// An event or a bookmark carried this resourceVersion.
  void saw(const std::string& resource_version);
  /// nullopt: the server closed it in good order.
  void watch_ended(const std::optional<ApiError>& error, TimePoint now);

  /// How often something had to be started again, by reason: closed, short, expired, throttled, unreachable, refused,
  /// broken, too-large.
  const std::map<std::string, std::uint64_t>& restarts() const { return restarts_; }

 private:
  void list_anew(const std::string& resource_version);
  void back_off(const std::optional<ApiError>& error, TimePoint now);
  void count(const std::string& reason) { ++restarts_[reason]; }

  std::function<double()> random_;
  Act act_ = Act::List;
  std::string list_version_ = "0";  ///< from the API server's watch cache: any state will do at first
  std::string seen_;                ///< newest resourceVersion known
  int page_ = kPage;
  std::chrono::milliseconds wait_{0};
  std::chrono::milliseconds delay_ = kFirstDelay;
  std::optional<TimePoint> last_failure_;
  TimePoint watch_started_;
  bool heard_ = false;           ///< an event since the last list
  bool heard_in_watch_ = false;  ///< an event since watch_started
  std::map<std::string, std::uint64_t> restarts_;
};

/// A word for an ApiError, from the closed list above.
std::string restart_reason(const ApiError& error);

}  // namespace rollcall::kube
