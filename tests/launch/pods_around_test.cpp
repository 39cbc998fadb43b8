// What pods need of memory, devices, the host network and a mesh: edges, and what is fine.
#include <gtest/gtest.h>

#include <string>

#include "launch/rules/memory/quantity.h"
#include "tests/launch/manifests.h"

namespace rollcall::launch {
namespace {

using test::all_findings_of;
using test::findings_of;
using test::short_of;

constexpr const char* kService =
    "apiVersion: v1\nkind: Service\nmetadata: {name: llama}\n"
    "spec: {clusterIP: None, publishNotReadyAddresses: true, selector: {app: llama}}\n---\n";

/// An Indexed Job of four pods; `pod` are lines of the pod's spec (indented by six), `container` of its container (by
/// ten), `limits` the devices and the memory.
std::string job(const std::string& pod, const std::string& container, const std::string& limits,
                const std::string& processes = "2", const std::string& metadata = "{labels: {app: llama}}") {
  return std::string(kService) +
         "apiVersion: batch/v1\nkind: Job\nmetadata: {name: llama, namespace: team}\nspec:\n"
         "  completionMode: Indexed\n  completions: 4\n  parallelism: 4\n  template:\n    metadata: " +
         metadata + "\n    spec:\n      subdomain: llama\n      restartPolicy: Never\n" + pod +
         "      containers:\n        - name: c\n          image: t:1\n"
         "          command: [torchrun, --nnodes=4, --nproc-per-node=" +
         processes + ", --rdzv-backend=c10d, --rdzv-id=l, '--rdzv-endpoint=llama-0.llama:29400', t.py]\n" +
         "          resources: {limits: " + limits + "}\n" + container;
}

const std::string kMount = "          volumeMounts: [{name: shm, mountPath: /dev/shm}]\n";
const std::string kAt = " @ spec.template.spec.containers[0]";

std::string shm(const std::string& empty_dir) { return "      volumes: [{name: shm, emptyDir: " + empty_dir + "}]\n"; }
std::string found(const std::string& text) { return short_of(all_findings_of(text)); }

TEST(Quantities, AreBytes) {
  const auto bytes = [](const nlohmann::json& value) { return rules::bytes_of(Field(value)).value_or(-1); };
  EXPECT_EQ(bytes("64Mi"), 67108864);
  EXPECT_EQ(bytes("1.5G"), 1.5e9);
  EXPECT_EQ(bytes("1e3"), 1000);
  EXPECT_EQ(bytes(1024), 1024);
  EXPECT_EQ(bytes("500m"), 0.5);
  EXPECT_EQ(bytes("1Ei"), 1152921504606846976.0);
  for (const char* none : {"", "Gi", "-1Gi", "1 Gi", "1GiB", "lots"}) EXPECT_EQ(bytes(none), -1) << none;
  EXPECT_EQ(bytes(nullptr), -1);
}

TEST(SharedMemory, IsMissedBySeveralProcessesWithGpus) {
  const std::string missed = "warn memory/no-shm" + kAt + ".volumeMounts";
  EXPECT_EQ(found(job("", "", "{nvidia.com/gpu: 2, memory: 64Gi}")), missed);
  EXPECT_EQ(found(job("", "", "{nvidia.com/gpu: 1, memory: 64Gi}", "1")), "");
  EXPECT_EQ(found(job("", "", "{cpu: 8, memory: 64Gi}")), "");
  EXPECT_EQ(found(job("", "", "{aws.amazon.com/neuron: 2, memory: 64Gi}")), "");
  EXPECT_EQ(found(job("      hostIPC: true\n", "", "{nvidia.com/gpu: 2, memory: 64Gi}")), "");
  EXPECT_EQ(found(job("      volumes: [{name: shm, hostPath: {path: /dev/shm}}]\n", kMount,
                      "{nvidia.com/gpu: 2, memory: 64Gi}")),
            "");
}

TEST(SharedMemory, HasASizeThatFits) {
  const std::string limits = "{nvidia.com/gpu: 2, memory: 64Gi}",
                    size = "spec.template.spec.volumes[0].emptyDir.sizeLimit";
  EXPECT_EQ(found(job(shm("{medium: Memory, sizeLimit: 64M}"), kMount, limits)), "warn memory/small-shm @ " + size);
  EXPECT_EQ(found(job(shm("{medium: Memory, sizeLimit: 65536Ki}"), kMount, limits)), "warn memory/small-shm @ " + size);
  EXPECT_EQ(found(job(shm("{medium: Memory, sizeLimit: 1Gi}"), kMount, limits)), "");
  EXPECT_EQ(found(job(shm("{medium: Memory, sizeLimit: 64Gi}"), kMount, limits)),
            "warn memory/shm-over-limit @ " + size);
  EXPECT_EQ(found(job(shm("{sizeLimit: 64Gi}"), kMount, limits)), "");  // on disk
}

TEST(Memory, OfAContainer) {
  EXPECT_EQ(found(job(shm("{medium: Memory, sizeLimit: 128Mi}"), kMount, "{nvidia.com/gpu: 2, memory: 1023Mi}")),
            "warn memory/limit-without-room" + kAt + ".resources.limits.memory");
  EXPECT_EQ(found(job(shm("{medium: Memory, sizeLimit: 128Mi}"), kMount, "{nvidia.com/gpu: 2, memory: 1Gi}")), "");
  EXPECT_EQ(found(job(shm("{medium: Memory}"), kMount, "{nvidia.com/gpu: 2}")),
            "info memory/shm-without-bound" + kAt + ".resources.limits.memory");
}

TEST(Rdma, DevicesComeBySomeWay) {
  const std::string ib =
      "      volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 8Gi}}, {name: ib, hostPath: {path: "
      "/dev/infiniband}}]\n";
  const std::string plain = "{nvidia.com/gpu: 2, memory: 64Gi}";
  EXPECT_EQ(found(job(ib, kMount, plain)),
            "warn rdma/devices-not-allowed @ spec.template.spec.volumes[1].hostPath.path");
  EXPECT_EQ(found(job(ib, kMount + "          securityContext: {privileged: true}\n", plain)), "");
  EXPECT_EQ(found(job(ib, kMount, plain, "2", "{annotations: {devices.nri.io/container.c: x}, labels: {app: llama}}")),
            "");
  EXPECT_EQ(found(job(ib, kMount + "          securityContext: {capabilities: {add: [CAP_IPC_LOCK]}}\n",
                      "{nvidia.com/gpu: 2, memory: 64Gi, rdma/hca: 1}")),
            "");
}

TEST(HostNetwork, PortsAreShared) {
  const std::string net =
      "      hostNetwork: true\n      dnsPolicy: ClusterFirstWithHostNet\n" + shm("{medium: Memory, sizeLimit: 8Gi}");
  const std::string limits = "{nvidia.com/gpu: 2, memory: 64Gi}";
  EXPECT_EQ(found(job(net, kMount, limits)), "warn host-network/fixed-port" + kAt + ".command[5]");
  EXPECT_EQ(found(job(net, kMount + "          ports: [{containerPort: 29400}]\n", limits)), "");
  EXPECT_EQ(found(job(net, kMount, "{nvidia.com/gpu: 8, memory: 64Gi}", "8")), "");
  EXPECT_EQ(
      found(job(net +
                    "      affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
                    "kubernetes.io/hostname, labelSelector: {matchLabels: {app: llama}}}]}}\n",
                kMount, limits)),
      "");
}

TEST(HostNetwork, NamesNeedTheClustersDns) {
  const std::string volumes = shm("{medium: Memory, sizeLimit: 8Gi}"), limits = "{nvidia.com/gpu: 8, memory: 64Gi}";
  const std::string denied = "deny host-network/names-do-not-resolve @ spec.template.spec.dnsPolicy";
  EXPECT_EQ(found(job("      hostNetwork: true\n" + volumes, kMount, limits, "8")), denied);
  EXPECT_EQ(found(job("      dnsPolicy: Default\n" + volumes, kMount, limits, "8")), denied);
  EXPECT_EQ(found(job("      hostNetwork: true\n      dnsPolicy: None\n      dnsConfig: {nameservers: [10.96.0.10]}\n" +
                          volumes,
                      kMount, limits, "8")),
            "");
}

TEST(Mesh, WhoPutsTheProxyIn) {
  const auto in = [](const std::string& space, const std::string& metadata, const std::string& pod = "") {
    return found(
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: team, " + space + "}\n---\n" +
        job(pod + shm("{medium: Memory, sizeLimit: 8Gi}"), kMount, "{nvidia.com/gpu: 8, memory: 64Gi}", "8", metadata));
  };
  const std::string warned = "warn mesh/sidecar @ spec.template.metadata", plain = "{labels: {app: llama}}";
  EXPECT_EQ(in("labels: {istio-injection: enabled}", plain), warned);
  EXPECT_EQ(in("labels: {istio.io/rev: stable}", plain), warned);
  EXPECT_EQ(in("annotations: {linkerd.io/inject: enabled}", plain), warned);
  EXPECT_EQ(in("labels: {a: b}", "{labels: {app: llama, sidecar.istio.io/inject: 'true'}}"), warned);
  EXPECT_EQ(in("labels: {a: b}", plain), "");
  EXPECT_EQ(in("labels: {istio-injection: disabled, istio.io/rev: stable}", plain), "");
  EXPECT_EQ(in("annotations: {linkerd.io/inject: enabled}",
               "{labels: {app: llama}, annotations: {linkerd.io/inject: disabled}}"),
            "");
  EXPECT_EQ(in("labels: {istio-injection: enabled}",
               "{labels: {app: llama}, annotations: {traffic.sidecar.istio.io/excludeInboundPorts: '1-65535'}}"),
            "");
  EXPECT_EQ(in("labels: {istio-injection: enabled}", plain,
               "      hostNetwork: true\n      dnsPolicy: ClusterFirstWithHostNet\n"),
            "");
}

}  // namespace
}  // namespace rollcall::launch
