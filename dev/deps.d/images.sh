# What images and example jobs stand on and is not made of this tree's code: Debian, JAX.
JAX_DIR=$CACHE/jax # example jobs mount it by hostPath; dev/cluster up links it to $STATE/jax

# install_jax: examples/requirements.txt for Debian's python3, the one in the example image.
install_jax() {
  /usr/bin/python3 -m venv --clear "$CACHE/python"
  rm -rf "$JAX_DIR.new"
  "$CACHE/python/bin/pip" install --no-cache-dir --target "$JAX_DIR.new" -r "$ROOT/examples/requirements.txt"
  rm -rf "$JAX_DIR"
  sha256sum <"$ROOT/examples/requirements.txt" >"$JAX_DIR.new/.requirements.sha256"
  mv "$JAX_DIR.new" "$JAX_DIR"
}

make_jax() {
  if [ "$(cat "$JAX_DIR/.requirements.sha256" 2>/dev/null)" = "$(sha256sum <"$ROOT/examples/requirements.txt")" ]; then return 0; fi
  long_step "JAX from PyPI (600 MB)" "30 s" install_jax
}

make_dependency_images() {
  make_base
  make_pause
  make_jax
  make_example
}
