# A cgroup per node, /rollcall-node-N, under which its kubelet puts its pods. cgroup v1 and v2.

make_node_cgroup() {
  local name=rollcall-node-$1 controller
  if [ -f /sys/fs/cgroup/cgroup.controllers ]; then # v2
    for controller in $(</sys/fs/cgroup/cgroup.controllers); do
      echo "+$controller" >/sys/fs/cgroup/cgroup.subtree_control 2>/dev/null || true # some controllers cannot be handed down; the kubelet says which it misses
    done
    mkdir -p "/sys/fs/cgroup/$name"
    return
  fi
  for controller in /sys/fs/cgroup/*/; do
    [ -w "$controller" ] && mkdir -p "$controller$name" 2>/dev/null || true # "unified" of a hybrid set-up takes none
  done
  # A new v1 cpuset is empty and takes no process until it is given CPUs and memory.
  for controller in cpus mems; do
    cat "/sys/fs/cgroup/cpuset/cpuset.$controller" >"/sys/fs/cgroup/cpuset/$name/cpuset.$controller"
  done
}

# remove_node_cgroup N: children first; those with processes (not ours to end) stay and are named.
remove_node_cgroup() {
  local top
  for top in /sys/fs/cgroup/rollcall-node-"$1" /sys/fs/cgroup/*/rollcall-node-"$1"; do
    [ -d "$top" ] || continue
    find "$top" -depth -type d -exec rmdir {} + 2>/dev/null || say "left behind, it still has processes: $top"
  done
}
