//go:build tools

// Keeps the main package of etcd in go.mod; see ../README.md.
package tools

import (
	_ "go.etcd.io/etcd/server/v3"
)
