package apiserver

import (
	"context"
	"slices"
	"strings"

	"go.temporal.io/sdk/temporal"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/requests"
)

// captionBytes is the longest title that Temporal's Web UI shows, and the longest name that its lists are given.
const captionBytes = 200

// Names reads the names that people see in Temporal's lists.
type Names interface {
	Instance(ctx context.Context, id lcm.VnfInstanceID) (lcm.VnfInstance, error)
	Operation(ctx context.Context, id lcm.OpOccID) (lcm.VnfLcmOpOcc, error)
	Vim(ctx context.Context, id lcm.VimID) (lcm.Vim, error)
	DefaultVim(ctx context.Context) (lcm.Vim, error)
}

// caption describes a workflow to people.
type caption struct {
	title           string // the operation and the VNF instance, in one line
	vnfInstanceName string // "" when the instance has no name
	vimName         string // several are joined by ", "; "" when none is known
}

// captionOf is the caption of an operation. A name that cannot be read is left out: the operation does not wait for it.
func (t *Temporal) captionOf(ctx context.Context, in lcm.OperationInput) caption {
	c := caption{title: string(in.Operation) + " " + string(in.VnfInstanceID)}
	if t.Names == nil {
		return c
	}
	inst, err := t.Names.Instance(ctx, in.VnfInstanceID)
	if err != nil {
		return c
	}
	o, err := t.Names.Operation(ctx, in.OpOccID)
	if err != nil {
		return c
	}
	if name := strings.Join(strings.Fields(inst.Name), " "); name != "" {
		c.title, c.vnfInstanceName = string(in.Operation)+" "+name, short(name)
	}
	if o.IsAutomaticInvocation {
		c.title += " (automatic)"
	}
	c.title = short(c.title)
	c.vimName = short(strings.Join(t.vimNames(ctx, o, inst), ", "))
	return c
}

func short(s string) string { return strings.ToValidUTF8(rest.Clip(s, captionBytes), "") }

// vimNames are the names of the VIMs on which the VNF is, or will be, each once.
func (t *Temporal) vimNames(ctx context.Context, o lcm.VnfLcmOpOcc, inst lcm.VnfInstance) (names []string) {
	for _, conn := range slices.Concat(inst.VimConnections, requested(o)) {
		if name := t.vimName(ctx, conn); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		if vim, err := t.Names.DefaultVim(ctx); err == nil {
			names = append(names, vim.Name)
		}
	}
	return names
}

// requested are the connections that the request of an instantiation names.
func requested(o lcm.VnfLcmOpOcc) []lcm.VimConnectionInfo {
	if !o.Operation.Makes() {
		return nil
	}
	request, _ := requests.Of(o) // a caption does without it
	made, _ := request.(lcm.InstantiateRequest)
	return made.VimConnections
}

// vimName is the name of the registered VIM of a connection, or its id where the connection brings its own endpoint.
func (t *Temporal) vimName(ctx context.Context, conn lcm.VimConnectionInfo) string {
	if id := conn.Registered(); id != "" {
		if vim, err := t.Names.Vim(ctx, id); err == nil && vim.Name != "" {
			return vim.Name
		}
	}
	if conn.VimID != "" {
		return string(conn.VimID)
	}
	return conn.ID
}

// attributes are the search attributes of names.
func (c caption) attributes() (names []temporal.SearchAttributeUpdate) {
	for key, value := range map[string]string{lcm.AttrVnfInstanceName: c.vnfInstanceName, lcm.AttrVimName: c.vimName} {
		if value != "" {
			names = append(names, temporal.NewSearchAttributeKeyKeyword(key).ValueSet(value))
		}
	}
	return names
}
