# up, down, status: the cluster as a whole.

need_cluster() {
  pid_of apiserver >/dev/null || die "the cluster is not up; start it with: dev/cluster up --nodes 3"
}

need_programs() {
  local program missing=""
  for program in kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy kubectl etcd kwok; do
    [ -x "$BIN/$program" ] || missing+=" $program"
  done
  [ -z "$missing" ] || die "not built yet:$missing (in $BIN); build them with: dev/deps --tools"
  for program in containerd runc ctr buildah ip iptables nsenter ss openssl setsid flock conntrack; do
    command -v "$program" >/dev/null || missing+=" $program"
  done
  [ -z "$missing" ] || die "not installed:$missing; install them with: dev/deps"
  [ -d /usr/lib/cni ] || die "/usr/lib/cni is missing; install it with: dev/deps"
}

nodes_ready() { [ "$("$KUBECTL" get nodes -l type!=kwok --no-headers | grep -cw Ready)" -ge "$1" ]; }

# up NODES KWOK: repeatable; starts what does not run, adds nodes when more are asked for, takes none away.
up() {
  local nodes=$1 kwok=$2 n begin=$SECONDS
  [[ $nodes =~ ^[1-9]$ ]] || die "--nodes $nodes: write a number from 1 to $MAX_NODES"
  [[ $kwok =~ ^[0-9]{1,4}$ ]] || die "--kwok $kwok: write a number from 0 to 9999"
  need_programs
  if ip link show "$BRIDGE" >/dev/null 2>&1 && [ ! -d "$STATE" ]; then
    die "bridge $BRIDGE is there, but no cluster in $STATE: another one runs with ROLLCALL_STATE set elsewhere; use that, or end it with ROLLCALL_STATE=ITS-FOLDER dev/cluster down. If none runs, the bridge is a leftover: ip link del $BRIDGE"
  fi
  mkdir -p "$STATE/log" "$STATE/run"
  [ -n "$(image_id "$PAUSE_IMAGE")" ] || "$ROOT/dev/images" pause
  ln -sfn "$CACHE/jax" "$STATE/jax" # where example jobs look for JAX, wherever the cache is
  make_bridge
  make_pki
  start_control_plane
  name_service_without_servers
  for ((n = 1; n <= nodes; n++)); do start_node "$n"; done
  route_between_nodes
  wait_until 90 "Ready of all $nodes nodes" nodes_ready "$nodes"
  start_kwok_nodes "$kwok"
  say "the cluster is up: $(node_numbers | wc -l) nodes, $((SECONDS - begin)) s. No DNS, no NetworkPolicy."
  echo "# Use it with:"
  echo "export KUBECONFIG=$KUBECONFIG PATH=$BIN:\$PATH"
}

# down: ends what up started, and nothing else.
down() {
  local n part
  if [ ! -d "$STATE" ]; then
    say "no cluster in $STATE"
    return 0
  fi
  say "the cluster is being ended (usually 10 to 20 s)"
  for n in $(node_numbers); do end_node "$n"; done
  for part in kwok scheduler controller-manager apiserver etcd; do end $part; done
  remove_network
  umount_below "$STATE"
  rm -rf "$STATE"
  say "the cluster is down"
}

status() {
  local part name
  if [ ! -d "$STATE" ]; then
    say "no cluster in $STATE"
    return 1
  fi
  for part in "$STATE"/run/*.pid; do
    name=$(basename "$part" .pid)
    printf '%-20s %s\n' "$name" "$(pid_of "$name" || echo "not running; log: $STATE/log/$name")"
  done
  flock -n "$USE_LOCK" true || echo "in use: $(cat "$USE_LOCK")"
  "$KUBECTL" get nodes -o wide
}
