package operations

import (
	"context"
	"sync"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// keptVnfds bounds the memory; most sites have a handful of packages.
const keptVnfds = 64

// vnfds caches VNFDs: an operation needs its VNFD some fifty times, and the package of an instance never changes.
// Callers must not modify what get returns.
type vnfds struct {
	mu   sync.Mutex
	kept map[seen]*descriptor.Vnfd
}

// seen is a package as read by one project: another project must pass its own access check before it gets the VNFD.
type seen struct {
	by lcm.ProjectID
	id lcm.VnfPkgID
}

// get returns the VNFD of a package. Only the first call reads it.
func (v *vnfds) get(
	ctx context.Context, id lcm.VnfPkgID, read func(context.Context, lcm.VnfPkgID) (*descriptor.Vnfd, error),
) (*descriptor.Vnfd, error) {
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
		v.kept = map[seen]*descriptor.Vnfd{}
	}
	v.kept[key] = vnfd
	return vnfd, nil
}
