#include "launch/rules/pods/master_service.h"

#include <algorithm>

#include "launch/kinds/names.h"

namespace rollcall::launch::rules {

const Service* master_service(const Launch& launch, const NodePod& pod) {
  if (launch.around == nullptr || !is_service_name(pod.master)) return nullptr;
  const Service* service =
      launch.around->service(launch.object.namespace_name, pod.master.substr(0, pod.master.find('.')));
  return service == nullptr || service->external_name || service->selector.empty() ? nullptr : service;
}

bool selects(const Service& service, const NodePod& pod) {
  return std::all_of(service.selector.begin(), service.selector.end(), [&pod](const auto& label) {
    const auto found = pod.labels.find(label.first);
    return found != pod.labels.end() && found->second == label.second;
  });
}

}  // namespace rollcall::launch::rules
