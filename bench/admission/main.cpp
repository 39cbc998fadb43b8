// Reviews without network: how long reading, rules and answer take, on one thread. usage: bench-admission [REVIEWS]
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "launch/kinds/context.h"
#include "webhook/decide.h"
#include "webhook/review/answer.h"
#include "webhook/review/review.h"

using namespace rollcall;
using namespace rollcall::webhook;
using Clock = std::chrono::steady_clock;

namespace {

double microseconds(Clock::duration duration) { return std::chrono::duration<double, std::micro>(duration).count(); }

void print(const char* what, std::vector<double>& took) {
  std::sort(took.begin(), took.end());
  fmt::print("  {:8} p50 {:6.1f} us   p99 {:6.1f} us\n", what, took[took.size() / 2], took[took.size() * 99 / 100]);
}

/// False when the review is not what the bench is about: a sound job that is admitted.
bool measure(const char* name, int reviews) {
  std::ifstream file(std::string(ROLLCALL_SOURCE_DIR) + "/bench/admission/" + name);
  const std::string body(std::istreambuf_iterator<char>(file), {});
  launch::Context context;
  context.add({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "default"}}}});
  std::vector<double> reading, rules, answering, all;
  for (int i = 0; i < reviews; ++i) {
    std::string copy = body;
    const auto begun = Clock::now();
    const auto review = read_review(std::move(copy));
    if (!review) {
      fmt::print(stderr, "{} cannot be read: {}\n", name, review.error().message);
      return false;
    }
    const auto read = Clock::now();
    const Decision decision = decide(*review, launch::Policy{}, Enforcement::deny, {true, &context});
    const auto decided = Clock::now();
    const std::string answer = answer_body(review->uid, decision.answer);
    const auto answered = Clock::now();
    if (!decision.answer.allowed || decision.answer.audit.contains("not-read") || answer.empty()) {
      fmt::print(stderr, "{} is refused or not read: {}\n", name, decision.answer.message);
      return false;
    }
    reading.push_back(microseconds(read - begun));
    rules.push_back(microseconds(decided - read));
    answering.push_back(microseconds(answered - decided));
    all.push_back(microseconds(answered - begun));
  }
  fmt::print("{}: {} reviews of {} bytes\n", name, reviews, body.size());
  print("read", reading);
  print("rules", rules);
  print("answer", answering);
  print("all", all);
  return true;
}

}  // namespace

/// The chart's environment of the webhook; the C library reads it before main.
constexpr const char* kTunables = "glibc.malloc.tcache_count=512";

int main(int argc, char** argv) {
  if (std::getenv("GLIBC_TUNABLES") == nullptr) {
    ::setenv("GLIBC_TUNABLES", kTunables, 1);
    ::execv("/proc/self/exe", argv);
    fmt::print(stderr, "cannot start again with GLIBC_TUNABLES={}\n", kTunables);
    return 1;
  }
  const int reviews = argc > 1 ? std::max(1, std::atoi(argv[1])) : 20'000;
  const bool ours = measure("review.json", reviews);
  return measure("pytorchjob.json", reviews) && ours ? 0 : 1;
}
