#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace rollcall::kube {

/// What a coordination.k8s.io/v1 Lease says of its holder. Times are text that is compared, never believed.
struct LeaseRecord {
  std::string holder;  ///< empty = nobody
  std::chrono::milliseconds duration{0};
  std::int64_t transitions = 0;
  std::string acquire_time, renew_time;

  bool operator==(const LeaseRecord&) const = default;
};

/// Reads `spec`; what is absent is empty or 0. An Error when a field has another type than the API gives it.
Result<LeaseRecord> lease_record_from(const nlohmann::json& lease);

/// Writes the record into `spec`, leaving all other fields as they are; whole seconds, rounded up. An empty holder
/// leaves the field out, as client-go does.
void put(const LeaseRecord& record, nlohmann::json& lease);

/// A Lease that does not exist yet.
nlohmann::json new_lease(std::string_view ns, std::string_view name, const LeaseRecord& record);

/// metav1.MicroTime: six decimals, which the API server insists on.
std::string micro_time(std::chrono::system_clock::time_point time);

}  // namespace rollcall::kube
