// Package kind is what Windlass needs of Kubernetes clusters as VIMs.
package kind

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/deployments"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/userdata"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/internal/vim/kubernetes"
	"github.com/windlass-nfv/windlass/internal/vim/kubernetes/definitions"
	"github.com/windlass-nfv/windlass/internal/vim/kubernetes/login"
	"github.com/windlass-nfv/windlass/internal/vim/registry"
)

// Kind are the Kubernetes clusters.
var Kind = registry.Kind{
	VimKind: login.Kind,
	Connector: func(reach registry.Reach) registry.Connect {
		clusters := &kubernetes.Connector{Guard: reach.Guard, Wraps: reach.Wraps}
		return func(_ context.Context, to lcm.Vim, cred map[string]any) (vim.VIM, error) {
			return clusters.Connect(to, cred)
		}
	},
	Definer: func(r *operations.Resolver, _ *userdata.Runner) deployments.Definer {
		return &definitions.Definer{Resolver: r}
	},
	Check: func(ctx context.Context, of lcm.Vim, cred map[string]any, reach registry.Reach) (lcm.VimFindings, error) {
		return kubernetes.Check(ctx, of, cred, reach.Guard, reach.Wraps...)
	},
	Quotas: func(ctx context.Context, of lcm.Vim, cred map[string]any, reach registry.Reach) ([]lcm.VimQuota, error) {
		return kubernetes.Quotas(ctx, of, cred, reach.Guard, reach.Wraps...)
	},
}
