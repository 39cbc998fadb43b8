#include "operator/desk_reference.h"

namespace rollcall::operator_ {

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

Status DeskReference::refresh(const std::string& bundle) {
  const auto missing = [this](std::string why) {
    lacks(why);
    return Error{std::move(why)};
  };
  const auto service = client_.get(kube::kServices, settings_.ns, settings_.service);
  const auto words = "Service " + settings_.service + " in namespace " + settings_.ns;
  if (!service) return missing(words + " cannot be read: " + service.error().text());
  const auto address = address_of_service(service.value());
  if (!address) return missing(words + " " + address.error().message);

  const std::lock_guard lock(mutex_);
  known_ = {
      launch::ProbeSettings{settings_.probe_image, settings_.probe_image_pull_policy, *address,
                            settings_.service + "." + settings_.ns + ".svc", bundle, settings_.bundled_probe_image},
      ""};
  return Done{};
}

void DeskReference::lacks(const std::string& why) {
  const std::lock_guard lock(mutex_);
  // What cannot be read for a moment still is as it was.
  if (!known_.settings) known_.missing = "Pods are not created: " + why;
}

bool DeskReference::looked_up() const {
  const std::lock_guard lock(mutex_);
  return known_.settings || !known_.missing.empty();
}

DeskReference::Known DeskReference::known() const {
  const std::lock_guard lock(mutex_);
  return known_;
}

}  // namespace rollcall::operator_
