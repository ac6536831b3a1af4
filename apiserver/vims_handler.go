package apiserver

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// VimChecker tries credentials against a VIM of either type before it is registered. Wrong ones are Denied, a
// VIM that does not answer is Unavailable. What it returns are the regions that the VIM has: those of the catalog of an
// OpenStack, the namespaces of a Kubernetes.
type VimChecker interface {
	Check(ctx context.Context, vim lcm.Vim, credentials map[string]any) (regions []string, err error)
}
