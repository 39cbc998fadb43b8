// Which Workers of an MPIJob run sshd, and how.
#include <gtest/gtest.h>

#include <string>

#include "tests/launch/manifests.h"

namespace rollcall::launch {
namespace {

/// The findings of an MPIJob of two Workers; `pod` are lines of the Worker's spec (indented by ten), `container` of its
/// container (by fourteen).
std::string found(const std::string& version, const std::string& pod, const std::string& container) {
  return test::short_of(test::findings_of(
      "apiVersion: kubeflow.org/" + version +
      "\nkind: MPIJob\nmetadata: {name: llama}\nspec:\n  slotsPerWorker: 8\n  mpiReplicaSpecs:\n    Launcher:\n"
      "      replicas: 1\n      template: {spec: {containers: [{name: l, image: t:1, command: [mpirun, -np, '16', "
      "python, "
      "t.py]}]}}\n    Worker:\n      replicas: 2\n      template:\n        spec:\n" +
      pod + "          containers:\n            - name: w\n              image: t:1\n" + container +
      "              resources: {limits: {nvidia.com/gpu: 8}}\n"));
}

const std::string kWorker = "spec.mpiReplicaSpecs.Worker.template.spec";
const std::string kDropped = "              securityContext: {capabilities: {drop: [ALL]}}\n";
const std::string kHost = "          hostNetwork: true\n          dnsPolicy: ClusterFirstWithHostNet\n";

TEST(Sshd, OfTheControllerIsV2Beta1s) {
  EXPECT_EQ(found("v2beta1", "", kDropped),
            "warn mpi/sshd-without-chroot @ " + kWorker + ".containers[0].securityContext.capabilities");
  EXPECT_EQ(found("v1", "", kDropped), "");
  EXPECT_EQ(found("v2beta1", kHost, ""), "warn host-network/ssh-port-of-the-node @ " + kWorker + ".hostNetwork");
  EXPECT_EQ(found("v1", kHost, ""), "");
}

TEST(Sshd, OfAnOrdinaryUserNeedsNoChroot) {
  EXPECT_EQ(found("v2beta1", "          securityContext: {runAsUser: 1000}\n", kDropped), "");
  EXPECT_EQ(found("v2beta1", "", "              command: [sleep, infinity]\n" + kDropped),
            "deny mpi/worker-without-sshd @ spec.mpiReplicaSpecs.Worker.template.spec.containers[0].command");
  EXPECT_EQ(found("v2beta1", "", "              securityContext: {privileged: true, capabilities: {drop: [ALL]}}\n"),
            "");
  EXPECT_EQ(found("v2beta1", "",
                  "              securityContext: {capabilities: {drop: [SYS_CHROOT], add: [CAP_SYS_CHROOT]}}\n"),
            "");
}

TEST(Sshd, AtAnotherPort) {
  EXPECT_EQ(found("v2beta1", kHost, "              command: [/usr/sbin/sshd, -De, -p, '2222']\n"), "");
  EXPECT_EQ(found("v2beta1", kHost, "              command: [/usr/sbin/sshd, -De, -f, /etc/own]\n"), "");
}

}  // namespace
}  // namespace rollcall::launch
