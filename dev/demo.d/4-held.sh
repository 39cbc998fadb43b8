# one blocked direction between two nodes: held with its names and cost, then released in place

scene() {
  local before pod
  tell "Node 3 drops new connections from node 2 to ephemeral ports; 29500 stays open. Every usual check" \
    "of such a job (pods up, names resolve, the master port answers) is green."
  drop_new_connections 3 2 3
  apply_job held.yaml
  within 120 "phase Held" held held
  show kubectl get tj
  printf '\n  the whole message: %s\n' "$MESSAGE"
  must_say "the job's message" "$MESSAGE" 29500 ephemeral "node-2 \\(node rank $(rank_on held node-2)[,)]" "node-3 \\(node rank $(rank_on held node-3)[,)]" \
    'rollcall\.dev/release' 'held .* so far'
  show kubectl describe tj held
  show rollcall status held --namespace="$NAMESPACE"
  pod=$(pod_of held "$(rank_on held node-3)")
  show kubectl logs "$pod" -c rollcall --tail=25
  must_say "the probe's log" "$(kubectl logs "$pod" -c rollcall)" node-2 node-3
  before=$(uids_of held)
  tell "The network owner takes the rule away. Nobody touches the job."
  undo_faults
  within 150 "released" phase_is_one_of held Released Running Succeeded
  [ "$(uids_of held)" = "$before" ] || not_seen "the same pods released; before: $before; now: $(uids_of held)"
  tell "The same three pods, on the same nodes, were released:" "$(tr '\n' ' ' <<<"$before")"
  within 180 "condition Complete" kubectl wait --for=condition=Complete trainingjob/held --timeout=1s
  show_losses held 3
}
