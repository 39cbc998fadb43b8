// The writes of a Call: status at most once a second but for the master address, the verdict by compare-and-swap.
#include <algorithm>
#include <functional>

#include "api/names.h"
#include "desk/calls/call.h"
#include "telemetry/log.h"

namespace rollcall::desk {
namespace {

using std::chrono::milliseconds;

/// First and longest pause after a write that failed. The longest is short: a whole job waits for its verdict.
constexpr milliseconds kFirstPause{200};
constexpr milliseconds kLongestPause{5'000};
/// Until a desk that does not lead asks again whether it does. Most often it has ended by then; the lead comes back
/// when a renewal that was under way turns out to have been in time.
constexpr milliseconds kNotLeading{1'000};
/// Conflicts in a row before we pause: each means another writer made progress.
constexpr int kTries = 5;

std::string resource_version(const kube::Json& object) {
  const auto meta = object.find("metadata");
  return meta == object.end() || !meta->is_object() ? std::string() : meta->value("resourceVersion", std::string());
}

std::string uid_of(const kube::Json& object) {
  const auto meta = object.find("metadata");
  return meta == object.end() || !meta->is_object() ? std::string() : meta->value("uid", std::string());
}

bool has_verdict(const kube::Json& object) {
  const auto status = object.find("status");
  return status != object.end() && status->is_object() && status->contains("verdict");
}

}  // namespace

std::optional<milliseconds> Call::write(kube::Client& client) {
  std::optional<api::Verdict> verdict;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return std::nullopt;
    if (not_before_ && Clock::now() < *not_before_) return std::chrono::ceil<milliseconds>(*not_before_ - Clock::now());
    verdict = verdict_wanted_;
  }
  const auto again = verdict ? write_verdict(client, std::move(*verdict)) : write_status(client);
  const std::lock_guard lock(mutex_);
  if (closed_) return std::nullopt;
  if (again) return again;
  failures_ = 0;
  not_before_.reset();
  if (verdict_wanted_) return milliseconds(0);
  if (status_wanted_) return milliseconds(0);  // write_status finds out how long it has to wait
  return std::nullopt;
}

/// The object to PUT. Of its metadata the API server reads name and the two preconditions; its spec it does not read.
/// `verdict`: the one to compare and swap; a status write never carries one that is not stored.
nlohmann::json Call::body(const api::RollCallStatus& status, const api::Verdict* verdict) const {
  nlohmann::json written = api::to_json([&] {
    auto whole = status;
    whole.end.reset();
    whole.verdict.reset();
    if (verdict != nullptr) whole.verdict = *verdict;
    return whole;
  }());
  for (const auto& [field, value] : others_.items()) written[field] = value;
  return {
      {"apiVersion", api::names::kApiVersion},
      {"kind", "RollCall"},
      {"metadata", {{"name", name_}, {"namespace", namespace_}, {"uid", uid_}, {"resourceVersion", resource_version_}}},
      {"status", std::move(written)}};
}

std::optional<milliseconds> Call::write_verdict(kube::Client& client, api::Verdict verdict) {
  std::string why;
  for (int i = 0; i < kTries; ++i) {
    // Read first: after an unknown outcome only this tells whether the write before it was stored.
    const auto read = client.get(kube::kRollCalls, namespace_, name_);
    if (!read) {
      if (read.error().not_found()) {
        deleted("the job was deleted");
        return std::nullopt;
      }
      why = read.error().text();
      break;
    }
    if (uid_of(read.value()) != uid_) {
      deleted("the job was deleted and made anew under the same name");
      return std::nullopt;
    }
    stored(read.value());
    nlohmann::json object;
    {
      const std::lock_guard lock(mutex_);
      if (!verdict_wanted_) return std::nullopt;  // a verdict is stored: theirs, or ours from before
      if (has_verdict(read.value())) {
        why = "a verdict is stored that the desk cannot read; its log says why";
        break;
      }
      const auto status = desk_.status(context_.now());
      count_stages(status);
      object = body(status, &verdict);
      object["metadata"]["resourceVersion"] = resource_version(read.value());
    }
    if (!context_.leading()) return kNotLeading;
    const auto put = client.replace_status(kube::kRollCalls, namespace_, name_, object);
    if (put) {
      wrote("Verdict");
      if (!has_verdict(put.value())) {
        why = "the API server's reply has no verdict: is the RollCall CRD older than the desk?";
        break;
      }
      {
        const std::lock_guard lock(mutex_);
        last_write_ = Clock::now();
      }
      if (context_.on_verdict) context_.on_verdict(verdict);
      stored(put.value());
      return std::nullopt;
    }
    wrote(put.error().conflict() ? "Conflict" : "Error");
    why = put.error().text();
    if (!put.error().conflict() && !put.error().transient()) break;
  }
  log::error("verdict not written; nothing is released until it is", {{"roll_call", key_}, {"error", why}});
  Outbox out;
  {
    const std::lock_guard lock(mutex_);
    if (verdict_wanted_) {
      // The state machine decides anew: what it asks for next may differ, and finds this write if it was stored after
      // all.
      verdict_wanted_.reset();
      feed(roll_call::VerdictWriteFailed{why}, out);
    }
  }
  deliver(out);
  return later();
}

std::optional<milliseconds> Call::write_status(kube::Client& client) {
  std::string why;
  for (int i = 0; i < kTries; ++i) {
    nlohmann::json object;
    std::size_t written = 0;
    std::string address;
    {
      const std::lock_guard lock(mutex_);
      if (!status_wanted_ || verdict_wanted_ || closed_) return std::nullopt;
      // The operator annotates the pods with the address once it is written, and every trainer waits for that: up to a
      // second for nothing when rank 0 is not the first that is heard. It changes once an attempt.
      if (last_write_ && desk_.master_addr() == address_written_) {
        const auto rest = std::chrono::ceil<milliseconds>(*last_write_ + context_.write_every - Clock::now());
        if (rest > milliseconds(0)) return rest;
      }
      status_wanted_ = false;  // what changes from here on is the next write
      const auto status = desk_.status(context_.now());
      count_stages(status);
      object = body(status, nullptr);
      address = status.master_addr;
      written =
          std::hash<std::string>()(object["status"].dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
      if (written == status_written_) return std::nullopt;
    }
    if (!context_.leading()) {
      const std::lock_guard lock(mutex_);
      status_wanted_ = true;
      return kNotLeading;
    }
    const auto put = client.replace_status(kube::kRollCalls, namespace_, name_, object);
    if (put) {
      wrote("Status");
      {
        const std::lock_guard lock(mutex_);
        last_write_ = Clock::now();
        status_written_ = written;
        address_written_ = address;
      }
      stored(put.value());
      return std::nullopt;
    }
    {
      const std::lock_guard lock(mutex_);
      status_wanted_ = true;
    }
    why = put.error().text();
    if (put.error().not_found()) {
      deleted("the job was deleted");
      return std::nullopt;
    }
    wrote(put.error().conflict() ? "Conflict" : "Error");
    if (!put.error().conflict()) break;
    const auto read = client.get(kube::kRollCalls, namespace_, name_);
    if (!read) {
      why = read.error().text();
      break;
    }
    if (uid_of(read.value()) != uid_) {
      deleted("the job was deleted and made anew under the same name");
      return std::nullopt;
    }
    stored(read.value());
  }
  log::warn("status not written; written again later", {{"roll_call", key_}, {"error", why}});
  return later();
}

/// Seen at the writes, which are the only looks at the whole status: a stage that came and went between two of them is
/// in the second.
void Call::count_stages(const api::RollCallStatus& status) {
  if (!context_.on_stage) return;
  if (stages_counted_of_ != status.round) {
    stages_counted_of_ = status.round;
    stages_counted_.clear();
  }
  for (const auto& stage : status.stages) {
    if (stage.state == "Waiting" || stage.state == "Running") continue;
    if (stages_counted_.insert(stage.name).second) context_.on_stage(stage);
  }
}

milliseconds Call::later() {
  const std::lock_guard lock(mutex_);
  const auto pause = std::min(kLongestPause, kFirstPause * (1 << std::min(failures_, 10)));
  ++failures_;
  not_before_ = Clock::now() + pause;
  return pause;
}

void Call::wrote(std::string_view result) const {
  if (context_.on_write) context_.on_write(result);
}

}  // namespace rollcall::desk
