#include "operator/upkeep.h"

#include "telemetry/log.h"

namespace rollcall::operator_ {

using std::chrono::seconds;

namespace {

/// A Secret that somebody deleted is back before a pod that wants to mount it gives up (its kubelet tries for 2 min).
/// Costs a few GETs; far below the 12 h at which certificates have to be looked at.
constexpr auto kLookEvery = seconds(60);
constexpr auto kLookAgain = seconds(5);
/// Somebody may change the webhook configuration as often as we mend it (a second injector of a caBundle): not more
/// often than this, and in the log once a minute.
constexpr auto kPause = seconds(1);
constexpr auto kSayEvery = seconds(60);

}  // namespace

Upkeep::Upkeep(kube::Client& client, DeskReference& desk, Settings settings, std::function<void(const Trust&)> kept)
    : client_(client), desk_(desk), settings_(std::move(settings)), kept_(std::move(kept)), mended_(kSayEvery) {}

Upkeep::~Upkeep() {
  thread_.request_stop();
  changed_.notify_all();
  for (const auto& watch : watches_) watch->stop();
}

Status Upkeep::look() {
  const auto trust = settings_.external
                         ? read_secrets(client_, settings_.ns, settings_.servers)
                         : keep_secrets(client_, settings_.ns, settings_.servers, settings_.lifetimes, settings_.now());
  if (!trust) {
    const auto error =
        trust.error().in("the certificates cannot be " + std::string(settings_.external ? "read" : "kept"));
    desk_.lacks(error.message);
    return error;
  }
  if (kept_) kept_(*trust);
  {
    const std::lock_guard lock(mutex_);
    bundle_ = trust->bundle;
  }
  const auto configurations = keep_configurations(trust->bundle);
  auto desk = desk_.refresh(trust->bundle);
  return configurations ? desk : configurations;
}

Status Upkeep::keep_configurations(const std::string& bundle) {
  Status first = Done{};
  if (!settings_.keep_ca_bundle) return first;
  for (const auto& name : settings_.configurations) {
    const auto healed = keep_ca_bundle(client_, name, settings_.webhook, bundle);
    if (!healed && first) first = healed.error();
    if (!healed || *healed != Healed::Mended) continue;
    if (const auto turn = mended_.turn(name); turn.now)
      log::info("caBundle written", {{"configuration", name}, {"repeated", turn.held_back}});
  }
  return first;
}

void Upkeep::watch_configurations() {
  if (!settings_.keep_ca_bundle) return;
  for (const auto& name : settings_.configurations) {
    auto watch = std::make_unique<kube::Reflector>(
        client_, kube::kWebhookConfigurations, "",
        std::map<std::string, std::string>{{"fieldSelector", "metadata.name=" + name}},
        kube::Reflector::Callbacks{.upsert =
                                       [this](const kube::Json& object) {
                                         std::unique_lock lock(mutex_);
                                         const auto bundle = bundle_;
                                         lock.unlock();
                                         // Our own write comes back too: only what differs is worth a look.
                                         if (!bundle.empty() && trusting(object, settings_.webhook, bundle)) wake();
                                       },
                                   .removed = {},
                                   .synced = {}});
    watch->start();
    watches_.push_back(std::move(watch));
  }
}

void Upkeep::start() {
  watch_configurations();
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void Upkeep::wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  changed_.notify_all();
}

void Upkeep::run(const std::stop_token& stop) {
  std::string told;
  while (!stop.stop_requested()) {
    const auto looked = look();
    const auto why = looked ? std::string() : looked.error().message;
    if (why != told && !why.empty()) log::warn("upkeep failed", {{"why", why}});
    if (why != told && why.empty()) log::info("upkeep succeeds again");
    told = why;
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, kPause, [] { return false; });
    changed_.wait_for(lock, stop, looked ? kLookEvery : kLookAgain, [this] { return woken_; });
    woken_ = false;
  }
}

}  // namespace rollcall::operator_
