#include "e2e/watchman.h"

#include <gtest/gtest.h>

namespace rollcall::e2e {

void Watchman::stop() {
  if (!thread_.joinable()) return;
  ended_ = true;
  thread_.join();
  for (const std::string& words : ledger_.broken()) ADD_FAILURE() << words;
  EXPECT_GT(looks_, 0) << "nothing was ever listed";
}

Ledger Watchman::ledger() const {
  const std::scoped_lock lock(mutex_);
  return ledger_;
}

void Watchman::watch() {
  for (bool last = false; !last;) {
    last = ended_;
    if (look()) {
      ++looks_;
      read_logs();
    }
    World::eventually(seconds(1), [&] { return ended_.load(); });
  }
}

bool Watchman::look() {
  const auto pods = world_.api().list(kube::kPods, world_.ns());
  if (!pods) return false;
  const auto calls = world_.api().list(kube::kRollCalls, world_.ns());
  if (!calls) return false;
  const auto jobs = world_.api().list(kube::kTrainingJobs, world_.ns());
  if (!jobs) return false;
  const std::scoped_lock lock(mutex_);
  ledger_.look(pods.value()["items"], calls.value()["items"], jobs.value()["items"]);
  return true;
}

void Watchman::read_logs() {
  for (const auto& [pod, uid] : ledger().unread()) {
    const auto path = "/api/v1/namespaces/" + world_.ns() + "/pods/" + pod + "/log?container=trainer";
    const auto log = world_.api().raw_text(path);
    if (!log) continue;  // gone, or its kubelet does not answer: asked for again
    const std::scoped_lock lock(mutex_);
    ledger_.read(uid, *log);
  }
}

}  // namespace rollcall::e2e
