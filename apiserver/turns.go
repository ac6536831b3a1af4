package apiserver

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/internal/auth"
)

// The lists with a filter, or with a text to search, that one client may ask for at once: the database may have to look
// at all rows for each. More of them wait for their turn, and still more are a 429.
const (
	listsAtOnce = 2
	listsWait   = 16
	listsTurn   = 20 * time.Second
)

// turns lets each client do a few things at once, and the others after another.
type turns struct {
	mu      sync.Mutex
	clients map[string]*turn
}

// turn is what a client does; users counts those who have a place or wait for one.
type turn struct {
	places chan struct{}
	users  int
}

// enter waits for a place; false if too many wait, or if the wait is too long.
func (t *turns) enter(ctx context.Context, client string) (leave func(), ok bool) {
	at := t.join(client)
	if at == nil {
		return nil, false
	}
	timer := time.NewTimer(listsTurn)
	defer timer.Stop()
	select {
	case at.places <- struct{}{}:
		return func() { <-at.places; t.part(client, at) }, true
	case <-timer.C:
	case <-ctx.Done():
	}
	t.part(client, at)
	return nil, false
}

func (t *turns) join(client string) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.clients == nil {
		t.clients = map[string]*turn{}
	}
	at := t.clients[client]
	if at == nil {
		at = &turn{places: make(chan struct{}, listsAtOnce)}
		t.clients[client] = at
	}
	if at.users >= listsAtOnce+listsWait {
		return nil
	}
	at.users++
	return at
}

func (t *turns) part(client string, at *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at.users--; at.users == 0 {
		delete(t.clients, client)
	}
}

// takeTurns bounds the lists with a filter, or a text to search, of one client, so that it does not stop the lists of
// others.
func (s *Server) takeTurns(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		looks := c.QueryParam("filter") != "" || c.QueryParam("search") != ""
		if r.Method != http.MethodGet && r.Method != http.MethodHead || !looks {
			return next(c)
		}
		who, _ := auth.From(r.Context())
		leave, ok := s.filters.enter(r.Context(), who.Client)
		if !ok {
			return tooMany(c, time.Second)
		}
		defer leave()
		return next(c)
	}
}
