package operations

import (
	"context"
	"sync"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Once is a context in which Load reads an operation once, however often it is asked for: those who share it, as the
// parts of one activity do, see the operation as it was when the first of them has asked.
func Once(ctx context.Context) context.Context {
	return context.WithValue(ctx, onceKey{}, &loaded{})
}

type onceKey struct{}

// loaded are the operations that were read in a context. An error is not kept: who asks again, reads again.
type loaded struct {
	mu    sync.Mutex
	opOcc map[lcm.OpOccID]lcm.VnfLcmOpOcc
	whole map[lcm.OpOccID]*Operation
}

// OpOcc is the record of an operation, without what it refers to.
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

// Load resolves an operation. What it returns is the caller's, who may put other links or a grant in it.
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
