// docs/rules/ is made of the rules' table and examples, and holds no page of a rule that is gone. With
// ROLLCALL_WRITE_DOCS set (dev/docs) the pages are written instead of compared.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "launch/rules/page.h"
#include "launch/rules/registry.h"
#include "tests/launch/manifests.h"

namespace rollcall::launch {
namespace {

namespace fs = std::filesystem;

const fs::path kDocs = fs::path(ROLLCALL_SOURCE_DIR) / "docs";

bool writes() { return std::getenv("ROLLCALL_WRITE_DOCS") != nullptr; }

std::string stored(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void hold(const fs::path& path, const std::string& text) {
  if (writes()) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  EXPECT_EQ(stored(path), text) << path << " is not what the rules say; dev/docs writes it anew";
}

std::string example(const Rule& rule, const std::string& which) {
  return test::fixture("launch/rules/" + std::string(rule.id) + "/" + which + ".yaml");
}

TEST(RulePages, EachRuleHasItsPage) {
  for (const Rule* rule : all_rules())
    hold(kDocs / page_path(*rule), page_of(*rule, example(*rule, "wrong"), example(*rule, "right")));
}

TEST(RulePages, TheIndexListsThemAll) { hold(kDocs / "rules" / "README.md", index_of(all_rules())); }

TEST(RulePages, NoPageIsOfARuleThatIsGone) {
  std::set<fs::path> pages{kDocs / "rules" / "README.md"};
  for (const Rule* rule : all_rules()) pages.insert(kDocs / page_path(*rule));
  for (const auto& entry : fs::recursive_directory_iterator(kDocs / "rules")) {
    if (!entry.is_regular_file() || pages.contains(entry.path())) continue;
    if (writes()) {
      fs::remove(entry.path());
    } else {
      ADD_FAILURE() << entry.path() << " belongs to no rule";
    }
  }
}

TEST(RulePages, APageShowsTheFindingAndThePatch) {
  const Rule* rule = find_rule("torchrun/nnodes-against-spec");
  ASSERT_NE(rule, nullptr);
  const std::string page = page_of(*rule, example(*rule, "wrong"), example(*rule, "right"));
  EXPECT_NE(page.find("deny: "), std::string::npos);
  EXPECT_NE(page.find("[torchrun/nnodes-against-spec]"), std::string::npos);
  EXPECT_NE(page.find("\"op\":\"remove\""), std::string::npos);
  EXPECT_NE(page.find("rollcall.dev/ignore"), std::string::npos);
}

}  // namespace
}  // namespace rollcall::launch
