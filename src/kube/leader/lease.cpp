#include "kube/leader/lease.h"

#include <fmt/format.h>

#include "base/time_text.h"

namespace rollcall::kube {
namespace {

using Json = nlohmann::json;

Error odd(const char* field, const Json& value) {
  return Error{fmt::format("the Lease's spec.{} is {}, which no version of the API writes", field,
                           value.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 100))};
}

Status take(const Json& spec, const char* field, std::string& into) {
  const auto value = spec.find(field);
  if (value == spec.end() || value->is_null()) return Done{};
  if (!value->is_string()) return odd(field, *value);
  into = value->get<std::string>();
  return Done{};
}

Status take(const Json& spec, const char* field, std::int64_t& into) {
  const auto value = spec.find(field);
  if (value == spec.end() || value->is_null()) return Done{};
  // int32 in the API.
  if (!value->is_number_integer() || *value < 0 || *value > INT32_MAX) return odd(field, *value);
  into = value->get<std::int64_t>();
  return Done{};
}

}  // namespace

Result<LeaseRecord> lease_record_from(const Json& lease) {
  LeaseRecord record;
  const auto spec = lease.find("spec");
  if (spec == lease.end() || spec->is_null()) return record;
  if (!spec->is_object()) return odd("", *spec);
  std::int64_t seconds = 0;
  for (const auto& done :
       {take(*spec, "holderIdentity", record.holder), take(*spec, "leaseDurationSeconds", seconds),
        take(*spec, "leaseTransitions", record.transitions), take(*spec, "acquireTime", record.acquire_time),
        take(*spec, "renewTime", record.renew_time)})
    if (!done) return done.error();
  record.duration = std::chrono::seconds(seconds);
  return record;
}

void put(const LeaseRecord& record, Json& lease) {
  Json& spec = lease["spec"];
  if (record.holder.empty()) {
    spec.erase("holderIdentity");
  } else {
    spec["holderIdentity"] = record.holder;
  }
  spec["leaseDurationSeconds"] = std::chrono::ceil<std::chrono::seconds>(record.duration).count();
  spec["leaseTransitions"] = record.transitions;
  spec["acquireTime"] = record.acquire_time;
  spec["renewTime"] = record.renew_time;
}

Json new_lease(std::string_view ns, std::string_view name, const LeaseRecord& record) {
  Json lease{{"apiVersion", "coordination.k8s.io/v1"},
             {"kind", "Lease"},
             {"metadata", {{"namespace", ns}, {"name", name}}},
             {"spec", Json::object()}};
  put(record, lease);
  return lease;
}

std::string micro_time(std::chrono::system_clock::time_point time) {
  const auto micros = std::chrono::floor<std::chrono::microseconds>(time);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(micros);
  std::string text = rfc3339(std::chrono::time_point_cast<std::chrono::milliseconds>(seconds));
  text.pop_back();  // Z
  return fmt::format("{}.{:06}Z", text, (micros - seconds).count());
}

}  // namespace rollcall::kube
