# Who uses the cluster. `dev/cluster use COMMAND…` holds a lock of the kernel for as long as COMMAND runs; nothing is left behind
# when it dies. Its children know it by ROLLCALL_CLUSTER_USE and pass; every other change of the cluster waits or fails meanwhile.
# A second lock keeps two changes by children of one holder apart. Descriptors: 9 use, 8 change; processes of the cluster get neither.
USE_LOCK=$STATE.use.lock
CHANGE_LOCK=$STATE.change.lock

# take_use_lock WAIT(yes|no) WHO
take_use_lock() {
  exec 9>>"$USE_LOCK"
  if ! flock -n 9; then
    [ "$1" = yes ] || die "the cluster is in use: $(cat "$USE_LOCK"). Wait for it with --wait, or end that command."
    say "waiting: the cluster is in use: $(cat "$USE_LOCK")"
    flock 9
  fi
  printf '%s (pid %s, since %(%H:%M:%S)T)\n' "$2" $$ -1 >"$USE_LOCK"
}

# lock_for_change WAIT(yes|no) WHAT: taken by every command that changes the cluster, until the script ends.
lock_for_change() {
  mkdir -p "$(dirname "$STATE")"
  if [ "${ROLLCALL_CLUSTER_USE:-}" != "$STATE" ]; then
    take_use_lock "$1" "dev/cluster $2"
  fi
  exec 8>>"$CHANGE_LOCK"
  flock 8
}

# use [--wait] COMMAND…: runs COMMAND as the only one who may change the cluster; its exit code is ours. COMMAND is a process group
# of its own, so that Ctrl-C ends all of it, and we stay until it has cleaned up.
use() {
  local wait=no rc=0
  if [ "${1:-}" = --wait ]; then
    wait=yes
    shift
  fi
  [ $# -gt 0 ] || die "use: which command? Write: dev/cluster use [--wait] COMMAND…"
  if [ "${ROLLCALL_CLUSTER_USE:-}" = "$STATE" ]; then exec "$@"; fi
  take_use_lock "$wait" "$*"
  set -m # a group of its own, which may not read the terminal: hence no input
  ROLLCALL_CLUSTER_USE=$STATE "$@" 9>&- </dev/null &
  local child=$!
  set +m
  # shellcheck disable=SC2064 # the child's number as it is now
  trap "kill -TERM -- -$child 2>/dev/null" TERM INT
  while kill -0 "$child" 2>/dev/null; do wait "$child" && rc=0 || rc=$?; done
  return "$rc"
}
