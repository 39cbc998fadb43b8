# four broken jobs are refused by `rollcall lint` and by the API server, which asks Rollcall, in the same words

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
    printf '\n  $ kubectl apply -f examples/jobs/%s\n' "refused/$name.yaml"
    if said=$(manifest "refused/$name.yaml" | kubectl apply -f - 2>&1); then not_seen "a refusal of kubectl apply -f $file, which said: $said"; fi
    sed 's/^/    /' <<<"$said" | fold -s -w 150
    mapfile -t denial < <(lint_denials "$ROOT/$file" || true)
    [ ${#denial[@]} -gt 0 ] || not_seen "a denial in the JSON of rollcall lint $file"
    grep -qF -- "${denial[0]}" <<<"$said" || not_seen "the refusal saying what lint says: ${denial[0]}"
    ! kubectl get tj "$name" >/dev/null 2>&1 || not_seen "no job that was refused"
  done
}
