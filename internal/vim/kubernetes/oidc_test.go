package kubernetes

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
)

// issuer issues numbered tokens that are valid for life.
type issuer struct {
	*httptest.Server
	given  atomic.Int32
	life   time.Duration
	status int
	form   map[string][]string
}

func newIssuer(t *testing.T) *issuer {
	i := &issuer{life: time.Hour, status: http.StatusOK}
	i.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		i.form = r.PostForm
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(i.status)
		if i.status != http.StatusOK {
			fmt.Fprint(w, `{"error":"invalid_grant","error_description":"s3cr3t of the issuer"}`)
			return
		}
		fmt.Fprintf(w, `{"access_token":"a","token_type":"bearer","id_token":%q}`, i.token(i.given.Add(1)))
	}))
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) token(n int32) string {
	claims := fmt.Sprintf(`{"jti":"%d","exp":%d}`, n, time.Now().Add(i.life).Unix())
	return "e30." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".sig"
}

func (i *issuer) credentials() map[string]any {
	return map[string]any{
		"oidc_token_url": i.URL, "username": "nfv", "password": "s3cr3t", "client_id": "windlass", "client_secret": "s3cr3t-2",
	}
}

// transport returns a client of an API server that sends each body back, or refuses the token.
func (i *issuer) transport(t *testing.T, refuses func(token string) bool) (*openIDTransport, func(body string) *http.Response) {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refuses(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.Copy(w, r.Body)
	}))
	t.Cleanup(api.Close)
	cred := i.credentials()
	made := openIDOf(func(key string) string { return cred[key].(string) }).wrap(http.DefaultTransport)
	transport, ok := made.(*openIDTransport)
	require.True(t, ok)
	return transport, func(body string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, api.URL, strings.NewReader(body))
		require.NoError(t, err)
		resp, err := transport.RoundTrip(req)
		require.NoError(t, err)
		t.Cleanup(func() { resp.Body.Close() })
		return resp
	}
}

func TestOpenID_keepsATokenUntilItsEndIsNear(t *testing.T) {
	i := newIssuer(t)
	transport, send := i.transport(t, func(token string) bool { return token == "" })
	var at atomic.Int64
	transport.now = func() time.Time { return time.Now().Add(time.Duration(at.Load())) }
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { send("x") })
	}
	all.Wait()
	require.EqualValues(t, 1, i.given.Load(), "one token for all")
	require.Equal(t, map[string][]string{
		"grant_type": {"password"}, "username": {"nfv"}, "password": {"s3cr3t"}, "client_id": {"windlass"},
		"client_secret": {"s3cr3t-2"}, "scope": {"openid"},
	}, i.form)
	at.Store(int64(i.life - earlier/2))
	send("x")
	require.EqualValues(t, 2, i.given.Load(), "it is refreshed before its end")
}

func TestOpenID_asksForAnotherTokenWhenOneIsRefused(t *testing.T) {
	i := newIssuer(t)
	var revoked atomic.Value
	revoked.Store("")
	transport, send := i.transport(t, func(token string) bool { return token == revoked.Load() })
	send("x")
	revoked.Store(transport.text)
	resp := send("the whole body")
	require.Equal(t, http.StatusOK, resp.StatusCode)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, "the whole body", string(body))
	require.EqualValues(t, 2, i.given.Load())

	_, refused := i.transport(t, func(string) bool { return true })
	require.Equal(t, http.StatusUnauthorized, refused("x").StatusCode)
	require.EqualValues(t, 3, i.given.Load(), "a fresh token that is refused is not replaced at once")
}

func TestCheck_tellsWhatAnIssuerRefuses(t *testing.T) {
	i := newIssuer(t)
	vim := cluster(t, http.StatusOK)
	check := func(guard outbound.Guard) error {
		_, err := Check(t.Context(), vim, i.credentials(), guard)
		require.Error(t, err)
		require.NotContains(t, err.Error(), "s3cr3t")
		return err
	}
	require.True(t, lcm.Is(check(outbound.Guard{}), lcm.KindDenied), "the API takes no token of it")
	i.status = http.StatusBadRequest
	err := check(outbound.Guard{})
	require.True(t, lcm.Is(err, lcm.KindDenied), "%v", err)
	require.Contains(t, lcm.Sentence(err), "refused the user, the password or the client")
	i.status = http.StatusServiceUnavailable
	require.True(t, lcm.Is(check(outbound.Guard{}), lcm.KindUnavailable))

	i.status = http.StatusFound // a redirect must not get the password
	require.True(t, lcm.Is(check(outbound.Guard{}), lcm.KindInvalid))
	i.Close()
	require.True(t, lcm.Is(check(outbound.Guard{}), lcm.KindUnavailable))
}

// TestCheck_verifiesTheIssuer checks that the issuer's certificate comes from an authority in ssl_ca_cert, as in
// Tacker.
func TestCheck_verifiesTheIssuer(t *testing.T) {
	vim, authority := secured(t, func(*http.Request) bool { return true })
	i := newIssuer(t)
	cred := i.credentials()
	stranger, _ := certificate(t, "stranger")
	cred["oidc_token_url"], cred["ssl_ca_cert"] = vim.AuthURL, stranger
	_, err := Check(t.Context(), lcm.Vim{Name: "k8s", AuthURL: "https://192.0.2.1"}, cred, outbound.Guard{})
	require.True(t, lcm.Is(err, lcm.KindUnavailable), "%v", err)
	require.Contains(t, lcm.Sentence(err), "certificate of the OpenID provider")
	cred["ssl_ca_cert"] = authority
	_, err = Check(t.Context(), lcm.Vim{Name: "k8s", AuthURL: "https://192.0.2.1"}, cred, outbound.Guard{})
	require.Contains(t, lcm.Sentence(err), "is no OpenID provider", "what answers is trusted, and is no issuer")
}

func TestCheck_sendsNoPasswordToADeniedIssuer(t *testing.T) {
	i := newIssuer(t)
	cred := i.credentials()
	denied := outbound.Guard{
		Denied: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Section: "vims", What: "nobody may have it",
	}
	_, err := Check(t.Context(), lcm.Vim{Name: "k8s", AuthURL: "http://192.0.2.1:6443"}, cred, denied)
	require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
	require.Contains(t, lcm.Sentence(err), "vims.deniedNetworks")
	// A name is resolved only when the connection is opened.
	cred["oidc_token_url"] = strings.Replace(i.URL, "127.0.0.1", "localhost", 1)
	_, err = Check(t.Context(), lcm.Vim{Name: "k8s", AuthURL: "http://192.0.2.1:6443"}, cred, denied)
	require.Error(t, err)
	require.Zero(t, i.given.Load())
}
