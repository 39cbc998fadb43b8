#include "child/support/group.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "child/support/child.h"
#include "roll_call/child_lines.h"

namespace rollcall::child::testing {
namespace {

using namespace std::chrono_literals;

Ending ending_of(const std::string& output) {
  Ending ending;
  ending.output = output;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('{')) continue;
    const auto parsed = roll_call::child_line_from(line);
    if (!parsed) continue;  // the half line of a killed child
    if (!parsed->step.empty()) ending.step = parsed->step;
    if (parsed->rank) ending.rank = parsed->rank;
    ending.simulated = ending.simulated || parsed->simulated;
  }
  return ending;
}

std::string id_in(const std::string& output) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);)
    if (const auto parsed = roll_call::child_line_from(line); parsed && !parsed->unique_id.empty())
      return parsed->unique_id;
  return {};
}

}  // namespace

std::vector<Member> one_node(int count) {
  std::vector<Member> members;
  for (int gpu = 0; gpu < count; ++gpu) members.push_back({.gpu = gpu});
  return members;
}

std::vector<Member> two_nodes(int each) {
  auto members = one_node(each);
  for (int gpu = 0; gpu < each; ++gpu) members.push_back({.gpu = gpu, .node = "gpu-b"});
  return members;
}

roll_call::RankOutcome Ending::outcome() const { return rank ? rank->outcome : roll_call::RankOutcome::NotStarted; }

Group::Group(const std::vector<Member>& members, const std::string& scenario, Sizes sizes)
    : scenario_(directory_.write("scenario", scenario)), nranks_(members.size()), sizes_(sizes) {
  start(members.front(), 0, {"--make-id"});
  std::string id;
  const auto known = [&] { return !(id = id_in(process(0).output())).empty(); };
  // A rank 0 that fails before has no id to give, and nobody else is started then.
  const auto settled = [&] { return known() || process(0).wait(0ms).has_value(); };
  if (!probe::testing::eventually(settled, 20s) || (id.empty() && !known())) return;
  for (std::size_t rank = 1; rank < members.size(); ++rank) start(members[rank], rank, {"--unique-id", id});
}

Group::~Group() {
  for (auto& each : processes_) {
    if (each->wait(0ms)) continue;  // its number may be another process's by now
    each->signal(SIGKILL);
    each->wait(10s);
  }
  for (const auto& file : left_in_shared_memory()) std::filesystem::remove(file);
}

std::vector<std::string> Group::left_in_shared_memory() const {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    if (!entry.path().filename().string().starts_with("nccl-")) continue;
    pid_t owner = -1;  // the double writes it
    std::ifstream(entry.path()) >> owner;
    for (const auto& each : processes_)
      if (each->pid() == owner) files.push_back(entry.path().string());
  }
  return files;
}

void Group::start(const Member& member, std::size_t rank, const std::vector<std::string>& id) {
  std::vector<std::string> arguments = {child_program(), "collective",
                                        "--library",     "libnccl.so.2",
                                        "--rank",        std::to_string(rank),
                                        "--nranks",      std::to_string(nranks_),
                                        "--gpu",         std::to_string(member.gpu),
                                        "--small",       std::to_string(sizes_.small),
                                        "--large",       std::to_string(sizes_.large)};
  arguments.insert(arguments.end(), id.begin(), id.end());
  auto environment = member.env;
  environment.emplace("LD_LIBRARY_PATH", ROLLCALL_DOUBLES_DIR);
  environment.emplace("ROLLCALL_SCENARIO", scenario_);
  environment.emplace("ROLLCALL_SCENARIO_NODE", member.node);
  processes_.push_back(std::make_unique<probe::testing::Process>(arguments, environment));
}

std::vector<Ending> Group::endings(std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  std::vector<std::optional<int>> statuses;
  for (auto& each : processes_)
    statuses.push_back(each->wait(std::max(
        std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()), 0ms)));
  // Stopped first, so that no rank sees another one's death.
  for (std::size_t i = 0; i < processes_.size(); ++i)
    if (!statuses[i]) processes_[i]->signal(SIGSTOP);
  std::vector<Ending> endings;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    if (!statuses[i]) {
      processes_[i]->signal(SIGKILL);
      processes_[i]->wait(10s);
    }
    endings.push_back(ending_of(processes_[i]->output()));
    endings.back().status = statuses[i];
  }
  return endings;
}

std::vector<Ending> run(const std::vector<Member>& members, const std::string& scenario, Sizes sizes) {
  return Group(members, scenario, sizes).endings(30s);
}

std::vector<Ending> run_until_end_of(std::size_t rank, const std::vector<Member>& members,
                                     const std::string& scenario) {
  Group group(members, scenario);
  group.process(rank).wait(20s);
  return group.endings(0ms);
}

std::vector<Ending> run_until_said(const std::vector<std::string>& texts, const std::vector<Member>& members,
                                   const std::string& scenario) {
  Group group(members, scenario);
  for (std::size_t rank = 0; rank < texts.size(); ++rank) group.process(rank).prints(texts[rank], 20s);
  return group.endings(200ms);
}

}  // namespace rollcall::child::testing
