// Lint before the cluster and admission in it say the same of the same object with the same objects beside it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

#include "launch/check.h"
#include "launch/document/document.h"
#include "launch/kinds/context.h"
#include "launch/kinds/readers.h"
#include "tests/webhook/reviews.h"
#include "webhook/review/review.h"

namespace rollcall::webhook {
namespace {

using nlohmann::json;

std::string words(const Finding& finding) {
  return std::string(to_string(finding.severity)) + " " + sentence(finding) + " " + finding.patch + "\n";
}

std::string words(const Findings& findings) {
  std::string out;
  for (const Finding& finding : findings) out += words(finding);
  return out;
}

std::vector<std::filesystem::path> manifests() {
  std::vector<std::filesystem::path> out;
  for (const char* dir : {"examples", "tests"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(ROLLCALL_SOURCE_DIR) + "/" + dir)) {
      if (entry.is_regular_file() && entry.path().extension() == ".yaml") out.push_back(entry.path());
    }
  }
  return out;
}

struct Object {
  int document = 0;
  std::optional<int> item;
  json value;
};

/// Every object of a text, items of Lists one by one; nothing for a text that is no manifest, and for one in which a
/// key stands twice: that ends at the API server, which hands on one of them.
std::vector<Object> objects_of(const std::string& text) {
  std::vector<Object> out;
  bool twice = false;
  int number = 0;
  const auto read = launch::read_documents(text, [&](const launch::Document& document) {
    twice = twice || !document.duplicates.empty();
    const json& value = document.value;
    const bool list = value.is_object() && value.contains("items") && value["items"].is_array();
    for (std::size_t i = 0; list && i < value["items"].size(); ++i)
      out.push_back({number, static_cast<int>(i), value["items"][i]});
    if (!list) out.push_back({number, std::nullopt, value});
    ++number;
  });
  if (!read.ok() || twice) out.clear();
  return out;
}

/// As the API server holds it: with what it adds and rules must not see.
json stored(json object) {
  if (!object["metadata"].is_object() && !object["metadata"].is_null()) return object;
  json& meta = object["metadata"];
  const std::string applied = object.dump();
  meta["uid"] = "0b8a3a0e-8a69-4f4e-a7e1-4f4f3d0f5f11";
  meta["managedFields"] = json::array({{{"manager", "kubectl"}}});
  if (!meta.contains("annotations") || meta["annotations"].is_object())
    meta["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] = applied;
  object["status"] = {{"phase", "Pending"}};
  static const auto kDefaults =
      json::parse(R"({"nprocPerNode": "auto", "suspend": false, "rollCall": {"mode": "Enforce"}})");
  if (object["kind"] == "TrainingJob" && object["spec"].is_object())
    object["spec"].insert(kDefaults.begin(), kDefaults.end());
  return object;
}

/// Whether it stands in the object, or in a NetworkPolicy and names the object.
bool is_about(const Finding& finding, const Object& object) {
  if (finding.object.kind == "NetworkPolicy") {
    const launch::Field root(object.value);
    const std::string name = root["kind"].text() + " " + root["metadata"]["name"].text();
    return finding.message.find(name) != std::string::npos;
  }
  return finding.place.document == object.document && finding.place.item == object.item;
}

TEST(SameAsLint, EveryManifestOfExamplesAndTests) {
  int compared = 0, with_findings = 0;
  std::set<std::string> kinds;
  for (const auto& path : manifests()) {
    std::ifstream file(path);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const auto objects = objects_of(text);
    launch::Context context;
    for (const Object& object : objects) context.add(object.value);
    const auto lint = launch::check_text(text, path.string());
    for (const Object& object : objects) {
      if (launch::reader_of(object.value) == nullptr) continue;
      ASSERT_TRUE(lint.ok()) << path << ": " << lint.error().message;
      std::string expected;
      for (const Finding& finding : *lint)
        if (is_about(finding, object)) expected += words(finding);
      auto review = read_review(test::review_of_kind("CREATE", stored(object.value)).dump());
      ASSERT_TRUE(review.ok()) << path << ": " << review.error().message;
      EXPECT_EQ(words(launch::check_by_kind(review->object, context).findings), expected)
          << path << ": what a rule reads is left out by the table of webhook/review/reader.cpp";
      ++compared;
      with_findings += expected.empty() ? 0 : 1;
      kinds.insert(object.value["kind"].get<std::string>());
    }
  }
  EXPECT_GE(compared, 300);
  EXPECT_GE(with_findings, 150);
  EXPECT_GE(kinds.size(), 10U);
}

}  // namespace
}  // namespace rollcall::webhook
