# Rollcall itself onto the cluster: its chart, with images from dev/images.
ROLLCALL_IMAGES="rollcall/rollcall:dev rollcall/probe:dev"
NAMESPACE_OF_ROLLCALL=rollcall-system
HELM=$BIN/helm

load_images() {
  local image n
  [ $# -gt 0 ] || die "load: which image? Write: dev/cluster load IMAGE… (made by dev/images)"
  for image in "$@"; do
    for n in $(node_numbers); do load_image "$n" "$image"; done
  done
}

# show_rollcall: what its pods, events and logs say.
show_rollcall() {
  local program
  "$KUBECTL" -n "$NAMESPACE_OF_ROLLCALL" get pods -o wide >&2 || true
  "$KUBECTL" -n "$NAMESPACE_OF_ROLLCALL" get events --sort-by=.lastTimestamp 2>&1 | tail -n 30 >&2 || true
  for program in operator desk webhook; do
    "$KUBECTL" -n "$NAMESPACE_OF_ROLLCALL" logs -l "app.kubernetes.io/component=$program" --prefix --tail=10 >&2 || true
  done
}

# admission_answers: the API server refuses a faulty job in our words, so webhook, Service and caBundle are true.
admission_answers() {
  local said
  said=$("$KUBECTL" -n default create --dry-run=server -f "$ROOT/examples/jobs/refused/more-processes-than-gpus.yaml" 2>&1 || true)
  grep -q 'gpu/more-processes-than-gpus' <<<"$said"
}

# end_pending: a Helm that was cut off leaves its release pending, and every later one refuses to begin.
end_pending() {
  "$HELM" status rollcall --namespace "$NAMESPACE_OF_ROLLCALL" -o json 2>/dev/null | grep -q '"status":"pending-' || return 0
  say "an earlier install was cut off; its release is taken off first"
  "$HELM" uninstall rollcall --namespace "$NAMESPACE_OF_ROLLCALL" --no-hooks >/dev/null
}

# install_rollcall [HELM-ARGUMENTS…]: repeatable; what is there is upgraded. The images' ids are written into the pods, so that new
# images under the old names roll out. CRDs that kubectl or an earlier release put there are taken over.
install_rollcall() {
  local image ids=""
  need_cluster
  [ -x "$HELM" ] || die "there is no Helm in $BIN; make it with: dev/deps --tools"
  # shellcheck disable=SC2086
  load_images $ROLLCALL_IMAGES
  for image in $ROLLCALL_IMAGES; do ids+=$(image_id "$(qualified "$image")" | cut -c1-12); done
  "$KUBECTL" create namespace "$NAMESPACE_OF_ROLLCALL" --dry-run=client -o yaml | "$KUBECTL" apply --server-side -f - >/dev/null
  "$KUBECTL" label namespace "$NAMESPACE_OF_ROLLCALL" pod-security.kubernetes.io/enforce=restricted --overwrite >/dev/null
  end_pending
  "$HELM" upgrade --install rollcall "$ROOT/charts/rollcall" --namespace "$NAMESPACE_OF_ROLLCALL" --take-ownership --force-conflicts \
    --set image.tag=dev --set probeImage.tag=dev --set bundledProbeImage.tag=dev --set-string "podAnnotations.rollcall\.dev/images=$ids" \
    --wait --timeout 150s "$@" >"$STATE/log/helm" 2>&1 || {
    show_rollcall
    die "helm could not install Rollcall; its words follow, the state of its pods is above:
$(tail -n 20 "$STATE/log/helm")"
  }
  (wait_until 30 "a faulty job being refused by the webhook" admission_answers) || {
    show_rollcall
    die "Rollcall runs, but the API server does not ask it; see: kubectl get validatingwebhookconfiguration rollcall -o yaml"
  }
  say "Rollcall is installed in namespace $NAMESPACE_OF_ROLLCALL"
}

# uninstall_rollcall: what helm uninstall leaves by intent goes too, but for CRDs and jobs.
uninstall_rollcall() {
  need_cluster
  "$HELM" uninstall rollcall --namespace "$NAMESPACE_OF_ROLLCALL" --ignore-not-found --wait --timeout 120s >&2 ||
    die "helm could not uninstall Rollcall; what stands in the way: kubectl -n $NAMESPACE_OF_ROLLCALL get events"
  "$KUBECTL" delete namespace "$NAMESPACE_OF_ROLLCALL" --ignore-not-found --timeout=60s >&2
  say "Rollcall is uninstalled; CRDs and jobs stay. To remove these too: kubectl delete crd trainingjobs.rollcall.dev rollcalls.rollcall.dev rollcallpolicies.rollcall.dev"
}
