#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <optional>
#include <string>

#include "roll_call/world.h"

// The desk alone with simulated nodes: answers as JSON bytes in, instructions as JSON bytes out, no network and no
// waiting probes. Only the desk's own work is timed: decode, hear, the orders of all held replies, encode, status.
namespace rollcall::roll_call {
namespace {

using Clock = std::chrono::steady_clock;

/// CPU time of this process: what the wall clock would show on a machine with nothing else to do.
std::chrono::nanoseconds cpu_now() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec};
}

class Stopwatch {
 public:
  template <typename Work>
  auto time(const Work& work) {
    const auto begin = cpu_now();
    auto result = work();
    const auto took = cpu_now() - begin;
    last_ = took;
    total_ += took;
    longest_ = std::max(longest_, took);
    return result;
  }
  double seconds() const { return std::chrono::duration<double>(total_).count(); }
  double last_ms() const { return std::chrono::duration<double, std::milli>(last_).count(); }
  double longest_ms() const { return std::chrono::duration<double, std::milli>(longest_).count(); }

 private:
  std::chrono::nanoseconds total_{0};
  std::chrono::nanoseconds longest_{0};
  std::chrono::nanoseconds last_{0};
};

/// About 8 KiB as JSON, like those of a real image.
LocalFacts facts_of(int node) {
  LocalFacts facts;
  facts.hostname = "llama-ft-" + std::to_string(node) + "-1";
  facts.boot_id = "5a1c3c1e-0000-4000-8000-000000000000";
  facts.kernel = "6.8.0-1015-gke";
  facts.architecture = "x86_64";
  facts.shm_bytes = std::int64_t{64} << 30;
  facts.nofile = 1048576;
  facts.port_range = "32768 60999";
  for (int i = 0; i < 17; ++i)
    facts.interfaces.push_back({"rdma" + std::to_string(i), 9000, true, {"10.0.0.1", "fe80::1234:5678:9abc:def0"}});
  for (int i = 0; i < 8; ++i)
    facts.libraries.push_back({i == 0 ? "nccl" : "lib" + std::to_string(i),
                               "/usr/local/lib/python3.12/site-packages/nvidia/nccl/lib/libnccl.so.2", "2.27.5",
                               std::string(40, 'a')});
  for (int i = 0; i < 60; ++i) facts.env["NCCL_SOME_SETTING_NUMBER_" + std::to_string(i)] = std::string(48, 'v');
  return facts;
}

struct Figures {
  double after_last_answer = 0;  ///< seconds of wall clock from the last pod's first answer to the verdict: all stages
  double cpu_after = 0;          ///< the same in CPU time
  double all = 0;
  double longest_ms = 0;
  double last_ms = 0;
  std::size_t exchanges = 0;
  std::size_t largest_instruction = 0;
  std::size_t status_bytes = 0;
  std::size_t facts_bytes = 0;
  bool released = false;
};

Figures run(int nnodes) {
  testing::World world(nnodes);
  world.facts = facts_of;
  world.see_all();
  Figures figures;
  Stopwatch desk_work;
  std::optional<Clock::time_point> last_answer;
  std::chrono::nanoseconds cpu_at_last{0};

  std::vector<Instruction> orders(static_cast<std::size_t>(nnodes));
  std::deque<int> ready;
  for (int i = 0; i < nnodes; ++i) ready.push_back(i);
  int first_answers = 0;
  while (!ready.empty() && !world.asked) {
    const int node = ready.front();
    ready.pop_front();
    const std::string answer = to_json(world.answer_of(node));
    figures.facts_bytes = std::max(figures.facts_bytes, answer.size());
    if (++first_answers == nnodes) {
      last_answer = Clock::now();
      cpu_at_last = cpu_now();
    }
    ++figures.exchanges;
    // What the adapter does with one answer; the bytes of the replies that must go out now.
    const auto replies = desk_work.time([&] {
      std::vector<std::pair<int, std::string>> out;
      auto read = answer_from(answer);
      if (!read) return out;
      const auto said = world.hear(AnswerHeard{std::move(*read)});
      const auto reply = [&](int to, bool always) {
        auto order = *world.desk->instruction_for(world.probes[static_cast<std::size_t>(to)].uid, world.now);
        auto& former = orders[static_cast<std::size_t>(to)];
        if (!always && same_order(order, former)) return;
        if (order.step != Step::Wait) out.emplace_back(to, to_json(order));
        former = std::move(order);
      };
      reply(node, true);
      if (said.orders_changed) {
        for (int i = 0; i < nnodes; ++i) {
          if (i != node) reply(i, false);
        }
      }
      return out;
    });
    for (const auto& [to, bytes] : replies) {
      figures.largest_instruction = std::max(figures.largest_instruction, bytes.size());
      world.obey(to, *instruction_from(bytes));
      ready.push_back(to);
    }
  }
  figures.after_last_answer = last_answer ? std::chrono::duration<double>(Clock::now() - *last_answer).count() : 0;
  figures.cpu_after = std::chrono::duration<double>(cpu_now() - cpu_at_last).count();
  figures.all = desk_work.seconds();
  figures.longest_ms = desk_work.longest_ms();
  figures.last_ms = desk_work.last_ms();
  figures.status_bytes = desk_work.time([&] { return api::to_json(world.status()).dump().size(); });
  figures.released = world.asked && world.asked->kind == api::VerdictKind::Released;
  return figures;
}

std::string machine() {
  utsname name{};
  ::uname(&name);
  std::string model = "unknown CPU";
  std::ifstream cpus("/proc/cpuinfo");
  for (std::string line; std::getline(cpus, line);) {
    if (line.rfind("model name", 0) == 0) {
      model = line.substr(line.find(':') + 2);
      break;
    }
  }
  return fmt::format("{}, {} cores, Linux {}, {} build", model, ::sysconf(_SC_NPROCESSORS_ONLN), name.release,
                     ROLLCALL_BUILD_TYPE);
}

double peak_mib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

}  // namespace
}  // namespace rollcall::roll_call

int main(int argc, char** argv) {
  using namespace rollcall::roll_call;
  const long asked = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 1000;
  if (asked < 1 || asked > 4096) {
    fmt::print(stderr, "usage: bench-desk [NODES]   (1 to 4096, default 1000)\n");
    return 2;
  }
  fmt::print("machine: {}\n", machine());
  const Figures figures = run(static_cast<int>(asked));
  if (!figures.released) {
    fmt::print(stderr, "the simulated job was not released: the figures say nothing\n");
    return 1;
  }
  const auto met = [](bool yes) { return yes ? "met" : "MISSED"; };
  fmt::print("nodes {}: {} answers of up to {} bytes, instructions of up to {} bytes\n", asked, figures.exchanges,
             figures.facts_bytes, figures.largest_instruction);
  fmt::print("last answer in to verdict out: {:.1f} ms of CPU   (aim: 1 s, {})\n", figures.last_ms,
             met(figures.last_ms < 1000));
  fmt::print("the longest single answer, with the replies it sets free: {:.1f} ms of CPU\n", figures.longest_ms);
  fmt::print(
      "from the last pod's first answer through every stage to the verdict: {:.3f} s of CPU, {:.3f} s of them the "
      "desk's (the rest the "
      "simulated probes'), {:.3f} s of wall clock\n",
      figures.cpu_after, figures.all, figures.after_last_answer);
  fmt::print("status: {} bytes   (aim: under 524288, {})\n", figures.status_bytes, met(figures.status_bytes < 524288));
  fmt::print("peak RSS, simulated probes included: {:.0f} MiB   (aim: 100 MiB, {})\n", peak_mib(),
             met(peak_mib() < 100));
  return 0;
}
