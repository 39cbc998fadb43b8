# on the host network a stale process holds MASTER_PORT on node rank 0's node

stale_process() { on_node 1 /usr/bin/python3 -c '
import socket, time
listener = socket.create_server(("0.0.0.0", 29500))
time.sleep(600)'; }

port_is_taken() { on_node 1 ss -Hltn 'sport = :29500' | grep -q .; }
end_stale_process() {
  local pid
  for pid in $(on_node 1 ss -Hltnp 'sport = :29500' | sed -n 's/.*pid=\([0-9]*\).*/\1/p'); do
    # Only the one this scene started.
    grep -qa create_server "/proc/$pid/cmdline" && kill "$pid"
  done
}

scene() {
  tell "A process left over from an earlier training listens on 29500 of node 1, where node rank 0 will be."
  stale_process &
  trap 'end_stale_process; leave' EXIT
  within 10 "the stale process listens" port_is_taken
  show on_node 1 ss -Hltnp 'sport = :29500'
  apply_job host-network.yaml
  within 120 "phase Held" held host-network
  printf '\n  the whole message: %s\n' "$MESSAGE"
  must_say "the job's message" "$MESSAGE" node-1 29500 python3
  show rollcall status host-network --namespace="$NAMESPACE"
  tell "The stale process is ended."
  end_stale_process
  within 150 "released" phase_is_one_of host-network Released Running Succeeded
  within 90 "condition Complete" kubectl wait --for=condition=Complete trainingjob/host-network --timeout=1s
  show_losses host-network 3
}
