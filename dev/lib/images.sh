# How each image of this tree is made. Repeatable: buildah's layer cache makes the second time short.
BASE_IMAGE=docker.io/library/debian:bookworm-slim
DEBIAN_MIRROR=${ROLLCALL_DEBIAN_MIRROR:-http://deb.debian.org/debian}

# bud NAME DOCKERFILE CONTEXT [ARGUMENTS…]: --pull-never, for there may be no registry; the base stands in the store already.
bud() {
  local name=$1 file=$2 context=$3
  shift 3
  build_ah bud --quiet --layers --pull-never --timestamp 0 -t "docker.io/rollcall/$name:dev" -f "$ROOT/images/$file" "$@" "$context"
}

# base_tar: a minimal Debian 12 as an archive, cached.
base_tar() {
  local dir
  mkdir -p "$IMAGE_STORE"
  dir=$(mktemp -d "$IMAGE_STORE/debootstrap.XXXXXX")
  debootstrap --variant=minbase bookworm "$dir" "$DEBIAN_MIRROR"
  rm -rf "$dir"/var/cache/apt/archives/*.deb "$dir"/var/lib/apt/lists/* "$dir"/usr/share/{doc,man,locale}/*
  tar -C "$dir" --numeric-owner -cf "$IMAGE_STORE/bookworm.tar.new" .
  mv "$IMAGE_STORE/bookworm.tar.new" "$IMAGE_STORE/bookworm.tar"
  rm -rf "$dir"
}

make_base() {
  local container
  [ -z "$(image_id $BASE_IMAGE)" ] || return 0
  [ -f "$IMAGE_STORE/bookworm.tar" ] || long_step "Debian 12 base image by debootstrap" "1 to 2 min" base_tar
  container=$(build_ah from scratch)
  build_ah add --quiet "$container" "$IMAGE_STORE/bookworm.tar" / >/dev/null
  build_ah config --cmd /bin/bash "$container"
  build_ah commit --quiet --rm "$container" $BASE_IMAGE >/dev/null
  say "image $BASE_IMAGE is made"
}

make_pause() {
  local context
  context=$(mktemp -d)
  gcc -Os -static -s -o "$context/pause" "$ROOT/images/pause.c"
  bud pause pause.Dockerfile "$context" >/dev/null
  rm -rf "$context"
  say "image rollcall/pause:dev is made"
}

# Folders with built programs, looked through in this order; a developer may name others, `build/a/bin:build/b/bin`.
PROGRAMS=${ROLLCALL_PROGRAMS:-$ROOT/build/release/bin}

# programs CONTEXT NAME…: copies programs into a build context.
programs() {
  local context=$1 name folder
  local -a folders
  shift
  IFS=: read -ra folders <<<"$PROGRAMS"
  for name in "$@"; do
    for folder in "${folders[@]}"; do [ ! -x "$folder/$name" ] || break; done
    [ -x "$folder/$name" ] || die "$name is not built in $PROGRAMS; build it with: cmake --preset ci && cmake --build --preset ci"
    "${STRIP:-strip}" -o "$context/$name" "$folder/$name"
  done
}

make_rollcall() {
  local context
  make_base
  context=$(mktemp -d)
  programs "$context" rollcall-operator rollcall-desk rollcall-webhook rollcall
  long_step "image rollcall/rollcall:dev" "10 s, 1 min the first time" bud rollcall rollcall.Dockerfile "$context"
  rm -rf "$context"
}

# probe_image NAME ARCHITECTURE TARGET: a target of probe.Dockerfile. ARCHITECTURE is amd64 or arm64, as registries call it.
probe_image() {
  local name=$1 architecture=$2 target=$3 context nccl STRIP=strip PROGRAMS=$PROGRAMS
  if [ "$architecture" = arm64 ]; then
    PROGRAMS=$ROOT/build/aarch64/bin STRIP=aarch64-linux-gnu-strip
    [ -x "$PROGRAMS/rollcall-probe" ] || die "the probe is not built for arm64; build it with: dev/deps --aarch64 && cmake --preset aarch64 && cmake --build --preset aarch64"
  fi
  context=$(mktemp -d)
  programs "$context" rollcall-probe rollcall-probe-child
  if [ "$target" = probe-nccl ]; then
    install_bundled_nccl "$architecture"
    nccl=$(bundled_nccl "$architecture")
    cp "$nccl/nvidia/nccl/lib/libnccl.so.2" "$context"
    find "$nccl" -path '*.dist-info/*' -iname 'license*' -type f -exec cp {} "$context/LICENSE.nccl" \;
  fi
  long_step "image rollcall/$name:dev" "5 s, 30 s with NCCL" bud "$name" probe.Dockerfile "$context" --arch "$architecture" --target "$target"
  rm -rf "$context"
}

make_probe() { probe_image probe amd64 probe; }
make_probe_nccl() { probe_image probe-nccl amd64 probe-nccl; }
make_probe_arm64() { probe_image probe-arm64 arm64 probe; }
make_probe_nccl_arm64() { probe_image probe-nccl-arm64 arm64 probe-nccl; }

make_e2e() {
  local context
  context=$(mktemp -d)
  programs "$context" e2e-trainer
  bud e2e-trainer e2e-trainer.Dockerfile "$context" >/dev/null
  rm -rf "$context"
  say "image rollcall/e2e-trainer:dev is made"
}

# The doubles stand beside the programs: build/PRESET/doubles.
make_e2e_gpu() {
  local context folder
  local -a folders
  make_base
  context=$(mktemp -d)
  mkdir "$context/lib"
  programs "$context" e2e-trainer
  IFS=: read -ra folders <<<"$PROGRAMS"
  for folder in "${folders[@]}"; do [ ! -e "$folder/../doubles/libcuda.so.1" ] || break; done
  cp "$folder"/../doubles/lib*.so.* "$context/lib/" || die "the doubles are not built; build them with: cmake --preset ci && cmake --build --preset ci --target doubles"
  long_step "image rollcall/e2e-gpu:dev" "5 s" bud e2e-gpu e2e-gpu.Dockerfile "$context"
  rm -rf "$context"
}

make_example() {
  make_base
  long_step "image rollcall/example-jax:dev" "5 s, 30 s the first time" bud example-jax example-jax.Dockerfile "$ROOT/examples"
}
