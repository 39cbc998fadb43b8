#include "operator/pod_facts.h"

#include <gmock/gmock.h>

namespace rollcall::operator_ {
namespace {

using nlohmann::json;

PodFacts facts(const char* text) {
  auto pod = json::parse(text);
  pod["metadata"].update({{"name", "llama-1-2"}, {"uid", "u"}});
  return *pod_facts_from(pod);
}

TEST(PodFacts, OwnerIsTheControllerAlone) {
  const auto pod = facts(
      R"({"metadata": {"ownerReferences": [{"kind": "X", "uid": "x"}, {"kind": "TrainingJob", "name": "llama", "uid": "j", "controller": true}]}})");
  EXPECT_EQ(pod.owner_uid, "j");
  EXPECT_EQ(facts(R"({"metadata": {"ownerReferences": [{"kind": "TrainingJob", "uid": "j"}]}})").owner_uid, "");
}

TEST(PodFacts, LabelsThatAreNoNumbersPlaceNoPod) {
  for (const char* rank : {"", "-1", "1x", "99999999999"}) {
    EXPECT_EQ(facts((R"({"metadata": {"labels": {"rollcall.dev/node-rank": ")" + std::string(rank) + R"("}}})").c_str())
                  .node_rank,
              -1)
        << rank;
  }
  EXPECT_EQ(
      facts(R"({"metadata": {"labels": {"rollcall.dev/node-rank": "3", "rollcall.dev/attempt": "2"}}})").node_rank, 3);
}

TEST(PodFacts, FieldsOfAWrongShapeArePassedOver) {
  const auto pod = facts(
      R"({"metadata": {"labels": [], "annotations": "x"}, "spec": null, "status": {"conditions": {}, "podIPs": {}, "containerStatuses": "x", "initContainerStatuses": [1]}})");
  EXPECT_EQ(pod.node, "");
  EXPECT_EQ(pod.containers.size(), 0U);
}

TEST(PodFacts, APodWithoutUidIsAnError) {
  EXPECT_FALSE(pod_facts_from(json::parse(R"({"metadata": {"name": "x"}})")).ok());
}

struct WaitingCase {
  const char* pod;
  const char* words;
};
class WaitingWords : public testing::TestWithParam<WaitingCase> {};

TEST_P(WaitingWords, AreTheSchedulersOrKubelets) { EXPECT_EQ(waiting_words(facts(GetParam().pod)), GetParam().words); }

INSTANTIATE_TEST_SUITE_P(
    Table, WaitingWords,
    testing::Values(
        WaitingCase{R"({"metadata": {}})", "is not scheduled yet"},
        WaitingCase{
            R"({"metadata": {}, "status": {"conditions": [{"type": "PodScheduled", "status": "False", "message": "0/3 nodes have room"}]}})",
            "is not scheduled: 0/3 nodes have room"},
        WaitingCase{R"({"metadata": {}, "spec": {"nodeName": "n"}})", "on n is being started by its kubelet"},
        WaitingCase{
            R"({"metadata": {}, "spec": {"nodeName": "n"}, "status": {"initContainerStatuses": [{"name": "rollcall-install", "state": {"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}}}]}})",
            "on n waits in container rollcall-install: ImagePullBackOff: no such image"},
        WaitingCase{
            R"({"metadata": {}, "spec": {"nodeName": "n"}, "status": {"initContainerStatuses": [{"name": "rollcall-install", "state": {"terminated": {"exitCode": 0}}}, {"name": "data", "state": {"running": {}}}]}})",
            "on n runs its init container data"},
        WaitingCase{
            R"({"metadata": {}, "spec": {"nodeName": "n"}, "status": {"initContainerStatuses": [{"name": "sidecar", "state": {"running": {}}}, {"name": "rollcall", "state": {"running": {}}}]}})",
            ""},
        WaitingCase{
            R"({"metadata": {}, "spec": {"nodeName": "n"}, "status": {"initContainerStatuses": [{"name": "rollcall", "state": {"running": {}}}]}})",
            ""}));

}  // namespace
}  // namespace rollcall::operator_
