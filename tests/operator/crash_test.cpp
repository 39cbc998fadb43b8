// The operator is killed after each of its writes, in histories that take every way an attempt can go; the next one
// goes on where it stands and ends where it would have ended.
#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <thread>

#include "operator/leader_client.h"
#include "operator/world.h"

namespace rollcall::operator_ {
namespace {

using namespace testing_world;
using namespace std::chrono_literals;

/// A history is a list of what the others do; between two of them the operator comes to rest.
struct History {
  const char* name;
  std::vector<std::function<void(World&)>> others;
};

void probes(World& w, int attempt) {
  for (int rank = 0; rank < 2; ++rank) w.start_probe(rank, attempt);
}

std::vector<History> histories() {
  const auto called = [](World& w) { probes(w, 1); };
  const auto address = [](World& w) { w.desk_names_address(); };
  const auto released = [](World& w) { w.desk_releases(); };
  const auto run = [](World& w) { w.trainer_runs(0), w.trainer_runs(1); };
  const auto succeed = [](World& w) { w.trainer_ends(0, 0, ""), w.trainer_ends(1, 0, ""); };
  const auto gone = [](World& w) { w.kubelets_let_go(), w.pass(20min); };
  const auto called_again = [](World& w) { probes(w, 2); };
  return {
      {"Sound", {called, address, released, run, succeed}},
      {"TrainerFails", {called, address, released, run, [](World& w) { w.trainer_ends(1, 1, "Error"); }}},
      {"HoldExpires",
       {called, [](World& w) { w.desk_ends("HoldExpired", "x."); }, gone, called_again,
        [](World& w) { w.desk_names_address("10.1.0.1", 2); }}},
      {"PodLost", {called, address, [](World& w) { w.client.objects.erase("pods/ml/llama-1-1"); }, gone, called_again}},
      {"LostWhileTraining",
       {called, address, released, run, [](World& w) { w.client.objects.erase("pods/ml/llama-0-1"); }, gone,
        called_again}},
      {"Suspended",
       {called, [](World& w) { w.person_sets("suspend", true); }, gone,
        [](World& w) { w.person_sets("suspend", false); }, called_again}},
      {"Overridden",
       {called, address, [](World& w) { w.person_annotates("rollcall.dev/release", "why"); },
        [](World& w) { w.desk_releases(1, true); }, run}},
      {"JobsOwnCause", {called, [](World& w) { w.desk_ends("JobsOwnCause", "x."); }}},
  };
}

/// What matters of a world, without versions and uids, which differ by the number of tries.
Json essence(const World& world) {
  Json all = Json::object();
  for (auto [key, object] : world.client.objects) {
    auto& metadata = object["metadata"];
    metadata.erase("resourceVersion");
    metadata.erase("uid");
    if (object["spec"].contains("roster")) {
      for (auto& entry : object["spec"]["roster"]) entry.erase("uid");
    }
    all[key] = object;
  }
  return all;
}

class Crash : public testing::TestWithParam<std::size_t> {};

TEST_P(Crash, AfterAnyWriteIsHealed) {
  const auto history = histories()[GetParam()];
  SCOPED_TRACE(history.name);
  World sound;
  sound.settle();
  for (const auto& act : history.others) act(sound), sound.settle();
  const auto expected = essence(sound);
  const auto writes = sound.client.writes.size();
  ASSERT_GT(writes, 3U);

  for (std::size_t kill = 0; kill < writes; ++kill) {
    SCOPED_TRACE("killed after write " + std::to_string(kill));
    World world;
    world.client.writes_left = static_cast<int>(kill);
    const auto settle = [&world] {
      // A killed operator sees nothing more; the next one starts with the same stored world.
      for (int i = 0; i < 40; ++i) {
        const bool changed = world.look();
        const bool killed = world.client.writes_left && *world.client.writes_left <= 0;
        if (killed) world.client.writes_left.reset();
        if (!changed && !killed) return;
      }
      FAIL() << "never comes to rest";
    };
    settle();
    for (const auto& act : history.others) {
      act(world);
      settle();
    }
    const auto got = essence(world);
    ASSERT_EQ(got, expected) << Json::diff(expected, got).dump(1);
  }
}

// ---- stopped instead of killed: another leads meanwhile, and the stopped one wakes in the middle of its act

/// An operator that is stopped at its write `stop_at`, while another comes to rest in the same world. It wakes either
/// before it asked whether it leads, or after: then that one write goes out, late. From then on it does not lead.
class Stopped {
 public:
  Stopped(World& world, std::size_t stop_at, bool asked_before)
      : world_(world),
        stop_at_(stop_at),
        asked_before_(asked_before),
        acting_(world.client, [this] { return ask(); }) {}

  bool woken() const { return woken_; }

  /// One look with what it knew before it was stopped.
  bool look() {
    const auto before = world_.client.objects;
    const auto observed = world_.observe();
    kube::EventRecorder recorder(world_.client, "test");
    apply(acting_, recorder, observed, reconcile(observed, world_.now), world_.now,
          {[](const char*, const std::string&) {}, [](const char*, const std::string&, const std::string&) {},
           [](const Event&) {}});
    return world_.client.objects != before;
  }

 private:
  bool ask() {
    const std::lock_guard lock(mutex_);  // several writes of one act are under way at a time
    if (woken_) return false;
    if (writes_++ < stop_at_) return true;
    while (world_.client.written() < stop_at_) std::this_thread::yield();  // those that asked before go out in time
    world_.settle();                                                       // the other, with a client that always leads
    woken_ = true;
    return asked_before_;
  }

  World& world_;
  const std::size_t stop_at_;
  const bool asked_before_;
  LeaderClient acting_;
  std::mutex mutex_;
  std::size_t writes_ = 0;
  bool woken_ = false;
};

TEST_P(Crash, LeaderThatIsStoppedAtAnyWriteAndWokenDoesNothingTwice) {
  const auto history = histories()[GetParam()];
  SCOPED_TRACE(history.name);
  World sound;
  sound.settle();
  for (const auto& act : history.others) act(sound), sound.settle();
  const auto expected = essence(sound);

  for (const bool asked_before : {false, true}) {
    for (std::size_t stop = 0;; ++stop) {
      SCOPED_TRACE("stopped at write " + std::to_string(stop) + (asked_before ? ", which goes out late" : ""));
      World world;
      Stopped first(world, stop, asked_before);
      const auto settle = [&] {
        for (int i = 0; i < 40 && !first.woken(); ++i) {
          if (!first.look()) break;
        }
        if (first.woken()) world.settle();
      };
      settle();
      for (const auto& act : history.others) {
        act(world);
        settle();
      }
      const auto got = essence(world);
      ASSERT_EQ(got, expected) << Json::diff(expected, got).dump(1);
      if (!first.woken()) break;  // it came to its end before it was stopped
      ASSERT_LT(stop, 200U);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Histories, Crash, testing::Range<std::size_t>(0, histories().size()),
                         [](const auto& index) { return std::string(histories()[index.param].name); });

}  // namespace
}  // namespace rollcall::operator_
