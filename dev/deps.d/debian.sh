# Debian packages. Before this has run, nothing may be assumed but bash, coreutils, dpkg and apt.

# missing_packages: those of dev/packages.txt that are not installed.
missing_packages() {
  local package state
  while read -r package; do
    case $package in "" | \#*) continue ;; esac
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || echo "$package"
  done <"$ROOT/dev/packages.txt"
}

# apt waits for another apt to finish instead of failing on its lock.
apt_get() { DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600 "$@"; }

install_debian_packages() {
  local missing
  mapfile -t missing < <(missing_packages)
  [ ${#missing[@]} -gt 0 ] || return 0
  need_root
  (. /etc/os-release && [ "${VERSION_CODENAME:-}" = bookworm ]) ||
    say "this is not Debian 12 (bookworm): the packages' names and versions may differ from what Rollcall is built with"
  say "${#missing[@]} Debian packages are missing: ${missing[*]}"
  long_step "apt-get update" "10 s" apt_get update
  long_step "apt-get install" "1 to 3 min" apt_get install -y --no-install-recommends "${missing[@]}"
}

# need_packages PACKAGE…: of tools that few runs use (dev/fuzz, preset tidy), which is why they do not stand in dev/packages.txt.
need_packages() {
  local package missing=()
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  need_root
  long_step "apt-get install ${missing[*]}" "1 min" apt_get install -y --no-install-recommends "${missing[@]}"
}
