// Package registry says what belongs to a kind of VIMs beside its names, login form and abilities: what calls VIMs of the
// kind, and what makes definitions for them. Package all has the list.
package registry

import (
	"context"
	"net/http"

	"github.com/windlass-nfv/windlass/internal/deployments"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/outbound"
	"github.com/windlass-nfv/windlass/internal/userdata"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// Kind is a kind of VIMs.
type Kind struct {
	lcm.VimKind
	// Connector makes what connects to VIMs, once in a process.
	Connector func(to Reach) Connect
	// Definer makes the definitions of deployments.
	Definer func(r *operations.Resolver, userData *userdata.Runner) deployments.Definer
	// Check tries the credentials of a VIM, and says what the VIM has. cred are the decrypted credentials.
	Check func(ctx context.Context, of lcm.Vim, cred map[string]any, to Reach) (lcm.VimFindings, error)
	// Quotas tells how much a VIM lets its project or namespace use.
	Quotas func(ctx context.Context, of lcm.Vim, cred map[string]any, to Reach) ([]lcm.VimQuota, error)
}

// Connect connects to a VIM; cred are its decrypted credentials.
type Connect func(ctx context.Context, to lcm.Vim, cred map[string]any) (vim.VIM, error)

// Reach limits the addresses of VIMs. Its Wraps go around the transports that call them.
type Reach struct {
	Guard outbound.Guard
	Wraps []func(http.RoundTripper) http.RoundTripper
}

// Of finds the kind for the registry's name of a type, or for a name that ETSI registers.
func Of(kinds []Kind, vimType string) (Kind, bool) {
	for _, k := range kinds {
		if k.Type == lcm.VimTypeOf(vimType) {
			return k, true
		}
	}
	return Kind{}, false
}
