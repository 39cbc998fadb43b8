# Rollcall itself onto the cluster: CRDs of the chart and manifests/ of this tree, images from dev/images.
ROLLCALL_IMAGES="rollcall/rollcall:dev rollcall/probe:dev"

load_images() {
  local image n
  [ $# -gt 0 ] || die "load: which image? Write: dev/cluster load IMAGE… (made by dev/images)"
  for image in "$@"; do
    for n in $(node_numbers); do load_image "$n" "$image"; done
  done
}

# manifests IMAGE-IDS: all files of manifests/ as one stream.
manifests() {
  local file
  for file in "$ROOT"/manifests/*.yaml; do
    echo ---
    sed "s/rollcall.dev\/images: dev/rollcall.dev\/images: $1/" "$file"
  done
}

# install_rollcall: repeatable. The images' ids are written into the pod templates, so that new images under the old names roll out.
install_rollcall() {
  local image ids=""
  need_cluster
  # shellcheck disable=SC2086
  load_images $ROLLCALL_IMAGES
  for image in $ROLLCALL_IMAGES; do ids+=$(image_id "$(qualified "$image")" | cut -c1-12); done
  "$KUBECTL" apply --server-side --force-conflicts -f "$ROOT/charts/rollcall/files/crds" >&2
  "$KUBECTL" wait --for=condition=Established --timeout=30s -f "$ROOT/charts/rollcall/files/crds" >&2
  manifests "$ids" | "$KUBECTL" apply -f - >&2
  for image in rollcall-operator rollcall-desk; do
    "$KUBECTL" -n rollcall-system rollout status "deployment/$image" --timeout=120s >&2 || {
      "$KUBECTL" -n rollcall-system get pods -o wide >&2
      "$KUBECTL" -n rollcall-system get events --sort-by=.lastTimestamp >&2
      "$KUBECTL" -n rollcall-system logs "deployment/$image" --tail=20 >&2 || true
      die "$image is not Ready; its pods, events and log are above"
    }
  done
  say "Rollcall is installed in namespace rollcall-system"
}
