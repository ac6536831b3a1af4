package ui_test

import (
	"context"
	"net/http"
	"path"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/apiserver/ui"
	"github.com/windlass-nfv/windlass/internal/auth"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

var fileOfPage = regexp.MustCompile(`(?:from|import\(|src=|href=|URL\()\s*["']((?:\./)?[\w./]+\.(?:js|css|svg))["']`)

func TestPage_isServedToEverybodyWithAStrictPolicy(t *testing.T) {
	b := servertest.New(t, servertest.WithAuth)
	lead := b.Do("GET", "/ui", nil)
	require.Equal(t, http.StatusSeeOther, lead.Status)
	require.Equal(t, "ui/", lead.Header.Get("Location"))

	seen := map[string]bool{}
	var look func(name string)
	look = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		a := b.Do("GET", "/ui/"+name, nil)
		require.Equal(t, http.StatusOK, a.Status, name)
		policy := a.Header.Get("Content-Security-Policy")
		require.Contains(t, policy, "default-src 'none'; script-src 'self'; style-src 'self';")
		require.NotContains(t, policy, "unsafe")
		require.Equal(t, "nosniff", a.Header.Get("X-Content-Type-Options"))
		require.Equal(t, "no-referrer", a.Header.Get("Referrer-Policy"))
		require.NotRegexp(
			t,
			`<script>|<style|\sstyle=|\son\w+=|innerHTML|insertAdjacentHTML|document\.write|eval\(`,
			string(a.Body),
			name,
		)
		require.NotRegexp(t, `(src|href)=["']https?:|import .*https?:`, string(a.Body), "%s needs others", name)
		unchanged := b.Do("GET", "/ui/"+name, nil, "If-None-Match: "+a.Header.Get("ETag"))
		require.Equal(t, http.StatusNotModified, unchanged.Status)
		for _, m := range fileOfPage.FindAllStringSubmatch(string(a.Body), -1) {
			look(path.Join(path.Dir(name), m[1])) // as a browser does
		}
	}
	look("")
	require.Greater(t, len(seen), 10)
	for name := range seen {
		kept := b.Do("GET", "/ui/"+name, nil).Header.Get("Cache-Control")
		require.Equal(
			t,
			map[bool]string{true: "no-cache", false: "public, max-age=31536000, immutable"}[name == ""],
			kept,
			name,
		)
		if name != "" { // a page of another release, from another API server
			former := b.Do("GET", "/ui/0123456789abcdef/"+path.Base(name), nil)
			require.Equal(t, http.StatusOK, former.Status, name)
			require.Equal(t, "no-cache", former.Header.Get("Cache-Control"), name)
		}
	}
	b.Do("GET", "/ui/nothing.js", nil).Problem(http.StatusNotFound)
	b.Do("GET", "/ui/..%2fui.go", nil).Problem(http.StatusNotFound)
}

// users has one user, and one code.
type users struct{ down bool }

func (u users) LogIn(_ context.Context, who auth.KeystoneUser) (auth.Token, error) {
	switch {
	case u.down:
		return auth.Token{}, lcm.Errorf(lcm.KindUnavailable, "Keystone is away.")
	case who.Password != servertest.Marker:
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
	b := servertest.New(t, servertest.WithAuth, func(o *apiserver.Options) {
		o.Passwords, o.Codes = users{}, users{}
		o.Page = ui.Settings{Tokens: map[string]string{"keystone": "X-Auth-Token"}, Traces: "https://x/{traceId}"}
	})
	settings := b.Do("GET", "/windlass/v1/login", nil).Want(http.StatusOK)
	require.Equal(t, map[string]any{
		"asked": true, "tokens": map[string]any{"keystone": "X-Auth-Token"}, "passwords": true,
		"authorization": "https://issuer.example/login", "traces": "https://x/{traceId}", "version": "1.2.3",
	}, settings)

	user := map[string]any{"username": "u", "password": servertest.Marker, "project": "p"}
	in := b.Do("POST", "/windlass/v1/login/password", user)
	require.Equal(t, "no-store", in.Header.Get("Cache-Control"))
	require.Equal(t, map[string]any{"header": "X-Auth-Token", "value": "a-token", "until": "2030-01-02T03:04:05Z"},
		in.Want(http.StatusOK))
	require.Equal(
		t,
		map[string]any{"header": "Authorization", "value": "Bearer a-jwt"},
		b.Do("POST", "/windlass/v1/login/code", map[string]any{"code": "good", "verifier": "v", "redirectUri": "r"}).
			Want(http.StatusOK),
	)
	require.Equal(t, "No such code.", b.Do("POST", "/windlass/v1/login/code",
		map[string]any{"code": "bad", "verifier": "v", "redirectUri": "r"}).Problem(http.StatusUnauthorized))

	b.Do("POST", "/windlass/v1/login/password", user, "Sec-Fetch-Site: cross-site").Problem(http.StatusForbidden)
	b.Do("POST", "/windlass/v1/login/password", `{}`, "Content-Type: text/plain").Problem(http.StatusUnsupportedMediaType)
	user["password"] = "wrong"
	for guesses := 0; ; guesses++ {
		require.Less(t, guesses, 1000, "passwords are not guessed quickly")
		if a := b.Do("POST", "/windlass/v1/login/password", user); a.Status != http.StatusUnauthorized {
			a.Problem(http.StatusTooManyRequests)
			break
		}
	}

	away := servertest.New(t, servertest.WithAuth, func(o *apiserver.Options) { o.Passwords = users{down: true} })
	away.Do("POST", "/windlass/v1/login/password", user).Problem(http.StatusServiceUnavailable)
	away.Do("POST", "/windlass/v1/login/code", map[string]any{"code": "x", "verifier": "v", "redirectUri": "r"}).
		Problem(http.StatusNotFound)
}
