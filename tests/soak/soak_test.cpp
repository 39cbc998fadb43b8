// Jobs of every kind in flight, faults of every kind on them, one after the other, for a quarter of an hour.
//
// ROLLCALL_LONG=1 asks for it. ROLLCALL_SOAK_SECONDS (900) is how long new jobs and faults come; after the last fault
// every job must reach its end within kSettle. ROLLCALL_SOAK_SEED plays the choices of a former run again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "e2e/add_on.h"
#include "e2e/watchman.h"
#include "soak/faults.h"
#include "soak/job.h"
#include "soak/processes.h"

namespace rollcall::soak {
namespace {

using Clock = std::chrono::steady_clock;
using e2e::Watchman;
using e2e::World;
using std::chrono::seconds;

constexpr int kInFlight = 5;
/// The longest pauses that may follow a fault: 2 min to the next round, 1 min to the next attempt, and the 60 s in
/// which every trainer must run.
constexpr auto kSettle = seconds(300);
/// Idle they hold 12 to 20 MiB and about 20 descriptors. Both are asked of processes that have been through the soak.
constexpr long kMostKib = 64 << 10;
constexpr long kGrowthKib = 16 << 10;
constexpr int kMostDescriptors = 100;

long environment(const char* name, long otherwise) {
  const char* text = std::getenv(name);
  return text && *text ? std::atol(text) : otherwise;
}

/// Everything in flight, and how what is over ended.
class Fleet {
 public:
  Fleet(World& open, World& held, std::uint64_t seed) : open_(open), held_(held), random_(seed) {}

  void add() {
    static const std::vector<Plan> plans = {Plan::Train,   Plan::Override, Plan::Refuse,
                                            Plan::Suspend, Plan::Delete,   Plan::Fail};
    const Plan plan = plans[random_.weighed({6, 3, 1, 2, 2, 1})];
    const bool is_held = plan == Plan::Override || (plan == Plan::Delete && random_.between(0, 1) == 0);
    const auto name = "j" + std::to_string(++made_);
    jobs_.push_back(std::make_unique<Life>(Life{Job(is_held ? held_ : open_, name, plan, random_), Clock::now()}));
  }

  /// `nodes_of`: nodes that pods of a job stood on.
  void go_on(const Faults& faults, const std::function<std::set<std::string>(const std::string&)>& nodes_of) {
    for (auto& life : jobs_) {
      const auto disturbed = [&](const std::string& uid) {
        const auto taken = faults.nodes_taken(life->since);
        const auto stood = nodes_of(uid);
        return std::any_of(stood.begin(), stood.end(), [&](const auto& node) { return taken.contains(node); });
      };
      if (!life->job.go_on(disturbed)) continue;
      ++outcomes_[life->job.outcome()];
      if (!life->job.wrong().empty()) ADD_FAILURE() << life->job.wrong();
      slowest_ = std::max(slowest_, life->job.release_seconds());
      life.reset();
    }
    std::erase(jobs_, nullptr);
  }

  std::size_t in_flight() const { return jobs_.size(); }
  std::vector<std::string> describe() const {
    std::vector<std::string> found;
    for (const auto& life : jobs_) found.push_back(life->job.describe());
    return found;
  }
  const std::map<std::string, int>& outcomes() const { return outcomes_; }
  double slowest() const { return slowest_; }

 private:
  struct Life {
    Job job;
    Clock::time_point since;
  };
  World& open_;
  World& held_;
  Random random_;
  std::vector<std::unique_ptr<Life>> jobs_;
  std::map<std::string, int> outcomes_;
  double slowest_ = 0;
  int made_ = 0;
};

/// Pods of jobs of that world whose sandbox could be killed now.
void add_victims(World& world, std::vector<Faults::Victim>& victims) {
  const auto pods = world.api().list(kube::kPods, world.ns());
  if (!pods) return;
  for (const auto& pod : pods.value()["items"]) {
    const std::string phase = pod["status"].value("phase", "");
    const std::string node = pod["spec"].value("nodeName", "");
    if (node.empty() || phase == "Succeeded" || phase == "Failed") continue;
    victims.push_back({world.ns() + "/" + pod["metadata"].value("name", ""), e2e::node_number(node)});
  }
}

void report(const char* title, const std::map<std::string, int>& counts) {
  std::printf("%s\n", title);
  for (const auto& [what, count] : counts) std::printf("  %4d %s\n", count, what.c_str());
}

void report_and_judge(const Consumption& consumption, Clock::time_point end) {
  std::printf("processes that were there at the end (KiB resident, descriptors; first, last, peak)\n");
  for (const auto& [pid, life] : consumption.lives()) {
    if (end - life.until > seconds(30)) continue;
    std::printf("  %-8s %6d: %6ld %6ld %6ld, %3d %3d %3d, for %lld s\n", life.last.program.c_str(), pid,
                life.first.resident_kib, life.last.resident_kib, life.peak_kib, life.first.descriptors,
                life.last.descriptors, life.peak_descriptors,
                static_cast<long long>(std::chrono::duration_cast<seconds>(life.until - life.since).count()));
    EXPECT_LE(life.last.resident_kib, kMostKib) << life.last.program;
    EXPECT_LE(life.last.resident_kib - life.first.resident_kib, kGrowthKib) << life.last.program;
    EXPECT_LE(life.last.descriptors, kMostDescriptors) << life.last.program;
  }
}

TEST(Soak, MixedFaultsLoseNoJobReleaseNoneWronglyAndLeaveNoneStuck) {
  if (!std::getenv("ROLLCALL_LONG")) GTEST_SKIP() << "a quarter of an hour: ROLLCALL_LONG is not set";
  ROLLCALL_WORLD(open);
  ROLLCALL_WORLD(held);
  e2e::AddOn add_on(open);
  const e2e::NamespacePolicy policy(held, "soak", e2e::kHoldsEveryJob);
  const auto seed = static_cast<std::uint64_t>(environment("ROLLCALL_SOAK_SEED", std::random_device{}()));
  const seconds length(environment("ROLLCALL_SOAK_SECONDS", 900));
  std::printf("soak of %lld s, ROLLCALL_SOAK_SEED=%llu\n", static_cast<long long>(length.count()),
              static_cast<unsigned long long>(seed));

  Consumption consumption;
  Watchman open_watch(open);
  Watchman held_watch(held);
  Fleet fleet(open, held, seed);
  Faults faults(seed + 1, [&] {
    std::vector<Faults::Victim> victims;
    add_victims(open, victims);
    add_victims(held, victims);
    return victims;
  });
  const auto nodes_of = [&](const std::string& uid) {
    auto nodes = open_watch.ledger().nodes_of(uid);
    nodes.merge(held_watch.ledger().nodes_of(uid));
    return nodes;
  };
  auto last = Clock::now();
  const auto step = [&] {
    if (Clock::now() - last < seconds(1)) return;
    last = Clock::now();
    consumption.look();
    fleet.go_on(faults, nodes_of);
  };
  World::eventually(length, [&] {
    while (fleet.in_flight() < kInFlight) fleet.add();
    step();
    return false;
  });
  faults.stop();
  const auto quiet = Clock::now();
  const bool settled = World::eventually(kSettle, [&] {
    step();
    return fleet.in_flight() == 0;
  });
  const auto settle_seconds = std::chrono::duration_cast<seconds>(Clock::now() - quiet).count();
  for (const auto& words : fleet.describe()) ADD_FAILURE() << "stuck: " << words;
  EXPECT_TRUE(World::eventually(seconds(90), [&] {
    return std::all_of(std::begin(e2e::kPrograms), std::end(e2e::kPrograms),
                       [&](const char* program) { return add_on.rolled_out(program); });
  })) << "Rollcall itself is not well again";
  consumption.look();
  open_watch.stop();
  held_watch.stop();

  std::map<std::string, int> verdicts;
  for (const Watchman* watch : {&open_watch, &held_watch}) {
    for (const auto& verdict : watch->ledger().verdicts()) {
      ++verdicts[verdict.kind + (verdict.reason.empty() ? "" : " " + verdict.reason) +
                 (verdict.overridden ? " by annotation" : "")];
      if (watch == &held_watch && verdict.kind == "Released") {
        EXPECT_TRUE(verdict.overridden) << verdict.job << " was released and its cause had not gone";
      }
    }
  }
  report("jobs", fleet.outcomes());
  report("faults", faults.counts());
  report("verdicts", verdicts);
  std::printf("trainers started %d, addresses read %d, looks %d\n",
              open_watch.ledger().trainers_started() + held_watch.ledger().trainers_started(),
              open_watch.ledger().addresses_read() + held_watch.ledger().addresses_read(),
              open_watch.looks() + held_watch.looks());
  std::printf("slowest release %.0f s after its creation; %s %lld s after the last fault\n", fleet.slowest(),
              settled ? "all jobs over" : "NOT all over", static_cast<long long>(settle_seconds));
  report_and_judge(consumption, Clock::now());
}

}  // namespace
}  // namespace rollcall::soak
