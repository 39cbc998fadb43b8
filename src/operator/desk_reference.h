#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "kube/client.h"
#include "launch/pod/make_pod.h"

namespace rollcall::operator_ {

/// `10.96.3.4:443` of a Service, from its document; an Error says what it lacks.
Result<std::string> address_of_service(const nlohmann::json& service);

/// What pods are told of the desk: address, name and certificates. Upkeep refreshes it; reads from any thread.
class DeskReference {
 public:
  struct Settings {
    std::string ns;  ///< Rollcall's own namespace
    std::string service;
    std::string probe_image;
    std::string probe_image_pull_policy;   ///< empty = the cluster's default
    std::string bundled_probe_image = {};  ///< empty = there is none
  };
  DeskReference(kube::Client& client, Settings settings) : client_(client), settings_(std::move(settings)) {}

  /// Looks the Service up, blocking; pods are told of `bundle` from then on. An Error says what is missing.
  Status refresh(const std::string& bundle);
  /// The bundle could not be had.
  void lacks(const std::string& why);

  struct Known {
    std::optional<launch::ProbeSettings> settings;
    std::string missing;  ///< why there are no settings
  };
  Known known() const;
  /// Whether known() says anything yet: of a desk, or why there is none.
  bool looked_up() const;

 private:
  kube::Client& client_;
  const Settings settings_;
  mutable std::mutex mutex_;
  Known known_;
};

}  // namespace rollcall::operator_
