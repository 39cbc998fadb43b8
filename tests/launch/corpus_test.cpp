// Manifests after public reports of jobs that hung, failed or split at their start, and after jobs that work:
// tests/corpus/expected.json says what is to be found where. A fault counts as found when a finding of an accepted
// severity stands at its place, or one step above or below (two where the fault is a field that is missing). Of a sound
// manifest nothing is denied.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "launch/check.h"
#include "launch/document/path.h"

namespace rollcall::launch {
namespace {

using nlohmann::json;

std::string contents(const std::string& file) {
  std::ifstream in(std::string(ROLLCALL_SOURCE_DIR) + "/tests/corpus/" + file);
  return {std::istreambuf_iterator<char>(in), {}};
}

Findings findings_of(const json& entry) {
  const std::string file = entry.at("file");
  const auto checked = check_text(contents(file), file);
  EXPECT_TRUE(checked.ok()) << file << ": " << (checked.ok() ? "" : checked.error().message);
  return checked.ok() ? *checked : Findings{};
}

bool near(const std::string& a, const std::string& b, std::size_t reach) {
  const auto one = steps_of(a), other = steps_of(b);
  const std::size_t common = std::min(one.size(), other.size());
  return common > 0 && std::equal(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(common), other.begin()) &&
         std::max(one.size(), other.size()) - common <= reach;
}

struct Spot {
  int document = 0;
  std::optional<int> item;
  std::string path;
};

/// `docN:PATH` stands in another document than the entry's own.
std::vector<Spot> spots_of(const json& entry) {
  const int document = entry.value("doc", 0);
  const auto item = entry.contains("item") ? std::optional<int>(entry["item"].get<int>()) : std::nullopt;
  std::vector<Spot> spots{{document, item, entry.at("path")}};
  for (const std::string other : entry.value("alt_paths", json::array())) {
    const std::size_t colon = other.find(':');
    if (other.starts_with("doc") && colon != std::string::npos) {
      spots.push_back({std::stoi(other.substr(3, colon - 3)), std::nullopt, other.substr(colon + 1)});
    } else {
      spots.push_back({document, item, other});
    }
  }
  return spots;
}

bool found(const json& entry, const Findings& findings) {
  std::vector<std::string> severities = entry.value("accept", std::vector<std::string>{});
  severities.push_back(entry.at("expect"));
  const std::size_t reach = entry.value("path_state", "") == "absent" ? 2 : 1;
  const auto spots = spots_of(entry);
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
    const bool severe =
        std::find(severities.begin(), severities.end(), std::string(to_string(finding.severity))) != severities.end();
    return severe && std::any_of(spots.begin(), spots.end(), [&](const Spot& spot) {
             return finding.place.document == spot.document && (!spot.item || finding.place.item == spot.item) &&
                    near(finding.place.path, spot.path, reach);
           });
  });
}

json expected() { return json::parse(contents("expected.json")); }

std::string words(const Findings& findings) {
  std::string out;
  for (const Finding& finding : findings) out += "\n  " + terminal_line(finding);
  return out;
}

TEST(Corpus, EveryFaultIsFoundAtItsPlace) {
  int faults = 0;
  for (const json& entry : expected()) {
    if (entry.at("expect") == "ok") continue;
    ++faults;
    const Findings findings = findings_of(entry);
    EXPECT_TRUE(found(entry, findings)) << entry["file"] << " at " << entry["path"] << ": " << entry["cause"]
                                        << words(findings);
  }
  EXPECT_GE(faults, 40);
}

TEST(Corpus, NothingSoundIsDeniedAndFewWarningsAreNoise) {
  int sound = 0, noise = 0;
  for (const json& entry : expected()) {
    if (entry.at("expect") != "ok") continue;
    ++sound;
    const Findings findings = findings_of(entry);
    EXPECT_FALSE(any_denial(findings)) << entry["file"] << words(findings);
    const auto warnings = std::count_if(findings.begin(), findings.end(),
                                        [](const Finding& finding) { return finding.severity == Severity::warn; });
    noise += std::max(0, static_cast<int>(warnings) - static_cast<int>(entry.value("warns", json::array()).size()));
  }
  EXPECT_GE(sound, 40);
  EXPECT_LT(noise, 0.3 * sound);
}

}  // namespace
}  // namespace rollcall::launch
