# The wires: one bridge on the host, a network namespace per node with a veth pair to the bridge, routes between the nodes' pods.

make_bridge() {
  if ip link show "$BRIDGE" >/dev/null 2>&1; then return 0; fi
  local taken
  taken=$(ip route show | grep -E '^10\.(209|210|211)\.' || true)
  [ -z "$taken" ] || die "this machine already routes addresses the cluster uses ($NODE_NETWORK, $POD_NETWORK, $SERVICE_NETWORK): $taken"
  ip link add "$BRIDGE" type bridge
  # Frames between nodes stay a wire's business: no iptables of the host looks at them.
  echo 0 >"/sys/class/net/$BRIDGE/bridge/nf_call_iptables"
  ip addr add "$HOST_IP/24" dev "$BRIDGE"
  ip link set "$BRIDGE" up
  sysctl -qw net.ipv4.ip_forward=1
}

# connect_node N: its namespace, its wire, its addresses. Repeatable.
connect_node() {
  local n=$1 ns veth=rollcall-n$1
  ns=$(node_netns "$n")
  [ -e "/run/netns/$ns" ] || ip netns add "$ns"
  if ! ip link show "$veth" >/dev/null 2>&1; then
    ip link add "$veth" type veth peer name eth0 netns "$ns"
    ip link set "$veth" master "$BRIDGE" up
    ip -n "$ns" addr add "$(node_ip "$n")/24" dev eth0
  fi
  ip -n "$ns" link set lo up
  ip -n "$ns" link set eth0 up
  ip -n "$ns" route replace default via "$HOST_IP"
  # One refusal a second, the default of icmp_ratelimit, would let every second look-up of a name wait 5 s.
  ip netns exec "$ns" sysctl -qw net.ipv4.ip_forward=1 net.ipv4.icmp_ratelimit=0
  ip route replace "10.210.$n.0/24" via "$(node_ip "$n")"
}

# route_between_nodes: every node knows where the pods of every other node are.
route_between_nodes() {
  local n m
  for n in $(node_numbers); do
    for m in $(node_numbers); do
      [ "$n" = "$m" ] || ip -n "$(node_netns "$n")" route replace "10.210.$m.0/24" via "$(node_ip "$m")"
    done
  done
}

remove_network() {
  local ns
  for ns in $(ip netns ls | awk '/^rollcall-node-[1-9]( |$)/ {print $1}'); do ip netns del "$ns"; done
  ip link del "$BRIDGE" 2>/dev/null || true
}
