package vims

import (
	"context"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Extensions are the routes below /windlass/v1: Tacker's registry has no such resource.
func (h *Handler) Extensions() []rest.Route {
	return []rest.Route{rest.Get("/vims/:vimId/quotas", h.listQuotas)}
}

// quotaView is a limit of a VIM.
type quotaView struct {
	Resource string `json:"resource"`
	Limit    string `json:"limit,omitempty"`
	Used     string `json:"used,omitempty"`
}

const (
	// quotasKept is how long an answer is shown again: many readers may look at the page of one VIM.
	quotasKept = 30 * time.Second
	// quotasRefused is the pause after a VIM has refused the credentials: readers must not lock its account.
	quotasRefused = time.Hour
)

// quotaAnswers are the last answers of VIMs, by VIM and its version: after a change Windlass asks again.
type quotaAnswers struct {
	mu   sync.Mutex
	last map[quotaKey]quotaAnswer
}

type quotaKey struct {
	id      lcm.VimID
	updated time.Time
}

type quotaAnswer struct {
	until  time.Time
	quotas []lcm.VimQuota
	err    error
}

// get returns the last answer, or asks.
func (a *quotaAnswers) get(vim lcm.Vim, ask func() ([]lcm.VimQuota, error)) ([]lcm.VimQuota, error) {
	key := quotaKey{vim.ID, vim.Updated.UTC()}
	a.mu.Lock()
	found, known := a.last[key]
	a.mu.Unlock()
	if known && time.Now().Before(found.until) {
		return found.quotas, found.err
	}
	quotas, err := ask()
	keep := quotasKept
	if lcm.Is(err, lcm.KindDenied) {
		keep = quotasRefused
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	maps.DeleteFunc(a.last, func(_ quotaKey, old quotaAnswer) bool { return time.Now().After(old.until) })
	if a.last == nil {
		a.last = map[quotaKey]quotaAnswer{}
	}
	a.last[key] = quotaAnswer{time.Now().Add(keep), quotas, err}
	return quotas, err
}

// listQuotas answers GET .../quotas. It asks the VIM, with the stored credentials.
func (h *Handler) listQuotas(c echo.Context) error {
	vim, err := h.pathVim(c)
	if err != nil {
		return err
	}
	views := []quotaView{}
	if h.Checker == nil {
		return rest.WriteJSON(c, http.StatusOK, views)
	}
	// An answer is of use to other readers, too, if this one has gone.
	ctx := context.WithoutCancel(c.Request().Context())
	quotas, err := h.quotas.get(vim, func() ([]lcm.VimQuota, error) {
		credentials, err := h.OpenMap(ctx, vim.AuthCred)
		if err != nil {
			return nil, err
		}
		return h.Checker.Quotas(ctx, vim, credentials)
	})
	if err != nil { // it is the VIM that has refused, not Windlass
		return lcm.Wrap(lcm.KindUnavailable, err, "The VIM does not tell its quotas: %s", lcm.Sentence(err))
	}
	for _, q := range quotas {
		views = append(views, quotaView(q))
	}
	return rest.WriteJSON(c, http.StatusOK, views)
}
