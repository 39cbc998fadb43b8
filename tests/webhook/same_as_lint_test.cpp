// Lint before the cluster and admission in it say the same of the same object.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "launch/check.h"
#include "launch/document/document.h"
#include "tests/webhook/reviews.h"
#include "webhook/review/review.h"

namespace rollcall::webhook {
namespace {

std::string words(const Findings& findings) {
  std::string out;
  for (const Finding& finding : findings)
    out += std::string(to_string(finding.severity)) + " " + sentence(finding) + " " + finding.patch + "\n";
  return out;
}

std::vector<std::filesystem::path> manifests() {
  std::vector<std::filesystem::path> out;
  for (const char* dir : {"examples", "tests/launch", "tests/e2e"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(ROLLCALL_SOURCE_DIR) + "/" + dir)) {
      if (entry.is_regular_file() && entry.path().extension() == ".yaml") out.push_back(entry.path());
    }
  }
  return out;
}

TEST(SameAsLint, EveryManifestOfExamplesAndTests) {
  int compared = 0, with_findings = 0;
  for (const auto& path : manifests()) {
    std::ifstream file(path);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const auto read = launch::read_documents(text, [&](const launch::Document& document) {
      if (document.value.value("kind", "") != "TrainingJob") return;
      // A key that stands twice ends at the API server, which hands on one of them.
      if (!document.duplicates.empty()) return;
      const std::string alone = document.value.dump();
      const auto lint = launch::check_text(alone, path.string());
      ASSERT_TRUE(lint.ok()) << path << ": " << lint.error().message;

      // As stored: the API server adds what rules must not see.
      nlohmann::json stored = document.value;
      stored["metadata"]["uid"] = "0b8a3a0e-8a69-4f4e-a7e1-4f4f3d0f5f11";
      stored["metadata"]["managedFields"] = nlohmann::json::array({{{"manager", "kubectl"}}});
      stored["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] = alone;
      // Defaults of the schema.
      static const auto kDefaults =
          nlohmann::json::parse(R"({"nprocPerNode": "auto", "suspend": false, "rollCall": {"mode": "Enforce"}})");
      if (stored["spec"].is_object()) stored["spec"].insert(kDefaults.begin(), kDefaults.end());
      stored["status"] = {{"phase", "Pending"}};
      auto review = read_review(test::review_of("CREATE", stored).dump());
      ASSERT_TRUE(review.ok()) << path << ": " << review.error().message;
      EXPECT_EQ(words(launch::check_object(review->object)), words(*lint)) << path;
      ++compared;
      with_findings += lint->empty() ? 0 : 1;
    });
    EXPECT_TRUE(read.ok()) << path << ": " << read.error().message;
  }
  EXPECT_GE(compared, 40);
  EXPECT_GE(with_findings, 20);
}

}  // namespace
}  // namespace rollcall::webhook
