# What the probe's child is built with and tested against, all of it packages on PyPI: the compiler zig, NVIDIA's headers, NVIDIA's NCCL.
# Each lies under its version, so another version never finds files of the one before.
ZIG_VERSION=0.17.1
CUDA_HEADERS_VERSION=12.9.79 # cuda.h and nvml.h; the child asks for nothing newer than CUDA 11 and checks what it finds
NCCL_HEADERS_VERSION=2.32.3  # the newest: its ncclConfig_t holds all earlier ones
# Tested against: a release before ncclGetUniqueId's error codes changed, two that torch wheels carry, the newest.
NCCL_TEST_VERSIONS="2.27.5"
NCCL_ALL_VERSIONS="2.18.1 2.21.5 2.27.5 2.32.3"
NCCL_BUNDLED_VERSION=2.27.5 # of the image probe-nccl

# from_pypi FOLDER PACKAGE…: unpacked there, whole or not at all. PIP_OPTIONS go before the packages.
from_pypi() {
  local folder=$1 venv=$CACHE/pip
  shift
  [ ! -d "$folder" ] || return 0
  [ -x "$venv/bin/pip" ] || /usr/bin/python3 -m venv --clear "$venv"
  rm -rf "$folder.new"
  mkdir -p "${folder%/*}"
  # shellcheck disable=SC2086
  "$venv/bin/python" -m pip install --quiet --no-cache-dir --no-deps --only-binary=:all: ${PIP_OPTIONS:-} --target "$folder.new" "$@"
  mv "$folder.new" "$folder"
}

# The compiler alone; its C++ library is built when it is first asked for a target, about 1 min each, and kept in $CACHE/zig/cache.
install_zig() {
  local folder=$CACHE/zig/$ZIG_VERSION
  [ -d "$folder" ] || long_step "zig $ZIG_VERSION from PyPI (100 MB)" "15 s" from_pypi "$folder" "ziglang==$ZIG_VERSION"
  "$folder/ziglang/zig" version >/dev/null || die "the zig of $folder does not run; remove that folder and try again"
  ln -sfn "$ZIG_VERSION" "$CACHE/zig/current"
}

install_nvidia_headers() {
  local folder=$CACHE/nvidia/include versions="$CUDA_HEADERS_VERSION $NCCL_HEADERS_VERSION" wheels=$CACHE/nvidia/headers
  [ "$(cat "$folder/versions" 2>/dev/null)" != "$versions" ] || return 0
  rm -rf "$wheels" "$folder"
  long_step "NVIDIA's headers from PyPI (350 MB, of which three files stay)" "15 s" from_pypi "$wheels" \
    "nvidia-cuda-runtime-cu12==$CUDA_HEADERS_VERSION" "nvidia-nvml-dev-cu12==$CUDA_HEADERS_VERSION" "nvidia-nccl-cu12==$NCCL_HEADERS_VERSION"
  mkdir -p "$folder"
  cp "$wheels"/nvidia/{cuda_runtime/include/cuda.h,nvml_dev/include/nvml.h,nccl/include/nccl.h} "$folder"
  rm -rf "$wheels"
  echo "$versions" >"$folder/versions"
}

# install_nccl VERSION…: NVIDIA's own libraries, $CACHE/nccl/VERSION/nvidia/nccl/lib/libnccl.so.2.
install_nccl() {
  local version
  for version in "$@"; do
    [ -d "$CACHE/nccl/$version" ] || long_step "NCCL $version from PyPI (200 to 350 MB)" "15 s" from_pypi "$CACHE/nccl/$version" "nvidia-nccl-cu12==$version"
  done
}

# bundled_nccl ARCHITECTURE: where install_bundled_nccl puts it.
bundled_nccl() { if [ "$1" = amd64 ]; then echo "$CACHE/nccl/$NCCL_BUNDLED_VERSION"; else echo "$CACHE/nccl/$NCCL_BUNDLED_VERSION-$1"; fi; }

install_bundled_nccl() {
  local PIP_OPTIONS=""
  [ "$1" = amd64 ] || PIP_OPTIONS="--platform manylinux2014_aarch64 --platform manylinux_2_17_aarch64 --platform manylinux_2_18_aarch64"
  [ -d "$(bundled_nccl "$1")" ] || long_step "NCCL $NCCL_BUNDLED_VERSION for $1 from PyPI (320 MB)" "15 s" from_pypi "$(bundled_nccl "$1")" "nvidia-nccl-cu12==$NCCL_BUNDLED_VERSION"
}
