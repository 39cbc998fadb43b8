# Stop, start and restart one part of the cluster, the way a fault test needs it.
COMPONENTS="etcd apiserver controller-manager scheduler kwok; with a node number: containerd N, kubelet N, proxy N"

# component_name WHAT [N]: the name its process goes by.
component_name() {
  case ${1:-} in
    etcd | apiserver | controller-manager | scheduler | kwok) echo "$1" ;;
    containerd | kubelet | proxy)
      need_node "${2:-}"
      echo "$1-$2"
      ;;
    *) die "there is no component '${1:-}'; there are: $COMPONENTS" ;;
  esac
}

start_component() {
  local name
  name=$(component_name "$@")
  if pid_of "$name" >/dev/null; then return 0; fi
  case $1 in
    etcd) start_etcd ;;
    apiserver) start_apiserver && wait_until 90 "the API server" api_ready ;;
    controller-manager) start_controller_manager ;;
    scheduler) start_scheduler ;;
    kwok) start_kwok ;;
    containerd) start_containerd "$2" && wait_until 30 "containerd of node $2" containerd_ready "$2" ;;
    kubelet) start_kubelet "$2" ;;
    proxy) start_proxy "$2" ;;
  esac
  say "$name started (pid $(pid_of "$name"))"
}

# stop_component [--kill] WHAT [N]: --kill ends it without a chance to say goodbye.
stop_component() {
  local signal=TERM name
  if [ "${1:-}" = --kill ]; then
    signal=KILL
    shift
  fi
  name=$(component_name "$@")
  end "$name" "$signal"
  say "$name stopped"
}

restart_component() {
  stop_component "$@"
  [ "$1" != --kill ] || shift
  start_component "$@"
}
