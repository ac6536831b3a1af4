package rest

import (
	"context"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// outcomePatience bounds the database's time to tell whether a change was stored.
const outcomePatience = 5 * time.Second

// Made tells whether a change was stored although storing it ended with err: the answer to the commit may be lost, or
// the client may have gone before the answer came. id is the written resource; look reads it. known is false if nobody
// can tell now: then the change's secrets stay, for they may be needed.
func (b *Backend) Made(
	ctx context.Context, id string, err error, look func(context.Context) (bool, error),
) (made, known bool) {
	if !lcm.Is(err, lcm.KindUnavailable) && !lcm.Is(err, lcm.KindBug) {
		return false, true // refused
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), outcomePatience)
	defer cancel()
	failure := b.Store.Settled(ctx, id)
	if failure == nil {
		made, failure = look(ctx)
	}
	if failure != nil {
		b.Log.WarnContext(ctx, "The database did not report whether it stored a change; sealed secrets without an "+
			"owner may remain", "id", id, "error", failure)
		return false, false
	}
	return made, true
}

// Stored returns err, or nil if the new resource was stored all the same. If it surely was not stored, Stored deletes
// its secrets.
func (b *Backend) Stored(
	ctx context.Context, id string, prefix lcm.SecretRef, err error, read func(context.Context) error,
) error {
	if err == nil {
		return nil
	}
	made, known := b.Made(ctx, id, err, func(ctx context.Context) (bool, error) {
		err := read(ctx)
		if lcm.Is(err, lcm.KindNotFound) {
			return false, nil
		}
		return err == nil, err
	})
	switch {
	case made:
		return nil
	case known:
		b.Forget(ctx, prefix)
	}
	return err
}

// Exists turns a read by id into the existence check that Stored takes.
func Exists[ID, T any](read func(context.Context, ID) (T, error), id ID) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := read(ctx, id)
		return err
	}
}
