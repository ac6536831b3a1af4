// Package vims is the registry of VIMs at /v1.0/vims, in Tacker's form.
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

	quotas quotaAnswers
}

// Checker tries credentials against a VIM of either type before the VIM is registered. Wrong credentials are Denied; a
// VIM that does not answer is Unavailable.
type Checker interface {
	Check(ctx context.Context, vim lcm.Vim, credentials map[string]any) (lcm.VimFindings, error)
	// Quotas returns how much a registered VIM lets its project or namespace use, nothing if the VIM does not tell.
	Quotas(ctx context.Context, vim lcm.Vim, credentials map[string]any) ([]lcm.VimQuota, error)
	// Read takes a kubeconfig apart. It returns the VIM with the address and the project that the file names, and the
	// credentials in the file. It returns other credentials unchanged. path is the VIM's JSON path in the request.
	Read(vim lcm.Vim, credentials map[string]any, path string) (lcm.Vim, map[string]any, error)
}
