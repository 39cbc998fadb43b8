# Sourced by every script of dev/: where things are, how progress is said, how long steps are run.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
CACHE=${ROLLCALL_CACHE:-${HOME:-/root}/.cache/rollcall}
BIN=$CACHE/bin # kubectl, kubelet, etcd … as dev/deps --tools builds them

say() { printf '%(%H:%M:%S)T %s\n' -1 "$*" >&2; }

# die MESSAGE: what is wrong, where, and what to do instead; ends the script.
die() {
  printf 'dev/%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

need_root() {
  [ "$(id -u)" = 0 ] || die "must run as root: it installs packages or makes network namespaces, mounts and cgroups; use sudo or a root shell"
}

# long_step WHAT USUALLY COMMAND…: runs COMMAND with its output in a log, says every 15 s that it is still at it, and shows the end of the log when it fails.
long_step() {
  local what=$1 usually=$2 log begin=$SECONDS next=15 pid rc=0
  shift 2
  mkdir -p "$CACHE/log"
  log=$CACHE/log/$(tr -cs 'a-zA-Z0-9' '-' <<<"$what" | sed 's/-*$//').log
  say "$what (usually $usually; log: $log)"
  "$@" >"$log" 2>&1 &
  pid=$!
  while kill -0 "$pid" 2>/dev/null; do
    sleep 0.2
    ((SECONDS - begin < next)) && continue
    say "  … $what: $((SECONDS - begin)) s so far"
    next=$((SECONDS - begin + 15))
  done
  wait "$pid" || rc=$?
  if [ "$rc" != 0 ]; then
    tail -n 25 "$log" >&2
    die "$what failed with exit code $rc; the whole log is $log"
  fi
  say "$what: done in $((SECONDS - begin)) s"
}
