#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "e2e/command.h"
#include "e2e/world.h"

/// Rollcall itself under test: its chart, Deployments, certificates and webhook configuration.
namespace rollcall::e2e {

inline constexpr auto kAddOnNamespace = "rollcall-system";
inline constexpr auto kPrograms = {"operator", "desk", "webhook"};

/// Whatever a test does to Rollcall, it is installed as `dev/cluster install` does it when this ends (which is done
/// anew only when something of it differs from what stood at the beginning: it takes ten seconds).
class AddOn {
 public:
  explicit AddOn(World& world) : api_(world.api()), before_(all_of_it()) {}
  ~AddOn();
  AddOn(const AddOn&) = delete;
  AddOn& operator=(const AddOn&) = delete;

  /// `dev/cluster install ARGUMENTS…`: returns when everything is Ready and a faulty job is refused.
  void install(const std::vector<std::string>& arguments = {});
  /// deployments/rollcall-PROGRAM; empty when there is none.
  Json deployment(const std::string& program);
  /// As many new pods Ready as are wanted, and no old ones.
  bool rolled_out(const std::string& program);
  std::vector<Json> pods(const std::string& program);
  void scale(const std::string& program, int replicas);
  /// The webhook configuration; empty when there is none.
  Json webhook_configuration();
  /// Base64 as it stands there; "" when there is none.
  std::string ca_bundle();
  /// holderIdentity of a lease of ours, or "".
  std::string holder(const std::string& lease);

 private:
  /// What Helm and people may change: releases, specs of Deployments, the webhook configuration.
  Json all_of_it();
  kube::Client& api_;
  Json before_;
};

/// A job that no rule lets through: 8 processes a node, 4 GPUs in the pod.
Json faulty_job(const std::string& name);
inline constexpr auto kFaultyRule = "gpu/more-processes-than-gpus";

/// Whether the job has pods, and all of them are in that phase.
bool all_pods(World& world, const std::string& job, const std::string& phase);
/// By node rank.
std::vector<std::string> pod_uids(World& world, const std::string& job);

/// Asks for a faulty job again and again, nothing is stored, and counts what the API server says.
class Admissions {
 public:
  explicit Admissions(World& world);
  ~Admissions() { stop(); }
  Admissions(const Admissions&) = delete;
  Admissions& operator=(const Admissions&) = delete;
  void stop();
  int refused_by_rule() const { return refused_; }
  /// Every other answer, in the API server's words: a webhook that did not answer, a job let through.
  const std::vector<std::string>& others() const { return others_; }  ///< after stop()

 private:
  void ask();
  World& world_;
  std::atomic<bool> ended_{false};
  std::atomic<int> refused_{0};
  std::vector<std::string> others_;
  std::thread thread_;
};

/// A policy for the world's namespace alone, for as long as this lives.
class NamespacePolicy {
 public:
  NamespacePolicy(World& world, const std::string& what, Json spec);
  ~NamespacePolicy() { remove(); }
  void remove();
  NamespacePolicy(const NamespacePolicy&) = delete;
  NamespacePolicy& operator=(const NamespacePolicy&) = delete;
  const std::string& name() const { return name_; }

 private:
  World& world_;
  std::string name_;
  bool stands_ = true;
};
/// No node has that much shared memory, so every job of the namespace is held, wherever its pods are.
inline const Json kHoldsEveryJob = {{"thresholds", {{"minSharedMemoryMebibytes", 1 << 20}}}};

}  // namespace rollcall::e2e
