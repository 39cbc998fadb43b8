#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "kube/client.h"
#include "launch/pod/make_pod.h"
#include "operator/options.h"

namespace rollcall::operator_ {

/// `10.96.3.4:443` of a Service, from its document; an Error names the Service and what it lacks.
Result<std::string> address_of_service(const nlohmann::json& service);

/// What pods are told of the desk: address, name and certificates. Looked up at start and again from time to time,
/// because the Service may be made anew and certificates are renewed. Reads from any thread.
class DeskReference {
 public:
  DeskReference(kube::Client& client, Options options);
  ~DeskReference();
  DeskReference(const DeskReference&) = delete;
  DeskReference& operator=(const DeskReference&) = delete;

  /// One look-up, blocking. An Error says what is missing; the certificates are kept also when the Service is not
  /// there.
  Status refresh();
  /// Looks again every 10 min, every 5 s while something is missing.
  void start();

  struct Known {
    std::optional<launch::ProbeSettings> settings;
    std::string missing;        ///< why there are no settings
    bool certificates = false;  ///< the Secrets stand
  };
  Known known() const;

 private:
  void run(const std::stop_token& stop);

  kube::Client& client_;
  const Options options_;
  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  Known known_;
  std::jthread thread_;  ///< last: ends before the rest goes
};

}  // namespace rollcall::operator_
