# What builds the probe for aarch64 and runs it here: a cross compiler, qemu's user mode, and OpenSSL's archive of Debian for arm64.
# That last package is unpacked under $CACHE, so that the machine's own list of architectures stays as it is.
AARCH64=$CACHE/aarch64

# apt with both architectures, on lists of its own.
apt_aarch64() {
  apt_get -o APT::Architectures::=amd64 -o APT::Architectures::=arm64 -o Dir::State::lists="$AARCH64/lists" -o Dir::Cache::pkgcache= \
    -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root "$@"
}

unpack_openssl_aarch64() {
  mkdir -p "$AARCH64/lists/partial" "$AARCH64/root.new"
  apt_aarch64 update
  (cd "$AARCH64" && rm -f ./*.deb && apt_aarch64 download libssl-dev:arm64 && dpkg -x ./libssl-dev_*_arm64.deb root.new)
  rm -rf "$AARCH64/lists" "$AARCH64"/*.deb
  mv "$AARCH64/root.new" "$AARCH64/root"
}

install_aarch64() {
  need_packages g++-aarch64-linux-gnu qemu-user-static
  [ -f "$AARCH64/root/usr/lib/aarch64-linux-gnu/libssl.a" ] || {
    rm -rf "$AARCH64"
    long_step "OpenSSL for aarch64" "20 s" unpack_openssl_aarch64
  }
}
