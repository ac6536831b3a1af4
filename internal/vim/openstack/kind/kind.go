// Package kind is what Windlass needs of OpenStacks.
package kind

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/deployments"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/userdata"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/internal/vim/openstack"
	"github.com/windlass-nfv/windlass/internal/vim/openstack/heat"
	"github.com/windlass-nfv/windlass/internal/vim/openstack/login"
	"github.com/windlass-nfv/windlass/internal/vim/registry"
)

// Kind are the OpenStacks.
var Kind = registry.Kind{
	VimKind: login.Kind,
	Connector: func(reach registry.Reach) registry.Connect {
		return func(ctx context.Context, to lcm.Vim, cred map[string]any) (vim.VIM, error) {
			return connect(ctx, to, cred, reach)
		}
	},
	Definer: func(r *operations.Resolver, userData *userdata.Runner) deployments.Definer {
		return &heat.Definer{Resolver: r, UserData: userData}
	},
	Check: func(ctx context.Context, of lcm.Vim, cred map[string]any, reach registry.Reach) (lcm.VimFindings, error) {
		cloud, err := connect(ctx, of, cred, reach)
		if err != nil {
			return lcm.VimFindings{}, err
		}
		return lcm.VimFindings{Regions: cloud.Regions()}, nil
	},
	Quotas: func(ctx context.Context, of lcm.Vim, cred map[string]any, reach registry.Reach) ([]lcm.VimQuota, error) {
		cloud, err := connect(ctx, of, cred, reach)
		if err != nil {
			return nil, err
		}
		return cloud.Quotas(ctx)
	},
}

func connect(ctx context.Context, to lcm.Vim, cred map[string]any, reach registry.Reach) (*openstack.Cloud, error) {
	return openstack.Connect(ctx, to, cred, reach.Guard, reach.Wraps...)
}
