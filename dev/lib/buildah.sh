# buildah with a store of its own under the cache, so that nothing of the machine's own images is touched.
# chroot isolation: needs no container runtime, no user namespaces and no cgroups of its own.
IMAGE_STORE=$CACHE/images

build_ah() {
  mkdir -p "$IMAGE_STORE"
  BUILDAH_ISOLATION=chroot STORAGE_DRIVER=${ROLLCALL_STORAGE_DRIVER:-overlay} \
    buildah --root "$IMAGE_STORE/store" --runroot "$IMAGE_STORE/run" --registries-conf "$IMAGE_STORE/registries.conf" "$@"
}

# image_id NAME: of its configuration, as 64 hex digits; empty when there is none.
image_id() { build_ah images --no-trunc --quiet "$1" 2>/dev/null | sed 's/^sha256://' | head -n 1; }

# image_archive NAME ID: path of NAME as a docker archive, made when it is not there yet; older archives of NAME go.
image_archive() {
  local stem
  stem=$IMAGE_STORE/archives/$(tr '/:' '__' <<<"$1")
  if [ ! -f "$stem@$2.tar" ]; then
    mkdir -p "$IMAGE_STORE/archives"
    rm -f "$stem"@*.tar "$stem"@*.new
    build_ah push --quiet "$1" "docker-archive:$stem@$2.new:$1" >&2
    mv "$stem@$2.new" "$stem@$2.tar"
  fi
  echo "$stem@$2.tar"
}
