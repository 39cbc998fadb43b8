# Processes that outlive the script. $STATE/run/NAME.pid holds a process's pid and start time, so that a pid given to somebody
# else's process later is never taken for ours, and `down` ends only what `up` started.

# start_time PID: clock ticks from boot to its start; fails when there is no such process or it is a zombie.
start_time() {
  local stat
  { stat=$(<"/proc/$1/stat"); } 2>/dev/null || return 1
  # The name in parentheses may hold blanks: count fields after it. Of the rest, the first is the state, the 20th the start time.
  read -ra stat <<<"${stat##*) }"
  [ "${stat[0]}" != Z ] && echo "${stat[19]}"
}

# pid_of NAME: the pid of our running process NAME; fails when it does not run.
pid_of() {
  local pid started
  [ -f "$STATE/run/$1.pid" ] || return 1
  read -r pid started <"$STATE/run/$1.pid"
  [ "$(start_time "$pid")" = "$started" ] && echo "$pid"
}

# spawn NAME COMMAND…: starts COMMAND in a session of its own (Ctrl-C does not reach it), without the locks' descriptors.
spawn() {
  local name=$1 pid
  shift
  mkdir -p "$STATE/run" "$STATE/log"
  setsid "$@" >>"$STATE/log/$name" 2>&1 </dev/null 8>&- 9>&- &
  pid=$!
  echo "$pid $(start_time "$pid")" >"$STATE/run/$name.pid"
}

# end NAME [SIGNAL]: ends it and waits until it is gone; SIGKILL after 15 s (the API server drains for several seconds).
end() {
  local pid i signal=${2:-TERM}
  pid=$(pid_of "$1") || {
    rm -f "$STATE/run/$1.pid"
    return 0
  }
  kill "-$signal" "$pid" 2>/dev/null || true
  for ((i = 0; i < 200; i++)); do
    pid_of "$1" >/dev/null || break
    [ $i != 150 ] || kill -KILL "$pid" 2>/dev/null || true
    sleep 0.1
  done
  pid_of "$1" >/dev/null && die "$1 (pid $pid) does not end, not even by SIGKILL"
  rm -f "$STATE/run/$1.pid"
}

# wait_until SECONDS WHAT COMMAND…: polls COMMAND; when it never succeeds, says WHAT and the log of that name.
wait_until() {
  local limit=$1 what=$2 begin=$SECONDS
  shift 2
  until "$@" >/dev/null 2>&1; do
    ((SECONDS - begin < limit)) || die "$what did not come within $limit s; logs are in $STATE/log"
    sleep 0.2
  done
}
