#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "roll_call/world.h"

// Random histories: answers, losses, restarts, conflicts, failed writes, overrides, changes of mode, dead desks and
// ticks in any order. What must hold is checked at every step, by a model that looks only at what went in and what came
// out.
namespace rollcall::roll_call::testing {
namespace {

class History {
 public:
  explicit History(unsigned seed)
      : random_(seed),
        nnodes_(1 + static_cast<int>(random_() % 6)),
        world_(nnodes_, [&](api::RollCall& r) { settings(r); }) {
    mode_ = world_.roll_call.spec.settings.mode;
    world_.on_answer = [this](const Answer& answer) { tell(answer); };
    world_.on_write = [this](const api::Verdict& verdict) { check_write(verdict); };
    for (auto& probe : world_.probes) probe.running = random_() % 4 != 0;
    world_.edge = [this](int, int) {
      return failing_ && random_() % 3 == 0 ? static_cast<EdgeOutcome>(1 + random_() % 6) : EdgeOutcome::Ok;
    };
    world_.reach = [this](int) { return failing_ && random_() % 4 == 0 ? EdgeOutcome::Refused : EdgeOutcome::Ok; };
    world_.master = [this](int) {
      return failing_ && random_() % 4 == 0
                 ? MasterPortState{29500, false, random_() % 5 == 0 ? "EACCES" : "EADDRINUSE", ""}
                 : MasterPortState{29500, true, "", ""};
    };
    world_.sees = [this](int) { return !failing_ || random_() % 2 == 0; };
    world_.facts = [this, sound = world_.facts](int node) {
      auto f = sound(node);
      if (failing_ && random_() % 6 == 0) f.libraries[0].version = "2.21.5";
      return f;
    };
    world_.see_all();
  }

  /// A wild part, then a quiet one in which nothing new goes wrong; an end must come of it.
  void play(int steps) {
    for (int i = 0; i < steps && !stored_; ++i) {
      step();
      if (::testing::Test::HasFatalFailure() || ::testing::Test::HasNonfatalFailure()) return;
    }
    failing_ = false;
    writes_fail_ = false;
    lost_.clear();
    for (auto& probe : world_.probes) {
      if (random_() % 8 != 0) probe.running = true;
    }
    world_.see_all();
    // waitForPods (120) + rounds of at most 90 s between holds of at most 300 s in all.
    for (int s = 0; s < 3000 && !stored_; ++s) {
      world_.pass(1s);
      answer_the_write();
    }
    EXPECT_TRUE(stored_) << "no end in bounded time; stage " << world_.status().stage << ": "
                         << world_.status().message;
  }

  bool releases() const { return stored_ && stored_->kind == api::VerdictKind::Released; }
  bool enforced_release() const { return releases() && mode_ == api::RollCallMode::Enforce && !overridden_; }

 private:
  void settings(api::RollCall& r) {
    r.spec.settings.wait_for_pods_seconds = 120;
    r.spec.settings.timeout_seconds = 90;
    r.spec.settings.hold_seconds = 300;
    r.spec.settings.mode = static_cast<api::RollCallMode>(random_() % 8 == 0 ? 1 + random_() % 2 : 0);
  }

  int any() { return static_cast<int>(random_() % static_cast<unsigned>(nnodes_)); }

  void step() {
    switch (random_() % 24) {
      case 0:
        failing_ = random_() % 2 == 0;
        break;
      case 1: {  // a restart in place
        Probe& probe = world_.probes[static_cast<std::size_t>(any())];
        if (random_() % 6 == 0) restart(probe);
        break;
      }
      case 2:
        world_.probes[static_cast<std::size_t>(any())].asleep ^= random_() % 3 == 0;
        break;
      case 3: {
        const int node = any();
        world_.probes[static_cast<std::size_t>(node)].running = true;
        lost_.erase(node);
        world_.hear(PodSeen{world_.view(node)});
        break;
      }
      case 4:
        if (random_() % 20 == 0) {
          overridden_ = true;
          world_.hear(Overridden{kUser});
        }
        break;
      case 5:
        if (random_() % 10 == 0) {
          mode_ = static_cast<api::RollCallMode>(random_() % 3);
          world_.hear(ModeChanged{mode_});
        }
        break;
      case 6:
        writes_fail_ = random_() % 2 == 0;
        break;
      case 7:
        if (random_() % 30 == 0) {  // a pod is lost, or seen again after a watch gap
          const int node = any();
          PodView view = world_.view(node);
          view.gone = random_() % 2 == 0;
          if (view.gone) {
            lost_.insert(node);
          } else {
            lost_.erase(node);
          }
          world_.hear(PodSeen{view});
        }
        break;
      case 8:
        if (random_() % 40 == 0) dead_desk();
        break;
      case 9:
        nonsense();
        break;
      case 10:
        if (random_() % 60 == 0) {  // another writer ends it
          take(api::Verdict{api::VerdictKind::Ended, api::EndReason::Suspended, "suspended", "", "operator", false});
        }
        break;
      case 11:
        world_.hear(Tick{});
        break;
      case 12: {
        const int node = any();
        if (old_.size() > 20) old_.erase(old_.begin());
        old_.push_back(world_.answer_of(node));
        world_.hear(AnswerHeard{old_[random_() % old_.size()]});  // late or twice
        break;
      }
      case 13:
      case 14:
        world_.pass(std::chrono::seconds{1 + random_() % 5}, random_() % 2 == 0);
        break;
      default: {
        const int node = any();
        const Probe& probe = world_.probes[static_cast<std::size_t>(node)];
        if (probe.running && !probe.asleep) {
          world_.post(node);
          world_.obey(node);
        }
      }
    }
    answer_the_write();
    check_orders();
  }

  void restart(Probe& probe) {
    probe.nonce = "nonce-" + std::to_string(random_());
    probe.sequence = 0;
    probe.attempt = 0;
    probe.round.reset();
    probe.results = {};
  }

  /// The API server: conflicts, failures, or the write is taken. Only what it took is a verdict.
  void answer_the_write() {
    if (!world_.asked || stored_) return;
    if (writes_fail_ && random_() % 3 != 0) {
      world_.asked.reset();
      world_.hear(VerdictWriteFailed{"503"});
    } else if (random_() % 10 == 0) {
      take(api::Verdict{api::VerdictKind::Ended, api::EndReason::PodLost, "theirs was first", "", "operator", false});
    } else if (random_() % 2 == 0) {
      take(*world_.asked);
    }
  }

  void take(api::Verdict verdict) {  // by value: it is often the one that is asked for
    ASSERT_FALSE(stored_);
    stored_ = verdict;
    world_.asked.reset();
    world_.roll_call.status.verdict = verdict;
    world_.hear(VerdictStored{verdict});
    check_orders();
  }

  /// A desk dies at any moment and another one reads what is stored.
  void dead_desk() {
    auto status = world_.status();
    status.verdict = stored_;
    world_.roll_call.status = status;
    world_.asked.reset();
    told_.clear();
    world_.new_desk(++term_);
    if (overridden_) world_.hear(Overridden{kUser});
    if (mode_ != world_.roll_call.spec.settings.mode) world_.hear(ModeChanged{mode_});
    for (int i = 0; i < nnodes_; ++i) {
      PodView view = world_.view(i);
      view.gone = lost_.count(i) > 0;
      world_.hear(PodSeen{view});
    }
  }

  void nonsense() {
    Answer answer;
    const Probe& probe = world_.probes[static_cast<std::size_t>(any())];
    answer.pod_uid = random_() % 2 == 0 ? probe.uid : "uid-of-nobody";
    answer.boot_nonce = probe.nonce;
    answer.sequence = random_() % 3 == 0 ? 0 : probe.sequence;
    answer.attempt = static_cast<int>(random_() % 4);
    answer.round = RoundId{static_cast<std::int64_t>(random_() % 3), static_cast<int>(random_() % 5)};
    answer.mesh = MeshState{
        {1}, -5,  5000, {{-1, EdgeOutcome::Dropped, 0, 0, 99, 0, ""}, {4999, EdgeOutcome::Refused, 0, 0, 0, 0, ""}},
        0,   true};
    answer.master_port_reached = Edge{77, EdgeOutcome::Stalled, 1, 1, 1, 0, "x"};
    answer.seen = SeenState{1, "10.9.9.9"};
    world_.hear(AnswerHeard{answer});
  }

  /// What the desk has been told, kept by rules simpler than its own: the last answer of the last probe process counts.
  struct Told {
    std::string nonce;
    std::set<std::string> former;
    std::uint64_t sequence = 0;
    bool seen = false;
    std::optional<RoundId> round;
    bool facts = false, mesh_passed = false, listened = false, reached = false;
  };

  void tell(const Answer& answer) {
    Told& told = told_[answer.pod_uid];
    if (told.former.count(answer.boot_nonce) > 0) return;
    if (told.nonce != answer.boot_nonce) {
      auto former = told.former;
      if (!told.nonce.empty()) former.insert(told.nonce);
      told = Told{};
      told.nonce = answer.boot_nonce;
      told.former = former;
    } else if (answer.sequence < told.sequence) {
      return;
    }
    told.sequence = answer.sequence;
    if (answer.attempt != 2) return;
    if (answer.seen) told.seen = answer.seen->attempt == 2 && answer.seen->master_addr == "10.0.0.1";
    if (!answer.round || answer.round != world_.desk->instruction_for("uid-0", world_.now)->round) return;
    if (told.round != answer.round) told.facts = told.mesh_passed = told.listened = told.reached = false;
    told.round = answer.round;
    if (answer.facts) told.facts = true;
    if (answer.master_port) told.listened = answer.master_port->listening;
    if (answer.master_port_reached)
      told.reached = answer.master_port_reached->to == 0 && answer.master_port_reached->outcome == EdgeOutcome::Ok;
    if (answer.mesh)
      told.mesh_passed = answer.mesh->done && (answer.mesh->failed.empty() || answer.mesh->failed.front().to < 0);
  }

  /// Released is asked for only when every pod has shown this attempt's address, none is lost, and (in Enforce, without
  /// an override) every stage has ended well.
  void check_write(const api::Verdict& verdict) {
    ASSERT_FALSE(stored_) << "a second verdict was asked for";
    if (verdict.kind != api::VerdictKind::Released) return;
    const auto status = world_.desk->status(world_.now);
    ASSERT_EQ(status.master_addr, "10.0.0.1");
    ASSERT_TRUE(lost_.empty()) << "a pod is lost";
    for (const auto& probe : world_.probes)
      ASSERT_TRUE(told_[probe.uid].seen) << probe.uid << " has not said it sees the address";
    ASSERT_EQ(verdict.overridden, overridden_);
    if (overridden_ || mode_ != api::RollCallMode::Enforce) return;
    // These jobs ask for no GPU and have no checks of their own.
    const std::set<std::string> not_for_them{"Gpu",          "Nccl",      "NodeCollective", "JobCollective",
                                             "Localisation", "Transport", "Checks"};
    for (const auto& stage : status.stages)
      ASSERT_TRUE(stage.state == "Passed" || not_for_them.count(stage.name) > 0 ||
                  (stage.name == "Mesh" && nnodes_ == 1))
          << stage.name << " " << stage.state;
    for (const auto& finding : status.findings) ASSERT_NE(finding.severity, "fail") << finding.message;
    for (const auto& probe : world_.probes) {
      const Told& told = told_[probe.uid];
      ASSERT_EQ(told.round ? to_string(*told.round) : "", status.round) << "a pass of another round";
      ASSERT_TRUE(told.facts);
      ASSERT_TRUE(nnodes_ == 1 || told.mesh_passed);
      ASSERT_TRUE(probe.uid == "uid-0" ? told.listened : told.reached);
    }
  }

  /// Nobody is told to go or to end before the API server has taken the verdict.
  void check_orders() {
    for (const auto& probe : world_.probes) {
      const auto said = world_.desk->instruction_for(probe.uid, world_.now);
      ASSERT_TRUE(said);
      if (said->step == Step::Release) {
        ASSERT_TRUE(stored_ && stored_->kind == api::VerdictKind::Released);
      }
      if (said->step == Step::End) {
        ASSERT_TRUE(stored_ && stored_->kind == api::VerdictKind::Ended);
      }
    }
  }

  std::mt19937 random_;
  int nnodes_;
  bool failing_ = false;
  bool writes_fail_ = false;
  bool overridden_ = false;
  std::set<int> lost_;
  std::int64_t term_ = 1;
  api::RollCallMode mode_ = api::RollCallMode::Enforce;
  std::optional<api::Verdict> stored_;
  std::vector<Answer> old_;
  std::map<std::string, Told> told_;
  World world_;
};

TEST(History, NeverTwoVerdictsNeverAReleaseUnpassedAlwaysAnEnd) {
  unsigned released = 0;
  unsigned enforced = 0;
  // ROLLCALL_HISTORIES=20000 for a long run by hand.
  const char* wanted = std::getenv("ROLLCALL_HISTORIES");
  const unsigned histories = wanted != nullptr ? static_cast<unsigned>(std::strtoul(wanted, nullptr, 10)) : 300;
  for (unsigned seed = 1; seed <= histories; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    History history(seed);
    history.play(400);
    if (::testing::Test::HasFailure()) return;
    released += history.releases() ? 1 : 0;
    enforced += history.enforced_release() ? 1 : 0;
  }
  // The histories must reach both ends, or the checks above check nothing.
  EXPECT_GT(enforced, histories / 20);
  EXPECT_LT(released, histories * 9 / 10);
}

TEST(History, TheSameAnswersInAnyOrderLeadToTheSameVerdict) {
  std::mt19937 random(7);
  std::string first;
  for (int trial = 0; trial < 200; ++trial) {
    World world(5);
    world.edge = [](int from, int to) { return from == 1 && to == 3 ? EdgeOutcome::Dropped : EdgeOutcome::Ok; };
    world.see_all();
    for (int round = 0; round < 14; ++round) {
      std::vector<int> order{0, 1, 2, 3, 4};
      std::shuffle(order.begin(), order.end(), random);
      // All post what they have, in any order, some twice; then all ask.
      std::vector<Answer> answers;
      for (const int node : order) answers.push_back(world.answer_of(node));
      for (const auto& answer : answers) world.hear(AnswerHeard{answer});
      if (trial % 2 == 0) world.hear(AnswerHeard{answers[random() % answers.size()]});
      for (const int node : order) world.obey(node);
    }
    const std::string told = world.status().stage + " " + world.finding("mesh/dropped");
    if (first.empty()) first = told;
    ASSERT_EQ(told, first) << "trial " << trial;
  }
  EXPECT_EQ(first.substr(0, 5), "Held ");
}

}  // namespace
}  // namespace rollcall::roll_call::testing
