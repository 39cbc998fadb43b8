// One review without network: how long reading, rules and answer take, on one thread. usage: bench-admission [REVIEWS]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "launch/check.h"
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
  fmt::print("{:8} p50 {:6.1f} us   p99 {:6.1f} us\n", what, took[took.size() / 2], took[took.size() * 99 / 100]);
}

}  // namespace

int main(int argc, char** argv) {
  const int reviews = argc > 1 ? std::max(1, std::atoi(argv[1])) : 20'000;
  std::ifstream file(std::string(ROLLCALL_SOURCE_DIR) + "/bench/admission/review.json");
  const std::string body(std::istreambuf_iterator<char>(file), {});
  std::vector<double> reading, rules, answering, all;
  for (int i = 0; i < reviews; ++i) {
    std::string copy = body;
    const auto begun = Clock::now();
    const auto review = read_review(std::move(copy));
    if (!review) {
      fmt::print(stderr, "the review of the bench cannot be read: {}\n", review.error().message);
      return 1;
    }
    const auto read = Clock::now();
    const Decision decision = decide(*review, launch::Policy{}, Enforcement::deny);
    const auto decided = Clock::now();
    const std::string answer = answer_body(review->uid, decision.answer);
    const auto answered = Clock::now();
    if (!decision.answer.allowed || answer.empty()) {
      fmt::print(stderr, "the review of the bench is refused: {}\n", decision.answer.message);
      return 1;
    }
    reading.push_back(microseconds(read - begun));
    rules.push_back(microseconds(decided - read));
    answering.push_back(microseconds(answered - decided));
    all.push_back(microseconds(answered - begun));
  }
  fmt::print("{} reviews of {} bytes\n", reviews, body.size());
  print("read", reading);
  print("rules", rules);
  print("answer", answering);
  print("all", all);
}
