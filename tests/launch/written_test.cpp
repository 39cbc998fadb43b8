// Sixty faulty and sixty sound manifests, written from the documentation of the projects whose formats are read and not
// from the rules: what the rules should come to, said by somebody who had not seen them. `written/expected.json` says
// of each file what is wrong with it, where, and which document says so.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "launch/check.h"
#include "tests/launch/manifests.h"

namespace rollcall::launch {
namespace {

using test::fixture;
using test::short_of;

struct Written {
  std::string file;    ///< TOPIC/faulty/NN-slug.yaml or TOPIC/sound/NN-slug.yaml
  std::string expect;  ///< deny or warn: a finding at least so severe; ok: no denial
  std::vector<std::string> paths;
  std::string cause;

  friend void PrintTo(const Written& one, std::ostream* out) { *out << one.file; }
};

/// Runs before any test, so nothing may throw: a file that cannot be read is an empty list, which AllTopicsAreThere
/// sees.
std::vector<Written> written() {
  std::ifstream file(std::string(ROLLCALL_SOURCE_DIR) + "/tests/launch/written/expected.json");
  const auto json = nlohmann::json::parse(file, nullptr, false);
  std::vector<Written> out;
  if (!json.is_array()) return out;
  for (const auto& one : json) {
    out.push_back({one.value("file", ""), one.value("expect", ""), one.value("paths", std::vector<std::string>{}),
                   one.value("cause", "")});
  }
  return out;
}

/// The files that are not yet judged rightly, one a line.
std::set<std::string> open_files() {
  std::istringstream text(fixture("launch/written/open.txt"));
  std::set<std::string> out;
  for (std::string line; std::getline(text, line);) {
    if (!line.empty()) out.insert(line);
  }
  return out;
}

/// `a.b[0].limits["nvidia.com/gpu"]` as a, b, 0, limits, nvidia.com/gpu.
std::vector<std::string> steps_of(std::string_view path) {
  std::vector<std::string> steps;
  std::string step;
  const auto end_step = [&] {
    if (!step.empty()) steps.push_back(step);
    step.clear();
  };
  bool quoted = false;
  for (const char c : path) {
    if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '.' || c == '[' || c == ']')) {
      end_step();
    } else {
      step += c;
    }
  }
  end_step();
  return steps;
}

/// Whether one of the paths is the other, or the field that holds it.
bool near(std::string_view one, std::string_view other) {
  auto shorter = steps_of(one);
  auto longer = steps_of(other);
  if (shorter.size() > longer.size()) std::swap(shorter, longer);
  return longer.size() - shorter.size() <= 1 && std::equal(shorter.begin(), shorter.end(), longer.begin());
}

bool severe_enough(Severity severity, const std::string& expect) {
  return severity == Severity::deny || (expect == "warn" && severity == Severity::warn);
}

/// What is wrong with the findings of a file; nothing = judged rightly.
std::optional<std::string> wrong_with(const Written& one, const Findings& findings) {
  if (one.expect == "ok") {
    if (!any_denial(findings)) return std::nullopt;
    return "is sound and is denied: " + one.cause + "\n" + short_of(findings);
  }
  const bool found = std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
    return severe_enough(finding.severity, one.expect) &&
           std::any_of(one.paths.begin(), one.paths.end(),
                       [&](const std::string& path) { return near(path, finding.place.path); });
  });
  if (found) return std::nullopt;
  return "lacks a finding (" + one.expect + "): " + one.cause + "\n" +
         (findings.empty() ? "nothing was found" : short_of(findings));
}

class WrittenFromDocs : public testing::TestWithParam<Written> {};

TEST_P(WrittenFromDocs, IsJudgedRightly) {
  const Written& one = GetParam();
  const auto findings = check_text(fixture("launch/written/" + one.file), one.file);
  ASSERT_TRUE(findings.ok()) << one.file << ": " << findings.error().message;
  const auto wrong = wrong_with(one, *findings);
  if (open_files().count(one.file) > 0) {
    EXPECT_TRUE(wrong) << one.file << " is judged rightly now: take it off launch/written/open.txt";
  } else {
    EXPECT_FALSE(wrong) << one.file << ' ' << *wrong;
  }
}

std::string name_of(const testing::TestParamInfo<Written>& test) {
  std::string name = test.param.file.substr(0, test.param.file.rfind('.'));
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Topics, WrittenFromDocs, testing::ValuesIn(written()), name_of);

TEST(WrittenFromDocsList, AllTopicsAreThere) {
  std::map<std::string, int> counted;
  std::set<std::string> files;
  for (const Written& one : written()) {
    const bool faulty = one.file.find("/faulty/") != std::string::npos;
    EXPECT_TRUE(faulty ? one.expect == "deny" || one.expect == "warn" : one.expect == "ok") << one.file;
    EXPECT_TRUE(!faulty || !one.paths.empty()) << one.file;
    EXPECT_FALSE(one.cause.empty()) << one.file;
    ++counted[one.file.substr(0, one.file.rfind('/'))];
    files.insert(one.file);
  }
  std::map<std::string, int> all;
  for (const char* topic : {"shell", "accelerate", "mpirun", "trainjob", "leader-worker-set", "services"}) {
    all[std::string(topic) + "/faulty"] = 10;
    all[std::string(topic) + "/sound"] = 10;
  }
  EXPECT_EQ(counted, all);
  EXPECT_EQ(files.size(), 120U);
  for (const std::string& file : open_files()) EXPECT_TRUE(files.count(file)) << file << " is in open.txt alone";
}

TEST(WrittenFromDocsList, APathIsNearItselfAndOneStepAway) {
  EXPECT_TRUE(near("spec.args[0]", "spec.args[0]"));
  EXPECT_TRUE(near("spec.args", "spec.args[0]"));
  EXPECT_TRUE(near("spec.limits[\"nvidia.com/gpu\"]", "spec.limits"));
  EXPECT_FALSE(near("spec.args[0]", "spec.args[1]"));
  EXPECT_FALSE(near("spec", "spec.args[0]"));
}

}  // namespace
}  // namespace rollcall::launch
