package apiserver

import (
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
	"golang.org/x/time/rate"

	"github.com/windlass-nfv/windlass/apiserver/rest"
)

const (
	// failuresPerSecond and failuresBurst bound the answers that explain bad credentials to one address. Good credentials
	// from the same address, which may be a proxy's, do not wait.
	failuresPerSecond, failuresBurst = 5, 50
	// mostClients bounds the number of remembered clients; the server first forgets clients without recent requests.
	mostClients = 20_000
)

// shortURI refuses paths and queries that are too long to be meant.
func (s *Server) shortURI(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if n := len(c.Request().RequestURI); n > s.Limits.URIBytes {
			return rest.HTTPErrorf(http.StatusRequestURITooLong, "The path with its query has %d bytes; this server "+
				"accepts up to %d.", n, s.Limits.URIBytes)
		}
		return next(c)
	}
}

// tooMany is a 429 that tells when to come again.
func tooMany(c echo.Context, wait time.Duration) error {
	seconds := max(1, int(math.Ceil(wait.Seconds())))
	c.Response().Header().Set("Retry-After", strconv.Itoa(seconds))
	return rest.HTTPErrorf(http.StatusTooManyRequests, "You have sent too many requests; try again in %d seconds.",
		seconds)
}

// throttle limits the requests of each client.
type throttle struct {
	limit rate.Limit // a second; 0 is no limit
	burst int

	mu      sync.Mutex
	clients map[string]*rate.Limiter
}

func newThrottle(perSecond, burst int) *throttle {
	return &throttle{limit: rate.Limit(perSecond), burst: max(burst, 1), clients: map[string]*rate.Limiter{}}
}

// take counts a request; wait is the time until the next request is allowed.
func (t *throttle) take(client string) (wait time.Duration, ok bool) {
	if t.limit == 0 {
		return 0, true
	}
	l := t.of(client)
	r := l.Reserve()
	if wait = r.Delay(); wait == 0 {
		return 0, true
	}
	r.Cancel()
	return wait, false
}

// left is how many requests of a client would be let through now.
func (t *throttle) left(client string) int {
	if t.limit == 0 {
		return math.MaxInt
	}
	return int(t.of(client).Tokens())
}

// lookups counts the lookups of credentials that run, or whose bad answer is not counted yet, by address.
type lookups struct {
	mu    sync.Mutex
	under map[string]int
}

// begin counts another lookup, unless the address has sent too many bad credentials: left says how many it may send.
func (l *lookups) begin(address string, left func(address string) int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.under[address] >= left(address) { // asked here: a lookup that ends meanwhile counts once
		return false
	}
	if l.under == nil {
		l.under = map[string]int{}
	}
	l.under[address]++
	return true
}

func (l *lookups) end(address string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.under[address]--; l.under[address] == 0 {
		delete(l.under, address)
	}
}

func (t *throttle) of(client string) *rate.Limiter {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.clients[client]
	if l == nil {
		if len(t.clients) >= mostClients {
			t.forget()
		}
		l = rate.NewLimiter(t.limit, t.burst)
		t.clients[client] = l
	}
	return l
}

// forget drops clients whose state equals a new client's. If that is not enough, it drops any.
func (t *throttle) forget() {
	for client, l := range t.clients {
		if l.Tokens() >= float64(t.burst) {
			delete(t.clients, client)
		}
	}
	for client := range t.clients {
		if len(t.clients) < mostClients/2 {
			return
		}
		delete(t.clients, client)
	}
}
