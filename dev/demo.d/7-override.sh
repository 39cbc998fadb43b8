# a held job is released by a person's annotation within 5 s

released() { phase_is_one_of overridden Released Running Succeeded || [ "$(condition overridden Released status)" = True ]; }

event_has_reason() { kubectl get events --field-selector involvedObject.name=overridden | grep 'false alarm'; }

scene() {
  local begin taken
  tell "Held as before; this time a person decides that the job shall start anyway. (It would hang: the fault is still there. We look" \
    "only at the release.)"
  drop_new_connections 3 2 3
  drop_new_connections 3 3 2
  apply_job overridden.yaml
  within 120 "phase Held" held overridden
  begin=$(date +%s%3N)
  show kubectl annotate tj overridden rollcall.dev/release='the network owner says it is a false alarm'
  within 5 "released" released
  taken=$(($(date +%s%3N) - begin))
  printf '\n  %d ms after the annotation\n' $taken
  [ $taken -le 5000 ] || not_seen "release within 5 s; it took $taken ms"
  within 10 "an event with the reason" event_has_reason
  show kubectl get events --field-selector involvedObject.name=overridden
  show kubectl get tj
}
