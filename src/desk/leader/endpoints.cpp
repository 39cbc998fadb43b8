#include "desk/leader/endpoints.h"

#include <arpa/inet.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "api/names.h"

namespace rollcall::desk {
namespace {

using Json = nlohmann::json;
namespace names = api::names;

constexpr auto kServiceLabel = "kubernetes.io/service-name";
constexpr auto kManagedByLabel = "endpointslice.kubernetes.io/managed-by";
/// Not one of Kubernetes' own controllers', which would delete a slice under their name.
constexpr auto kManagedBy = "desk.rollcall.dev";

std::string family_of(const std::string& address) {
  in6_addr parsed{};  // large enough for both
  if (::inet_pton(AF_INET, address.c_str(), &parsed) == 1) return "IPv4";
  if (::inet_pton(AF_INET6, address.c_str(), &parsed) == 1) return "IPv6";
  return {};
}

Json value_at(const Json& object, const char* field) {
  const auto value = object.is_object() ? object.find(field) : object.end();
  return value == object.end() ? Json() : *value;
}

/// A port as it matters: the API server fills in what was left out.
bool same_ports(const Json& found, const Json& wanted) {
  if (!found.is_array() || found.size() != wanted.size()) return false;
  for (std::size_t i = 0; i < found.size(); ++i)
    for (const char* field : {"name", "port", "protocol"})
      if (value_at(found[i], field) != value_at(wanted[i], field)) return false;
  return true;
}

bool same_endpoints(const Json& found, const Json& wanted) {
  if (!found.is_array() || found.size() != 1) return false;
  if (value_at(found[0], "addresses") != wanted[0]["addresses"]) return false;
  if (value_at(value_at(found[0], "targetRef"), "name") != wanted[0]["targetRef"]["name"]) return false;
  return value_at(found[0], "conditions") == wanted[0]["conditions"];
}

Error failed(const char* doing, const kube::ApiError& error) {
  return Error{std::string(doing) + " EndpointSlice " + names::kDeskEndpoints + ": " + error.text()};
}

}  // namespace

Result<Json> slice_of(const Endpoint& endpoint) {
  const auto family = family_of(endpoint.address);
  if (family.empty())
    return Error{"POD_IP is `" + endpoint.address +
                 "`, which is no IP address; set it from the field status.podIP, so that probes can be led here"};
  return Json{{"apiVersion", "discovery.k8s.io/v1"},
              {"kind", "EndpointSlice"},
              {"metadata",
               {{"name", names::kDeskEndpoints},
                {"namespace", endpoint.ns},
                {"labels", {{kServiceLabel, endpoint.service}, {kManagedByLabel, kManagedBy}}}}},
              {"addressType", family},
              {"ports", Json::array({{{"name", "https"}, {"port", endpoint.port}, {"protocol", "TCP"}}})},
              {"endpoints",
               Json::array({{{"addresses", Json::array({endpoint.address})},
                             {"conditions", {{"ready", true}, {"serving", true}, {"terminating", false}}},
                             {"targetRef", {{"kind", "Pod"}, {"namespace", endpoint.ns}, {"name", endpoint.pod}}}}})}};
}

bool leads_there(const Json& found, const Json& wanted) {
  const Json labels = value_at(value_at(found, "metadata"), "labels");
  for (const char* label : {kServiceLabel, kManagedByLabel})
    if (value_at(labels, label) != wanted["metadata"]["labels"][label]) return false;
  return value_at(found, "addressType") == wanted["addressType"] &&
         same_ports(value_at(found, "ports"), wanted["ports"]) &&
         same_endpoints(value_at(found, "endpoints"), wanted["endpoints"]);
}

Result<bool> keep_endpoint(kube::Client& client, const Endpoint& endpoint, const std::function<bool()>& may) {
  auto wanted = slice_of(endpoint);
  if (!wanted) return wanted.error();
  auto found = client.get(kube::kEndpointSlices, endpoint.ns, names::kDeskEndpoints);
  if (!found && !found.error().not_found()) return failed("reading", found.error());
  if (found && leads_there(found.value(), *wanted)) return false;
  if (!may()) return false;

  if (found && value_at(found.value(), "addressType") != (*wanted)["addressType"]) {
    // The one field that cannot be changed; another desk's pod had an address of the other family.
    const auto uid = value_at(value_at(found.value(), "metadata"), "uid");
    const auto removed = client.remove(kube::kEndpointSlices, endpoint.ns, names::kDeskEndpoints,
                                       {.uid = uid.is_string() ? uid.get<std::string>() : std::string()});
    if (!removed && !removed.error().not_found()) return failed("removing", removed.error());
    found = kube::ApiError{404, "NotFound", "removed", 0};
    if (!may()) return false;
  }
  if (!found) {
    const auto created = client.create(kube::kEndpointSlices, endpoint.ns, *wanted);
    // AlreadyExists may be our own first sending or another's: the next look tells.
    if (!created && !created.error().already_exists()) return failed("creating", created.error());
    return true;
  }
  Json next = std::move(found.value());
  next["metadata"].erase("managedFields");
  if (!next["metadata"].contains("labels")) next["metadata"]["labels"] = Json::object();
  next["metadata"]["labels"].update((*wanted)["metadata"]["labels"]);
  next["ports"] = (*wanted)["ports"];
  next["endpoints"] = (*wanted)["endpoints"];
  const auto replaced = client.replace(kube::kEndpointSlices, endpoint.ns, names::kDeskEndpoints, next);
  if (!replaced) return failed("writing", replaced.error());
  return true;
}

struct EndpointKeeper::State {
  kube::Client& client;
  const Options options;
  std::mutex mutex;
  std::condition_variable wake;
  bool stopping = false;
  std::thread thread;

  State(kube::Client& c, Options o) : client(c), options(std::move(o)) {}

  void run() {
    std::unique_lock lock(mutex);
    while (!stopping) {
      lock.unlock();
      const auto kept = keep_endpoint(client, options.endpoint, options.may);
      if (!kept && options.failed) options.failed(kept.error().message);
      if (kept && *kept && options.wrote) options.wrote();
      lock.lock();
      wake.wait_for(lock, options.every, [this] { return stopping; });
    }
  }
};

EndpointKeeper::EndpointKeeper(kube::Client& client, Options options)
    : state_(std::make_unique<State>(client, std::move(options))) {}

EndpointKeeper::~EndpointKeeper() { stop(); }

void EndpointKeeper::start() {
  const std::lock_guard lock(state_->mutex);
  if (state_->stopping || state_->thread.joinable()) return;
  state_->thread = std::thread([state = state_.get()] { state->run(); });
}

void EndpointKeeper::stop() {
  std::thread ending;
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
    ending = std::move(state_->thread);
  }
  state_->wake.notify_all();
  if (ending.joinable()) ending.join();
}

}  // namespace rollcall::desk
