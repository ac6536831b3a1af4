package apiserver

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// outcomePatience is how long the database may take to tell what has become of a change.
const outcomePatience = 5 * time.Second

// made tells whether a change has been made although storing it ended with err: the answer to a commit may be lost, or
// the client gone before it came. id is what was written, look reads it. known is false when nobody can tell now: then
// the change's secrets stay, for they may be needed.
func (s *Server) made(
	ctx context.Context, id string, err error, look func(context.Context) (bool, error),
) (made, known bool) {
	if !lcm.Is(err, lcm.KindUnavailable) && !lcm.Is(err, lcm.KindBug) {
		return false, true // refused
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), outcomePatience)
	defer cancel()
	failure := s.Store.Settled(ctx, id)
	if failure == nil {
		made, failure = look(ctx)
	}
	if failure != nil {
		s.log.WarnContext(ctx, "The database does not tell whether a change was stored; sealed secrets without an owner may "+
			"be left", "id", id, "error", failure)
		return false, false
	}
	return made, true
}

// stored is err, or nil when what was to be created is there all the same. When it surely is not, its secrets are
// forgotten.
func (s *Server) stored(
	ctx context.Context, id string, prefix lcm.SecretRef, err error, read func(context.Context) error,
) error {
	if err == nil {
		return nil
	}
	made, known := s.made(ctx, id, err, func(ctx context.Context) (bool, error) {
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
		s.forget(ctx, prefix)
	}
	return err
}

// exists makes of a read by id the one that stored wants.
func exists[ID, T any](read func(context.Context, ID) (T, error), id ID) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := read(ctx, id)
		return err
	}
}

// settleVim forgets the secrets that a VIM does not have any more, or was not to have, after an update that ended with
// err. It is nil when the update was made all the same.
func (s *Server) settleVim(ctx context.Context, vim lcm.Vim, before []lcm.SecretRef, err error) error {
	wanted := vimReferences(vim)
	if err != nil {
		made, known := s.made(ctx, string(vim.ID), err, func(ctx context.Context) (bool, error) {
			now, err := s.Store.Vim(ctx, vim.ID)
			if lcm.Is(err, lcm.KindNotFound) {
				return false, nil
			}
			// Every change of secrets has references of its own.
			return err == nil && !slices.Equal(wanted, before) && slices.Equal(vimReferences(now), wanted), err
		})
		if !known {
			return err
		}
		if made {
			err = nil
		}
	}
	unused, stays := before, wanted
	if err != nil {
		unused, stays = stays, before
	}
	for _, ref := range unused {
		if !slices.Contains(stays, ref) {
			s.forget(ctx, ref)
		}
	}
	return err
}

// referencesIn is references of a document.
func referencesIn(doc json.RawMessage) []lcm.SecretRef {
	var v any
	if json.Unmarshal(doc, &v) != nil {
		return nil
	}
	return references(v)
}
