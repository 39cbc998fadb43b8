#include "roll_call/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

namespace rollcall::roll_call {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

Answer full_answer() {
  Answer answer;
  answer.pod_uid = "0f8b1a5e-1111-4222-8333-944455556666";
  answer.boot_nonce = "00112233445566778899aabbccddeeff";
  answer.sequence = 7;
  answer.attempt = 2;
  answer.round = RoundId{3, 1};
  LocalFacts facts;
  facts.hostname = "llama-ft-3-2";
  facts.boot_id = "b00t";
  facts.kernel = "6.1.0-18-amd64";
  facts.architecture = "x86_64";
  facts.shm_bytes = 67108864;
  facts.memory_limit_bytes = 1 << 30;
  facts.memory_available_bytes = 1 << 29;
  facts.nofile = 1048576;
  facts.memlock_bytes = -1;
  facts.port_range = "32768 60999";
  facts.interfaces = {{"eth0", 1500, true, {"10.0.0.7", "fe80::1"}}};
  facts.libraries = {{"nccl", "/usr/lib/libnccl.so.2", "2.27.5", "abcdef"}};
  facts.conf_files = {{"/etc/nccl.conf", "e3b0"}};
  facts.env = {{"NCCL_DEBUG", "INFO"}};
  facts.gpu_resource = "nvidia.com/gpu";
  facts.gpus_requested = 8;
  facts.gpus_visible = 7;
  facts.gpu_detail = "/dev/nvidia7: no such device";
  answer.facts = facts;
  answer.master_port = MasterPortState{29500, false, "EADDRINUSE", "pid 4711 (python)"};
  answer.master_port_reached = Edge{0, EdgeOutcome::Refused, 29500, 1, 1, 0.5, "Connection refused"};
  answer.mesh =
      MeshState{{40001, 40002}, 3, 2, {{1, EdgeOutcome::Dropped, 40005, 4, 4, 3000, "timed out"}}, 1.25, true};
  answer.seen = SeenState{2, "10.0.0.4"};
  return answer;
}

TEST(Answer, EveryFieldSurvivesTheRoundTrip) {
  const std::string first = to_json(full_answer());
  const auto read = answer_from(first);
  ASSERT_TRUE(read.ok()) << read.error().message;
  // Every field of full_answer() differs from its default, so equal texts mean that every field was read.
  EXPECT_EQ(to_json(*read), first);
  EXPECT_EQ(read->round, (RoundId{3, 1}));
  EXPECT_EQ(read->facts->memlock_bytes, -1);
  EXPECT_EQ(read->mesh->failed.at(0).outcome, EdgeOutcome::Dropped);
  EXPECT_EQ(read->seen->master_addr, "10.0.0.4");
}

TEST(Answer, OnlyUidAndNonceAreNeeded) {
  const auto read = answer_from(R"({"podUid": "u", "bootNonce": "n", "aFieldOfTomorrow": {"x": [1]}})");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_FALSE(read->facts || read->mesh || read->seen || read->round);
}

struct Refused {
  const char* name;
  const char* text;
  const char* says;
};

class RefusedAnswer : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedAnswer, SaysWhichFieldAndWhy) {
  const auto read = answer_from(GetParam().text);
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().message, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Each, RefusedAnswer,
    ::testing::Values(
        Refused{"Empty", "", "not JSON"}, Refused{"NotAnObject", "[1]", "not a JSON object"},
        Refused{"Cut", R"({"podUid": "u")", "not JSON at byte"},
        Refused{"NoUid", R"({"bootNonce": "n"})", "podUid: missing"},
        Refused{"NoNonce", R"({"podUid": "u"})", "bootNonce: missing"},
        Refused{"UidOfAnotherType", R"({"podUid": 1, "bootNonce": "n"})", "podUid: not a text"},
        Refused{"SequenceNegative", R"({"podUid": "u", "bootNonce": "n", "sequence": -1})",
                "sequence: -1 is not from 0"},
        Refused{"SequenceHuge", R"({"podUid": "u", "bootNonce": "n", "sequence": 18446744073709551615})",
                "sequence: 18446744073709551615"},
        Refused{"SequenceFraction", R"({"podUid": "u", "bootNonce": "n", "sequence": 1.5})",
                "sequence: not an integer"},
        Refused{"RoundUnreadable", R"({"podUid": "u", "bootNonce": "n", "round": "3"})", "round: '3' is not a value"},
        Refused{"RoundNegative", R"({"podUid": "u", "bootNonce": "n", "round": "-1.2"})", "round: '-1.2'"},
        Refused{"FactsAList", R"({"podUid": "u", "bootNonce": "n", "facts": []})", "facts: not an object"},
        Refused{"MtuText", R"({"podUid": "u", "bootNonce": "n", "facts": {"interfaces": [{"mtu": "x"}]}})",
                "facts.interfaces[0].mtu: not an integer"},
        Refused{"OutcomeUnknown", R"({"podUid": "u", "bootNonce": "n", "mesh": {"failed": [{"outcome": "Lost"}]}})",
                "mesh.failed[0].outcome: 'Lost'"},
        Refused{"PortTooHigh", R"({"podUid": "u", "bootNonce": "n", "mesh": {"ports": [65536]}})",
                "mesh.ports: an entry is no integer from 1 to 65535"},
        Refused{"TooDeep", R"({"podUid": "u", "bootNonce": "n", "x": [[[[[[[[[[1]]]]]]]]]]})", "nested deeper than 8"},
        Refused{"EnvNotText", R"({"podUid": "u", "bootNonce": "n", "facts": {"env": {"A": 1}}})",
                "facts.env: a value is not a text"}),
    [](const auto& each) { return each.param.name; });

TEST(Answer, ListsAndTextsAreBounded) {
  const auto with = [](const char* path, json value) {
    json answer = json::parse(to_json(full_answer()));
    answer[json::json_pointer(path)] = std::move(value);
    return answer_from(answer.dump());
  };
  EXPECT_FALSE(with("/facts/hostname", std::string(254, 'x')).ok());
  EXPECT_FALSE(with("/facts/env/NCCL_DEBUG", std::string(385, 'x')).ok());
  EXPECT_FALSE(with("/mesh/failed", json(kMaxEdges + 1, json::object())).ok());
  EXPECT_FALSE(with("/mesh/ports", json(17, 40000)).ok());
  EXPECT_FALSE(with("/facts/interfaces", json(33, json::object())).ok());
  EXPECT_TRUE(with("/mesh/failed", json(kMaxEdges, json::object())).ok());
  EXPECT_THAT(answer_from(std::string(kMaxAnswerBytes + 1, ' ')).error().message, HasSubstr("at most 262144"));
  EXPECT_EQ(answer_from(std::string(kMaxAnswerBytes, '[')).error().code, "TooDeep");
}

TEST(Answer, WhatAProbeFindsIsCutToTheLimitsSoThatItIsNeverRefusedForIt) {
  Answer answer = full_answer();
  const std::string quotes(5000, '"');  // doubled by JSON's escapes
  answer.facts->hostname = quotes;
  answer.facts->gpu_detail = quotes;
  for (int i = 0; i < 1000; ++i) {
    answer.facts->env["NCCL_" + std::to_string(i) + std::string(200, 'N')] = quotes;
    answer.facts->conf_files["/etc/" + std::to_string(i) + quotes] = quotes;
    answer.facts->libraries.push_back({quotes, quotes, quotes, quotes});
    answer.facts->interfaces.push_back({quotes, 9000, true, std::vector<std::string>(100, quotes)});
    answer.mesh->failed.push_back({i, EdgeOutcome::LocalError, 65535, 16, 16, 123456.789012, quotes});
  }
  const std::string text = to_json(answer);
  EXPECT_LT(text.size(), kMaxAnswerBytes);
  const auto read = answer_from(text);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->mesh->failed.size(), kMaxEdges);
}

TEST(Answer, NothingAPodSaysReachesATerminalAsAnEscape) {
  Answer answer = full_answer();
  answer.master_port->holder = "pid 1 (\x1b[2J\x07\xc2\x9b)\r\n\xff\xfe";
  const auto read = answer_from(to_json(answer));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->master_port->holder,
            "pid 1 (?[2J?\?)"
            "????");
  const auto foreign = answer_from(R"({"podUid": "u", "bootNonce": "n", "facts": {"hostname": "a\u001b[31mé"}})");
  ASSERT_TRUE(foreign.ok());
  EXPECT_EQ(foreign->facts->hostname, "a?[31mé");
}

TEST(Answer, CutsBetweenCharacters) {
  Answer answer = full_answer();
  answer.facts->kernel = std::string(127, 'k') + "é";  // the limit falls between its two bytes
  EXPECT_EQ(answer_from(to_json(answer))->facts->kernel, std::string(127, 'k'));
}

TEST(Instruction, EveryFieldSurvivesTheRoundTrip) {
  Instruction instruction{.attempt = 2,
                          .node_rank = 1,
                          .nnodes = 3,
                          .round = {4, 2},
                          .step = Step::ConnectMesh,
                          .stage = "Mesh",
                          .master_addr = "10.0.0.4",
                          .master_port = 29500,
                          .nonce = "beef",
                          .peers = {{2, "fd00::2", {40001, 40002}}, {0, "10.0.0.4", {40003}}},
                          .ask_again_ms = 250,
                          .message = "waiting for gpu-17"};
  const std::string first = to_json(instruction);
  const auto read = instruction_from(first);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(to_json(*read), first);
  EXPECT_TRUE(same_order(*read, instruction));
  instruction.message = "other words";
  instruction.ask_again_ms = 1;
  EXPECT_TRUE(same_order(*read, instruction));
  instruction.peers[0].ports[0] = 1;
  EXPECT_FALSE(same_order(*read, instruction));
}

TEST(Instruction, AStepOfAnotherVersionIsRefusedNotTakenForWait) {
  EXPECT_THAT(instruction_from(R"({"step": "Dance"})").error().message, HasSubstr("step: 'Dance'"));
  EXPECT_THAT(instruction_from("{}").error().message, HasSubstr("step: missing"));
}

TEST(Instruction, FiveThousandPeersFit) {
  Instruction instruction;
  instruction.step = Step::ConnectMesh;
  instruction.message = std::string(20000, 'm');
  for (int i = 0; i < 6000; ++i)
    instruction.peers.push_back({i % 5000, "fd00:1111:2222:3333:4444:5555:6666:7777", {40001, 40002, 40003, 40004}});
  const std::string text = to_json(instruction);
  EXPECT_LT(text.size(), kMaxInstructionBytes);
  ASSERT_TRUE(instruction_from(text).ok()) << instruction_from(text).error().message;
  EXPECT_EQ(instruction_from(text)->peers.size(), kMaxPeers);
}

TEST(Names, OfStepsOutcomesAndRoundsGoBothWays) {
  for (int i = 0; i <= static_cast<int>(Step::End); ++i)
    EXPECT_EQ(step_from(to_string(static_cast<Step>(i))), static_cast<Step>(i));
  for (int i = 0; i <= static_cast<int>(EdgeOutcome::LocalError); ++i) {
    EXPECT_EQ(edge_outcome_from(to_string(static_cast<EdgeOutcome>(i))), static_cast<EdgeOutcome>(i));
  }
  EXPECT_EQ(round_from(to_string(RoundId{1732980000, 12})), (RoundId{1732980000, 12}));
  for (const char* wrong :
       {"", ".", "1", "1.", ".1", "1.2.3", "a.b", "1.-2", "-1.2", " 1.2", "99999999999999999999.1"}) {
    EXPECT_FALSE(round_from(wrong)) << wrong;
  }
  EXPECT_LT((RoundId{1, 9}), (RoundId{2, 1}));
}

// Not a proof, a net: bytes near real messages must be read or refused, never more.
TEST(Answer, MangledBytesAreReadOrRefused) {
  std::mt19937 random(20241130);
  const std::string good = to_json(full_answer());
  int refused = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string text = good;
    const int edits = 1 + static_cast<int>(random() % 4);
    for (int e = 0; e < edits; ++e) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, random() % 20);
          break;
        case 2:
          text.insert(at, text.substr(random() % text.size(), random() % 30));
          break;
        default:
          text.insert(at, 1, "[]{}\",:0-e\\"[random() % 11]);
          break;
      }
    }
    if (auto read = answer_from(text)) {
      ASSERT_TRUE(answer_from(to_json(*read)).ok());
    } else {
      ++refused;
    }
  }
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace rollcall::roll_call
