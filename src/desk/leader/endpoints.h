#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/result.h"
#include "kube/client.h"

namespace rollcall::desk {

/// Where the probes find the desk that leads: the one endpoint of the Service, which has no selector.
struct Endpoint {
  std::string ns;
  std::string service;  ///< name of the Service
  std::string pod;
  std::string address;  ///< the pod's IP, v4 or v6
  std::uint16_t port = 0;
};

/// The EndpointSlice that says so. An Error when the address is none.
Result<nlohmann::json> slice_of(const Endpoint& endpoint);

/// Whether a slice as read leads exactly where `wanted` says, and nowhere else.
bool leads_there(const nlohmann::json& found, const nlohmann::json& wanted);

/// One look: creates the slice, or sets it right when another desk, a person or a program changed or deleted it. True =
/// something was written. `may` is asked before each write: a desk that does not lead writes nothing, and an old
/// resourceVersion keeps one that was stopped between the two from undoing its successor's write.
///
/// Slices of the Service under other names are left alone: nobody else makes any for a Service without selector, and to
/// delete them the desk would need rights over the slices of every Service in its namespace, the webhook's too.
Result<bool> keep_endpoint(kube::Client& client, const Endpoint& endpoint, const std::function<bool()>& may);

/// keep_endpoint() again and again on a thread of its own, while `may` says so. Rights: endpointslices create; get,
/// update, delete of names::kDeskEndpoints.
class EndpointKeeper {
 public:
  struct Options {
    Endpoint endpoint;
    std::function<bool()> may;
    std::chrono::milliseconds every{2'000};  ///< the pace of the lease: a wrong slice stands no longer than a lost lead
    std::function<void()> wrote = {};        ///< after each look that had to write
    std::function<void(const std::string& why)> failed = {};
  };
  EndpointKeeper(kube::Client& client, Options options);
  ~EndpointKeeper();
  EndpointKeeper(const EndpointKeeper&) = delete;
  EndpointKeeper& operator=(const EndpointKeeper&) = delete;

  void start();  ///< once: when the lead is won. Any thread.
  void stop();   ///< no write after it; waits for one under way

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rollcall::desk
