//go:build tools

// Package tools pins etcd, the store of the local cluster's API server.
package tools

import _ "go.etcd.io/etcd/server/v3"
