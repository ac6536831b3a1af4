package openstack_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
	"github.com/windlass-nfv/windlass/internal/vim/openstack"
)

// wire is Keystone and one service whose answers the test chooses, for answers that a real cloud cannot be made to
// give.
type wire struct {
	t      *testing.T
	server *httptest.Server
	vim    lcm.Vim

	mu      sync.Mutex
	logins  int
	login   http.HandlerFunc // nil answers with a token
	service http.HandlerFunc
	calls   []string
}

func newWire(t *testing.T) *wire {
	t.Helper()
	w := &wire{t: t}
	w.server = httptest.NewServer(w)
	t.Cleanup(w.server.Close)
	w.vim = lcm.Vim{
		Name: "wire", AuthURL: w.server.URL + "/v3",
		Extra: map[string]any{"poll_interval": 0.01, "outage_patience": 1.0},
	}
	return w
}

func (w *wire) ServeHTTP(res http.ResponseWriter, req *http.Request) {
	w.mu.Lock()
	w.calls = append(w.calls, req.Method+" "+req.URL.Path)
	login, service := w.login, w.service
	if req.URL.Path == "/v3/auth/tokens" {
		w.logins++
	}
	n := w.logins
	w.mu.Unlock()
	switch {
	case req.URL.Path != "/v3/auth/tokens":
		service(res, req)
	case login != nil:
		login(res, req)
	default:
		w.token(res, n)
	}
}

// token answers with the nth token and the catalog.
func (w *wire) token(res http.ResponseWriter, n int) {
	var catalog []any
	for _, kind := range []string{"orchestration", "network", "compute"} {
		catalog = append(catalog, map[string]any{"type": kind, "name": kind, "endpoints": []any{
			map[string]any{"interface": "public", "region": "r", "region_id": "r", "url": w.server.URL + "/" + kind},
		}})
	}
	res.Header().Set("X-Subject-Token", fmt.Sprintf("token-%d", n))
	res.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(res).Encode(map[string]any{"token": map[string]any{
		"catalog":    catalog,
		"expires_at": "2099-01-01T00:00:00.000000Z",
	}})
}

func (w *wire) set(login, service http.HandlerFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.login, w.service, w.calls = login, service, nil
}

// made returns the calls since the last set.
func (w *wire) made() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.calls)
}

func (w *wire) loggedIn() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.logins
}

func (w *wire) connect() (*openstack.Cloud, error) {
	return openstack.Connect(w.t.Context(), w.vim, map[string]any{"username": "u", "password": "p"}, outbound.Guard{})
}

func (w *wire) connected() *openstack.Cloud {
	w.t.Helper()
	c, err := w.connect()
	require.NoError(w.t, err)
	return c
}

// says answers with a status, headers and a body.
func says(status int, body string, header ...string) http.HandlerFunc {
	return func(res http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			res.Header().Set(header[i], header[i+1])
		}
		res.WriteHeader(status)
		_, _ = res.Write([]byte(body))
	}
}

// resets closes the connection so that the client sees a reset.
func resets(res http.ResponseWriter, _ *http.Request) {
	conn, _, err := res.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	_ = conn.(*net.TCPConn).SetLinger(0)
	_ = conn.Close()
}

func hangs(_ http.ResponseWriter, req *http.Request) { <-req.Context().Done() }

const novaMoment = `{"serviceUnavailable": {"code": 503, "message": "The service is currently unable to handle the request"}}`

func TestCall_tellsWhatTheServiceHasSaidAndHowLongToWait(t *testing.T) {
	for name, c := range map[string]struct {
		service http.HandlerFunc
		kind    lcm.ErrorKind
		words   string
		wait    time.Duration
	}{
		"500": {
			says(500, `{"computeFault": {"code": 500, "message": "Unexpected API Error."}}`),
			lcm.KindUnavailable, "Unexpected API Error.", 0,
		},
		"502 of a proxy": {
			says(502, "<html><h1>502 Bad Gateway</h1></html>"), lcm.KindUnavailable, "502 Bad Gateway",
			0,
		},
		"503 for seconds": {
			says(503, novaMoment, "Retry-After", "7"), lcm.KindUnavailable, "unable to handle",
			7 * time.Second,
		},
		"503 without a body": {says(503, ""), lcm.KindUnavailable, "503 Service Unavailable", 0},
		"503 for a day": {
			says(503, novaMoment, "Retry-After", "86400"), lcm.KindUnavailable, "unable",
			5 * time.Minute,
		},
		"503 until long ago": {
			says(503, novaMoment, "Retry-After", "Mon, 02 Jan 2006 15:04:05 GMT"), lcm.KindUnavailable,
			"unable", 0,
		},
		"503 until sometime": {says(503, novaMoment, "Retry-After", "sometime"), lcm.KindUnavailable, "unable", 0},
		"503 about a quota": {
			says(503, `{"error": {"message": "quota service is down"}}`), lcm.KindUnavailable,
			"quota service", 0,
		},
		"429": {says(429, `{"overLimit": {"code": 429, "message": "This request was rate-limited."}}`,
			"Retry-After", "3"), lcm.KindUnavailable, "rate-limited", 3 * time.Second},
		"409": {
			says(409, `{"conflictingRequest": {"code": 409, "message": "it is in task_state deleting"}}`),
			lcm.KindConflict, "task_state deleting", 0,
		},
		"403": {
			says(403,
				`{"forbidden": {"code": 403, "message": "Policy doesn't allow os_compute_api:servers:show"}}`), lcm.KindDenied,
			"Policy doesn't allow", 0,
		},
		"a reset": {resets, lcm.KindUnavailable, "connection reset by peer", 0},
		"no JSON in a 200": {
			says(200, "<html>welcome</html>"), lcm.KindUnavailable, "could not understand the answer",
			0,
		},
		"an answer cut short": {
			says(200, `{"server": {"id": "x"`), lcm.KindUnavailable, "could not understand the answer",
			0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWire(t)
			w.set(nil, c.service)
			_, err := w.connected().ServerState(t.Context(), "x")
			require.Equal(t, c.kind, lcm.KindOf(err), "%v", err)
			require.ErrorContains(t, err, c.words)
			require.ErrorContains(t, err, "read the server x")
			var e *lcm.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, c.wait, e.RetryAfter)
		})
	}
}

func TestList_isBoundedInPages(t *testing.T) {
	w := newWire(t)
	c := w.connected()
	var pages atomic.Int64
	w.set(nil, func(res http.ResponseWriter, _ *http.Request) {
		pages.Add(1)
		res.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(res, `{"ports":[{"id":"p","fixed_ips":[{"ip_address":"10.0.0.5"}]}],"ports_links":[{"rel":"next","href":"%s/network/v2.0/ports?marker=p"}]}`,
			w.server.URL)
	})
	_, err := c.PortsByID(t.Context(), "p")
	require.ErrorContains(t, err, "more than 1000 pages")
	require.Equal(t, lcm.KindInvalid, lcm.KindOf(err))
	require.EqualValues(t, 1000, pages.Load())
}

func TestPort_withAnAddressThatIsNoneIsRefused(t *testing.T) {
	w := newWire(t)
	c := w.connected()
	w.set(nil, says(http.StatusOK, `{"ports":[{"id":"p","fixed_ips":[{"ip_address":"10.0.0.5 ansible_connection=local"}]}]}`, "Content-Type", "application/json"))
	_, err := c.PortsByID(t.Context(), "p")
	require.ErrorContains(t, err, "which is no IP address")
}

func TestCall_isBoundedInTime(t *testing.T) {
	w := newWire(t)
	w.vim.Extra["call_timeout"] = "0.05"
	w.set(nil, hangs)
	_, err := w.connected().ServerState(t.Context(), "x")
	require.Equal(t, lcm.KindUnavailable, lcm.KindOf(err))
	require.ErrorContains(t, err, "it took too long")

	for _, bad := range []any{"soon", -1, 0, 1e6, []any{}} {
		w.vim.Extra["call_timeout"] = bad
		_, err := w.connect()
		require.Equal(t, lcm.KindInvalid, lcm.KindOf(err), "%v", bad)
		require.ErrorContains(t, err, "call_timeout")
	}
}

// TestSettle_doesNotBelieveAnybodyButHeat checks that a 404 in the place of the list does not mean that there is no
// stack: a proxy or a wrong endpoint answers so.
func TestSettle_doesNotBelieveAnybodyButHeat(t *testing.T) {
	w := newWire(t)
	c := w.connected()
	w.set(nil, says(http.StatusNotFound, "<html>404 Not Found</html>"))
	err := c.Settle(t.Context(), "vnf-1", "owner", func(string) {})
	require.Equal(t, lcm.KindUnavailable, lcm.KindOf(err), "%v", err)
	require.ErrorContains(t, err, "endpoint of orchestration")

	w.set(nil, says(http.StatusOK, `{"stacks": []}`, "Content-Type", "application/json"))
	err = c.Settle(t.Context(), "vnf-1", "owner", func(string) {})
	require.Equal(t, lcm.KindNotFound, lcm.KindOf(err), "%v", err)
}

// accepts answers 401 to all tokens but one.
func accepts(token, body string) http.HandlerFunc {
	return func(res http.ResponseWriter, req *http.Request) {
		if req.Header.Get("X-Auth-Token") != token {
			says(401, `{"error": {"message": "The request you have made requires authentication."}}`)(res, req)
			return
		}
		says(200, body)(res, req)
	}
}

func TestToken_isRenewedOnceForEverybody(t *testing.T) {
	w := newWire(t)
	c := w.connected()
	w.set(nil, accepts("token-2", `{"server": {"id": "x", "status": "ACTIVE"}}`))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			_, err := c.ServerState(t.Context(), "x")
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.Equal(t, 2, w.loggedIn())
}

func TestToken_thatIsRefusedTwiceIsNotRenewedForEver(t *testing.T) {
	w := newWire(t)
	c := w.connected()
	w.set(nil, accepts("none", ""))
	_, err := c.ServerState(t.Context(), "x")
	require.Equal(t, lcm.KindDenied, lcm.KindOf(err), "%v", err)
	require.ErrorContains(t, err, "requires authentication")
	require.Equal(t, 2, w.loggedIn())
}

func TestToken_thatCannotBeRenewedSaysWhy(t *testing.T) {
	for name, c := range map[string]struct {
		login http.HandlerFunc
		kind  lcm.ErrorKind
		words string
		wait  time.Duration
	}{
		"the password has changed": {
			says(401,
				`{"error": {"message": "The request you have made requires authentication."}}`), lcm.KindDenied,
			"Update them at /v1.0/vims", 0,
		},
		"the credential was deleted": {
			says(404, `{"error": {"message": "Could not find Application Credential: x."}}`),
			lcm.KindDenied, "Update them at /v1.0/vims", 0,
		},
		"Keystone is overloaded": {
			says(503, "", "Retry-After", "4"), lcm.KindUnavailable, "503 Service Unavailable",
			4 * time.Second,
		},
		"Keystone is away": {resets, lcm.KindUnavailable, "Keystone does not answer", 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWire(t)
			cloud := w.connected()
			w.set(c.login, accepts("none", ""))
			_, err := cloud.ServerState(t.Context(), "x")
			require.Equal(t, c.kind, lcm.KindOf(err), "%v", err)
			require.ErrorContains(t, err, c.words)
			var e *lcm.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, c.wait, e.RetryAfter)
		})
	}
}

func TestConnect_tellsWhatIsWrongWithKeystone(t *testing.T) {
	for name, c := range map[string]struct {
		login http.HandlerFunc
		kind  lcm.ErrorKind
		words string
	}{
		"401": {says(401, `{}`), lcm.KindDenied, "refused the credentials of VIM wire"},
		"400": {
			says(400, `{"error": {"message": "Expecting to find domain in user."}}`), lcm.KindInvalid,
			"Expecting to find domain",
		},
		"404": {says(404, "nothing here"), lcm.KindInvalid, "no Keystone v3"},
		"429": {says(429, ""), lcm.KindUnavailable, "429 Too Many Requests"},
		"500": {
			says(500, `{"error": {"message": "An unexpected error prevented the server from fulfilling your request."}}`),
			lcm.KindUnavailable, "unexpected error",
		},
		"cut": {resets, lcm.KindUnavailable, "The VIM wire does not answer at http://"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWire(t)
			w.set(c.login, nil)
			_, err := w.connect()
			require.Equal(t, c.kind, lcm.KindOf(err), "%v", err)
			require.ErrorContains(t, err, c.words)
			require.Len(t, w.made(), 1)
		})
	}
	w := newWire(t)
	w.server.Close()
	_, err := w.connect()
	require.Equal(t, lcm.KindUnavailable, lcm.KindOf(err))
	require.ErrorContains(t, err, "connection refused")
	w.vim.AuthURL = "http://no-such-host.invalid/v3"
	_, err = w.connect()
	require.Equal(t, lcm.KindUnavailable, lcm.KindOf(err))
	require.ErrorContains(t, err, "no-such-host.invalid")
}

// TestFollow_standsAnOutage lets Heat fail in all ways while it makes a stack.
func TestFollow_standsAnOutage(t *testing.T) {
	w := newWire(t)
	w.set(nil, heatWith(0, []http.HandlerFunc{says(500, ""), says(503, "", "Retry-After", "0"), resets, says(504, "")}))
	_, err := w.connected().CreateStack(t.Context(),
		openstack.Stack{Name: "s", Owner: "o", Operation: "op", Timeout: time.Minute}, func(string) {})
	require.NoError(t, err)

	w.vim.Extra["outage_patience"] = 0.05
	w.set(nil, heatWith(1000, nil))
	_, err = w.connected().CreateStack(t.Context(),
		openstack.Stack{Name: "s", Owner: "o", Operation: "op", Timeout: time.Minute}, func(string) {})
	require.Equal(t, lcm.KindUnavailable, lcm.KindOf(err), "%v", err)
}

// heatWith returns a Heat that makes a stack. Its first answers about the progress are these failures.
func heatWith(times int, failures []http.HandlerFunc) http.HandlerFunc {
	var mu sync.Mutex
	for range times {
		failures = append(failures, says(503, ""))
	}
	return func(res http.ResponseWriter, req *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case req.Method == http.MethodPost:
			says(201, `{"stack": {"id": "1"}}`)(res, req)
		case !strings.Contains(req.URL.Path, "/stacks/"):
			says(200, `{"stacks": []}`)(res, req)
		case len(failures) > 0:
			failures[0](res, req)
			failures = failures[1:]
		case strings.HasSuffix(req.URL.Path, "/events"):
			says(200, `{"events": []}`)(res, req)
		default:
			says(200, `{"stack": {"id": "1", "stack_status": "CREATE_COMPLETE"}}`)(res, req)
		}
	}
}

func TestCreateStack_findsTheStackAfterALostAnswer(t *testing.T) {
	for name, lost := range map[string]http.HandlerFunc{
		"the connection was cut": resets,
		"Heat knows it already":  says(409, `{"error": {"type": "StackExists", "message": "The Stack (s) already exists."}}`),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWire(t)
			var mu sync.Mutex
			made := 0
			rest := heatWith(0, nil)
			w.set(nil, func(res http.ResponseWriter, req *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				switch {
				case req.Method == http.MethodPost:
					made++
					lost(res, req)
				case made > 0 && !strings.Contains(req.URL.Path, "/stacks/"):
					says(200, `{"stacks": [{"id": "1", "stack_name": "s", "stack_status": "CREATE_IN_PROGRESS", "tags": ["o", "op"]}]}`)(res, req)
				default:
					rest(res, req)
				}
			})
			c := w.connected()
			st := openstack.Stack{Name: "s", Owner: "o", Operation: "op", Timeout: time.Minute}
			id, err := c.CreateStack(t.Context(), st, func(string) {})
			if err != nil { // Temporal would try the activity again
				require.Equal(t, lcm.KindUnavailable, lcm.KindOf(err), "%v", err)
				id, err = c.CreateStack(t.Context(), st, func(string) {})
			}
			require.NoError(t, err)
			require.Equal(t, "1", id)
			require.Equal(t, 1, made)
		})
	}
}

func TestWaiting_endsWithItsContext(t *testing.T) {
	w := newWire(t)
	w.set(nil, says(200, `{"server": {"id": "x", "status": "BUILD"}}`))
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	require.ErrorIs(t, w.connected().AwaitServer(ctx, "x", "ACTIVE"), context.DeadlineExceeded)

	w.set(nil, says(200, `{"server": {"id": "x", "name": "vm", "status": "ERROR", "fault": {"message": "No valid host was found."}}}`))
	err := w.connected().AwaitServer(t.Context(), "x", "ACTIVE")
	require.Equal(t, lcm.KindBroken, lcm.KindOf(err))
	require.ErrorContains(t, err, "vm is in ERROR: No valid host was found.")
}

func TestConnect_tellsWhatCredentialsLackBeforeAnybodyIsAsked(t *testing.T) {
	w := newWire(t)
	for lacks, cred := range map[string]map[string]any{
		"password":                      {"username": "u"},
		"username":                      {"password": "p"},
		"application_credential_secret": {"application_credential_id": "a", "password": "p"},
	} {
		_, err := openstack.Connect(t.Context(), w.vim, cred, outbound.Guard{})
		require.EqualError(t, err, "The credentials of VIM wire lack "+lacks+".")
		require.Equal(t, lcm.KindInvalid, lcm.KindOf(err))
	}
	require.Zero(t, w.logins)
}
