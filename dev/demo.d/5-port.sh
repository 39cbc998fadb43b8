# on the host network a stale process holds MASTER_PORT on node rank 0's node

# As the user the example image runs as: what an earlier training leaves behind is that user's.
stale_process() { on_node "$1" setpriv --reuid=65532 --regid=65532 --clear-groups /usr/bin/python3 -c '
import socket, time
listener = socket.create_server(("0.0.0.0", 29500))
time.sleep(600)'; }

port_is_taken() { on_node "$1" ss -Hltn 'sport = :29500' | grep -q .; }
end_stale_processes() {
  local node pid
  for node in 1 2 3; do
    for pid in $(on_node $node ss -Hltnp 'sport = :29500' | sed -n 's/.*pid=\([0-9]*\).*/\1/p'); do
      # Only those this scene started.
      if grep -qa create_server "/proc/$pid/cmdline"; then kill "$pid"; fi
    done
  done
}

scene() {
  local node
  tell "An earlier training was killed badly: on each node a process of it still listens on 29500. Only the one on node rank 0's node" \
    "is in the way, and the scheduler has not said yet which node that will be."
  trap 'end_stale_processes; leave' EXIT
  for node in 1 2 3; do
    stale_process $node 2>/dev/null & # bash would say "Terminated" when it is ended
    within 10 "a stale process listens on 29500 of node $node" port_is_taken $node
  done
  apply_job host-network.yaml
  within 120 "phase Held" held host-network
  printf '\n  the whole message: %s\n' "$MESSAGE"
  must_say "the job's message" "$MESSAGE" "$(node_of host-network 0)" 29500 python3
  show rollcall status host-network --namespace="$NAMESPACE"
  tell "The stale processes are ended."
  end_stale_processes
  within 150 "released" phase_is_one_of host-network Released Running Succeeded
  within 180 "condition Complete" kubectl wait --for=condition=Complete trainingjob/host-network --timeout=1s
  show_losses host-network 3
}
