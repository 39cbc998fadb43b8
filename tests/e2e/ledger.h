#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// What must hold at every moment, whatever dies: of the objects of one namespace as they are listed again and again.
/// Pure; not safe for several threads.
namespace rollcall::e2e {

using Json = nlohmann::json;

class Ledger {
 public:
  /// One look: items of three lists. They must have been read in this order, for what is found in an earlier one is
  /// judged by the later: a trainer that runs in `pods` has its verdict in `roll_calls`, which is written before it is
  /// told.
  void look(const Json& pods, const Json& roll_calls, const Json& jobs);

  /// Pods whose trainer was started and whose words have not been read yet: name and uid.
  struct Unread {
    std::string pod;
    std::string uid;
  };
  std::vector<Unread> unread() const;
  /// The trainer's log of the pod with that uid; one without its first line yet is asked for again.
  void read(const std::string& uid, const std::string& log);

  /// Every rule that was broken, in words, each once.
  const std::vector<std::string>& broken() const { return broken_; }

  /// A RollCall as it was seen last.
  struct Verdict {
    std::string job;
    int attempt = 0;
    std::string kind;  ///< Released, Ended
    std::string reason;
    bool overridden = false;
  };
  /// One a RollCall that has a verdict.
  std::vector<Verdict> verdicts() const;
  /// Nodes that pods of a job (by uid) were seen on.
  std::set<std::string> nodes_of(const std::string& job_uid) const;
  int trainers_started() const { return static_cast<int>(started_.size()); }
  int addresses_read() const { return addresses_read_; }

 private:
  struct Attempt {
    std::string uid;      ///< of node rank 0's pod
    std::string address;  ///< of node rank 0's pod
  };
  struct Started {
    std::string pod;
    std::string job_uid;
    int attempt = 0;
    bool read = false;
  };
  using AttemptKey = std::pair<std::string, int>;  // job uid, attempt
  struct Call {
    Verdict verdict;
    Json stored;  ///< status.verdict
    Json end;     ///< status.end
  };

  void look_at_pods(const Json& pods);
  void look_at_roll_calls(const Json& roll_calls);
  void look_at_jobs(const Json& jobs);
  void judge_started(const Json& jobs);
  void break_rule(const std::string& words);

  std::map<AttemptKey, Attempt> masters_;
  std::map<std::string, Started> started_;  // by pod uid
  std::map<AttemptKey, Call> calls_;
  std::map<std::string, std::set<std::string>> nodes_;  // by job uid
  std::map<std::string, std::string> ended_jobs_;       // by uid: the phase it ended with
  std::map<std::string, int> attempts_;                 // by job uid
  std::set<std::string> judged_;                        // pod uids whose release was found
  std::set<std::string> known_;
  std::vector<std::string> broken_;
  int addresses_read_ = 0;
};

}  // namespace rollcall::e2e
