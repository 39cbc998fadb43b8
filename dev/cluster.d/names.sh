# Every name, address and port of the local cluster. They are fixed: there is one such cluster on a machine.
STATE=${ROLLCALL_STATE:-/var/tmp/rollcall-cluster}
BRIDGE=rollcall-br
HOST_IP=10.209.0.1               # the host on the bridge; the API server listens here
NODE_NETWORK=10.209.0.0/24       # node N is 10.209.0.(10+N)
POD_NETWORK=10.210.0.0/16        # pods of node N are in 10.210.N.0/24
SERVICE_NETWORK=10.211.0.0/16
KUBERNETES_IP=10.211.0.1
DNS_IP=10.211.0.10               # a Service without endpoints: look-ups fail at once instead of after a timeout
API_PORT=16443                   # not 6443, so that a cluster already on the machine is left alone
ETCD_PORT=12379
ETCD_PEER_PORT=12380
MANAGER_PORT=20257
SCHEDULER_PORT=20259
MAX_NODES=9                      # interface names, addresses and two cores set no lower limit; nine kubelets are about 1.5 GB

export KUBECONFIG=$STATE/kubeconfig
KUBECTL=$BIN/kubectl

node_ip() { echo "10.209.0.$((10 + $1))"; }
node_netns() { echo "rollcall-node-$1"; }
node_dir() { echo "$STATE/node-$1"; }
node_numbers() { local d; for d in "$STATE"/node-*/; do [ -d "$d" ] && d=${d%/} && echo "${d##*-}"; done | sort -n; }

# need_node N: ends the script unless node N is part of the cluster.
need_node() {
  [[ ${1:-} =~ ^[1-9]$ ]] && [ -d "$(node_dir "$1")" ] ||
    die "there is no node '${1:-}'; the cluster's nodes are: $(node_numbers | tr '\n' ' ')(start more with: dev/cluster up --nodes N)"
}
