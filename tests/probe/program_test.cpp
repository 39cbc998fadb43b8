// The whole program, driven by a scripted desk over TLS.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <filesystem>

#include "probe/net/listen.h"
#include "probe/support/scripted_desk.h"

namespace rollcall::probe::testing {
namespace {

using roll_call::Answer;
using roll_call::EdgeOutcome;
using roll_call::Instruction;
using roll_call::Step;
using std::chrono::seconds;
using ::testing::HasSubstr;

/// A port that nobody uses now and that the kernel does not give out by itself.
int free_port() {
  for (int port = 20'000 + static_cast<int>(::getpid() % 5'000); port < 32'000; ++port) {
    if (listen_everywhere(port, 1)) return port;
  }
  return 0;
}

std::string child_beside_the_probe() { return probe_program() + "-child"; }

bool in_use(int port) { return !listen_everywhere(port, 1).ok(); }

TEST(Program, ThreeProbesAreLedThroughEveryStepAndReleased) {
  const int port = free_port();
  ScriptedDesk desk(3, port);
  std::vector<std::unique_ptr<RunningProbe>> probes;
  for (int rank = 0; rank < 3; ++rank) probes.push_back(std::make_unique<RunningProbe>(desk, rank));

  for (int rank = 0; rank < 3; ++rank) {
    const auto answer = desk.answer_when(rank, [](const Answer& a) { return a.mesh && a.mesh->done; });
    ASSERT_TRUE(answer) << probes[static_cast<std::size_t>(rank)]->process->output();
    EXPECT_EQ(answer->mesh->attempted, 2);
    EXPECT_EQ(answer->mesh->ok, 2);
    EXPECT_TRUE(answer->mesh->failed.empty());
    EXPECT_EQ(answer->attempt, 1);
    EXPECT_EQ(answer->boot_nonce.size(), 32U);
    ASSERT_TRUE(answer->facts);
    EXPECT_FALSE(answer->facts->hostname.empty());
    EXPECT_FALSE(answer->facts->interfaces.empty());
    EXPECT_GT(answer->facts->nofile, 0);
    if (rank == 0) {
      EXPECT_TRUE(answer->master_port->listening) << answer->master_port->error;
    } else {
      EXPECT_EQ(answer->master_port_reached->outcome, EdgeOutcome::Ok) << answer->master_port_reached->detail;
    }
  }
  EXPECT_FALSE(in_use(port)) << "MASTER_PORT must be closed before the mesh";
  for (const auto& probe : probes) probe->show(annotations_file(1, "127.0.0.1"));
  for (const auto& probe : probes) {
    EXPECT_EQ(probe->process->wait(seconds(20)), 0) << probe->process->output();
    EXPECT_THAT(probe->process->output(), HasSubstr("mesh: 2 of 2 peers"));
    EXPECT_THAT(probe->process->output(), HasSubstr("released, attempt 1"));
    EXPECT_THAT(probe->process->output(), HasSubstr("MASTER_ADDR 127.0.0.1"));
  }
}

TEST(Program, APortInUseIsToldWithItsHolder) {
  auto busy = listen_everywhere(0, 1);
  ASSERT_TRUE(busy);
  ScriptedDesk desk(1, busy->port);
  desk.stop_at(Step::ListenMesh);
  RunningProbe probe(desk, 0);
  const auto answer = desk.answer_when(0, [](const Answer& a) { return a.master_port.has_value(); });
  ASSERT_TRUE(answer) << probe.process->output();
  EXPECT_FALSE(answer->master_port->listening);
  EXPECT_EQ(answer->master_port->error, "EADDRINUSE");
  EXPECT_THAT(answer->master_port->holder, HasSubstr("pid " + std::to_string(::getpid())));
  EXPECT_TRUE(probe.process->prints("is in use on this node by pid", seconds(5)));
}

TEST(Program, ReleasedIsNotObeyedWhileTheFileShowsNoAddress) {
  ScriptedDesk desk(1, free_port());
  Instruction release;
  release.step = Step::Release;
  release.master_addr = "10.1.2.3";
  desk.tell(release);
  RunningProbe probe(desk, 0);
  EXPECT_TRUE(probe.process->prints("annotations show no address yet", seconds(20))) << probe.process->output();
  for (const auto& file : {annotations_file(1, ""), annotations_file(2, "10.1.2.3"), annotations_file(1, "10.1.2.4")}) {
    const int before = desk.exchanges();
    probe.show(file);
    EXPECT_TRUE(eventually([&] { return desk.exchanges() > before + 5; }));
    EXPECT_EQ(probe.process->wait(std::chrono::milliseconds(0)), std::nullopt) << file;
  }
  probe.show(annotations_file(1, "10.1.2.3"));
  EXPECT_EQ(probe.process->wait(seconds(20)), 0);
}

TEST(Program, TheOperatorsStampReleasesWithoutADesk) {
  ScriptedDesk desk(1, free_port());
  desk.go_mute();
  RunningProbe probe(desk, 0);
  EXPECT_TRUE(probe.process->prints("not heard by the desk", seconds(20)));
  probe.show(annotations_file(1, "10.1.2.3", 1));
  EXPECT_EQ(probe.process->wait(seconds(20)), 0) << probe.process->output();
}

TEST(Program, TheStampOfAnotherAttemptReleasesNobody) {
  ScriptedDesk desk(1, free_port());
  desk.stop_at(Step::SeeAddress);
  RunningProbe probe(desk, 0);
  probe.show(annotations_file(2, "10.1.2.3", 1));
  ASSERT_TRUE(desk.answer_when(0, [](const Answer& a) { return a.seen && a.seen->attempt == 2; }));
  EXPECT_EQ(probe.process->wait(std::chrono::milliseconds(0)), std::nullopt);
  // The desk names attempt 2: now the stamp of attempt 2 counts, and only that.
  desk.set_attempt(2);
  EXPECT_TRUE(probe.process->prints("the desk calls this pod for attempt 2", seconds(20)));
  probe.show(annotations_file(2, "10.1.2.3", 2));
  EXPECT_EQ(probe.process->wait(seconds(20)), 0);
}

TEST(Program, AnEndIsWrittenAsTheTerminationMessage) {
  ScriptedDesk desk(1, free_port());
  Instruction end;
  end.step = Step::End;
  end.message = "held for 900 s; gpu-17 drops new connections from gpu-04";
  desk.tell(end);
  RunningProbe probe(desk, 0);
  EXPECT_EQ(probe.process->wait(seconds(20)), 1);
  EXPECT_EQ(probe.termination_message(), end.message);
}

TEST(Program, ADeskThatIsNeverHeardEndsTheProbeWithTheCause) {
  ScriptedDesk desk(1, free_port());
  auto nobody = listen_everywhere(0, 1);
  const auto address = "127.0.0.1:" + std::to_string(nobody->port);
  nobody->fd.reset();
  RunningProbe probe(desk, 0, {{"ROLLCALL_DESK_ADDRESS", address}, {"ROLLCALL_GIVE_UP_SECONDS", "1"}});
  EXPECT_EQ(probe.process->wait(seconds(20)), 1);
  EXPECT_THAT(probe.termination_message(), HasSubstr("heard nothing from the desk " + address + " for 1 s"));
  EXPECT_THAT(probe.termination_message(), HasSubstr("ECONNREFUSED"));
}

TEST(Program, ADeskWithAnotherNameIsNotTold) {
  ScriptedDesk desk(1, free_port());
  RunningProbe probe(desk, 0, {{"ROLLCALL_DESK_NAME", "another.svc"}});
  EXPECT_TRUE(probe.process->prints("the desk's certificate was refused", seconds(20)));
  EXPECT_EQ(desk.exchanges(), 0);
}

TEST(Program, SigtermEndsAHeldReplyAtOnce) {
  ScriptedDesk desk(2, free_port());  // the second never comes: the reply is held
  RunningProbe probe(desk, 0);
  ASSERT_TRUE(desk.answer_when(0, [](const Answer&) { return true; }));
  const auto before = std::chrono::steady_clock::now();
  probe.process->signal(SIGTERM);
  EXPECT_EQ(probe.process->wait(seconds(20)), 143);
  EXPECT_LT(std::chrono::steady_clock::now() - before, seconds(5));
}

TEST(Program, ANewRoundVoidsWhatWasFound) {
  ScriptedDesk desk(1, free_port());
  desk.stop_at(Step::SeeAddress);
  RunningProbe probe(desk, 0);
  const auto first = desk.answer_when(0, [](const Answer& a) { return a.mesh && a.mesh->done; });
  ASSERT_TRUE(first) << probe.process->output();
  desk.new_round();
  const auto second = desk.answer_when(0, [](const Answer& a) {
    return a.round == roll_call::RoundId{1, 2} && !a.mesh;
  });
  ASSERT_TRUE(second);
  EXPECT_EQ(second->boot_nonce, first->boot_nonce);
  EXPECT_GT(second->sequence, first->sequence);
  const auto again = desk.answer_when(0, [](const Answer& a) {
    return a.round == roll_call::RoundId{1, 2} && a.mesh && a.mesh->done;
  });
  EXPECT_TRUE(again) << "the steps run again in the new round";
}

TEST(Program, TheTokenIsReadForEveryAnswer) {
  ScriptedDesk desk(1, free_port());
  desk.stop_at(Step::SeeAddress);
  RunningProbe probe(desk, 0);
  ASSERT_TRUE(desk.answer_when(0, [](const Answer&) { return true; }));
  probe.files.write("token", "rotated");
  EXPECT_TRUE(probe.process->prints("status 401: not that pod's token", seconds(30))) << probe.process->output();
}

TEST(Program, InstallCopiesItselfWithExecutePermission) {
  const TemporaryDirectory directory;
  Process install({probe_program(), "install", directory.path()}, {});
  EXPECT_EQ(install.wait(seconds(20)), 0) << install.output();
  struct stat status {};
  ASSERT_EQ(::stat((directory.path() + "/rollcall-probe").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0755U);
  Process copy({directory.path() + "/rollcall-probe", "facts"}, {});
  EXPECT_EQ(copy.wait(seconds(20)), 0) << copy.output();
  const auto entries = std::distance(std::filesystem::directory_iterator(directory.path()), {});
  EXPECT_EQ(entries, std::filesystem::exists(child_beside_the_probe()) ? 2 : 1) << "nothing but the programs is left";
}

TEST(Program, InstallBringsWhatStandsNextToIt) {
  const TemporaryDirectory image;
  const TemporaryDirectory volume;
  std::filesystem::copy_file(probe_program(), image.path() + "/rollcall-probe");
  image.write("rollcall-probe-child", "child");
  image.write("libnccl.so.2", "nccl");
  Process install({image.path() + "/rollcall-probe", "install", volume.path()}, {});
  EXPECT_EQ(install.wait(seconds(20)), 0) << install.output();
  for (const char* name : {"rollcall-probe", "rollcall-probe-child", "libnccl.so.2"}) {
    struct stat status {};
    ASSERT_EQ(::stat((volume.path() + "/" + name).c_str(), &status), 0) << name;
    EXPECT_EQ(status.st_mode & 0777U, 0755U) << name;
  }
}

TEST(Program, InstallSaysWhatTheDirectoryMustBe) {
  Process install({probe_program(), "install", "/nowhere/at/all"}, {});
  EXPECT_EQ(install.wait(seconds(20)), 1);
  EXPECT_THAT(install.output(), HasSubstr("must be a writable directory"));
}

TEST(Program, AMissingVariableIsNamed) {
  Process probe({probe_program(), "answer"}, {{"ROLLCALL_DESK_ADDRESS", "10.0.0.1:443"}});
  EXPECT_EQ(probe.wait(seconds(20)), 2);
  EXPECT_THAT(probe.output(), HasSubstr("ROLLCALL_DESK_NAME is not set"));
}

}  // namespace
}  // namespace rollcall::probe::testing
