#include "operator/desk_reference.h"

#include "operator/certificate_store.h"
#include "telemetry/log.h"

namespace rollcall::operator_ {
namespace {

WallTime wall_now() { return std::chrono::time_point_cast<WallTime::duration>(std::chrono::system_clock::now()); }

}  // namespace

Result<std::string> address_of_service(const nlohmann::json& service) {
  const auto spec = service.value("spec", nlohmann::json::object());
  const auto address = spec.value("clusterIP", "");
  if (address.empty() || address == "None")
    return Error{"has no cluster IP; pods reach the desk without DNS, so it needs one"};
  const auto ports = spec.value("ports", nlohmann::json::array());
  if (ports.empty() || !ports.front().contains("port")) return Error{"has no port"};
  const auto port = ":" + std::to_string(ports.front()["port"].get<int>());
  return address.find(':') == std::string::npos ? address + port : "[" + address + "]" + port;
}

DeskReference::DeskReference(kube::Client& client, Options options) : client_(client), options_(std::move(options)) {}

DeskReference::~DeskReference() {
  thread_.request_stop();
  wake_.notify_all();
}

Status DeskReference::refresh() {
  const auto name = options_.desk_service + "." + options_.ns + ".svc";
  const auto lacks = [this](std::string why, bool certificates) {
    const std::lock_guard lock(mutex_);
    known_.certificates = known_.certificates || certificates;
    // A Service that cannot be read for a moment is still where it was.
    if (!known_.settings) known_.missing = "Pods are not created: " + why;
    return Error{std::move(why)};
  };
  const auto bundle = keep_certificates(client_, options_.ns, name, wall_now());
  if (!bundle) return lacks("the desk's certificate cannot be kept: " + bundle.error().message, false);
  const auto service = client_.get(kube::kServices, options_.ns, options_.desk_service);
  const auto service_words = "Service " + options_.desk_service + " in namespace " + options_.ns;
  if (!service) return lacks(service_words + " cannot be read: " + service.error().text(), true);
  const auto address = address_of_service(service.value());
  if (!address) return lacks(service_words + " " + address.error().message, true);

  const std::lock_guard lock(mutex_);
  known_ = {launch::ProbeSettings{options_.probe_image, options_.probe_image_pull_policy, *address, name, *bundle}, "",
            true};
  return Done{};
}

void DeskReference::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void DeskReference::run(const std::stop_token& stop) {
  std::string told;
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      const auto pause = known_.settings && told.empty() ? std::chrono::seconds(600) : std::chrono::seconds(5);
      wake_.wait_for(lock, stop, pause, [] { return false; });
    }
    if (stop.stop_requested()) return;
    const auto refreshed = refresh();
    const auto now = refreshed ? std::string() : refreshed.error().message;
    if (now != told && !now.empty()) log::warn("desk not found", {{"why", now}});
    if (now != told && now.empty()) log::info("desk found");
    told = now;
  }
}

DeskReference::Known DeskReference::known() const {
  const std::lock_guard lock(mutex_);
  return known_;
}

}  // namespace rollcall::operator_
