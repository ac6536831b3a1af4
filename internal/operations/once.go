package operations

import (
	"context"
	"sync"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Once returns a context that makes Load read each operation only once. All users of the context, e.g. the parts of one
// activity, see the operation as it was at the first Load.
func Once(ctx context.Context) context.Context {
	return context.WithValue(ctx, onceKey{}, &loaded{})
}

type onceKey struct{}

// loaded caches the operations that were read in a context. It does not cache errors: the next Load reads again.
type loaded struct {
	mu    sync.Mutex
	opOcc map[lcm.OpOccID]lcm.VnfLcmOpOcc
	whole map[lcm.OpOccID]*Operation
}

// OpOcc returns the record of an operation, without the objects that it refers to.
func (r *Resolver) OpOcc(ctx context.Context, id lcm.OpOccID) (lcm.VnfLcmOpOcc, error) {
	kept, ok := ctx.Value(onceKey{}).(*loaded)
	if !ok {
		return r.Store.Operation(ctx, id)
	}
	kept.mu.Lock()
	defer kept.mu.Unlock()
	return kept.read(ctx, r, id)
}

func (l *loaded) read(ctx context.Context, r *Resolver, id lcm.OpOccID) (lcm.VnfLcmOpOcc, error) {
	if opOcc, ok := l.opOcc[id]; ok {
		return opOcc, nil
	}
	opOcc, err := r.Store.Operation(ctx, id)
	if err != nil {
		return opOcc, err
	}
	if l.opOcc == nil {
		l.opOcc, l.whole = map[lcm.OpOccID]lcm.VnfLcmOpOcc{}, map[lcm.OpOccID]*Operation{}
	}
	l.opOcc[id] = opOcc
	return opOcc, nil
}

// Load resolves an operation. The caller owns the result, and may put other links or a grant into it.
func (r *Resolver) Load(ctx context.Context, id lcm.OpOccID) (*Operation, error) {
	kept, ok := ctx.Value(onceKey{}).(*loaded)
	if !ok {
		return r.read(ctx, id)
	}
	kept.mu.Lock()
	defer kept.mu.Unlock()
	if kept.whole[id] == nil {
		opOcc, err := kept.read(ctx, r, id)
		if err != nil {
			return nil, err
		}
		op, err := r.Of(ctx, opOcc)
		if err != nil {
			return nil, err
		}
		kept.whole[id] = op
	}
	own := *kept.whole[id]
	return &own, nil
}

func (r *Resolver) read(ctx context.Context, id lcm.OpOccID) (*Operation, error) {
	opOcc, err := r.Store.Operation(ctx, id)
	if err != nil {
		return nil, err
	}
	return r.Of(ctx, opOcc)
}
