# etcd, API server, controller manager, scheduler, on the host.

# need_free_port PORT FOR
need_free_port() {
  local who
  who=$(ss -Hltnp "sport = :$1" 2>/dev/null)
  [ -z "$who" ] || die "port $1, for $2 of the cluster, is taken on this machine by: $who"
}

start_etcd() {
  need_free_port "$ETCD_PORT" etcd
  need_free_port "$ETCD_PEER_PORT" "etcd's peers"
  # No fsync: a cluster of tests may lose its data with the machine, and runs many times quicker on a slow disk.
  spawn etcd "$BIN/etcd" --data-dir "$STATE/etcd" --unsafe-no-fsync \
    --listen-client-urls "http://127.0.0.1:$ETCD_PORT" --advertise-client-urls "http://127.0.0.1:$ETCD_PORT" \
    --listen-peer-urls "http://127.0.0.1:$ETCD_PEER_PORT" --initial-advertise-peer-urls "http://127.0.0.1:$ETCD_PEER_PORT" \
    --initial-cluster "default=http://127.0.0.1:$ETCD_PEER_PORT"
}

start_apiserver() {
  local p=$STATE/pki
  need_free_port "$API_PORT" "the API server"
  # enable-aggregator-routing: webhooks are dialled by endpoint, for the host itself has no kube-proxy.
  spawn apiserver "$BIN/kube-apiserver" --etcd-servers="http://127.0.0.1:$ETCD_PORT" \
    --secure-port="$API_PORT" --advertise-address="$HOST_IP" --endpoint-reconciler-type=master-count \
    --tls-cert-file="$p/apiserver.crt" --tls-private-key-file="$p/apiserver.key" --client-ca-file="$p/ca.crt" \
    --service-account-key-file="$p/service-account.pub" --service-account-signing-key-file="$p/service-account.key" \
    --service-account-issuer=https://kubernetes.default.svc --service-cluster-ip-range="$SERVICE_NETWORK" \
    --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction --allow-privileged \
    --enable-aggregator-routing=true --kubelet-preferred-address-types=InternalIP \
    --kubelet-client-certificate="$p/kubelet-client.crt" --kubelet-client-key="$p/kubelet-client.key" \
    --kubelet-certificate-authority="$p/ca.crt"
}

start_controller_manager() {
  local p=$STATE/pki
  # 20 requests a second, the default, would be what a test with many pods measures.
  spawn controller-manager "$BIN/kube-controller-manager" --kubeconfig="$p/controller-manager.conf" \
    --service-account-private-key-file="$p/service-account.key" --root-ca-file="$p/ca.crt" --use-service-account-credentials \
    --cluster-signing-cert-file="$p/ca.crt" --cluster-signing-key-file="$p/ca.key" \
    --leader-elect=false --bind-address=127.0.0.1 --secure-port="$MANAGER_PORT" --kube-api-qps=200 --kube-api-burst=400
}

start_scheduler() {
  spawn scheduler "$BIN/kube-scheduler" --kubeconfig="$STATE/pki/scheduler.conf" \
    --leader-elect=false --bind-address=127.0.0.1 --secure-port="$SCHEDULER_PORT" --kube-api-qps=200 --kube-api-burst=400
}

api_ready() { "$KUBECTL" get --raw /readyz; }

start_control_plane() {
  pid_of etcd >/dev/null || start_etcd
  pid_of apiserver >/dev/null || start_apiserver
  wait_until 90 "the API server" api_ready
  pid_of controller-manager >/dev/null || start_controller_manager
  pid_of scheduler >/dev/null || start_scheduler
}

# name_service_without_servers: pods are given a name server, so that kubelets do not complain with an event per pod; kube-proxy
# rejects what is sent to a Service without endpoints, so a look-up fails at once.
name_service_without_servers() {
  "$KUBECTL" apply -f - >/dev/null <<YAML
apiVersion: v1
kind: Service
metadata: {name: kube-dns, namespace: kube-system}
spec: {clusterIP: $DNS_IP, ports: [{name: dns, port: 53, protocol: UDP}, {name: dns-tcp, port: 53, protocol: TCP}]}
YAML
}
