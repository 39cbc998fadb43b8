// Bytes to Review: what is kept, what is refused, and with which code.
#include <gtest/gtest.h>

#include "tests/webhook/reviews.h"
#include "webhook/review/review.h"

namespace rollcall::webhook {
namespace {

using test::job;
using test::json;
using test::review_of;

Review read(const json& review) {
  auto result = read_review(review.dump());
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
  return result.ok() ? std::move(*result) : Review{};
}

struct Refused {
  std::string code, message;
};
Refused refused(const std::string& body) {
  const auto result = read_review(body);
  EXPECT_FALSE(result.ok());
  if (result.ok()) return {};
  return {result.error().code, result.error().message};
}

TEST(ReadReview, KeepsWhatTheRulesReadAndNothingElse) {
  json object = job();
  object["metadata"]["annotations"] = {{"kubectl.kubernetes.io/last-applied-configuration", "{}"},
                                       {"rollcall.dev/ignore", "gpu/more-processes-than-gpus: shared on purpose"}};
  object["status"] = {{"phase", "Pending"}};
  const Review review = read(review_of("CREATE", object));
  EXPECT_EQ(review.uid, "705ab4f5-6393-11e8-b7cc-42010a800002");
  EXPECT_EQ(review.operation, Operation::create);
  EXPECT_EQ(review.group + "/" + review.version + " " + review.kind, "rollcall.dev/v1alpha1 TrainingJob");
  EXPECT_EQ(review.ns + "/" + review.name, "research/llama-ft");
  EXPECT_EQ(review.subresource, "");
  EXPECT_FALSE(review.dry_run);
  EXPECT_TRUE(review.old_object.is_null());
  EXPECT_EQ(review.object["spec"], job()["spec"]);
  EXPECT_EQ(review.object["metadata"],
            json({{"name", "llama-ft"},
                  {"namespace", "research"},
                  {"annotations", {{"rollcall.dev/ignore", "gpu/more-processes-than-gpus: shared on purpose"}}}}));
  EXPECT_FALSE(review.object.contains("status"));
}

TEST(ReadReview, OfAPodTemplateTheNamesOfAllFieldsAreKeptWhereverItStands) {
  const json pod = json::parse(R"({
    "affinity": {"nodeAffinity": {"x": 1}}, "tolerations": [{"key": "nvidia.com/gpu"}], "hostNetwork": true,
    "topologySpreadConstraints": [{"maxSkew": 1}], "volumes": [{"name": "data", "emptyDir": {"sizeLimit": "1Gi"}}],
    "initContainers": [{"name": "wait", "lifecycle": {"preStop": {"sleep": {"seconds": 5}}}}],
    "containers": [{"name": "a", "startupProbe": {"httpGet": {"port": 80}}, "livenessProbe": {"exec": {"command": ["x"]}},
                    "env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}]}]})");
  json kept = pod;
  kept["topologySpreadConstraints"] = json::array();
  kept["initContainers"][0]["lifecycle"] = json::object();
  for (const char* place :
       {"/template/spec", "/pytorchReplicaSpecs/Worker/template/spec", "/tasks/0/template/spec",
        "/replicatedJobs/0/template/spec/template/spec", "/leaderWorkerTemplate/workerTemplate/spec",
        "/rayClusterSpec/workerGroupSpecs/0/template/spec", ""}) {
    json object = job(), expected = job();
    object["spec"] = expected["spec"] = nullptr;
    object["spec"][json::json_pointer(place)] = pod;
    expected["spec"][json::json_pointer(place)] = kept;
    EXPECT_EQ(read(review_of("CREATE", object)).object["spec"], expected["spec"]) << place;
  }
}

TEST(ReadReview, TheKindIsThatOfTheRequest) {
  json review = review_of("UPDATE", job(), job());
  review["request"]["kind"] = {{"group", ""}, {"version", "v1"}, {"kind", "Pod"}};
  for (const json& object : {read(review).object, read(review).old_object}) {
    EXPECT_EQ(object["apiVersion"], "v1");
    EXPECT_EQ(object["kind"], "Pod");
  }
}

TEST(ReadReview, TheOwnerThatIsTheControllerIsNamed) {
  const auto owner = [](json references) {
    json object = job();
    object["metadata"]["ownerReferences"] = std::move(references);
    return read(review_of("UPDATE", object, job())).owner;
  };
  const json job_set = {{"apiVersion", "jobset.x-k8s.io/v1alpha2"}, {"kind", "JobSet"}, {"controller", true}};
  const json other = {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"controller", false}};
  EXPECT_EQ(owner(nullptr), "");
  EXPECT_EQ(owner(json::array()), "");
  EXPECT_EQ(owner(json::array({other, {{"kind", "Node"}}})), "");
  EXPECT_EQ(owner(json::array({other, job_set})), "JobSet");
  EXPECT_EQ(owner(json::array({job_set, other})), "JobSet");
  EXPECT_EQ(owner(json::array({{{"controller", true}}})), "(of no kind)");
  EXPECT_EQ(owner(json::array({{{"controller", "true"}}, "x", 3})), "");
  json owned = job();
  owned["metadata"]["ownerReferences"] = json::array({job_set});
  EXPECT_EQ(read(review_of("UPDATE", job(), owned)).owner, "") << "the old object's owner is not the new one's";
}

TEST(ReadReview, OperationsSubresourcesAndDryRun) {
  const std::pair<const char*, Operation> operations[] = {{"CREATE", Operation::create},
                                                          {"UPDATE", Operation::update},
                                                          {"DELETE", Operation::remove},
                                                          {"CONNECT", Operation::connect}};
  for (const auto& [word, operation] : operations) {
    EXPECT_EQ(read(review_of(word, job(), job())).operation, operation) << word;
  }
  json review = review_of("UPDATE", job(), job());
  review["request"]["subResource"] = "status";
  review["request"]["dryRun"] = true;
  EXPECT_EQ(read(review).subresource, "status");
  EXPECT_TRUE(read(review).dry_run);
  EXPECT_EQ(read(review_of("DELETE", nullptr, job())).object, nullptr);
}

TEST(ReadReview, NumbersAreWhatTheLinterReads) {
  json object = job();
  object["spec"]["numbers"] = {0, -1, INT64_MAX, INT64_MIN, UINT64_MAX, 1.5, 1e300, 2.0, true, nullptr, "8"};
  const json spec = read(review_of("CREATE", object)).object["spec"];
  EXPECT_EQ(spec, object["spec"]);
  EXPECT_TRUE(spec["numbers"][0].is_number_integer());
  EXPECT_TRUE(spec["numbers"][4].is_number_unsigned());
  EXPECT_TRUE(spec["numbers"][7].is_number_float());
}

TEST(ReadReview, EscapesAndLettersOfAllScripts) {
  json object = job();
  object["spec"]["note"] = "quote \" slash / back \\ line\n tab\t ü 日本 \U0001F980";
  EXPECT_EQ(read(review_of("CREATE", object)).object["spec"]["note"], object["spec"]["note"]);
  const auto escaped = read_review(review_of("CREATE", object).dump(-1, ' ', true));
  ASSERT_TRUE(escaped.ok());
  EXPECT_EQ(escaped->object["spec"]["note"], object["spec"]["note"]);
}

TEST(ReadReview, FieldsInAnyOrder) {
  const std::string body = R"({"request":{"object":{"spec":{"nnodes":2},"metadata":{"name":"a"}},"operation":"CREATE",)"
                           R"("kind":{"kind":"TrainingJob","version":"v1alpha1","group":"rollcall.dev"},"uid":"u"},)"
                           R"("kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"})";
  const auto review = read_review(body);
  ASSERT_TRUE(review.ok()) << review.error().message;
  EXPECT_EQ(review->object["spec"]["nnodes"], 2);
}

TEST(ReadReview, DeletionTimestampCountsOfTheStoredObjectOnly) {
  json deleting = job();
  deleting["metadata"]["deletionTimestamp"] = "2026-11-30T18:01:00Z";
  EXPECT_TRUE(read(review_of("UPDATE", deleting, deleting)).old_deleting);
  EXPECT_FALSE(read(review_of("UPDATE", deleting, job())).old_deleting);
  EXPECT_FALSE(read(review_of("CREATE", deleting)).old_deleting);
  json null = job();
  null["metadata"]["deletionTimestamp"] = nullptr;
  EXPECT_FALSE(read(review_of("UPDATE", job(), null)).old_deleting);
}

TEST(ReadReview, WhatIsNoReviewIsNotOneThatAllows) {
  const auto without = [](const char* key) {
    json review = review_of("UPDATE", job(), job());
    review["request"].erase(key);
    return review.dump();
  };
  const auto with = [](const char* pointer, json value) {
    json review = review_of("UPDATE", job(), job());
    review[json::json_pointer(pointer)] = std::move(value);
    return review.dump();
  };
  const std::pair<std::string, const char*> cases[] = {
      {"", "this is no JSON"},
      {"null", "this is no JSON"},
      {"[]", "this is no JSON"},
      {"{", "this is no JSON"},
      {"{}", "no apiVersion"},
      {"\xff\xfe", "this is no JSON"},
      {review_of("CREATE", job()).dump() + "{}", "something follows"},
      {review_of("CREATE", job()).dump().substr(0, 400), "this is no JSON"},
      {with("/apiVersion", "admission.k8s.io/v1beta1"), "v1beta1"},
      {with("/apiVersion", "v1"), "AdmissionReview of admission.k8s.io/v1"},
      {with("/kind", "TokenReview"), "TokenReview"},
      {with("/kind", 3), "kind is no string"},
      {with("/request", nullptr), "request is no object"},
      {without("uid"), "request.uid is missing"},
      {with("/request/uid", ""), "request.uid is missing"},
      {with("/request/uid", 1), "request.uid is no string"},
      {without("operation"), "request.operation is missing"},
      {with("/request/operation", "create"), "none of CREATE"},
      {without("kind"), "request.kind is missing"},
      {with("/request/kind", "TrainingJob"), "request.kind is no object"},
      {without("object"), "request.object is missing"},
      {with("/request/object", "x"), "request.object is no object"},
      {without("oldObject"), "request.oldObject is missing"},
      {with("/request/dryRun", "yes"), "request.dryRun"},
  };
  for (const auto& [body, words] : cases) {
    const Refused said = refused(body);
    EXPECT_EQ(said.code, kNotAReview) << words;
    EXPECT_NE(said.message.find(words), std::string::npos) << said.message;
  }
}

TEST(ReadReview, EveryCutOfAReviewIsRefused) {
  const std::string whole = review_of("UPDATE", job(), job()).dump();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(read_review(whole.substr(0, length)).ok()) << length;
  }
  EXPECT_TRUE(read_review(whole).ok());
}

TEST(ReadReview, AParserIsAsNewAfterARefusal) {
  EXPECT_FALSE(read_review("{\"request\":{\"uid\":").ok());
  EXPECT_TRUE(read_review(review_of("CREATE", job()).dump()).ok());
}

}  // namespace
}  // namespace rollcall::webhook
