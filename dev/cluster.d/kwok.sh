# Simulated nodes beside the real ones: Ready, with pods that are "Running" at once and do nothing. Tainted, so that only pods that
# tolerate kwok.x-k8s.io/node land there.
start_kwok() {
  spawn kwok "$BIN/kwok" --kubeconfig="$KUBECONFIG" --manage-all-nodes=false \
    --manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake --node-lease-duration-seconds=40 \
    --server-address=127.0.0.1:20247
}

# start_kwok_nodes COUNT: kwok-1 … kwok-COUNT; more than that from an earlier call stay.
start_kwok_nodes() {
  local i
  [ "$1" -gt 0 ] || return 0
  for ((i = 1; i <= $1; i++)); do
    cat <<YAML
---
apiVersion: v1
kind: Node
metadata:
  name: kwok-$i
  annotations: {kwok.x-k8s.io/node: fake}
  labels: {type: kwok, kubernetes.io/hostname: kwok-$i, kubernetes.io/os: linux, kubernetes.io/arch: amd64}
spec:
  taints: [{key: kwok.x-k8s.io/node, value: fake, effect: NoSchedule}]
status:
  capacity: {cpu: "96", memory: 1Ti, pods: "110", nvidia.com/gpu: "8"}
  allocatable: {cpu: "96", memory: 1Ti, pods: "110", nvidia.com/gpu: "8"}
YAML
  done | "$KUBECTL" apply -f - >/dev/null
  pid_of kwok >/dev/null || start_kwok
  wait_until 120 "Ready of $1 simulated nodes" kwok_nodes_ready "$1"
}

kwok_nodes_ready() { [ "$("$KUBECTL" get nodes -l type=kwok --no-headers | grep -cw Ready)" -ge "$1" ]; }
