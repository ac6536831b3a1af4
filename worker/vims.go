package worker

import (
	"context"
	"encoding/json"
	"maps"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/windlass-nfv/windlass/internal/deployments"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/internal/vim/hybrid"
	"github.com/windlass-nfv/windlass/internal/vim/registry"
)

// connectors are the connectors of all kinds of VIMs, by their types.
func connectors(kinds []registry.Kind, reach registry.Reach) map[string]registry.Connect {
	out := map[string]registry.Connect{}
	for _, k := range kinds {
		out[k.Type] = k.Connector(reach)
	}
	return out
}

// definers make, for each type of VIM, the definitions of deployments.
func definers(kinds []registry.Kind, resolver *operations.Resolver, o Options) map[string]deployments.Definer {
	out := map[string]deployments.Definer{}
	for _, k := range kinds {
		out[k.Type] = k.Definer(resolver, o.UserData)
	}
	return out
}

// connections keeps one connection for each VIM, so that a step costs no new login.
type connections struct {
	operations *operations.Resolver
	to         map[string]registry.Connect
	mu         sync.Mutex
	open       map[string]*login
}

// login is a connection, with the time of its last use.
type login struct {
	vim.VIM
	used time.Time
}

// idleLogin is how long an unused client is kept: every VNF may bring a VIM of its own.
const idleLogin = time.Hour

// VIM implements activities.VIMs.
func (c *connections) VIM(ctx context.Context, id lcm.OpOccID) (vim.VIM, error) {
	op, err := c.operations.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	to, err := c.operations.Vims(ctx, op)
	if err != nil {
		return nil, err
	}
	return c.connectAll(ctx, to)
}

// connectAll logs in to the VIMs of a VNF, and joins them into one VIM for its users.
func (c *connections) connectAll(ctx context.Context, to []lcm.Vim) (vim.VIM, error) {
	var parts []hybrid.Part
	for _, of := range to {
		on, err := c.connect(ctx, of)
		if err != nil {
			return nil, err
		}
		parts = append(parts, hybrid.Part{Name: lcm.VimTypeOf(of.Type), VIM: on})
	}
	if len(parts) == 1 {
		return parts[0].VIM, nil
	}
	return hybrid.New(parts...), nil
}

// connect logs in to a VIM, once for each VIM and its present credentials.
func (c *connections) connect(ctx context.Context, to lcm.Vim) (vim.VIM, error) {
	key, err := loginKey(to)
	if err != nil {
		return nil, err
	}
	if known := c.kept(key); known != nil {
		return known, nil
	}
	cred, err := openMap(ctx, c.operations.Vault, to.AuthCred)
	if err != nil {
		return nil, err
	}
	connect, ok := c.to[lcm.VimTypeOf(to.Type)]
	if !ok {
		return nil, lcm.Errorf(lcm.KindInvalid, "Windlass cannot run VNFs on a VIM of type %q.", to.Type)
	}
	made, err := connect(ctx, to, cred)
	if err != nil {
		return nil, err
	}
	c.keep(key, made)
	return made, nil
}

// loginKey distinguishes logins. A VIM outside the registry has changed if its members differ; its secrets are
// references, which differ for every request.
func loginKey(to lcm.Vim) (string, error) {
	of, err := json.Marshal([]any{to.ID, to.Updated, to.AuthURL, to.AuthCred, to.Extra})
	return string(of), err
}

func (c *connections) kept(key string) vim.VIM {
	c.mu.Lock()
	defer c.mu.Unlock()
	l, ok := c.open[key]
	if !ok {
		return nil
	}
	l.used = time.Now()
	return l.VIM
}

func (c *connections) keep(key string, made vim.VIM) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.open, func(_ string, l *login) bool { return time.Since(l.used) > idleLogin })
	c.open[key] = &login{made, time.Now()}
}

// logout ends all connections at once, where the VIM has something to end. A later use makes a new connection.
func (c *connections) logout(ctx context.Context) error {
	c.mu.Lock()
	open := c.open
	c.open = map[string]*login{}
	c.mu.Unlock()
	var g errgroup.Group
	for _, l := range open {
		if of, ok := l.VIM.(interface {
			Logout(ctx context.Context) error
		}); ok {
			g.Go(func() error { return of.Logout(ctx) })
		}
	}
	return g.Wait()
}

// openMap decrypts the sealed values of stored credentials.
func openMap(ctx context.Context, vault *secrets.Vault, sealed map[string]any) (map[string]any, error) {
	doc, err := json.Marshal(sealed)
	if err != nil {
		return nil, err
	}
	if doc, err = secrets.OpenDocument(ctx, vault, doc); err != nil {
		return nil, err
	}
	var out map[string]any
	return out, json.Unmarshal(doc, &out)
}
