# SIMULATED GPUs: every GPU stage passes; then a GPU that adds wrongly holds the job, and its node is named

# gpu_job NAME SCENARIO: a job whose machines behave as the scenario says.
gpu_job() {
  kubectl create configmap "$1" --from-literal=scenario="$(printf 'gpus = 2\n%s\n' "$2")" >/dev/null
  printf '\n  $ sed s/NAME/%s/ dev/demo.d/gpu.yaml | kubectl apply -f -\n' "$1"
  sed "s/NAME/$1/" "$ROOT/dev/demo.d/gpu.yaml" | kubectl apply -f - | sed 's/^/    /'
}
stage_is() { [ "$(kubectl get rollcall "tj-$1-1" -o "jsonpath={.status.stages[?(@.name==\"$2\")].state}")" = "$3" ]; }

scene() {
  local node
  tell "This machine has no GPU. The nodes only claim two each, and the image has doubles of CUDA, NVML and NCCL: what they say of a GPU" \
    "is made up, and every report says that it is simulated. Probe, kubelets and network are real, and the doubles move real bytes."
  for node in 1 2 3; do "$ROOT/dev/cluster" gpus $node 2 2>/dev/null; done
  gpu_job sound-gpus ""
  within 120 "condition Complete" kubectl wait --for=condition=Complete trainingjob/sound-gpus --timeout=1s
  for stage in Gpu Nccl NodeCollective JobCollective; do
    stage_is sound-gpus $stage Passed || not_seen "stage $stage of sound-gpus passed"
  done
  show rollcall status sound-gpus --namespace="$NAMESPACE"
  tell "The same job once more, and GPU 1 of node-2 adds wrongly now. Of two GPUs nobody can tell which one it is, and Rollcall says so."
  gpu_job wrong-sum "$(printf '[node node-2 gpu 1]\nwrong_sum = yes')"
  within 120 "phase Held" held wrong-sum
  printf '\n  the whole message: %s\n' "$MESSAGE"
  must_say "the job's message" "$MESSAGE" node-2 "wrong sum"
  show rollcall report wrong-sum --namespace="$NAMESPACE"
  must_say "the report" "$(rollcall report wrong-sum --namespace="$NAMESPACE")" simulated node-2
}
