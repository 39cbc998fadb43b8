# A node: containerd, kubelet and kube-proxy in the node's network namespace. They are started with nsenter, not `ip netns exec`,
# which would mount a new /sys and hide the cgroups from the kubelet.

in_node() {
  local n=$1
  shift
  nsenter --net="/run/netns/$(node_netns "$n")" "$@"
}

ctr_of() {
  local n=$1
  shift
  ctr -a "$(node_dir "$n")/containerd.sock" -n k8s.io "$@"
}

write_cni() {
  local n=$1 d
  d=$(node_dir "$n")
  mkdir -p "$d/cni"
  cat >"$d/cni/10-bridge.conflist" <<JSON
{"cniVersion": "0.4.0", "name": "pods", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": false, "hairpinMode": true,
   "ipam": {"type": "host-local", "dataDir": "$d/ipam", "ranges": [[{"subnet": "10.210.$n.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
JSON
}

# Why what differs from containerd's defaults: restrict_oom_score_adj, for machines without CAP_SYS_RESOURCE every sandbox fails
# otherwise; netns_mounts_under_state_dir, so that `down` finds the pods' namespaces.
write_containerd_config() {
  local d
  d=$(node_dir "$1")
  cat >"$d/containerd.toml" <<TOML
version = 2
root = "$d/containerd/root"
state = "$d/containerd/state"
[grpc]
  address = "$d/containerd.sock"
[plugins."io.containerd.internal.v1.opt"]
  path = "$d/containerd/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "$PAUSE_IMAGE"
  disable_tcp_service = true
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  stream_server_address = "127.0.0.1"
  stream_server_port = "0"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$d/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        BinaryName = "runc"
TOML
}

# Differs from a usual kubelet: image collection is off, for images are imported by hand and could not be pulled again; a container
# that died again and again is started after 15 s at most (the pod's next look, with jitter), for tests that kill operator and desk many
# times would wait minutes otherwise.
write_kubelet_config() {
  local n=$1 d
  d=$(node_dir "$n")
  cat >"$d/kubelet.yaml" <<YAML
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $STATE/pki/ca.crt}}
authorization: {mode: Webhook}
tlsCertFile: $STATE/pki/node-$n.crt
tlsPrivateKeyFile: $STATE/pki/node-$n.key
containerRuntimeEndpoint: unix://$d/containerd.sock
cgroupDriver: cgroupfs
cgroupRoot: /rollcall-node-$n
failSwapOn: false
maxPods: 60
featureGates: {KubeletCrashLoopBackOffMax: true}
crashLoopBackOff: {maxContainerRestartPeriod: 3s}
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
evictionHard: {nodefs.available: 1%, imagefs.available: 1%, memory.available: 100Mi}
address: 0.0.0.0
healthzPort: 0
clusterDNS: [$DNS_IP]
podLogsDir: $d/podlogs
volumePluginDir: $d/volume-plugins
YAML
}

start_containerd() {
  in_node "$1" true # fails here, with nsenter's words, when the namespace is gone
  spawn "containerd-$1" nsenter --net="/run/netns/$(node_netns "$1")" containerd -c "$(node_dir "$1")/containerd.toml"
}

start_kubelet() {
  local d
  d=$(node_dir "$1")
  spawn "kubelet-$1" nsenter --net="/run/netns/$(node_netns "$1")" "$BIN/kubelet" --kubeconfig="$STATE/pki/node-$1.conf" \
    --config="$d/kubelet.yaml" --root-dir="$d/kubelet" --cert-dir="$d/certs" --hostname-override="node-$1" \
    --node-ip="$(node_ip "$1")" --v=2
}

start_proxy() {
  spawn "proxy-$1" nsenter --net="/run/netns/$(node_netns "$1")" "$BIN/kube-proxy" --kubeconfig="$STATE/pki/proxy.conf" \
    --hostname-override="node-$1" --proxy-mode=iptables --cluster-cidr="$POD_NETWORK" --conntrack-max-per-core=0 \
    --conntrack-tcp-timeout-established=0 --conntrack-tcp-timeout-close-wait=0 \
    --healthz-bind-address=127.0.0.1:10256 --metrics-bind-address=127.0.0.1:10249
}

containerd_ready() { ctr_of "$1" version; }

# start_node N: repeatable; starts what of it does not run.
start_node() {
  local n=$1
  mkdir -p "$(node_dir "$n")"
  connect_node "$n"
  make_node_cgroup "$n"
  write_cni "$n"
  write_containerd_config "$n"
  write_kubelet_config "$n"
  certificate "node-$n" "/O=system:nodes/CN=system:node:node-$n" "IP:$(node_ip "$n"),DNS:node-$n"
  kubeconfig "node-$n" "$STATE/pki/node-$n.conf"
  pid_of "containerd-$n" >/dev/null || start_containerd "$n"
  wait_until 30 "containerd of node $n" containerd_ready "$n"
  load_image "$n" "$PAUSE_IMAGE"
  pid_of "kubelet-$n" >/dev/null || start_kubelet "$n"
  pid_of "proxy-$n" >/dev/null || start_proxy "$n"
}

# outside_state NODE-FOLDER: what runc, the shims and the CNI plugins keep of this node's containers in folders of the system, a path
# a line. Nothing tidies it up when they are ended the hard way.
outside_state() {
  local bundle id file
  for bundle in "$1"/containerd/state/io.containerd.runtime.v2.task/k8s.io/*/; do
    [ -d "$bundle" ] || continue
    id=$(basename "$bundle")
    echo "/run/containerd/runc/k8s.io/$id"
    file=$(sed -n 's|^unix://\(/run/containerd/s/[0-9a-f]*\)$|\1|p' "$bundle/address" 2>/dev/null || true)
    [ -z "$file" ] || echo "$file"
    for file in /var/lib/cni/results/*-"$id"-*; do [ ! -f "$file" ] || echo "$file"; done
  done
}

# end_node N: kubelet first, so that it does not start pods again while they are ended.
end_node() {
  local n=$1 d task pid
  local -a outside
  d=$(node_dir "$n")
  mapfile -t outside < <(outside_state "$d")
  end "kubelet-$n"
  end "proxy-$n"
  if pid_of "containerd-$n" >/dev/null; then
    for task in $(ctr_of "$n" tasks ls -q 2>/dev/null); do ctr_of "$n" tasks kill -s KILL "$task" 2>/dev/null || true; done
    end "containerd-$n"
  fi
  # Shims outlive containerd by design; ours are those that serve this node's socket.
  for pid in $(pgrep -x containerd-shim || true); do
    if tr '\0' '\n' 2>/dev/null <"/proc/$pid/cmdline" | grep -qxF "$d/containerd.sock"; then kill -KILL "$pid" 2>/dev/null || true; fi
  done
  [ ${#outside[@]} = 0 ] || rm -rf "${outside[@]}"
  umount_below "$d"
  remove_node_cgroup "$n"
  find /var/log/containers -lname "$d/*" -delete 2>/dev/null || true # links every kubelet makes there for log collectors
}

# umount_below FOLDER: deepest first.
umount_below() {
  local mount
  awk -v top="$1/" 'index($5, top) == 1 {print $5}' /proc/self/mountinfo | sort -r | while read -r mount; do
    umount -l "$mount" 2>/dev/null || true # already gone with its parent
  done
}
