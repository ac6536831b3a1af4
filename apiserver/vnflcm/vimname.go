package vnflcm

import (
	"context"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// checkVimName refuses the VIM name of a new cluster if another VIM has the name, or will get it. Else the operation
// would fail in its last step, after the cluster is made.
func (a *api) checkVimName(ctx context.Context, inst lcm.VnfInstance, name lcm.VimName, found *driver.Findings) error {
	if name.Name == "" {
		return nil
	}
	holder, err := a.Store.VimNameHolder(ctx, inst, name.Name)
	if err != nil {
		return err
	}
	if e, ok := rest.AsError(holder.Problem(name)); ok {
		found.Named(e.Problems...)
	}
	return nil
}
