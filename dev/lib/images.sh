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
    strip -o "$context/$name" "$folder/$name"
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

make_probe() {
  local context
  context=$(mktemp -d)
  programs "$context" rollcall-probe
  bud probe probe.Dockerfile "$context" >/dev/null
  rm -rf "$context"
  say "image rollcall/probe:dev is made"
}

make_e2e() {
  local context
  context=$(mktemp -d)
  programs "$context" e2e-trainer
  bud e2e-trainer e2e-trainer.Dockerfile "$context" >/dev/null
  rm -rf "$context"
  say "image rollcall/e2e-trainer:dev is made"
}

make_example() {
  make_base
  long_step "image rollcall/example-jax:dev" "5 s, 30 s the first time" bud example-jax example-jax.Dockerfile "$ROOT/examples"
}
