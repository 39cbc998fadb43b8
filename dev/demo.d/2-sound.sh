# a sound job without launch flags is called, released and trained to the end

scene() {
  tell "examples/jobs/sound.yaml says how many nodes and which program; no addresses, no ranks, no ports."
  apply_job sound.yaml
  within 60 "every rank answered and the job was released" phase_is_one_of sound Released Running Succeeded
  show kubectl logs "$(pod_of sound 0)" -c rollcall
  within 180 "condition Complete" kubectl wait --for=condition=Complete trainingjob/sound --timeout=1s
  every_rank_trained sound 3 >/dev/null || not_seen "every rank's last line"
  show_losses sound 3
  show kubectl get tj
  show rollcall status sound --namespace="$NAMESPACE"
}
