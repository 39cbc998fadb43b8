#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "e2e/world.h"
#include "soak/random.h"

namespace rollcall::soak {

using e2e::Json;

/// What its user does with a job.
enum class Plan {
  Train,     ///< nothing: it shall be trained to the end
  Override,  ///< held for what never goes away, then released by annotation
  Refuse,    ///< faulty: it must not be admitted
  Suspend,   ///< suspended at some moment and resumed
  Delete,    ///< deleted at some moment
  Fail,      ///< its trainer ends badly
};
const char* to_string(Plan plan);

/// One job from its creation to the end that was meant for it. Whoever owns it asks it to go on about once a second; an
/// API server or a webhook that does not answer is asked again the next time.
class Job {
 public:
  Job(e2e::World& world, std::string name, Plan plan, Random& random);

  /// True once its life is over. `disturbed` tells for a uid whether somebody took one of its trainers' nodes away.
  bool go_on(const std::function<bool(const std::string&)>& disturbed);

  /// How it ended: "trained", "refused", … or "WRONG" with what was wrong in wrong().
  const std::string& outcome() const { return outcome_; }
  const std::string& wrong() const { return wrong_; }
  /// Name, plan and where it stands, for whoever finds it stuck.
  std::string describe() const;
  /// From creation to its first release; negative when it never was.
  double release_seconds() const { return release_seconds_; }

 private:
  using Clock = std::chrono::steady_clock;
  Json manifest(Random& random) const;
  void create();
  void act(const Json& job);
  void suspend_and_resume(const Json& job);
  void await_deletion();
  void judge(const Json& job, bool disturbed);
  bool patch(const Json& what);
  bool has_pods();
  void end(const std::string& outcome) { outcome_ = outcome; }
  void end_wrong(const std::string& words);

  e2e::World& world_;
  const std::string name_;
  const Plan plan_;
  Json manifest_;
  std::chrono::milliseconds patience_;  ///< until its user acts
  std::string uid_;
  Clock::time_point created_;
  Json last_;
  int acted_ = 0;  ///< steps of the plan that are done
  double release_seconds_ = -1;
  std::string outcome_;
  std::string wrong_;
};

}  // namespace rollcall::soak
