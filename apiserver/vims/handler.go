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

// Checker tries credentials against a VIM of either type before it is registered. Wrong ones are Denied, a VIM that
// does not answer is Unavailable.
type Checker interface {
	Check(ctx context.Context, vim lcm.Vim, credentials map[string]any) (lcm.VimFindings, error)
	// Read takes credentials apart that come as a file, a kubeconfig: it is the VIM with the address and the project
	// that the file names, and the credentials in it. Others are returned as they are. path is where the VIM stands.
	Read(vim lcm.Vim, credentials map[string]any, path string) (lcm.Vim, map[string]any, error)
}
