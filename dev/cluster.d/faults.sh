# Faults that are more than a line of iptables.

# sandboxes N [NAMESPACE/]POD: container ids of the pod's running sandboxes.
sandboxes() {
  local namespace=default pod=$2
  if [[ $pod = */* ]]; then
    namespace=${pod%%/*}
    pod=${pod#*/}
  fi
  ctr_of "$1" containers ls -q "labels.\"io.cri-containerd.kind\"==sandbox,labels.\"io.kubernetes.pod.name\"==$pod,labels.\"io.kubernetes.pod.namespace\"==$namespace"
}

# kill_sandbox N [NAMESPACE/]POD: what a crash of the runtime does to a pod: its network is gone, its containers with it.
kill_sandbox() {
  local id killed=0
  [ $# = 2 ] || die "kill-sandbox: write dev/cluster kill-sandbox N [NAMESPACE/]POD"
  need_node "$1"
  for id in $(sandboxes "$1" "$2"); do
    ctr_of "$1" tasks kill -s KILL "$id" 2>/dev/null && killed=$((killed + 1))
  done
  [ $killed -gt 0 ] || die "pod $2 has no running sandbox on node $1; where it is: kubectl get pod -A -o wide"
  say "killed $killed sandbox of pod $2 on node $1"
}

# set_gpus N COUNT: the node says it has COUNT NVIDIA GPUs; pods that ask for them are placed, no device appears in them.
set_gpus() {
  [[ ${2:-} =~ ^[0-9]+$ ]] || die "gpus: write dev/cluster gpus N COUNT"
  need_node "$1"
  "$KUBECTL" patch node "node-$1" --subresource=status --type=json \
    -p "[{\"op\": \"add\", \"path\": \"/status/capacity/nvidia.com~1gpu\", \"value\": \"$2\"}]" >/dev/null
  wait_until 30 "the kubelet of node $1 reporting $2 GPUs" allocatable_gpus "$1" "$2"
  say "node-$1 reports $2 GPUs"
}

allocatable_gpus() {
  [ "$("$KUBECTL" get node "node-$1" -o 'jsonpath={.status.allocatable.nvidia\.com/gpu}')" = "$2" ]
}

# kill_program [--signal SIGNAL] [--leader] NAME: a signal to Rollcall's operator, desk or webhook; to all of its pods, or with --leader to
# the one that holds the lease. KILL, the default, ends it at once and the kubelet starts it again; STOP and CONT make it hang and go on.
kill_program() {
  local id n signal=KILL hit=0 only="" filter
  while [[ ${1:-} = --* ]]; do
    case $1 in
      --signal) signal=${2:-} && shift ;;
      --leader) only=leader ;;
      *) die "kill: what is '$1'?" ;;
    esac
    shift
  done
  [ $# = 1 ] || die "kill: write dev/cluster kill [--signal SIGNAL] [--leader] operator|desk|webhook"
  filter="labels.\"io.cri-containerd.kind\"==container,labels.\"io.kubernetes.container.name\"==$1,labels.\"io.kubernetes.pod.namespace\"==rollcall-system"
  if [ -n "$only" ]; then
    only=$("$KUBECTL" -n rollcall-system get lease "rollcall-$1" -o 'jsonpath={.spec.holderIdentity}')
    [ -n "$only" ] || die "nobody holds Lease rollcall-$1"
    filter+=",labels.\"io.kubernetes.pod.name\"==${only%_*}" # POD_RANDOM
  fi
  for n in $(node_numbers); do
    for id in $(ctr_of "$n" containers ls -q "$filter"); do
      ctr_of "$n" tasks kill -s "$signal" "$id" 2>/dev/null && hit=$((hit + 1))
    done
  done
  [ $hit -gt 0 ] || die "no container '$1' ${only:+of ${only%_*} }runs in namespace rollcall-system"
  say "sent $signal to $hit process of $1${only:+ (${only%_*})}"
}
