# How a scene of the demo tells and checks its story. Sourced by dev/demo; scenes run in a subshell of their own.
ROLLCALL=${ROLLCALL_COMMAND:-$ROOT/build/release/bin/rollcall}

# tell TEXT…: a paragraph for the reader.
tell() { printf '\n%s\n' "$*" | fold -s -w 116 | sed 's/^\(.\)/  \1/'; }

# show COMMAND…: prints the command as a reader would type it, then its output, lines cut to LINE characters; fails when the
# command does. kubectl is given the scene's namespace.
LINE=200
show() {
  printf '\n  $ %s\n' "$(typed "$@")"
  "$@" 2>&1 | sed -E "s/^/    /; s/^(.{$LINE}).+/\\1…/"
}

# typed COMMAND…: with quotes where a shell needs them.
typed() {
  local word line=""
  for word in "$@"; do
    [[ $word =~ ^[A-Za-z0-9_./:=,@+-]+$ ]] || word="'${word//\'/\'\\\'\'}'"
    line+="$word "
  done
  echo "${line% }"
}

kubectl() { "$KUBECTL" --namespace="$NAMESPACE" "$@"; }
rollcall() { "$ROLLCALL" "$@"; }

# not_seen WHAT: ends the scene: what should have been seen, and where things stood.
not_seen() {
  printf '\n  NOT SEEN: %s\n' "$*"
  kubectl get trainingjobs,rollcalls,pods -o wide 2>&1 | sed 's/^/    /' || true
  kubectl get events --sort-by=.lastTimestamp 2>&1 | tail -n 15 | sed 's/^/    /' || true
  "$KUBECTL" -n rollcall-system get pods 2>&1 | sed 's/^/    /' || true
  exit 1
}

# within SECONDS WHAT COMMAND…: polls COMMAND, says after how many seconds WHAT was seen.
within() {
  local limit=$1 what=$2 begin=$SECONDS
  shift 2
  until "$@" >/dev/null 2>&1; do
    ((SECONDS - begin < limit)) || not_seen "$what, within $limit s"
    sleep 0.3
  done
  printf '\n  seen after %d s: %s\n' $((SECONDS - begin)) "$what"
}

# must_say WHERE TEXT WORD…: every WORD (a regular expression, any case) stands in TEXT.
must_say() {
  local where=$1 text=$2 word
  shift 2
  for word in "$@"; do
    grep -qiE -- "$word" <<<"$text" || not_seen "'$word' in $where, which says: $text"
  done
}

# job_field JOB JSONPATH: of one field, braces left out, or a template with braces.
job_field() {
  local path=$2
  [ "${path:0:1}" = "{" ] || path="{$path}"
  kubectl get trainingjob "$1" -o "jsonpath=$path"
}
phase_is() { [ "$(job_field "$1" .status.phase)" = "$2" ]; }
phase_is_one_of() {
  local phase job=$1
  phase=$(job_field "$1" .status.phase)
  shift
  grep -qxF -- "$phase" <(printf '%s\n' "$@")
}
# held JOB: the phase is Held; MESSAGE is what the status said at that moment (a round later it may say something else).
held() {
  local line
  line=$(job_field "$1" '{.status.phase} {.status.message}')
  MESSAGE=${line#* }
  [ "${line%% *}" = Held ]
}
condition() { job_field "$1" ".status.conditions[?(@.type==\"$2\")].$3"; }
message_says() { grep -qiE -- "$2" <<<"$(job_field "$1" .status.message)"; }

# pod_of JOB NODERANK, node_of JOB NODERANK: of the present attempt (the newest pod at that node rank).
pod_of() {
  kubectl get pods -l "rollcall.dev/job-name=$1,rollcall.dev/node-rank=$2" --sort-by=.metadata.creationTimestamp -o name | tail -n 1 | cut -d/ -f2
}
node_of() { kubectl get pod "$(pod_of "$1" "$2")" -o 'jsonpath={.spec.nodeName}'; }
# rank_on JOB NODE: the node rank of the job's pod on that node.
rank_on() { kubectl get pods -l "rollcall.dev/job-name=$1" --field-selector "spec.nodeName=$2" -o 'jsonpath={.items[0].metadata.labels.rollcall\.dev/node-rank}'; }
uids_of() { kubectl get pods -l "rollcall.dev/job-name=$1" -o 'jsonpath={range .items[*]}{.metadata.name}={.metadata.uid}{"\n"}{end}' | sort; }
pods_gone() { [ -z "$(kubectl get pods -l "rollcall.dev/job-name=$1" -o name)" ]; }

# every_rank_trained JOB RANKS: the last line of every rank's log.
every_rank_trained() {
  local rank
  for ((rank = 0; rank < $2; rank++)); do
    kubectl logs "$(pod_of "$1" "$rank")" -c trainer | grep -E "^rank $rank done after" || return 1
  done
}

# show_losses JOB RANKS: first and last step of every rank.
show_losses() {
  local rank
  printf '\n  %s\n' "the losses every rank printed, first and last step:"
  for ((rank = 0; rank < $2; rank++)); do
    kubectl logs "$(pod_of "$1" "$rank")" -c trainer | grep -E '^rank [0-9]+ step' | sed -n '1p;$p' | sed 's/^/    /'
  done
}

# on_node N COMMAND…
on_node() { "$ROOT/dev/cluster" node "$@"; }

# drop_new_connections AT FROM TO: the node AT drops new connections from pods of node FROM to ephemeral ports of pods of node TO,
# as a stateful firewall would. The rule goes when the scene ends.
drop_new_connections() {
  local rule="FORWARD -s 10.210.$2.0/24 -d 10.210.$3.0/24 -p tcp --syn --dport 32768:60999 -j DROP"
  printf '\n  $ dev/cluster node %s iptables -I %s\n' "$1" "$rule"
  # shellcheck disable=SC2086
  on_node "$1" iptables -I $rule
  UNDO+=("$1 iptables -D $rule")
}

# undo_faults: takes back what drop_new_connections did, once.
undo_faults() {
  local line
  for line in "${UNDO[@]:-}"; do
    # shellcheck disable=SC2086
    [ -z "$line" ] || on_node $line
  done
  UNDO=()
}

# manifest FILE: with JAX where this cluster has it.
manifest() { sed "s|/var/tmp/rollcall-cluster/|$STATE/|" "$ROOT/examples/jobs/$1"; }
apply_job() {
  printf '\n  $ kubectl apply -f examples/jobs/%s\n' "$1"
  manifest "$1" | kubectl apply -f - | sed 's/^/    /'
}
