#include "desk/support/fake_api.h"

namespace rollcall::desk::testing {
namespace {

std::string key_of(std::string_view ns, std::string_view name) { return std::string(ns) + "/" + std::string(name); }
ApiError not_found() { return {404, "NotFound", "not found", 0}; }
ApiError not_asked() { return {405, "MethodNotAllowed", "the desk asked for what it may not", 0}; }

}  // namespace

kube::Reply FakeApi::get(const kube::Resource&, std::string_view ns, std::string_view name) {
  const std::lock_guard lock(mutex_);
  if (down_) return no_answer();
  const auto it = objects_.find(key_of(ns, name));
  if (it == objects_.end()) return not_found();
  return it->second;
}

kube::Reply FakeApi::create(const kube::Resource& resource, std::string_view, const Json& object,
                            const kube::WriteOptions&) {
  if (resource.plural != "tokenreviews") return not_asked();
  {
    const std::lock_guard lock(mutex_);
    ++reviews_;
    if (down_) return no_answer();
  }
  Json reply = object;
  reply["status"] = review(object["spec"]["token"].get<std::string>());
  return reply;
}

kube::Reply FakeApi::replace_status(const kube::Resource&, std::string_view ns, std::string_view name,
                                    const Json& object) {
  if (before_write) before_write();
  const std::lock_guard lock(mutex_);
  if (down_) return no_answer();
  Fate fate = Fate::Stored;
  if (!fates_.empty()) {
    fate = fates_.front();
    fates_.pop_front();
  }
  if (fate == Fate::Lost) return no_answer();
  if (fate == Fate::Forbidden) return ApiError{403, "Forbidden", "rollcalls/status is forbidden", 0};
  const auto it = objects_.find(key_of(ns, name));
  if (it == objects_.end()) return not_found();
  const Json &sent = object["metadata"], &have = it->second["metadata"];
  if (sent["resourceVersion"] != have["resourceVersion"] || sent["uid"] != have["uid"])
    return ApiError{409, "Conflict", "the object has been modified", 0};
  ++status_writes_;
  it->second["status"] = object["status"];
  it->second["metadata"]["resourceVersion"] = std::to_string(++version_);
  if (fate == Fate::LostReply) return no_answer();
  return it->second;
}

kube::Reply FakeApi::raw_get(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (path != "/openid/v1/jwks") return not_asked();
  ++key_reads_;
  if (down_) return no_answer();
  if (keys.is_null()) return ApiError{403, "Forbidden", "no", 0};
  return keys;
}

kube::Reply FakeApi::replace(const kube::Resource&, std::string_view, std::string_view, const Json&,
                             const kube::WriteOptions&) {
  return not_asked();
}
kube::Reply FakeApi::merge_patch(const kube::Resource&, std::string_view, std::string_view, const Json&,
                                 std::string_view) {
  return not_asked();
}
kube::Reply FakeApi::remove(const kube::Resource&, std::string_view, std::string_view, const kube::DeleteOptions&) {
  return not_asked();
}
kube::Reply FakeApi::list(const kube::Resource&, std::string_view, const std::map<std::string, std::string>&) {
  return not_asked();
}
Result<std::string> FakeApi::raw_text(const std::string&) { return Error{"the desk reads no text"}; }
std::optional<ApiError> FakeApi::watch(const kube::Resource&, std::string_view,
                                       const std::map<std::string, std::string>&,
                                       const std::function<void(kube::WatchEvent)>&, const std::function<bool()>&) {
  return not_asked();
}

Json FakeApi::put(Json object) {
  const std::lock_guard lock(mutex_);
  object["metadata"]["resourceVersion"] = std::to_string(++version_);
  auto& slot = objects_[key_of(object["metadata"]["namespace"].get<std::string>(),
                               object["metadata"]["name"].get<std::string>())];
  slot = object;
  return slot;
}

Json FakeApi::change(const std::string& ns, const std::string& name, const std::function<void(Json&)>& how) {
  const std::lock_guard lock(mutex_);
  Json& object = objects_.at(key_of(ns, name));
  how(object);
  object["metadata"]["resourceVersion"] = std::to_string(++version_);
  return object;
}

void FakeApi::erase(const std::string& ns, const std::string& name) {
  const std::lock_guard lock(mutex_);
  objects_.erase(key_of(ns, name));
}

Json FakeApi::stored(const std::string& ns, const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto it = objects_.find(key_of(ns, name));
  return it == objects_.end() ? Json() : it->second;
}

void FakeApi::fates(std::deque<Fate> next) {
  const std::lock_guard lock(mutex_);
  fates_ = std::move(next);
}

void FakeApi::set_down(bool down) {
  const std::lock_guard lock(mutex_);
  down_ = down;
}

int FakeApi::status_writes() {
  const std::lock_guard lock(mutex_);
  return status_writes_;
}
int FakeApi::reviews() {
  const std::lock_guard lock(mutex_);
  return reviews_;
}
int FakeApi::key_reads() {
  const std::lock_guard lock(mutex_);
  return key_reads_;
}

}  // namespace rollcall::desk::testing
