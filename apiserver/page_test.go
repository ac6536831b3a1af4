package apiserver

import (
	"context"
	"net/http"
	"path"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/ui"
	"github.com/windlass-nfv/windlass/internal/auth"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

var fileOfPage = regexp.MustCompile(`(?:from|import\(|src=|href=|URL\()\s*["']((?:\./)?[\w./]+\.(?:js|css|svg))["']`)

func TestPage_isServedToEverybodyWithAStrictPolicy(t *testing.T) {
	b := newBench(t, withAuth)
	lead := b.do("GET", "/ui", nil)
	require.Equal(t, http.StatusSeeOther, lead.Status)
	require.Equal(t, "ui/", lead.Header.Get("Location"))

	seen := map[string]bool{}
	var look func(name string)
	look = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		a := b.do("GET", "/ui/"+name, nil)
		require.Equal(t, http.StatusOK, a.Status, name)
		policy := a.Header.Get("Content-Security-Policy")
		require.Contains(t, policy, "default-src 'none'; script-src 'self'; style-src 'self';")
		require.NotContains(t, policy, "unsafe")
		require.Equal(t, "nosniff", a.Header.Get("X-Content-Type-Options"))
		require.Equal(t, "no-referrer", a.Header.Get("Referrer-Policy"))
		require.NotRegexp(t, `<script>|<style|\sstyle=|\son\w+=|innerHTML|insertAdjacentHTML|document\.write|eval\(`, string(a.Body), name)
		require.NotRegexp(t, `(src|href)=["']https?:|import .*https?:`, string(a.Body), "%s needs others", name)
		unchanged := b.do("GET", "/ui/"+name, nil, "If-None-Match: "+a.Header.Get("ETag"))
		require.Equal(t, http.StatusNotModified, unchanged.Status)
		for _, m := range fileOfPage.FindAllStringSubmatch(string(a.Body), -1) {
			look(path.Join(path.Dir(name), m[1])) // as a browser does
		}
	}
	look("")
	require.Greater(t, len(seen), 10)
	for name := range seen {
		kept := b.do("GET", "/ui/"+name, nil).Header.Get("Cache-Control")
		require.Equal(t, map[bool]string{true: "no-cache", false: "public, max-age=31536000, immutable"}[name == ""], kept, name)
		if name != "" { // a page of another release, from another API server
			former := b.do("GET", "/ui/0123456789abcdef/"+path.Base(name), nil)
			require.Equal(t, http.StatusOK, former.Status, name)
			require.Equal(t, "no-cache", former.Header.Get("Cache-Control"), name)
		}
	}
	b.do("GET", "/ui/nothing.js", nil).problem(http.StatusNotFound)
	b.do("GET", "/ui/..%2fui.go", nil).problem(http.StatusNotFound)
}

// users has one user, and one code.
type users struct{ down bool }

func (u users) LogIn(_ context.Context, who auth.KeystoneUser) (auth.Token, error) {
	switch {
	case u.down:
		return auth.Token{}, lcm.Errorf(lcm.KindUnavailable, "Keystone is away.")
	case who.Password != marker:
		return auth.Token{}, &auth.RefusalError{Detail: "No such user."}
	}
	return auth.Token{Value: "a-token", Until: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)}, nil
}

func (users) Authorization(context.Context) (string, error) {
	return "https://issuer.example/login", nil
}

func (users) Redeem(_ context.Context, code, _, _ string) (auth.Token, error) {
	if code != "good" {
		return auth.Token{}, &auth.RefusalError{Detail: "No such code."}
	}
	return auth.Token{Value: "a-jwt"}, nil
}

func TestPage_logsInAsTheAPIDoes(t *testing.T) {
	b := newBench(t, withAuth, func(o *Options) {
		o.Passwords, o.Codes = users{}, users{}
		o.Page = ui.Settings{Tokens: map[string]string{"keystone": "X-Auth-Token"}, Traces: "https://x/{traceId}"}
	})
	settings := b.do("GET", "/windlass/v1/login", nil).want(http.StatusOK)
	require.Equal(t, map[string]any{
		"asked": true, "tokens": map[string]any{"keystone": "X-Auth-Token"}, "passwords": true,
		"authorization": "https://issuer.example/login", "traces": "https://x/{traceId}", "version": "1.2.3",
	}, settings)

	user := map[string]any{"username": "u", "password": marker, "project": "p"}
	in := b.do("POST", "/windlass/v1/login/password", user)
	require.Equal(t, "no-store", in.Header.Get("Cache-Control"))
	require.Equal(t, map[string]any{"header": "X-Auth-Token", "value": "a-token", "until": "2030-01-02T03:04:05Z"},
		in.want(http.StatusOK))
	require.Equal(t, map[string]any{"header": "Authorization", "value": "Bearer a-jwt"},
		b.do("POST", "/windlass/v1/login/code", map[string]any{"code": "good", "verifier": "v", "redirectUri": "r"}).want(http.StatusOK))
	require.Equal(t, "No such code.", b.do("POST", "/windlass/v1/login/code",
		map[string]any{"code": "bad", "verifier": "v", "redirectUri": "r"}).problem(http.StatusUnauthorized))

	b.do("POST", "/windlass/v1/login/password", user, "Sec-Fetch-Site: cross-site").problem(http.StatusForbidden)
	b.do("POST", "/windlass/v1/login/password", `{}`, "Content-Type: text/plain").problem(http.StatusUnsupportedMediaType)
	user["password"] = "wrong"
	limited := 0
	for range 2 * failuresBurst {
		if a := b.do("POST", "/windlass/v1/login/password", user); a.Status != http.StatusUnauthorized {
			a.problem(http.StatusTooManyRequests)
			limited++
		}
	}
	require.Positive(t, limited, "passwords are not guessed quickly")

	away := newBench(t, withAuth, func(o *Options) { o.Passwords = users{down: true} })
	away.do("POST", "/windlass/v1/login/password", user).problem(http.StatusServiceUnavailable)
	away.do("POST", "/windlass/v1/login/code", map[string]any{"code": "x", "verifier": "v", "redirectUri": "r"}).problem(http.StatusNotFound)
}

func TestIdentity_tellsWhoAsks(t *testing.T) {
	b := newBench(t, withAuth)
	require.Equal(t, map[string]any{"client": "client-of-edge", "projectId": "edge", "scopes": []any{"vim:v1:readonly"}},
		b.do("GET", "/windlass/v1/identity", nil, as("edge", "vim:v1:readonly")).want(http.StatusOK))
	open := newBench(t)
	who := open.do("GET", "/windlass/v1/identity", nil).want(http.StatusOK)
	require.Equal(t, []any{"windlass:admin"}, who["scopes"])
}
