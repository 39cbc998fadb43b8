# one pod fits nowhere: nothing starts, and the others' places are given back

back_to_pending() { phase_is too-many Pending && pods_gone too-many; }

scene() {
  tell "Four pods, one a node, three nodes. Three pods hold their places while the fourth cannot be placed; waitForPodsSeconds is 20."
  apply_job too-many.yaml
  within 60 "the scheduler's words in the job's message" message_says too-many 'nodes are available|anti-affinity'
  show kubectl get tj
  show kubectl get pods -o wide
  printf '\n  the whole message: %s\n' "$(job_field too-many .status.message)"
  # Trainers are main containers; none may have started.
  [ -z "$(kubectl get pods -o 'jsonpath={.items[*].status.containerStatuses[?(@.name=="trainer")].state.running.startedAt}')" ] ||
    not_seen "no trainer started"
  within 60 "all pods gone, places given back, job Pending" back_to_pending
  show kubectl get tj
  show kubectl get pods
  printf '\n  the whole message: %s\n' "$(job_field too-many .status.message)"
  must_say "the job's message" "$(job_field too-many .status.message)" 'nodes are available|anti-affinity'
}
