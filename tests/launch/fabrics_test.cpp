// Healthy clusters of many makes, with the settings that their vendors recommend: none may be denied or warned of.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/launch/manifests.h"

namespace rollcall::launch {
namespace {

const std::filesystem::path kFolder = ROLLCALL_SOURCE_DIR "/tests/launch/fabrics";

std::vector<std::string> manifests() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class Fabrics : public testing::TestWithParam<std::string> {};

TEST_P(Fabrics, IsNotCalledBroken) {
  Findings findings = test::findings_of(test::fixture("launch/fabrics/" + GetParam() + ".yaml"));
  std::erase_if(findings, [](const Finding& finding) { return finding.severity == Severity::info; });
  EXPECT_EQ(test::short_of(findings), "");
}

std::string name_of(const testing::TestParamInfo<std::string>& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Healthy, Fabrics, testing::ValuesIn(manifests()), name_of);

TEST(FabricsFolder, HoldsThirtyOrMore) { EXPECT_GE(manifests().size(), 30u); }

}  // namespace
}  // namespace rollcall::launch
