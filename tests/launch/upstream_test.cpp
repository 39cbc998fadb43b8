// The shapes of manifests that other projects publish as examples: people run these as they stand, so none is refused.
// upstream/README.md says which example each file is the shape of.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launch/check_text.h"
#include "launch/document/document.h"
#include "launch/kinds/context.h"
#include "launch/kinds/readers.h"
#include "tests/launch/manifests.h"

namespace rollcall::launch {
namespace {

using test::fixture;
using test::short_of;

constexpr auto kFolder = ROLLCALL_SOURCE_DIR "/tests/launch/upstream";

/// Names of the files without `.yaml`.
std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder))
    if (entry.path().extension() == ".yaml") out.push_back(entry.path().stem());
  std::sort(out.begin(), out.end());
  return out;
}

TextChecked checked(const std::string& name) {
  return check_whole(fixture("launch/upstream/" + name + ".yaml"), name + ".yaml");
}

class Upstream : public testing::TestWithParam<std::string> {};

TEST_P(Upstream, ExampleIsNotDenied) {
  const TextChecked result = checked(GetParam());
  EXPECT_TRUE(result.unreadable.empty());
  for (const Finding& finding : result.findings)
    EXPECT_NE(finding.severity, Severity::deny) << finding.rule << ": " << sentence(finding);
}

TEST_P(Upstream, ExampleIsInTheTable) {
  EXPECT_NE(fixture("launch/upstream/README.md").find("| " + GetParam() + " |"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Examples, Upstream, testing::ValuesIn(names()), [](const auto& example) {
  std::string name = example.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

/// Whether some object of the file is of a kind that is read.
bool has_a_known_kind(const std::string& name) {
  bool known = false;
  const auto status = read_documents(fixture("launch/upstream/" + name + ".yaml"), [&known](const Document& document) {
    known = known || reader_of(document.value) != nullptr;
  });
  EXPECT_TRUE(status.ok()) << name;
  return known;
}

TEST(UpstreamExamples, ThatTrainAreJudged) {
  for (const std::string& name : names()) EXPECT_TRUE(!has_a_known_kind(name) || checked(name).judged > 0) << name;
}

}  // namespace
}  // namespace rollcall::launch
