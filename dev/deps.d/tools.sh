# The programs of the local cluster, from the Go module proxy, in the versions of dev/tools/*/go.mod. Each module's programs are
# built again only when its go.mod or go.sum change: $BIN/.MODULE.sha256 remembers.
KUBERNETES_PROGRAMS="kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy kubectl"

module_hash() { cat "$ROOT/dev/tools/$1/go.mod" "$ROOT/dev/tools/$1/go.sum" | sha256sum | cut -d' ' -f1; }

module_version() { sed -n "s|^require $2 \(v.*\)|\1|p; s|^\t$2 \(v[^ ]*\).*|\1|p" "$ROOT/dev/tools/$1/go.mod" | head -n 1; }

# built MODULE PROGRAM…: all there, from the present lists.
built() {
  local module=$1 program
  shift
  for program in "$@"; do [ -x "$BIN/$program" ] || return 1; done
  [ "$(cat "$BIN/.$module.sha256" 2>/dev/null)" = "$(module_hash "$module")" ]
}

# go_build MODULE PROGRAM PACKAGE LINKER-FLAGS
go_build() {
  (cd "$ROOT/dev/tools/$1" && GOFLAGS=-mod=readonly go build -trimpath -ldflags "-s -w $4" -o "$BIN/$2.new" "$3")
  mv "$BIN/$2.new" "$BIN/$2" # a running program is never written over
}

build_kubernetes() {
  local program version minor usually flags
  # shellcheck disable=SC2086
  built kubernetes $KUBERNETES_PROGRAMS && return 0
  use_go
  version=$(module_version kubernetes k8s.io/kubernetes)
  minor=${version#v*.}
  # Without these the API server calls itself v0.0.0 and version checks of clients fail.
  flags="-X k8s.io/component-base/version.gitVersion=$version -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=${minor%%.*}"
  for program in $KUBERNETES_PROGRAMS; do
    usually="1 min"
    [ "$program" != kube-apiserver ] || usually="5 min, most of it shared with the others"
    long_step "build $program $version" "$usually" go_build kubernetes "$program" "k8s.io/kubernetes/cmd/$program" "$flags"
  done
  module_hash kubernetes >"$BIN/.kubernetes.sha256"
}

# build_module MODULE PROGRAM PACKAGE [USUALLY [LINKER-FLAGS]]
build_module() {
  if built "$1" "$2"; then return 0; fi
  use_go
  long_step "build $2" "${4:-1 min}" go_build "$1" "$2" "$3" "${5:-}"
  module_hash "$1" >"$BIN/.$1.sha256"
}

# Helm alone is of use without a cluster too: the chart's render tests ask for it.
build_helm() {
  mkdir -p "$BIN"
  # Without the flag `helm version` says v4 and no more.
  build_module helm helm helm.sh/helm/v4/cmd/helm "3 min" "-X helm.sh/helm/v4/internal/version.version=$(module_version helm helm.sh/helm/v4)"
}

build_tools() {
  mkdir -p "$BIN"
  build_kubernetes
  build_module etcd etcd go.etcd.io/etcd/server/v3
  build_module kwok kwok sigs.k8s.io/kwok/cmd/kwok
  build_helm
}
