package vims

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// looksAtOnce bounds the parallel looks at VIMs: a VIM that does not answer must not delay the others.
const looksAtOnce = 8

// LookAgain looks at every Kubernetes VIM whose last look is older than that time, so that its status is current, and
// stores the findings. Several servers may call it at once: each VIM is looked at by one server.
func (h *Handler) LookAgain(ctx context.Context, older time.Duration) error {
	if h.Checker == nil {
		return nil
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(looksAtOnce)
	for seen := map[lcm.VimID]bool{}; ; {
		vim, err := h.Store.DueVim(ctx, older)
		if err != nil || seen[vim.ID] {
			_ = g.Wait() // failures are logged
			if lcm.Is(err, lcm.KindNotFound) {
				return nil
			}
			return err
		}
		seen[vim.ID] = true
		g.Go(func() error {
			if err := h.look(ctx, vim); err != nil && ctx.Err() == nil {
				h.Log.WarnContext(ctx, "Windlass could not check a VIM; it tries again", "vim", vim.Name, "error", err)
			}
			return nil
		})
	}
}

// look stores the status of one VIM.
func (h *Handler) look(ctx context.Context, vim lcm.Vim) error {
	credentials, err := h.OpenMap(ctx, vim.AuthCred)
	if err != nil {
		return err
	}
	tried := vim
	tried.Regions = nil
	found, err := h.Checker.Check(ctx, tried, credentials)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
		if vim.Status == lcm.VimUnreachable {
			h.Log.InfoContext(ctx, "The VIM can be used again", "vim", vim.Name)
		}
		vim.Found(found, time.Now().UTC())
	default:
		if vim.Status != lcm.VimUnreachable {
			h.Log.WarnContext(ctx, "The VIM cannot be used any more", "vim", vim.Name, "reason", lcm.Sentence(err))
		}
		vim.Lost(lcm.Sentence(err), lcm.Is(err, lcm.KindDenied), time.Now().UTC())
	}
	return h.Store.NoteVimCheck(ctx, vim)
}
