// Package vims is the registry of VIMs at /v1.0/vims, as Tacker has it.
package vims

import (
	"context"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Handler serves the registry of VIMs.
type Handler struct {
	*rest.Backend
	Checker Checker // nil: credentials are not tried
}

// Checker tries credentials against a VIM of either type before it is registered. Wrong ones are Denied, a
// VIM that does not answer is Unavailable. What it returns are the regions that the VIM has: those of the catalog of an
// OpenStack, the namespaces of a Kubernetes.
type Checker interface {
	Check(ctx context.Context, vim lcm.Vim, credentials map[string]any) (regions []string, err error)
}
