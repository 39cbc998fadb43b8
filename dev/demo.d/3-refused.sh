# four broken jobs are refused by `rollcall lint` and by the operator, in the same words

# lint_denials FILE: the denials' messages, one a line.
lint_denials() {
  rollcall lint --format=json "$1" | /usr/bin/python3 -c '
import json, sys
for finding in json.load(sys.stdin)["findings"]:
    if finding["severity"] == "deny":
        print(finding["message"])'
}

scene() {
  local name file said denial
  for name in more-processes-than-gpus wrong-world-size host-name-as-master nnodes-flag; do
    file=examples/jobs/refused/$name.yaml
    tell "$name: $(sed -n '1s/^# //p' "$ROOT/$file")"
    printf '\n  $ rollcall lint %s\n' "$file"
    if (cd "$ROOT" && rollcall lint "$file") 2>&1 | sed 's/^/    /'; then not_seen "exit code 1 of rollcall lint $file"; fi
    apply_job "refused/$name.yaml"
    within 20 "phase Failed" phase_is "$name" Failed
    [ "$(condition "$name" Failed reason)" = RefusedByRules ] || not_seen "reason RefusedByRules, but: $(condition "$name" Failed reason)"
    said=$(condition "$name" Failed message)
    printf '\n  the operator: %s\n' "$said"
    mapfile -t denial < <(lint_denials "$ROOT/$file" || true)
    [ ${#denial[@]} -gt 0 ] || not_seen "a denial in the JSON of rollcall lint $file"
    grep -qF -- "${denial[0]}" <<<"$said" || not_seen "the operator saying what lint says: ${denial[0]}"
    [ -z "$(kubectl get pods -l "rollcall.dev/job-name=$name" -o name)" ] || not_seen "no pod of a refused job"
  done
  show kubectl get tj
}
