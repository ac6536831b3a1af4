// Package memorykind registers the VIM in memory as a kind of VIMs for VNFs of servers. It shows what a kind needs: a
// test carries VNFs through their lifecycle on it, beside an OpenStack.
package memorykind

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/deployments"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/userdata"
	"github.com/windlass-nfv/windlass/internal/vim"
	_ "github.com/windlass-nfv/windlass/internal/vim/kinds" // OpenStack stays the first kind for servers
	"github.com/windlass-nfv/windlass/internal/vim/registry"
	"github.com/windlass-nfv/windlass/internal/vim/vimtest"
)

// Type is the name of the kind.
const Type = "memory"

// Kind is the kind of VIMs in memory. A login needs a text as key.
var Kind = lcm.VimKind{
	Type: Type, Name: "a VIM in memory", Registered: []string{"TEST.MEMORY."}, Members: []string{"key"},
	Secrets: []string{"key"}, Own: own, Problems: problems,
}

func init() { lcm.RegisterVimKind(Kind) }

func own(c lcm.VimConnectionInfo, id lcm.VimID) lcm.Vim {
	return lcm.Vim{
		ID: id, Name: c.ID, Type: Type, AuthURL: c.Endpoint(), AuthCred: map[string]any{"key": c.AccessInfo["key"]},
	}
}

func problems(c lcm.VimConnectionInfo, path string) (out []lcm.Problem) {
	if c.Endpoint() == "" {
		out = append(out, lcm.Problem{Path: path + ".interfaceInfo.endpoint", Detail: "is missing"})
	}
	if c.AccessInfo["key"] == nil {
		out = append(out, lcm.Problem{Path: path + ".accessInfo.key", Detail: "is missing"})
	}
	return out
}

// Of registers one VIM in memory. key is what it wants of a login.
func Of(m *vimtest.Memory, key string) registry.Kind {
	connect := func(_ context.Context, _ lcm.Vim, cred map[string]any) (vim.VIM, error) {
		if cred["key"] != key {
			return nil, lcm.Errorf(lcm.KindDenied, "The VIM in memory refuses the key.")
		}
		return m, nil
	}
	return registry.Kind{
		VimKind:   Kind,
		Connector: func(registry.Reach) registry.Connect { return connect },
		Definer: func(*operations.Resolver, *userdata.Runner) deployments.Definer {
			return definer{}
		},
		Check: func(ctx context.Context, of lcm.Vim, cred map[string]any, _ registry.Reach) (lcm.VimFindings, error) {
			_, err := connect(ctx, of, cred)
			return lcm.VimFindings{}, err
		},
		Quotas: func(context.Context, lcm.Vim, map[string]any, registry.Reach) ([]lcm.VimQuota, error) {
			return nil, nil
		},
	}
}

// definer counts the VNFCs: a VIM in memory needs to know nothing else.
type definer struct{}

func size(capacity map[string]int) (out vimtest.Size) {
	for _, n := range capacity {
		out += vimtest.Size(n)
	}
	return out
}

// Whole implements deployments.Definer.
func (definer) Whole(_ context.Context, of *operations.Operation) (vim.Definition, []string, error) {
	capacity, err := of.Capacity()
	return size(capacity), nil, err
}

// Sized implements deployments.Definer.
func (definer) Sized(_ context.Context, of *operations.Operation, sizes vim.Sizes) (vim.Definition, []string, error) {
	return size(deployments.Capacity(of, sizes)), nil, nil
}

// Redefined implements deployments.Definer.
func (definer) Redefined(_ context.Context, of *operations.Operation, sizes vim.Sizes) (vim.Definition, []string, error) {
	return size(deployments.Capacity(of, sizes)), nil, nil
}

// Renewed implements deployments.Definer.
func (definer) Renewed(context.Context, *operations.Operation, string) (vim.Definition, []string, error) {
	return nil, nil, lcm.Errorf(lcm.KindInvalid, "A VIM in memory has no networks.")
}
