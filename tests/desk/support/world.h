#pragma once

#include <atomic>
#include <future>
#include <memory>
#include <string>

#include "desk/service.h"
#include "desk/support/fake_api.h"
#include "desk/support/tokens.h"
#include "roll_call/messages.h"

namespace rollcall::desk::testing {

/// A RollCall object as the operator writes it: job `llama` in namespace `train`, pods llama-RANK-ATTEMPT with uids
/// `u-RANK-ATTEMPT`. Mode Off: the shortest true path, address and release.
Json roll_call_object(int attempt, int nnodes, const std::string& mode = "Off");
/// A pod whose probe runs.
Json pod_object(int node_rank, int attempt);
std::string pod_uid(int node_rank, int attempt);

/// One reply of the desk, waited for.
struct Said {
  int status = 0;
  std::string body;
  std::string code;  ///< of a refusal
  std::optional<roll_call::Instruction> instruction;
};

/// A desk with everything round it in memory. Its watch is what `see` calls hand it.
class World {
 public:
  explicit World(const std::function<void(Service::Options&)>& change = {});
  ~World();

  /// The operator's write and the watch's word of it.
  void write_roll_call(Json object);
  void see(const Json& object) { service().roll_call_changed(object); }
  void see_pod(const Json& object) { service().pod_changed(object); }
  void job(int attempt, int nnodes, const std::string& mode = "Off");  ///< RollCall and pods

  std::string token(int node_rank, int attempt = 1);  ///< the same each time, as the kubelet's file has it
  roll_call::Answer answer(int node_rank, int attempt = 1);
  std::future<Said> ask(const std::string& token, const std::string& body, const std::string& peer = "10.1.0.9");
  Said post(int node_rank, int attempt = 1);
  Said post(const std::string& token, const roll_call::Answer& answer);
  /// Posts what an instruction asks for: `seen` with its attempt and address.
  Said post_seen(int node_rank, const std::string& address, int attempt = 1);

  Service& service() { return *service_; }
  /// A new desk process over the same API server.
  void restart();
  void set_now(TimePoint now) { now_ = now.time_since_epoch().count(); }
  TimePoint now() const { return TimePoint(std::chrono::milliseconds(now_)); }
  std::int64_t now_seconds() const { return now_ / 1000; }
  Json stored(int attempt = 1) { return api.stored("train", "tj-llama-" + std::to_string(attempt)); }
  int count(const std::string& outcome);

  FakeApi api;
  SigningKey cluster_key = SigningKey::ec("cluster");

 private:
  void start();
  const std::function<void(Service::Options&)> change_;
  std::atomic<std::int64_t> now_{1'796'053'000'000};
  std::uint64_t sequence_ = 0;
  std::mutex mutex_;
  std::map<std::string, int> outcomes_;
  std::map<std::pair<int, int>, std::string> tokens_;
  std::int64_t term_ = 1;
  std::unique_ptr<Service> service_;
};

/// Waits for `condition`; the bound matters only when the test fails.
template <class Condition>
bool eventually(Condition condition) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace rollcall::desk::testing
