#include "e2e/ledger.h"

#include <fmt/format.h>

#include "api/names.h"

namespace rollcall::e2e {
namespace {

namespace names = api::names;

std::string text(const Json& object, const char* pointer) {
  const Json::json_pointer at(pointer);
  return object.contains(at) && object[at].is_string() ? object[at].get<std::string>() : "";
}

std::string label(const Json& pod, const char* key) {
  const Json labels = pod["metadata"].value("labels", Json::object());
  return labels.value(key, "");
}

/// -1 when there is none: a pod that is not of a job.
int number(const std::string& digits) { return digits.empty() ? -1 : std::stoi(digits); }

/// State of the trainer, the only container of the tests' pods: waiting, running, terminated or "".
std::string trainer(const Json& pod) {
  const Json statuses = pod["status"].value("containerStatuses", Json::array());
  if (statuses.empty()) return "";
  for (const char* state : {"running", "terminated"}) {
    if (!statuses[0]["state"].contains(state)) continue;
    // A container that never was made is shown as terminated too, without a time it began at.
    return text(statuses[0]["state"], fmt::format("/{}/startedAt", state).c_str()).empty() ? "" : state;
  }
  return "";
}

}  // namespace

void Ledger::break_rule(const std::string& words) {
  if (known_.insert(words).second) broken_.push_back(words);
}

void Ledger::look(const Json& pods, const Json& roll_calls, const Json& jobs) {
  look_at_pods(pods);
  look_at_roll_calls(roll_calls);
  look_at_jobs(jobs);
  judge_started(jobs);
}

void Ledger::look_at_pods(const Json& pods) {
  std::map<std::pair<std::string, int>, std::string> places;
  for (const Json& pod : pods) {
    const std::string job = label(pod, names::kLabelJobUid);
    const int attempt = number(label(pod, names::kLabelAttempt));
    const int node_rank = number(label(pod, names::kLabelNodeRank));
    if (job.empty() || attempt < 0 || node_rank < 0) continue;
    const std::string name = text(pod, "/metadata/name");
    const std::string uid = text(pod, "/metadata/uid");
    const auto [place, alone] = places.emplace(std::make_pair(job, node_rank), name);
    if (!alone) break_rule(fmt::format("{} and {} stand at node rank {} at once", place->second, name, node_rank));
    if (const auto node = text(pod, "/spec/nodeName"); !node.empty()) nodes_[job].insert(node);
    if (const auto address = text(pod, "/status/podIP"); node_rank == 0 && !address.empty()) {
      Attempt& master = masters_[{job, attempt}];
      if (master.uid.empty()) master = {uid, address};
      if (master.uid != uid) break_rule(fmt::format("attempt {} has had two pods {}", attempt, name));
    }
    if (!trainer(pod).empty()) started_.try_emplace(uid, Started{name, job, attempt, false});
  }
}

void Ledger::look_at_roll_calls(const Json& roll_calls) {
  for (const Json& object : roll_calls) {
    const std::string name = text(object, "/metadata/name");
    Call& call = calls_[{text(object, "/spec/job/uid"), object["spec"].value("attempt", 0)}];
    const Json status = object.value("status", Json::object());
    const Json verdict = status.value("verdict", Json());
    const Json end = status.value("end", Json());
    if (!call.stored.is_null() && call.stored != verdict)
      break_rule(fmt::format("{} has had two verdicts: {} and {}", name, call.stored.dump(), verdict.dump()));
    if (!call.end.is_null() && call.end != end)
      break_rule(fmt::format("{} has had two ends: {} and {}", name, call.end.dump(), end.dump()));
    if (verdict.is_null()) continue;
    call.stored = verdict;
    call.end = end;
    call.verdict = {text(object, "/spec/job/name"), object["spec"].value("attempt", 0), verdict.value("kind", ""),
                    verdict.value("reason", ""), verdict.value("overridden", false)};
    const Json settings = object["spec"].value("settings", Json::object());
    if (call.verdict.kind != "Released" || call.verdict.overridden || settings.value("mode", "Enforce") != "Enforce")
      continue;
    // Nobody said "whatever was found": then every stage has passed, or says why it had nothing to do.
    for (const Json& stage : status.value("stages", Json::array())) {
      const std::string state = stage.value("state", "");
      if (state != "Passed" && state != "Skipped")
        break_rule(fmt::format("{} is released and stage {} is {}", name, stage.value("name", ""), state));
    }
    for (const Json& finding : status.value("findings", Json::array())) {
      if (finding.value("severity", "") == "fail")
        break_rule(fmt::format("{} is released in spite of: {}", name, finding.value("message", "")));
    }
  }
}

void Ledger::look_at_jobs(const Json& jobs) {
  for (const Json& job : jobs) {
    const std::string uid = text(job, "/metadata/uid");
    const std::string name = text(job, "/metadata/name");
    const Json status = job.value("status", Json::object());
    const std::string phase = status.value("phase", "");
    if (const auto ended = ended_jobs_.find(uid); ended != ended_jobs_.end() && ended->second != phase)
      break_rule(fmt::format("{} was {} and then {}", name, ended->second, phase));
    if (phase == "Succeeded" || phase == "Failed") ended_jobs_.emplace(uid, phase);
    int& attempt = attempts_[uid];
    const int now = status.value("attempt", 0);
    if (now < attempt) break_rule(fmt::format("{} went from attempt {} back to {}", name, attempt, now));
    attempt = std::max(attempt, now);
  }
}

void Ledger::judge_started(const Json& jobs) {
  std::set<std::string> stand;
  for (const Json& job : jobs) {
    if (!job["metadata"].contains("deletionTimestamp")) stand.insert(text(job, "/metadata/uid"));
  }
  for (const auto& [uid, one] : started_) {
    if (judged_.contains(uid)) continue;
    const auto call = calls_.find({one.job_uid, one.attempt});
    const std::string kind = call == calls_.end() ? "" : call->second.verdict.kind;
    if (kind == "Released") {
      judged_.insert(uid);
    } else if (kind == "Ended") {
      break_rule(fmt::format("the trainer of {} runs in an attempt that ended", one.pod));
    } else if (stand.contains(one.job_uid)) {  // of a deleted job the RollCall may go before the pod
      break_rule(fmt::format("the trainer of {} runs and its attempt has no verdict", one.pod));
    }
  }
}

std::vector<Ledger::Unread> Ledger::unread() const {
  std::vector<Unread> found;
  for (const auto& [uid, one] : started_) {
    if (!one.read) found.push_back({one.pod, uid});
  }
  return found;
}

void Ledger::read(const std::string& uid, const std::string& log) {
  Started& one = started_.at(uid);
  const auto begin = log.find(" MASTER_ADDR=");
  if (begin == std::string::npos || log.find('\n', begin) == std::string::npos) return;
  one.read = true;
  ++addresses_read_;
  const auto from = begin + std::string_view(" MASTER_ADDR=").size();
  const std::string address = log.substr(from, log.find_first_of(" \n", from) - from);
  const auto master = masters_.find({one.job_uid, one.attempt});
  const std::string wanted = master == masters_.end() ? "(never seen)" : master->second.address;
  if (address != wanted)
    break_rule(fmt::format("the trainer of {} was given MASTER_ADDR={}, and node rank 0 of its attempt is {}", one.pod,
                           address, wanted));
}

std::vector<Ledger::Verdict> Ledger::verdicts() const {
  std::vector<Verdict> found;
  for (const auto& [key, call] : calls_) {
    if (!call.verdict.kind.empty()) found.push_back(call.verdict);
  }
  return found;
}

std::set<std::string> Ledger::nodes_of(const std::string& job_uid) const {
  const auto found = nodes_.find(job_uid);
  return found == nodes_.end() ? std::set<std::string>() : found->second;
}

}  // namespace rollcall::e2e
