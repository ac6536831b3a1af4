package extensions

import (
	"net/http"
	"sync"

	"github.com/labstack/echo/v4"

	"github.com/windlass-nfv/windlass/apiserver/rest"
	"github.com/windlass-nfv/windlass/internal/auth"
)

// Limits of event streams.
const (
	mostStreams         = 1000 // of the server
	mostStreamsOfClient = 256
)

// streams counts the open event streams.
type streams struct {
	mu  sync.Mutex
	of  map[string]int // by client
	all int
}

// open counts another stream of the client until close is called. Too many are a 429.
func (s *streams) open(c echo.Context) (closed func(), err error) {
	who, _ := auth.From(c.Request().Context())
	client := who.Client
	if client == "" {
		client = c.RealIP()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.all >= mostStreams:
		return nil, tooMany(c, "This server has %d event streams, which is its limit.", mostStreams)
	case s.of[client] >= mostStreamsOfClient:
		return nil, tooMany(c, "You have %d event streams, which is the limit for one client.", mostStreamsOfClient)
	}
	if s.of == nil {
		s.of = map[string]int{}
	}
	s.all++
	s.of[client]++
	return func() { s.close(client) }, nil
}

func tooMany(c echo.Context, format string, limit int) error {
	c.Response().Header().Set("Retry-After", "10")
	return rest.HTTPErrorf(http.StatusTooManyRequests, format+" Close one, or follow several operations by one stream, "+
		"/windlass/v1/events.", limit)
}

func (s *streams) close(client string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	if s.of[client]--; s.of[client] == 0 {
		delete(s.of, client)
	}
}
