#include "probe/facts/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "api/names.h"
#include "probe/facts/image.h"
#include "probe/facts/node.h"
#include "probe/net/address.h"
#include "probe/text.h"

namespace rollcall::probe {
namespace {

using Clock = std::chrono::steady_clock;

/// Three lines of the largest answer: more is not ours.
constexpr std::size_t kMaxOutput = 3 * roll_call::kMaxAnswerBytes;

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

void print(const roll_call::LocalFacts& facts) {
  roll_call::Answer answer;
  answer.pod_uid = answer.boot_nonce = "facts";  // an answer has both; the parent takes the facts alone
  answer.facts = facts;
  std::puts(roll_call::to_json(answer).c_str());
  std::fflush(stdout);
}

/// Waits up to `limit` for the end of `pid`; nullopt when it has not ended.
std::optional<int> ended_within(pid_t pid, std::chrono::milliseconds limit) {
  const auto until = Clock::now() + limit;
  while (true) {
    int status = 0;
    const pid_t got = ::waitpid(pid, &status, WNOHANG);
    if (got == pid) return status;
    if (got < 0 && errno != EINTR) return 0;
    if (Clock::now() >= until) return std::nullopt;
    ::poll(nullptr, 0, 5);
  }
}

/// The last whole line that is an answer with facts.
std::optional<roll_call::LocalFacts> last_facts(std::string_view output) {
  std::optional<roll_call::LocalFacts> facts;
  while (true) {
    const auto end = output.find('\n');
    if (end == std::string_view::npos) return facts;
    if (auto answer = roll_call::answer_from(output.substr(0, end)); answer && answer->facts)
      facts = std::move(answer->facts);
    output.remove_prefix(end + 1);
  }
}

}  // namespace

int print_facts() {
  const ImageView image{"", environment};
  roll_call::LocalFacts facts;
  facts.gpu_resource = environment(api::names::kEnvGpuResource).value_or("");
  const auto gpus = environment(api::names::kEnvGpus).value_or("0");
  std::from_chars(gpus.data(), gpus.data() + gpus.size(), facts.gpus_requested);  // checked by the parent's settings
  facts.conf_files = hash_conf_files(image);
  print(facts);
  facts.libraries = find_libraries(image);
  print(facts);
  read_gpu_facts(facts, "/dev", "/proc");
  print(facts);
  return 0;
}

ChildFacts read_facts_in_child(const std::string& self, std::chrono::milliseconds limit, const Wake& cancel) {
  ChildFacts result;
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    result.trouble = text("making a pipe: ", errno_words(errno));
    return result;
  }
  const Fd out(ends[0]);
  Fd in(ends[1]);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in.get(), STDOUT_FILENO);
  char program[] = "rollcall-probe";
  char verb[] = "facts";
  char* arguments[] = {program, verb, nullptr};
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, self.c_str(), &actions, nullptr, arguments, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  in.reset();
  if (error != 0) {
    result.trouble = text("starting a child to read the image's files: ", errno_words(error));
    return result;
  }

  std::string output;
  const auto until = Clock::now() + limit;
  bool whole = false;
  while (output.size() < kMaxOutput) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) break;
    pollfd polled[2] = {{out.get(), POLLIN, 0}, {cancel.fd(), POLLIN, 0}};
    if (::poll(polled, 2, static_cast<int>(left)) <= 0) continue;
    if (polled[1].revents != 0) break;
    char buffer[16384];
    const auto got = ::read(out.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      whole = got == 0;
      break;
    }
    output.append(buffer, static_cast<std::size_t>(got));
  }
  auto facts = last_facts(output);
  const bool told = facts.has_value();
  if (told) result.facts = std::move(*facts);
  if (!whole) ::kill(pid, SIGKILL);
  const auto status = ended_within(pid, std::chrono::milliseconds(500));
  if (!status) {
    result.trouble =
        "reading the image's files or opening a GPU hangs in the kernel (a file system or driver call that cannot be "
        "ended); the node needs attention";
  } else if (!whole) {
    result.trouble = text("reading the image's files was not done within ", limit.count() / 1000,
                          " s; what was found until then is told");
  } else if (!WIFEXITED(*status) || WEXITSTATUS(*status) != 0) {
    result.trouble = text("the child that reads the image's files ended badly (wait status ", *status, ")");
  } else if (!told) {
    result.trouble = "the child that reads the image's files printed nothing that can be read";
  }
  return result;
}

}  // namespace rollcall::probe
