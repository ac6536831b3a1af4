package operations

import (
	"context"
	"sync"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// keptVnfds bounds the memory; most sites have a handful of packages.
const keptVnfds = 64

// vnfds keeps VNFDs that were read: an operation needs its own some fifty times, and a package that has an instance
// never changes. Nobody may write to what get returns.
type vnfds struct {
	mu   sync.Mutex
	kept map[seen]*vnfpkg.Vnfd
}

// seen is a package as a project sees it, or not: what one has read another has still to be let read.
type seen struct {
	by lcm.ProjectID
	id lcm.VnfPkgID
}

// get returns the VNFD of a package and reads it the first time.
func (v *vnfds) get(
	ctx context.Context, id lcm.VnfPkgID, read func(context.Context, lcm.VnfPkgID) (*vnfpkg.Vnfd, error),
) (*vnfpkg.Vnfd, error) {
	key := seen{lcm.ScopeOf(ctx).Project, id}
	v.mu.Lock()
	vnfd := v.kept[key]
	v.mu.Unlock()
	if vnfd != nil {
		return vnfd, nil
	}
	vnfd, err := read(ctx, id)
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.kept == nil || len(v.kept) >= keptVnfds {
		v.kept = map[seen]*vnfpkg.Vnfd{}
	}
	v.kept[key] = vnfd
	return vnfd, nil
}
