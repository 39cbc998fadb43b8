#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace rollcall::soak {

/// One of Rollcall's own processes; the nodes' containers are processes of this machine.
struct Process {
  int pid = 0;
  std::string program;  ///< operator, desk or webhook
  long resident_kib = 0;
  int descriptors = 0;
};
/// Those that run now in Rollcall's own namespace. One that ends while it is looked at is left out.
std::vector<Process> processes();

/// What each process held over its life.
class Consumption {
 public:
  using Clock = std::chrono::steady_clock;
  struct Life {
    Process first;  ///< once it has warmed up
    Process last;
    long peak_kib = 0;
    int peak_descriptors = 0;
    Clock::time_point since;
    Clock::time_point until;
  };
  void look();
  const std::map<int, Life>& lives() const { return lives_; }

 private:
  std::map<int, Life> lives_;  // by pid
};

}  // namespace rollcall::soak
