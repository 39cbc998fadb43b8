# without Rollcall, a blocked port leaves a training Running and silent

plain_pod() { # NODERANK MASTER-ADDRESS
  cat <<YAML
apiVersion: v1
kind: Pod
metadata: {name: plain-$1}
spec:
  nodeName: node-$(($1 + 1))
  restartPolicy: Never
  terminationGracePeriodSeconds: 1
  containers:
  - name: trainer
    image: rollcall/example-jax:dev
    command: [python3, /trainer/train.py]
    env:
    - {name: POD_IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
    - {name: JAX_COORDINATOR_ADDRESS, value: "$2:29500"}
    - {name: JAX_NUM_PROCESSES, value: "3"}
    - {name: JAX_PROCESS_ID, value: "$1"}
    volumeMounts: [{name: jax, mountPath: /opt/jax, readOnly: true}]
  volumes: [{name: jax, hostPath: {path: $STATE/jax, type: Directory}}]
YAML
}

has_address() { [ -n "$(kubectl get pod plain-0 -o 'jsonpath={.status.podIP}')" ]; }
joined() { local r; for r in 0 1 2; do kubectl logs plain-$r | grep -q 'sees 3 devices' || return 1; done; }
logs() { local r; for r in 0 1 2; do kubectl logs plain-$r; done; }

scene() {
  local before running
  tell "Three plain pods train over gloo, rank 0's address handed to them by hand. Between node 2 and node 3 a firewall drops new" \
    "connections to ephemeral ports; the rendezvous port 29500 stays open."
  drop_new_connections 3 2 3
  drop_new_connections 3 3 2
  plain_pod 0 '$(POD_IP)' | kubectl apply -f - >/dev/null
  within 60 "the address of rank 0's pod" has_address
  for rank in 1 2; do plain_pod $rank "$(kubectl get pod plain-0 -o 'jsonpath={.status.podIP}')" | kubectl apply -f - >/dev/null; done
  within 60 "all three ranks have met at 29500" joined
  before=$(logs)
  tell "They have met. Now they should train. We give them 30 s; without the firewall the whole training takes less than 10 s."
  sleep 30 # not to synchronise: the silence itself is what is shown
  show kubectl get pods -o wide
  running=$(kubectl get pods -o 'jsonpath={.items[*].status.phase}')
  [ "$running" = "Running Running Running" ] || not_seen "three pods Running, but: $running"
  ! logs | grep -q ' step ' || not_seen "no step taken, but a rank printed one"
  show kubectl logs plain-2 --tail=3
  [ "$(logs | grep -vc '^\[Gloo\]')" = "$(grep -vc '^\[Gloo\]' <<<"$before")" ] || not_seen "silence, but a rank printed something"
  tell "All three Running, no error, no step, no word. With GPUs this costs the whole job until somebody looks."
}
