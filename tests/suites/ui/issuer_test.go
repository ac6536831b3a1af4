package ui

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver"
	"github.com/windlass-nfv/windlass/apiserver/ui"
	"github.com/windlass-nfv/windlass/internal/auth"
	"github.com/windlass-nfv/windlass/internal/config"
	"github.com/windlass-nfv/windlass/internal/pgtest"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/secrets/secretstest"
	"github.com/windlass-nfv/windlass/internal/store"
)

const issuedToken, issuedCode = "token-of-the-issuer", "code-4711"

// issuer is an issuer of OAuth 2.0 whose user is already logged in. It checks that the page follows RFC 7636: it
// exchanges a code only with the verifier that belongs to the challenge.
type issuer struct {
	*httptest.Server

	mu        sync.Mutex
	challenge string
	wrong     string
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	i := &issuer{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]string{
			"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token",
		})
	})
	mux.HandleFunc("GET /authorize", i.authorize)
	mux.HandleFunc("POST /token", i.token)
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	i.mu.Lock()
	defer i.mu.Unlock()
	i.challenge = q.Get("code_challenge")
	if q.Get("code_challenge_method") != "S256" || q.Get("response_type") != "code" || q.Get("client_id") != "page" {
		i.wrong = r.URL.RawQuery
	}
	back := url.Values{"code": {issuedCode}, "state": {q.Get("state")}}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

func (i *issuer) token(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if r.FormValue("code") != issuedCode || base64.RawURLEncoding.EncodeToString(sum[:]) != i.challenge {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error": "invalid_grant"}`))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"access_token": issuedToken, "expires_in": 600})
}

// Authenticate accepts the token of the issuer.
func (i *issuer) Authenticate(r *http.Request) (auth.Identity, error) {
	if r.Header.Get("Authorization") != "Bearer "+issuedToken {
		return auth.Identity{}, &auth.UnauthenticatedError{RefusalError: &auth.RefusalError{Detail: "The token is none of the issuer's."}}
	}
	return auth.Identity{Client: "oauth2 operator", Project: "edge", Scopes: []string{auth.ScopeRead}}, nil
}

// TestLogin_atAnIssuer goes to an issuer of OAuth 2.0 and back. It needs no fake machines, so it is quick.
func TestLogin_atAnIssuer(t *testing.T) {
	db, err := store.Open(t.Context(), pgtest.URL(t))
	require.NoError(t, err)
	t.Cleanup(db.Close)
	i := newIssuer(t)
	var api *apiserver.Server
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { api.ServeHTTP(w, r) }))
	t.Cleanup(server.CloseClientConnections)
	api, err = apiserver.New(apiserver.Options{
		API:   config.API{Endpoint: server.URL, PageSize: 50},
		Store: db, Vault: secrets.NewVault(secretstest.Keyring(t), db), Auth: i,
		Page: ui.Settings{Tokens: map[string]string{"oauth2": "Authorization"}},
		Codes: &auth.CodeFlow{
			Issuer: i.URL, ClientID: "page", Scope: "openid", RedirectURI: server.URL + "/ui/", HTTP: i.Client(),
		},
	})
	require.NoError(t, err)

	b := open(t, server.URL+"/ui/#/vims")
	b.says("h1", "Log in to Windlass")
	b.press("Log in at your organisation")
	b.says("main", "There is no VIM yet") // the place that the user wanted before the login
	var at, kept string
	b.do(chromedp.Location(&at), chromedp.Evaluate(`Object.keys(localStorage).join() + document.cookie`, &kept))
	require.Equal(t, server.URL+"/ui/#/vims", at, "neither code nor state stays in the address")
	require.Empty(t, kept)
	require.Empty(t, i.wrong)

	// The page refuses a code that comes without the state of this tab.
	b.do(chromedp.Navigate(server.URL + "/ui/?state=forged&code=" + issuedCode))
	b.says(".problem", "This login did not begin in this tab")
}
