#pragma once

#include <functional>
#include <string>

#include "kube/client.h"

namespace rollcall::operator_ {

/// A client that writes only for a leader: each write asks `leading` first and is refused with reason NotLeading when
/// the answer is no, without being sent. A process that was stopped and woken has lost its lease on the monotonic clock
/// before it can write. Reads and watches pass, so that a standby's caches are warm. Not a fencing token: a write that
/// was on the wire arrives; it carries a resourceVersion, a uid, or a name that follows from its content.
class LeaderClient final : public kube::Client {
 public:
  /// Both must outlive it; `leading` from any thread, without I/O.
  LeaderClient(kube::Client& client, std::function<bool()> leading) : client_(client), leading_(std::move(leading)) {}

  kube::Reply get(const kube::Resource&, std::string_view ns, std::string_view name) override;
  kube::Reply create(const kube::Resource&, std::string_view ns, const kube::Json& object,
                     const kube::WriteOptions&) override;
  kube::Reply replace(const kube::Resource&, std::string_view ns, std::string_view name, const kube::Json& object,
                      const kube::WriteOptions&) override;
  kube::Reply replace_status(const kube::Resource&, std::string_view ns, std::string_view name,
                             const kube::Json& object) override;
  kube::Reply merge_patch(const kube::Resource&, std::string_view ns, std::string_view name, const kube::Json& patch,
                          std::string_view subresource) override;
  kube::Reply remove(const kube::Resource&, std::string_view ns, std::string_view name,
                     const kube::DeleteOptions&) override;
  kube::Reply list(const kube::Resource&, std::string_view ns,
                   const std::map<std::string, std::string>& query) override;
  kube::Reply raw_get(const std::string& path) override;
  Result<std::string> raw_text(const std::string& path) override;
  std::optional<kube::ApiError> watch(const kube::Resource&, std::string_view ns,
                                      const std::map<std::string, std::string>& query,
                                      const std::function<void(kube::WatchEvent)>& on_event,
                                      const std::function<bool()>& stopped) override;

 private:
  kube::Client& client_;
  const std::function<bool()> leading_;
};

}  // namespace rollcall::operator_
