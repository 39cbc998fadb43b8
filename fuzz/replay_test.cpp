#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "fuzz/targets.h"

// The fuzz targets without a fuzzer: each over its seeds, then over fixed mutations of them, so that what a target
// demands is asked of every build. A target that does not hold ends the process and says what.
namespace rollcall::fuzz {
namespace {

struct Target {
  const char* name;
  void (*run)(std::string_view bytes);
  int mutations;  ///< as many as take about a second
};

std::ostream& operator<<(std::ostream& out, const Target& target) { return out << target.name; }

std::vector<std::string> seeds_of(const std::string& name) {
  std::vector<std::string> seeds;
  for (const auto& entry : std::filesystem::directory_iterator(ROLLCALL_SOURCE_DIR "/fuzz/seeds/" + name)) {
    std::ifstream in(entry.path(), std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    seeds.push_back(text.str());
  }
  std::sort(seeds.begin(), seeds.end());  // a folder has no order
  return seeds;
}

std::string mutated(std::string text, const std::vector<std::string>& seeds, std::mt19937& random) {
  const auto below = [&random](std::size_t n) { return n == 0 ? 0 : random() % n; };
  for (auto edits = 1 + below(4); edits > 0; --edits) {
    const auto at = below(text.size() + 1);
    switch (below(5)) {
      case 0:
        text.insert(at, 1, static_cast<char>(below(256)));
        break;
      case 1:
        text.erase(at, 1 + below(8));
        break;
      case 2:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      case 3:
        text.insert(at, text.substr(below(text.size() + 1), below(40)));
        break;
      default: {
        const std::string& other = seeds[below(seeds.size())];
        text = text.substr(0, at) + other.substr(below(other.size() + 1));
      }
    }
    if (text.size() > 8192) text.resize(8192);
  }
  return text;
}

class Replay : public ::testing::TestWithParam<Target> {};

TEST_P(Replay, HoldsForSeedsAndMutations) {
  const Target& target = GetParam();
  const auto seeds = seeds_of(target.name);
  ASSERT_FALSE(seeds.empty()) << "fuzz/seeds/" << target.name << " is empty";
  for (const auto& seed : seeds) target.run(seed);
  std::mt19937 random(20'260'101);
  for (int i = 0; i < target.mutations; ++i) {
    const auto text = mutated(seeds[random() % seeds.size()], seeds, random);
    SCOPED_TRACE("mutation " + std::to_string(i));
    target.run(text);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Targets, Replay,
    ::testing::Values(Target{"desk_messages", fuzz_desk_messages, 5'000},
                      Target{"child_lines", fuzz_child_lines, 10'000}, Target{"nccl_log", fuzz_nccl_log, 10'000},
                      Target{"http", fuzz_http, 1'000}, Target{"watch_lines", fuzz_watch_lines, 20'000},
                      Target{"command_lines", fuzz_command_lines, 1'000}, Target{"documents", fuzz_documents, 5'000},
                      Target{"manifests", fuzz_manifests, 500}, Target{"reviews", fuzz_reviews, 2'000},
                      Target{"images", fuzz_images, 20'000}, Target{"quantities", fuzz_quantities, 1'000}),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace rollcall::fuzz
