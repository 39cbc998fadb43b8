#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "kube/client.h"

namespace rollcall::desk::testing {

using kube::ApiError;
using kube::Json;

/// An API server in memory, as far as the desk asks one: RollCalls with compare-and-swap, TokenReviews, keys. Any
/// thread.
class FakeApi final : public kube::Client {
 public:
  /// What becomes of the next writes of status, in order; then all succeed.
  enum class Fate {
    Stored,
    LostReply,  ///< stored, but the reply never comes
    Lost,       ///< not stored, no reply
    Forbidden,
  };

  kube::Reply get(const kube::Resource&, std::string_view ns, std::string_view name) override;
  kube::Reply create(const kube::Resource&, std::string_view ns, const Json& object,
                     const kube::WriteOptions&) override;
  kube::Reply replace_status(const kube::Resource&, std::string_view ns, std::string_view name,
                             const Json& object) override;
  kube::Reply raw_get(const std::string& path) override;

  kube::Reply replace(const kube::Resource&, std::string_view, std::string_view, const Json&,
                      const kube::WriteOptions&) override;
  kube::Reply merge_patch(const kube::Resource&, std::string_view, std::string_view, const Json&,
                          std::string_view) override;
  kube::Reply remove(const kube::Resource&, std::string_view, std::string_view, const kube::DeleteOptions&) override;
  kube::Reply list(const kube::Resource&, std::string_view, const std::map<std::string, std::string>&) override;
  Result<std::string> raw_text(const std::string& path) override;
  std::optional<ApiError> watch(const kube::Resource&, std::string_view, const std::map<std::string, std::string>&,
                                const std::function<void(kube::WatchEvent)>&, const std::function<bool()>&) override;

  /// Stores an object as its writer left it; gives it a new resourceVersion. Returns what is stored.
  Json put(Json object);
  /// Changes a stored object as another writer does.
  Json change(const std::string& ns, const std::string& name, const std::function<void(Json&)>& how);
  void erase(const std::string& ns, const std::string& name);
  Json stored(const std::string& ns, const std::string& name);

  void fates(std::deque<Fate> next);
  /// While down nothing is answered.
  void set_down(bool down);
  /// Called before each status write is taken in, outside the lock: another writer's chance to be first.
  std::function<void()> before_write;

  /// TokenReview: token → status.
  std::function<Json(const std::string& token)> review = [](const std::string&) {
    return Json{{"authenticated", false}};
  };
  Json keys;  ///< JWKS; null = 403

  int status_writes();
  int reviews();
  int key_reads();

 private:
  kube::Reply no_answer() const { return ApiError{0, "Deadline", "no answer within 30 s", 0}; }

  std::mutex mutex_;
  std::map<std::string, Json> objects_;
  std::deque<Fate> fates_;
  bool down_ = false;
  int version_ = 100;
  int status_writes_ = 0, reviews_ = 0, key_reads_ = 0;
};

}  // namespace rollcall::desk::testing
