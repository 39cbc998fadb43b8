#pragma once

#include <optional>
#include <string>

#include "kube/client.h"
#include "operator/decision.h"

namespace rollcall::operator_ {

/// Performs single actions against the API server. Answers nullopt when the action holds now, whoever did it: an object
/// that is already there and ours, or gone, is a success. An error of reason Conflict says that what was read is out of
/// date.
class Actor {
 public:
  Actor(kube::Client& client, const Observed& observed, const Decision& decision)
      : client_(client), observed_(observed), decision_(decision) {}

  std::optional<kube::ApiError> perform(const Action& action) const;

 private:
  std::optional<kube::ApiError> act(const DryRunPod& action) const;
  std::optional<kube::ApiError> act(const CreatePod& action) const;
  std::optional<kube::ApiError> act(const AnnotatePod& action) const;
  std::optional<kube::ApiError> act(const EndPod& action) const;
  std::optional<kube::ApiError> act(const DeletePod& action) const;
  std::optional<kube::ApiError> act(const CreateRollCall& action) const;
  std::optional<kube::ApiError> act(const DeleteRollCall& action) const;
  std::optional<kube::ApiError> act(const AnnotateRollCall& action) const;
  std::optional<kube::ApiError> act(const WriteVerdict& action) const;
  std::optional<kube::ApiError> act(const WriteEnd& action) const;
  std::optional<kube::ApiError> act(const ConsumeRelease& action) const;
  std::optional<kube::ApiError> act(const DeleteJob& action) const;

  std::optional<kube::ApiError> one_is_alive(const std::vector<std::pair<std::string, std::string>>& pods) const;
  std::optional<kube::ApiError> write_once(const std::string& name, const std::string& uid, const char* field,
                                           const nlohmann::json& value) const;
  const std::string& ns() const { return observed_.job.meta.namespace_name; }

  kube::Client& client_;
  const Observed& observed_;
  const Decision& decision_;
};

/// Name and verb for logs: "create pod llama-0-1".
std::string words_of(const Action& action, const Observed& observed, const Decision& decision);

}  // namespace rollcall::operator_
