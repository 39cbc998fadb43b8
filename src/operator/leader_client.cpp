#include "operator/leader_client.h"

namespace rollcall::operator_ {

using kube::Json;
using kube::Reply;
using kube::Resource;

namespace {

kube::ApiError refusal() {
  return {0, "NotLeading", "not sent: this process does not hold the lease (any more); whoever does acts", 0};
}

}  // namespace

Reply LeaderClient::get(const Resource& resource, std::string_view ns, std::string_view name) {
  return client_.get(resource, ns, name);
}

Reply LeaderClient::create(const Resource& resource, std::string_view ns, const Json& object,
                           const kube::WriteOptions& options) {
  if (!leading_()) return refusal();
  return client_.create(resource, ns, object, options);
}

Reply LeaderClient::replace(const Resource& resource, std::string_view ns, std::string_view name, const Json& object,
                            const kube::WriteOptions& options) {
  if (!leading_()) return refusal();
  return client_.replace(resource, ns, name, object, options);
}

Reply LeaderClient::replace_status(const Resource& resource, std::string_view ns, std::string_view name,
                                   const Json& object) {
  if (!leading_()) return refusal();
  return client_.replace_status(resource, ns, name, object);
}

Reply LeaderClient::merge_patch(const Resource& resource, std::string_view ns, std::string_view name, const Json& patch,
                                std::string_view subresource) {
  if (!leading_()) return refusal();
  return client_.merge_patch(resource, ns, name, patch, subresource);
}

Reply LeaderClient::remove(const Resource& resource, std::string_view ns, std::string_view name,
                           const kube::DeleteOptions& options) {
  if (!leading_()) return refusal();
  return client_.remove(resource, ns, name, options);
}

Reply LeaderClient::list(const Resource& resource, std::string_view ns,
                         const std::map<std::string, std::string>& query) {
  return client_.list(resource, ns, query);
}

Reply LeaderClient::raw_get(const std::string& path) { return client_.raw_get(path); }

Result<std::string> LeaderClient::raw_text(const std::string& path) { return client_.raw_text(path); }

std::optional<kube::ApiError> LeaderClient::watch(const Resource& resource, std::string_view ns,
                                                  const std::map<std::string, std::string>& query,
                                                  const std::function<void(kube::WatchEvent)>& on_event,
                                                  const std::function<bool()>& stopped) {
  return client_.watch(resource, ns, query, on_event, stopped);
}

}  // namespace rollcall::operator_
