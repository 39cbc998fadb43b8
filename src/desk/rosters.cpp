#include "desk/rosters.h"

#include <algorithm>

namespace rollcall::desk {

using roll_call::PodView;

void Rosters::put(const std::string& key, const api::RollCall& roll_call, TimePoint now) {
  const std::lock_guard lock(mutex_);
  Roster roster;
  const auto before = rosters_.find(key);
  roster.since = before == rosters_.end() ? now : before->second.since;
  drop(key);
  roster.attempt = roll_call.spec.attempt;
  roster.nnodes = static_cast<int>(roll_call.spec.roster.size());
  roster.job_uid = roll_call.spec.job.uid;
  const auto& verdict = roll_call.status.verdict;
  if (verdict && verdict->kind == api::VerdictKind::Ended) {
    roster.ended = true;
    roster.ended_message =
        (verdict->reason ? std::string(api::to_string(*verdict->reason)) + ": " : "") + verdict->message;
  } else if (roll_call.status.end) {
    roster.ended = true;
    roster.ended_message =
        std::string(api::to_string(roll_call.status.end->reason)) + ": " + roll_call.status.end->message;
  }
  for (const auto& entry : roll_call.spec.roster) {
    roster.pods[entry.uid] = {entry.node_rank, entry.pod};
    by_uid_[entry.uid].push_back(key);
    unknown_.forget(entry.uid);
    deleted_jobs_.erase(entry.uid);
  }
  attempts_[roster.job_uid][roster.attempt]++;
  rosters_[key] = std::move(roster);
}

void Rosters::drop(const std::string& key) {
  const auto it = rosters_.find(key);
  if (it == rosters_.end()) return;
  for (const auto& [uid, pod] : it->second.pods) {
    const auto keys = by_uid_.find(uid);
    std::erase(keys->second, key);
    if (keys->second.empty()) by_uid_.erase(keys);
  }
  auto& attempts = attempts_[it->second.job_uid];
  if (--attempts[it->second.attempt] <= 0) attempts.erase(it->second.attempt);
  if (attempts.empty()) attempts_.erase(it->second.job_uid);
  rosters_.erase(it);
}

void Rosters::remove(const std::string& key, TimePoint now) {
  const std::lock_guard lock(mutex_);
  const auto it = rosters_.find(key);
  if (it == rosters_.end()) return;
  std::vector<std::string> uids;
  for (const auto& [uid, pod] : it->second.pods) uids.push_back(uid);
  drop(key);
  prune(now);
  for (const auto& uid : uids)
    if (!by_uid_.contains(uid) && deleted_jobs_.size() < kMaxTombstones) deleted_jobs_[uid] = now;
}

std::optional<PodView> Rosters::put_pod(const std::string& pod_key, const PodView& pod, TimePoint now) {
  const std::lock_guard lock(mutex_);
  auto& uid = uid_of_pod_[pod_key];
  auto replaced = uid.empty() || uid == pod.uid ? std::nullopt : forget_pod(uid, now);
  uid = pod.uid;
  pods_[pod.uid] = {pod, pod_key};
  return replaced;
}

std::optional<PodView> Rosters::remove_pod(const std::string& pod_key, const std::string& uid, TimePoint now) {
  const std::lock_guard lock(mutex_);
  if (const auto named = uid_of_pod_.find(pod_key); named != uid_of_pod_.end() && named->second == uid)
    uid_of_pod_.erase(named);
  return forget_pod(uid, now);
}

std::optional<PodView> Rosters::forget_pod(const std::string& uid, TimePoint now) {
  prune(now);
  if (gone_pods_.size() < kMaxTombstones) gone_pods_[uid] = now;
  const auto it = pods_.find(uid);
  if (it == pods_.end()) return std::nullopt;
  PodView view = std::move(it->second.view);
  pods_.erase(it);
  view.gone = true;
  view.probe_running = false;
  view.state = "Gone";
  view.waiting = "the pod was deleted";
  return view;
}

std::vector<PodView> Rosters::pods_of(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  std::vector<PodView> views;
  const auto it = rosters_.find(key);
  if (it == rosters_.end()) return views;
  for (const auto& [uid, pod] : it->second.pods)
    if (const auto seen = pods_.find(uid); seen != pods_.end()) views.push_back(seen->second.view);
  return views;
}

std::vector<PodView> Rosters::never_seen(const std::string& key, TimePoint now) const {
  const std::lock_guard lock(mutex_);
  std::vector<PodView> views;
  const auto it = rosters_.find(key);
  if (it == rosters_.end() || it->second.ended || now - it->second.since < kPodLag) return views;
  for (const auto& [uid, pod] : it->second.pods) {
    if (pods_.contains(uid)) continue;
    PodView view;
    view.uid = uid;
    view.name = pod.second;
    view.gone = true;
    view.state = "Gone";
    view.waiting = "the pod does not exist";
    views.push_back(std::move(view));
  }
  return views;
}

std::vector<std::string> Rosters::roll_calls_of(const std::string& uid) const {
  const std::lock_guard lock(mutex_);
  const auto keys = by_uid_.find(uid);
  return keys == by_uid_.end() ? std::vector<std::string>() : keys->second;
}

Known Rosters::know(const std::string& uid, bool record, TimePoint now) {
  const std::lock_guard lock(mutex_);
  Known known;
  const auto pod = pods_.find(uid);
  if (pod != pods_.end())
    known.pod = pod->second.view.gone ? Known::Pod::Gone : Known::Pod::Alive;
  else if (gone_pods_.contains(uid))
    known.pod = Known::Pod::Gone;

  const Roster* latest = nullptr;
  if (const auto keys = by_uid_.find(uid); keys != by_uid_.end())
    for (const auto& key : keys->second) {
      const Roster& roster = rosters_.at(key);
      if (latest != nullptr && roster.attempt <= latest->attempt) continue;
      latest = &roster;
      known.place = Place{key, roster.attempt, roster.pods.at(uid).first, roster.nnodes};
    }
  if (latest == nullptr) {
    known.job_deleted = deleted_jobs_.contains(uid) && now - deleted_jobs_.at(uid) < kTombstone;
    if (record && !known.job_deleted) known.first_heard = unknown_.first_heard(uid, now);
    return known;
  }
  known.current_attempt = attempts_.at(latest->job_uid).rbegin()->first;
  known.former = latest->ended || known.current_attempt > latest->attempt;
  if (latest->ended) known.ended_message = latest->ended_message;
  return known;
}

void Rosters::prune(TimePoint now) {
  if (now - pruned_ < std::chrono::seconds(10)) return;
  pruned_ = now;
  std::erase_if(gone_pods_, [&](const auto& entry) { return now - entry.second > kGonePod; });
  std::erase_if(deleted_jobs_, [&](const auto& entry) { return now - entry.second > kTombstone; });
}

bool Rosters::over(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto it = rosters_.find(key);
  return it != rosters_.end() && it->second.ended;
}

std::size_t Rosters::pods() const {
  const std::lock_guard lock(mutex_);
  return pods_.size();
}

std::size_t Rosters::roll_calls() const {
  const std::lock_guard lock(mutex_);
  return rosters_.size();
}

}  // namespace rollcall::desk
