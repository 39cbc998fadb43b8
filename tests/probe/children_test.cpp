// One program of the job's image, run to its end whatever it does.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <fstream>
#include <thread>

#include "doubles/stuck/stuck_mount.h"
#include "probe/children/child.h"
#include "probe/children/leftovers.h"
#include "probe/children/setup.h"
#include "probe/children/unable.h"
#include "probe/steps/collective.h"
#include "probe/support/scripted_desk.h"

namespace rollcall::probe {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TemporaryDirectory;

const Environment kPath = {{"PATH", "/usr/bin:/bin"}};

/// A child that is a shell script.
ChildReport run_script(const std::string& script, milliseconds limit, const Wake& cancel = Wake()) {
  const TemporaryDirectory files;
  const auto path = files.write("child", "#!/bin/sh\n" + script + "\n");
  ::chmod(path.c_str(), 0755);
  return run_child({path, {}, kPath, limit}, cancel);
}

bool exists(pid_t pid) { return ::kill(pid, 0) == 0; }

TEST(Child, ItsResultAndItsLastStepAreKept) {
  const auto report = run_script(R"(echo '{"step":"cuInit"}'
echo '{"gpu":{"library":true,"driver":"550.54.15"}}'
echo '{"step":"nvmlInit"}'
echo '{"gpu":{"library":true,"driver":"550.54.15","cudaVersion":12040}}'
echo noise >&2)",
                                 seconds(20));
  EXPECT_EQ(report.trouble, "");
  EXPECT_EQ(report.end.how, End::How::Exited);
  EXPECT_EQ(report.step, "nvmlInit");
  ASSERT_TRUE(report.gpu);
  EXPECT_EQ(report.gpu->driver, "550.54.15");
  EXPECT_EQ(report.gpu->cuda_version, 12040);
  EXPECT_EQ(report.error_line, "noise");
}

struct Ending {
  const char* name;
  const char* script;
  End::How how;
  const char* trouble;
};
class ChildEnding : public ::testing::TestWithParam<Ending> {};
TEST_P(ChildEnding, IsToldInWords) {
  const auto report = run_script(GetParam().script, seconds(20));
  EXPECT_EQ(report.end.how, GetParam().how);
  EXPECT_THAT(report.trouble, HasSubstr(GetParam().trouble));
  EXPECT_FALSE(report.unable);
}
INSTANTIATE_TEST_SUITE_P(
    Child, ChildEnding,
    ::testing::Values(Ending{"Status", "echo '{\"step\":\"cuInit\"}'; echo 'no such device' >&2; exit 3",
                             End::How::Exited, "ended with status 3 in cuInit and without a result: no such device"},
                      Ending{"Signal", "echo '{\"step\":\"ncclCommInitRank\"}'; kill -SEGV $$", End::How::Signalled,
                             "was ended by SIGSEGV (invalid memory) in ncclCommInitRank"},
                      Ending{"Noise", "echo '<html>'", End::How::Exited, "printed what cannot be read"},
                      Ending{"Silence", "exit 0", End::How::Exited, "ended with status 0 and without a result"},
                      Ending{"LongLine", "head -c 70000 /dev/zero | tr '\\0' x; echo", End::How::Exited,
                             "a line longer than 65536 bytes"}),
    [](const auto& test) { return test.param.name; });

TEST(Child, HungInOneStepItIsKilledAtItsDeadlineAndTheStepIsNamed) {
  const auto report = run_script("echo '{\"step\":\"ncclCommInitRank\"}'; exec sleep 1000", milliseconds(400));
  EXPECT_EQ(report.end.how, End::How::Deadline);
  EXPECT_FALSE(report.end.extended);
  EXPECT_EQ(report.step, "ncclCommInitRank");
  EXPECT_GE(report.step_seconds, 0.3);
  EXPECT_LT(report.step_seconds, 1.5);
  EXPECT_THAT(report.trouble, HasSubstr("was killed at its deadline, in ncclCommInitRank for 0."));
}

TEST(Child, OneThatWritesWithoutEndIsKilledAtItsDeadlineAllTheSame) {
  for (const char* script : {"exec yes", "exec yes >&2", R"(while :; do echo '{"step":"cuInit"}'; done)"}) {
    const auto report = run_script(script, milliseconds(300));
    EXPECT_EQ(report.end.how, End::How::Deadline) << script;
    EXPECT_LT(report.end.seconds, 10) << script;
  }
}

TEST(Child, WhileItsStepsAdvanceItGetsAsLongAgain) {
  // The second step begins in the second half of the limit.
  const auto report = run_script(R"(echo '{"step":"cuInit"}'; sleep 1.4
echo '{"step":"ncclCommInitRank"}'; sleep 1
echo '{"rank":{"rank":3,"outcome":"Ok"}}')",
                                 seconds(2));
  EXPECT_EQ(report.end.how, End::How::Exited) << report.trouble;
  EXPECT_TRUE(report.end.extended);
  EXPECT_TRUE(report.rank);
}

TEST(Child, AfterItsResultNobodyWaitsForItLong) {
  const auto before = std::chrono::steady_clock::now();
  const auto report = run_script("echo '{\"rank\":{\"rank\":0}}'; echo '{\"step\":\"ncclCommDestroy\"}'; sleep 1000",
                                 std::chrono::minutes(5));
  EXPECT_LT(std::chrono::steady_clock::now() - before, kEndGrace + seconds(5));
  EXPECT_TRUE(report.rank);
  EXPECT_EQ(report.trouble, "");
}

TEST(Child, WhatItStartedEndsWithIt) {
  const TemporaryDirectory files;
  const auto report = run_script("sleep 1000 & echo $! > " + files.path() + "/pid; echo '{\"rank\":{}}'", seconds(20));
  EXPECT_EQ(report.end.how, End::How::Exited) << "the open output of a grandchild holds nobody up";
  EXPECT_LT(report.end.seconds, 10);
  pid_t pid = 0;
  std::ifstream(files.path() + "/pid") >> pid;
  ASSERT_GT(pid, 1);
  EXPECT_TRUE(testing::eventually([&] {
    std::string state;
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string ignored;
    return !(stat >> ignored >> ignored >> state) || state == "Z" || !exists(pid);
  }));
}

TEST(Child, CancelEndsItAtOnce) {
  Wake cancel;
  std::thread canceller;
  const TemporaryDirectory files;
  const auto path = files.write("child", "#!/bin/sh\necho '{\"uniqueId\":\"ab\"}'\nsleep 1000\n");
  ::chmod(path.c_str(), 0755);
  ChildOrder order{path, {}, kPath, std::chrono::minutes(5)};
  std::string id;
  order.on_unique_id = [&](const std::string& made) {
    id = made;
    cancel.notify();
  };
  const auto report = run_child(order, cancel);
  EXPECT_EQ(report.end.how, End::How::Cancelled);
  EXPECT_LT(report.end.seconds, 10);
  EXPECT_EQ(id, "ab");
}

TEST(Child, OneThatSigkillDoesNotEndIsLeftBehindAndSaysWhere) {
  const TemporaryDirectory directory;
  auto mount = std::make_unique<doubles::StuckMount>(directory.path());
  if (!mount->ok()) GTEST_SKIP() << mount->why_not();
  const auto report = run_script("echo '{\"step\":\"cuInit\"}'; exec cat " + mount->file(), std::chrono::seconds(2));
  EXPECT_EQ(report.end.how, End::How::Stuck);
  EXPECT_TRUE(report.stuck());
  EXPECT_THAT(report.stopped_in(), HasSubstr("cuInit for "));
  EXPECT_THAT(report.trouble,
              HasSubstr("hangs in cuInit, in a call to a driver or a file system that the kernel cannot interrupt"));
  mount.reset();
  EXPECT_TRUE(testing::eventually([] { return ::waitpid(-1, nullptr, WNOHANG) > 0; })) << "it ends when it may";
}

/// Runs a shell's text until its end, forgetting what it prints.
End run_shell(const std::string& script, milliseconds limit, const Wake& cancel = Wake()) {
  ProgramListener listener;
  listener.out = [](std::string_view) {};
  return run(Program{"/bin/sh", {"sh", "-c", script}, kPath}, limit, cancel, listener);
}

TEST(Program, ThatPrintsWithoutEndIsKilledAtItsDeadlineAllTheSame) {
  const auto end = run_shell("yes & yes >&2 & exec yes", milliseconds(300));
  EXPECT_EQ(end.how, End::How::Deadline);
  EXPECT_LT(end.seconds, 10);
}

TEST(Program, ThatPrintsWithoutEndCanBeCancelled) {
  Wake cancel;
  ProgramListener listener;
  listener.out = [&](std::string_view) { cancel.notify(); };
  const auto end = run(Program{"/usr/bin/yes", {"yes"}, kPath}, std::chrono::minutes(5), cancel, listener);
  EXPECT_EQ(end.how, End::How::Cancelled);
}

TEST(Program, WhatItHadPrintedWhenItEndedIsReadToTheLastByte) {
  std::size_t bytes = 0;
  ProgramListener listener;
  listener.out = [&](std::string_view piece) { bytes += piece.size(); };
  const auto end =
      run(Program{"/bin/sh", {"sh", "-c", "head -c 5000000 /dev/zero"}, kPath}, seconds(60), Wake(), listener);
  EXPECT_EQ(end.how, End::How::Exited);
  EXPECT_EQ(bytes, 5'000'000U);
}

TEST(Program, ThatLeftItsGroupIsKilledAllTheSame) {
  // A group leader may still join its parent's group.
  const auto end = run(Program{"/usr/bin/perl", {"perl", "-e", "setpgrp(0, getpgrp(getppid())); sleep 1000"}, kPath},
                       milliseconds(700), Wake(), {});
  EXPECT_EQ(end.how, End::How::Deadline);
}

TEST(Child, ACrashAfterAnInterimResultIsNamedBesideWhatTheLibraryHadSaid) {
  const auto report = run_script(R"(echo '{"step":"ncclCommInitRank"}'
echo '{"rank":{"rank":3,"outcome":"TimedOut","error":"NET/IB : Got completion with error 12"}}'
kill -SEGV $$)",
                                 seconds(20));
  EXPECT_TRUE(report.cut_short);
  const auto result = rank_result_from(report, 3, 0);
  EXPECT_EQ(result.outcome, roll_call::RankOutcome::Died);
  EXPECT_EQ(result.error,
            "was ended by SIGSEGV (invalid memory) in ncclCommInitRank; until then: NET/IB : Got completion with error "
            "12");
}

TEST(Child, HalfALineIsNoResult) {
  const auto report = run_script("printf '{\"rank\":{\"rank\":0,\"outcome\":\"Ok\"'; exit 0", seconds(20));
  EXPECT_FALSE(report.rank);
  EXPECT_TRUE(report.cut_short);
  EXPECT_EQ(report.trouble, "ended with status 0 and without a result");
}

TEST(Child, OneThatMayNotBeKilledIsNotTakenForADriversFault) {
  End end;
  end.how = End::How::Stuck;
  EXPECT_THAT(stuck_words(end), HasSubstr("the kernel cannot interrupt"));
  end.refused = true;
  EXPECT_THAT(stuck_words(end), HasSubstr("runs as another user"));
}

TEST(Child, SigpipeIsNotIgnoredThereAsItIsHere) {
  ::signal(SIGPIPE, SIG_IGN);
  const auto report = run_script("kill -PIPE $$; echo '{\"rank\":{}}'", seconds(20));
  ::signal(SIGPIPE, SIG_DFL);
  EXPECT_EQ(report.end.how, End::How::Signalled);
  EXPECT_EQ(report.end.code, SIGPIPE);
}

/// An ELF program that asks for a loader that no image has.
std::string program_without_loader(const TemporaryDirectory& files) {
  std::string bytes;
  {
    std::ifstream file("/bin/sh", std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  const std::string loader = "/lib64/ld-linux-x86-64.so.2";
  const auto at = bytes.find(loader);
  if (at != std::string::npos) bytes[at + loader.size() - 1] = '9';
  const auto path = files.write("program", bytes);
  ::chmod(path.c_str(), 0755);
  return path;
}

TEST(Unable, AnImageWithoutTheLoaderIsNamed) {
  const TemporaryDirectory files;
  const auto path = program_without_loader(files);
  const auto report = run_child({path, {}, kPath, seconds(20)}, Wake());
  EXPECT_TRUE(report.unable);
  EXPECT_THAT(report.trouble, HasSubstr("this image has no glibc (no /lib64/ld-linux-x86-64.so.9)"));
}

TEST(Unable, AProbeImageWithoutTheProgramIsNamed) {
  const auto report = run_child({"/nowhere/rollcall-probe-child", {}, kPath, seconds(20)}, Wake());
  EXPECT_TRUE(report.unable);
  EXPECT_THAT(report.trouble, HasSubstr("/nowhere/rollcall-probe-child is not there"));
}

TEST(Unable, AnotherArchitectureIsNamed) {
  const TemporaryDirectory files;
  const auto path = files.write("program", std::string("\x7f"
                                                       "ELF\x02\x01\x01",
                                                       7) +
                                               std::string(100, '\0'));
  ::chmod(path.c_str(), 0755);
  const auto report = run_child({path, {}, kPath, seconds(20)}, Wake());
  EXPECT_TRUE(report.unable);
  EXPECT_THAT(report.trouble, HasSubstr("built for another architecture"));
}

TEST(Unable, AProgramThatMayNotBeExecutedIsNamed) {
  const TemporaryDirectory files;
  const auto path = files.write("program", "#!/bin/sh\n");
  ::chmod(path.c_str(), 0644);
  const auto report = run_child({path, {}, kPath, seconds(20)}, Wake());
  EXPECT_TRUE(report.unable);
  EXPECT_FALSE(report.cut_short);
  EXPECT_THAT(report.trouble, HasSubstr("it lacks the execute permission"));
}

TEST(Unable, AnEnvironmentThatIsTooLargeIsNamed) {
  const Environment large = {{"LARGE", std::string(200'000, 'x')}};
  const auto report = run_child({"/bin/sh", {}, large, seconds(20)}, Wake());
  EXPECT_TRUE(report.unable);
  EXPECT_THAT(report.trouble, HasSubstr("the environment is too large to start /bin/sh"));
}

TEST(Unable, EachRefusalHasItsOwnWords) {
  EXPECT_THAT(why_not_started("/bin/sh", EPERM), HasSubstr("a security profile of the container"));
  EXPECT_THAT(why_not_started("/bin/sh", EAGAIN), HasSubstr("raise the pod's pids or memory limit"));
  EXPECT_THAT(why_not_started("/bin/sh", EMFILE), HasSubstr("raise the limit of open files"));
}

TEST(Unable, ALoaderThatFindsNoSymbolIsNamed) {
  const auto report = run_script(
      "echo 'child: symbol lookup error: /opt/lib/libm.so.6: undefined symbol: __strtof128_nan' >&2; exit 127",
      seconds(20));
  EXPECT_TRUE(report.unable);
  EXPECT_THAT(report.trouble, HasSubstr("this image's loader could not start the program"));
}

TEST(Unable, AnOldGlibcIsNamed) {
  const auto report =
      run_script("echo \"child: /lib64/libc.so.6: version \\`GLIBC_2.17' not found (required by child)\" >&2; exit 1",
                 seconds(20));
  EXPECT_TRUE(report.unable);
  EXPECT_THAT(report.trouble, HasSubstr("this image's glibc is older than 2.17"));
}

TEST(Programs, AreFoundAsAContainerRuntimeFindsThem) {
  EXPECT_THAT(find_program("sh", kPath), HasSubstr("/sh"));
  EXPECT_EQ(find_program("./sh", kPath), "./sh");
  EXPECT_EQ(find_program("sh", {{"PATH", "/nowhere"}}), "");
  EXPECT_THAT(find_program("sh", {}), HasSubstr("/sh")) << "without PATH the usual directories";
}

Settings with_setup(const std::string& setup) {
  Settings settings;
  settings.setup = setup;
  settings.exports = {{"FROM_COMMAND", "1"}, {"OWN", "command"}};
  return settings;
}

const Environment kContainer = {{"PATH", "/usr/bin:/bin"}, {"OWN", "container"}, {"OTHER", "kept"}};

TEST(JobEnvironment, ExportsComeOverTheContainersAndSetupOverBoth) {
  const auto job = job_environment(with_setup("echo chatter; NOT_EXPORTED=1; export FROM_SETUP=\"$OWN\n2\" # comment"),
                                   kContainer, testing::probe_program(), Wake());
  EXPECT_EQ(job.trouble, "");
  EXPECT_EQ(job.fidelity, "");
  EXPECT_EQ(job.variables.at("OWN"), "command");
  EXPECT_EQ(job.variables.at("OTHER"), "kept");
  EXPECT_EQ(job.variables.at("FROM_COMMAND"), "1");
  EXPECT_EQ(job.variables.at("FROM_SETUP"), "command\n2");
  EXPECT_EQ(job.variables.count("NOT_EXPORTED"), 0U);
}

TEST(JobEnvironment, WhatTheShellPrintsAtItsStartIsNoVariable) {
  // Images set BASH_ENV, which bash reads before the first line of the setup.
  const TemporaryDirectory files;
  auto container = kContainer;
  container["BASH_ENV"] = files.write("start", "echo NOISE=1; printf Welcome");
  const auto job = job_environment(with_setup("export FROM_SETUP=2"), container, testing::probe_program(), Wake());
  EXPECT_EQ(job.trouble, "");
  EXPECT_EQ(job.variables.at("FROM_SETUP"), "2");
  EXPECT_EQ(job.variables.at("OTHER"), "kept");
  for (const auto& [name, value] : job.variables) {
    EXPECT_EQ(name.find("NOISE"), std::string::npos);
    EXPECT_EQ(name.find("Welcome"), std::string::npos);
  }
}

TEST(JobEnvironment, WhatTheSetupUnsetsIsGoneAndItsPathStands) {
  const auto job =
      job_environment(with_setup("unset OTHER FROM_COMMAND; export PATH=/opt/fabric/bin; yes | head -c 9000000"),
                      kContainer, testing::probe_program(), Wake());
  EXPECT_EQ(job.trouble, "");
  EXPECT_EQ(job.variables.count("OTHER"), 0U);
  EXPECT_EQ(job.variables.count("FROM_COMMAND"), 0U);
  EXPECT_EQ(job.variables.at("PATH"), "/opt/fabric/bin");
}

struct FailedSetup {
  const char* name;
  const char* setup;
  const char* why;
};
class Setup : public ::testing::TestWithParam<FailedSetup> {};
TEST_P(Setup, ThatFailsLeavesTheEnvironmentAndIsNamed) {
  auto settings = with_setup(GetParam().setup);
  settings.deadline_percent = 5;  // of 30 s
  const auto job = job_environment(settings, kContainer, testing::probe_program(), Wake());
  EXPECT_THAT(job.trouble, HasSubstr(GetParam().why));
  EXPECT_THAT(job.fidelity, HasSubstr("partial: rollCall.setup failed, "));
  EXPECT_EQ(job.variables.at("OWN"), "command");
  EXPECT_EQ(job.variables.count("LATE"), 0U);
}
INSTANTIATE_TEST_SUITE_P(
    JobEnvironment, Setup,
    ::testing::Values(FailedSetup{"NoFile", "set -e\n. /nowhere/fabric.sh\nexport LATE=1", "/nowhere/fabric.sh"},
                      FailedSetup{"Status", "export LATE=1; echo 'no fabric' >&2; exit 7",
                                  "it ended with status 7: no fabric"},
                      FailedSetup{"Exit", "export LATE=1; exit 0", "it ended the shell before its own end"},
                      FailedSetup{"Syntax", "export LATE='", "it ended with status"},
                      FailedSetup{"Hang", "export LATE=1; sleep 1000", "it had not ended after 1 s"}),
    [](const auto& test) { return test.param.name; });

TEST(JobEnvironment, AnImageWithoutAShellIsNamed) {
  EXPECT_EQ(job_environment(with_setup(""), {}, "", Wake()).trouble, "") << "without a setup none is needed";
}

TEST(JobEnvironment, WhatTheOperatorKnowsToBeMissingStaysBesideAFailedSetup) {
  auto settings = with_setup("exit 1");
  settings.fidelity = "partial: the command sources /opt/env.sh";
  const auto job = job_environment(settings, kContainer, testing::probe_program(), Wake());
  EXPECT_THAT(job.fidelity, HasSubstr("partial: the command sources /opt/env.sh; rollCall.setup failed"));
}

TEST(Leftovers, OnlyNewNcclFilesOfOursGo) {
  const TemporaryDirectory shm;
  shm.write("nccl-old", "");
  const auto before = nccl_files(shm.path());
  shm.write("nccl-new", "");
  shm.write("torch_1", "");
  EXPECT_THAT(sweep(before, {}, false, shm.path()), ElementsAre("nccl-new"));
  EXPECT_THAT(nccl_files(shm.path()), ElementsAre("nccl-old"));
  EXPECT_TRUE(std::ifstream(shm.path() + "/torch_1").good());
}

TEST(Leftovers, OnSharedMemoryOnlyWhatWasSeenInOurHandsGoes) {
  const TemporaryDirectory shm;
  shm.write("nccl-another-jobs", "");
  shm.write("nccl-ours", "");
  EXPECT_THAT(sweep({}, {"nccl-ours", "nccl-gone"}, true, shm.path()), ElementsAre("nccl-ours"));
  EXPECT_THAT(nccl_files(shm.path()), ElementsAre("nccl-another-jobs"));
}

TEST(Leftovers, WhatAProcessHoldsIsSeen) {
  const TemporaryDirectory shm;
  const auto path = shm.write("nccl-held", "x");
  EXPECT_THAT(nccl_files_of(::getpid(), shm.path()), IsEmpty());
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT_THAT(nccl_files_of(::getpid(), shm.path()), ElementsAre("nccl-held"));
  ::close(fd);
}

}  // namespace
}  // namespace rollcall::probe
