#include "launch/rules/pods/master_service.h"

#include "launch/kinds/names.h"

namespace rollcall::launch::rules {

Meeting meeting_of(const Launch& launch) {
  if (launch.around == nullptr) return {};
  Meeting meeting{nullptr, launch.around->node_pods().world_of(launch)};
  if (meeting.pods.size() < 2 || meeting.pods.front()->name != launch.object.name) return {};
  const std::string& master = meeting.pods.front()->master;
  if (!is_service_name(master)) return {};
  const Service* service = launch.around->service(launch.object.namespace_name, master.substr(0, master.find('.')));
  if (service != nullptr && !service->external_name && !service->selector.empty()) meeting.service = service;
  return meeting;
}

bool selects(const Service& service, const NodePod& pod) { return has_all(pod.labels, service.selector); }

}  // namespace rollcall::launch::rules
