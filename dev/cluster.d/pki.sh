# The cluster's certificate authority, the certificates it signs, and kubeconfig files made of them. Lives in $STATE/pki.

# certificate NAME SUBJECT [SUBJECT-ALT-NAMES]: NAME.key and NAME.crt, for clients and servers alike; kept when already there.
certificate() {
  local p=$STATE/pki/$1
  [ ! -f "$p.crt" ] || return 0
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$p.key" -out "$p.csr" -subj "$2" 2>/dev/null
  openssl x509 -req -in "$p.csr" -CA "$STATE/pki/ca.crt" -CAkey "$STATE/pki/ca.key" -CAcreateserial -days 365 -out "$p.new" \
    -extfile <(printf 'subjectAltName=%s\nextendedKeyUsage=clientAuth,serverAuth\n' "${3:-DNS:localhost}") 2>/dev/null
  mv "$p.new" "$p.crt"
}

# kubeconfig NAME FILE: certificate NAME as a kubeconfig that needs no other file.
kubeconfig() {
  local p=$STATE/pki/$1
  cat >"$2" <<YAML
apiVersion: v1
kind: Config
clusters:
- name: rollcall
  cluster: {server: "https://$HOST_IP:$API_PORT", certificate-authority-data: $(base64 -w0 "$STATE/pki/ca.crt")}
users:
- name: $1
  user: {client-certificate-data: $(base64 -w0 "$p.crt"), client-key-data: $(base64 -w0 "$p.key")}
contexts:
- name: rollcall
  context: {cluster: rollcall, user: $1}
current-context: rollcall
YAML
  chmod 600 "$2"
}

make_pki() {
  local p=$STATE/pki
  mkdir -p "$p"
  chmod 700 "$p"
  if [ ! -f "$p/ca.crt" ]; then
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$p/ca.key" -out "$p/ca.new" \
      -subj /CN=rollcall-cluster-ca -days 365 2>/dev/null
    mv "$p/ca.new" "$p/ca.crt"
  fi
  # RSA: what most clusters sign their service-account tokens with.
  [ -f "$p/service-account.key" ] || openssl genrsa -out "$p/service-account.key" 2048 2>/dev/null
  openssl rsa -in "$p/service-account.key" -pubout -out "$p/service-account.pub" 2>/dev/null
  certificate apiserver /CN=kube-apiserver "IP:127.0.0.1,IP:$HOST_IP,IP:$KUBERNETES_IP,DNS:kubernetes,DNS:kubernetes.default.svc"
  certificate kubelet-client /O=system:masters/CN=apiserver-kubelet-client
  certificate admin /O=system:masters/CN=admin
  certificate controller-manager /CN=system:kube-controller-manager
  certificate scheduler /CN=system:kube-scheduler
  certificate proxy /CN=system:kube-proxy
  kubeconfig admin "$STATE/kubeconfig"
  local who
  for who in controller-manager scheduler proxy; do kubeconfig $who "$p/$who.conf"; done
}
