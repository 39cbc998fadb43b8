//go:build tools

// Package tools pins kwok, which keeps simulated nodes Ready beside the real kubelets.
package tools

import _ "sigs.k8s.io/kwok/cmd/kwok"
