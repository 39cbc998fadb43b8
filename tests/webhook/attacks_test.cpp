// One test for each class of fault that admission controllers were attacked through.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "launch/document/limits.h"
#include "tests/webhook/harness.h"
#include "webhook/words.h"

namespace rollcall::webhook {
namespace {

using test::Harness;
using test::job;
using test::json;
using test::policy_for_team;
using test::response_of;
using test::review_of;
using testing::HasSubstr;
using testing::Not;

bool allowed(Harness& harness, const json& review) {
  const auto reply = harness.answer(review);
  EXPECT_EQ(reply.status, 200) << reply.body;
  return response_of(reply).value("allowed", false);
}

// A check that is skipped for objects that say they are being deleted (CVE-2023-34091).
TEST(Attacks, ADeletionTimestampInTheNewObjectSkipsNothing) {
  Harness harness;
  json object = job(8, 4);
  object["metadata"]["deletionTimestamp"] = "2026-11-30T18:01:00Z";
  EXPECT_FALSE(allowed(harness, review_of("CREATE", object)));
  EXPECT_FALSE(allowed(harness, review_of("UPDATE", object, job())));
}

// An update judged by the object it replaces (CVE-2021-25735).
TEST(Attacks, AnUpdateIsJudgedByTheNewObject) {
  Harness harness;
  EXPECT_FALSE(allowed(harness, review_of("UPDATE", job(8, 4), job(8, 8))));
  EXPECT_TRUE(allowed(harness, review_of("UPDATE", job(8, 8), job(8, 4))));
  // Nor by an old object that stands in for the new one's finding at another place.
  json old = job();
  old["spec"]["worldSize"] = 99;
  EXPECT_FALSE(allowed(harness, review_of("UPDATE", job(8, 4), old)));
}

// Containers of another list than the one that is read (CVE-2023-2727, CVE-2023-2728).
TEST(Attacks, ContainersOfEveryListAreRead) {
  Harness harness;
  json init = job();
  init["spec"]["template"]["spec"]["initContainers"] = {{{"name", "rollcall"}, {"image", "x"}}};
  EXPECT_FALSE(allowed(harness, review_of("CREATE", init))) << "an init container that takes the probe's name";
  json sidecar = job();
  sidecar["spec"]["template"]["spec"]["containers"].push_back({{"name", "rollcall-install"}, {"image", "x"}});
  EXPECT_FALSE(allowed(harness, review_of("CREATE", sidecar)));
}

// A subresource that changes what the check is about, past the check.
TEST(Attacks, OnlyStatusAndDeletionPassUnread) {
  Harness harness;
  json status = review_of("UPDATE", job(8, 4), job());
  status["request"]["subResource"] = "status";
  const auto reply = harness.answer(status);
  // The API server takes nothing but .status from it.
  EXPECT_EQ(response_of(reply)["allowed"], true);
  EXPECT_THAT(response_of(reply)["auditAnnotations"]["not-read"], HasSubstr("TrainingJob/status"));
}

// What the object says of itself decides which rules are asked.
TEST(Attacks, TheKindInTheObjectDecidesNothing) {
  Harness harness;
  for (const char* kind : {"Pod", "", "trainingjob"}) {
    json object = job(8, 4);
    object["kind"] = kind;
    object["apiVersion"] = "v1";
    EXPECT_FALSE(allowed(harness, review_of("CREATE", object))) << kind;
  }
  json object = job(8, 4);
  object.erase("kind");
  object.erase("apiVersion");
  EXPECT_FALSE(allowed(harness, review_of("CREATE", object)));
}

// Recursion and amplification by depth (the API server itself takes 10,000 levels).
TEST(Attacks, DeepJsonIsNeitherReadNorAdmitted) {
  Harness harness;
  for (const int depth : {launch::kMaxDepth + 1, 10'000, 100'000}) {
    const auto nested = [depth](const char* open, const char* close) {
      std::string text;
      for (int i = 0; i < depth; ++i) text += open;
      text += "1";
      for (int i = 0; i < depth; ++i) text += close;
      return text;
    };
    json review = review_of("CREATE", job());
    review["request"]["object"]["spec"]["deep"] = "HERE";
    const std::string body = review.dump();
    const std::size_t at = body.find("\"HERE\"");
    for (const auto& deep : {nested("[", "]"), nested("{\"a\":", "}")}) {
      const auto reply = harness.answer(harness.request(std::string(body).replace(at, 6, deep)));
      EXPECT_EQ(reply.status, 413) << reply.body;
    }
    // Where nothing is read, depth costs nothing.
    review = review_of("CREATE", job());
    review["request"]["object"]["status"] = "HERE";
    const std::string unread = review.dump();
    const auto reply =
        harness.answer(harness.request(std::string(unread).replace(unread.find("\"HERE\""), 6, nested("[", "]"))));
    EXPECT_EQ(reply.status, 200) << reply.body;
  }
}

// Amplification by number: a few megabytes that become hundreds.
TEST(Attacks, MoreValuesThanTheBudgetAreNotRead) {
  Harness harness;
  json review = review_of("CREATE", job());
  review["request"]["object"]["spec"]["many"] = std::vector<int>(launch::kMaxNodes, 1);
  EXPECT_EQ(harness.answer(review).status, 413);
}

// Amplification of the reply: a manifest of thousands of faults.
TEST(Attacks, AReplyStaysSmallWhateverTheManifestHas) {
  Harness harness;
  json object = job(8, 4);
  auto& containers = object["spec"]["template"]["spec"]["containers"];
  for (int i = 0; i < 2000; ++i)
    containers.push_back({{"name", "c" + std::to_string(i)}, {"imagee", std::string(500, 'x')}, {"comand", {"x"}}});
  object["spec"]["rendezvous"] = {{"masterAddr", std::string(200'000, 'h')}};
  const auto reply = harness.answer(review_of("CREATE", object));
  EXPECT_EQ(reply.status, 200);
  EXPECT_LT(reply.body.size(), 64U * 1024) << reply.body.size();
}

// Two readers of one text that see two objects: the last key wins here, the first one there.
TEST(Attacks, AKeyThatStandsTwiceIsNoObject) {
  Harness harness;
  const std::string body = review_of("CREATE", job()).dump();
  const auto with = [&body](const std::string& what, const std::string& instead) {
    const std::size_t at = body.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return std::string(body).replace(at, what.size(), instead);
  };
  for (const auto& twice :
       {with("\"nprocPerNode\":8", "\"nprocPerNode\":8,\"nprocPerNode\":9"),
        with("\"nprocPerNode\":8", "\"nprocPerNode\":8,\"nprocPerNod\\u0065\":9"),
        with("\"spec\":{\"nnodes\"", "\"spec\":{},\"spec\":{\"nnodes\""),
        with("\"object\":{", "\"object\":{\"spec\":{}},\"object\":{"),
        with("\"uid\":\"705", "\"uid\":\"a\",\"uid\":\"705"), with("\"request\":{", "\"request\":{},\"request\":{"),
        with("\"operation\":\"CREATE\"", "\"operation\":\"CREATE\",\"operation\":\"DELETE\"")}) {
    const auto reply = harness.answer(harness.request(twice));
    EXPECT_EQ(reply.status, 400) << reply.body;
    EXPECT_THAT(reply.body, HasSubstr("twice"));
  }
}

// An error inside that ends as a yes (CVE-2025-46342).
TEST(Attacks, AnErrorIsNeitherYesNorNo) {
  Harness harness;
  harness.policies.policy_changed("half", Error{"spec.severities[0].severity is `denied`."});
  const auto reply = harness.answer(review_of("CREATE", job()));
  EXPECT_EQ(reply.status, 500);
  EXPECT_THAT(reply.body, HasSubstr("RollcallPolicy half cannot be read: spec.severities[0].severity is `denied`."));
  EXPECT_TRUE(response_of(reply).is_null());
  // What asks no rule is not held up by it.
  EXPECT_EQ(harness.answer(review_of("DELETE", nullptr, job())).status, 200);
  harness.policies.policy_removed("half");
  EXPECT_EQ(harness.answer(review_of("CREATE", job())).status, 200);
}

// A verdict that outlives what it was made of.
TEST(Attacks, NoVerdictIsKept) {
  Harness harness;
  // The same uid, name and resourceVersion with other content is judged anew.
  EXPECT_TRUE(allowed(harness, review_of("CREATE", job(8, 8))));
  EXPECT_FALSE(allowed(harness, review_of("CREATE", job(8, 4))));
  EXPECT_TRUE(allowed(harness, review_of("CREATE", job(8, 8))));
  // And by the labels the namespace has now.
  harness.policies.policy_changed("gpu-teams", policy_for_team("gpu/more-processes-than-gpus", Severity::warn));
  harness.policies.namespace_changed("research", {{"team", "gpu"}});
  EXPECT_TRUE(allowed(harness, review_of("CREATE", job(8, 4))));
  harness.policies.namespace_changed("research", {});
  EXPECT_FALSE(allowed(harness, review_of("CREATE", job(8, 4))));
}

// Text of a manifest that is run, filled in, or steers a terminal (CVE-2025-1974 and its like).
TEST(Attacks, TextOfAManifestIsOnlyEverShown) {
  Harness harness;
  const std::string marker = (std::filesystem::temp_directory_path() / "rollcall-webhook-was-here").string();
  std::filesystem::remove(marker);
  for (const std::string& text :
       {"$(touch " + marker + ")", "`touch " + marker + "`", "; touch " + marker + " #", std::string("{{.Values.x}}"),
        std::string("{} {0} %s %n"), std::string("\x1b[2J\x1b]0;owned\x07 \u202e\r\nadmitted")}) {
    json object = job();
    object["spec"]["launcher"] = text;
    object["spec"]["rendezvous"] = {{"masterAddr", text}};
    object["spec"]["template"]["spec"]["containers"][0]["command"] = {"bash", "-c", text + "\ntorchrun train.py"};
    const auto reply = harness.answer(review_of("CREATE", object));
    EXPECT_EQ(reply.status, 200) << reply.body;
    const std::string message = response_of(reply)["status"].value("message", "");
    EXPECT_THAT(message, HasSubstr("spec.launcher"));
    EXPECT_THAT(message, Not(HasSubstr("\x1b")));
    EXPECT_THAT(message, Not(HasSubstr("\r")));
    EXPECT_THAT(message, Not(HasSubstr("\u202e")));
    EXPECT_THAT(message, Not(HasSubstr("\nadmitted")));
  }
  EXPECT_FALSE(std::filesystem::exists(marker));
}

/// The source files of the room.
std::vector<std::pair<std::string, std::string>> sources() {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(std::string(ROLLCALL_SOURCE_DIR) + "/src/webhook")) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path());
    out.emplace_back(entry.path().string(), std::string(std::istreambuf_iterator<char>(file), {}));
  }
  return out;
}

// Calls to where the object points, with the webhook's own rights (CVE-2026-4789, CVE-2026-22039).
TEST(Attacks, AdmissionCallsNobody) {
  // The path from request to reply has no client: only the steps that start the watches do.
  const std::regex caller(R"(kube/(client|http)\.h|kube::Client|::connect\(|getaddrinfo|popen|std::system|execv)");
  std::size_t looked = 0;
  for (const auto& [path, text] : sources()) {
    if (path.find("/src/webhook/start/") != std::string::npos || path.ends_with("main.cpp")) continue;
    ++looked;
    EXPECT_FALSE(std::regex_search(text, caller)) << path;
  }
  EXPECT_GE(looked, 10U);
}

// A part of a name taken for the whole.
TEST(Attacks, AddressesAndImagesAreReadWhole) {
  Harness harness;
  json object = job();
  // A registry with a port, a tag and a digest is no host name of a master, and no port.
  object["spec"]["template"]["spec"]["containers"][0]["image"] =
      "localhost:5000/train:29500@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
  EXPECT_TRUE(allowed(harness, review_of("CREATE", object)));
  // A host name that begins or ends like an address is a host name.
  for (const char* host : {"10.0.0.1.example.com", "10.0.0.1x", "::1.example"}) {
    json named = job();
    named["spec"]["rendezvous"] = {{"masterAddr", host}};
    EXPECT_FALSE(allowed(harness, review_of("CREATE", named))) << host;
  }
}

}  // namespace
}  // namespace rollcall::webhook
