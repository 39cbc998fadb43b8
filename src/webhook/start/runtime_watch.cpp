#include "webhook/start/runtime_watch.h"

#include <algorithm>
#include <map>
#include <utility>

namespace rollcall::webhook {
namespace {

constexpr auto kGroup = "trainer.kubeflow.org";
constexpr auto kVersion = "v1alpha1";
constexpr auto kOfCluster = "ClusterTrainingRuntime";
constexpr auto kOfNamespace = "TrainingRuntime";

/// Whether the API server's list of a group's resources has this one.
bool serves(const kube::Json& resources, const std::string& kind) {
  const auto list = resources.find("resources");
  if (list == resources.end() || !list->is_array()) return false;
  return std::any_of(list->begin(), list->end(),
                     [&kind](const kube::Json& one) { return one.is_object() && one.value("kind", "") == kind; });
}

void add(const kube::WatchHealth& one, kube::WatchHealth& sum) {
  sum.synced = sum.synced && one.synced;
  sum.lists += one.lists;
  sum.watches += one.watches;
  sum.events += one.events;
  for (const auto& [reason, count] : one.restarts) sum.restarts[reason] += count;
  sum.callback_failures += one.callback_failures;
  if (sum.last_error.empty()) sum.last_error = one.last_error;
}

}  // namespace

RuntimeWatch::RuntimeWatch(kube::Client& client, RuntimeBook& book, Options options)
    : client_(client), book_(book), options_(std::move(options)) {}

RuntimeWatch::~RuntimeWatch() { stop(); }

void RuntimeWatch::start() {
  thread_ = std::thread([this] { run(); });
}

void RuntimeWatch::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  std::unique_ptr<kube::Reflector> clusters, namespaces;
  {
    const std::lock_guard lock(mutex_);
    clusters.swap(clusters_);
    namespaces.swap(namespaces_);
  }
}

kube::WatchHealth RuntimeWatch::health() const {
  const std::lock_guard lock(mutex_);
  kube::WatchHealth sum;
  sum.synced = true;
  for (const auto* one : {&clusters_, &namespaces_})
    if (*one) add((*one)->health(), sum);
  return sum;
}

void RuntimeWatch::run() {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    lock.unlock();
    look();
    lock.lock();
    changed_.wait_for(lock, options_.look_every, [this] { return stopped_; });
  }
}

void RuntimeWatch::look() {
  const auto reply = client_.raw_get(std::string("/apis/") + kGroup + "/" + kVersion);
  // An API server that does not answer takes nothing away: what was seen stands, and the watches come back themselves.
  if (!reply && !reply.error().not_found()) return;
  const auto follow = [&](const std::string& kind, const std::string& plural, bool namespaced,
                          std::unique_ptr<kube::Reflector>& held) {
    const bool served = reply.ok() && serves(reply.value(), kind);
    if (served == static_cast<bool>(held)) return false;
    std::unique_ptr<kube::Reflector> next = served ? watch(kind, plural, namespaced) : nullptr;
    {
      const std::lock_guard lock(mutex_);
      std::swap(held, next);
    }
    next.reset();  // ends, outside the lock
    if (served) {
      held->start();
    } else {
      book_.forget(kind);
    }
    return true;
  };
  const bool changed = follow(kOfCluster, "clustertrainingruntimes", false, clusters_) |
                       follow(kOfNamespace, "trainingruntimes", true, namespaces_);
  if (changed && options_.on_change) options_.on_change(clusters_ || namespaces_);
}

std::unique_ptr<kube::Reflector> RuntimeWatch::watch(const std::string& kind, const std::string& plural,
                                                     bool namespaced) {
  return std::make_unique<kube::Reflector>(
      client_, kube::Resource{kGroup, kVersion, plural, namespaced}, "", std::map<std::string, std::string>{},
      kube::Reflector::Callbacks{.upsert = [this, kind](const kube::Json& object) { book_.changed(kind, object); },
                                 .removed = [this, kind](const std::string& ns, const std::string& name,
                                                         const std::string&) { book_.removed(kind, ns, name); },
                                 .synced = {}});
}

}  // namespace rollcall::webhook
