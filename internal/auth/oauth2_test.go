package auth_test

import (
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/auth"
	"github.com/windlass-nfv/windlass/internal/certtest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// issuer is an authorization server.
type issuer struct {
	*testing.T
	server *httptest.Server

	mu     sync.Mutex
	keys   map[string]*ecdsa.PrivateKey // the published keys
	asked  int
	down   bool
	issues string // the issuer in its metadata; "" is the right one
	clock  time.Time
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	i := &issuer{T: t, keys: map[string]*ecdsa.PrivateKey{"k1": certtest.Key(t)}, clock: time.Now()}
	i.server = httptest.NewServer(http.HandlerFunc(i.serve))
	t.Cleanup(i.server.Close)
	return i
}

func (i *issuer) serve(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.down {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	var answer any
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		name := i.server.URL
		if i.issues != "" {
			name = i.issues
		}
		answer = map[string]string{"issuer": name, "jwks_uri": i.server.URL + "/keys"}
	case "/keys":
		i.asked++
		var set jose.JSONWebKeySet
		for id, key := range i.keys {
			set.Keys = append(set.Keys, jose.JSONWebKey{Key: key.Public(), KeyID: id, Use: "sig", Algorithm: "ES256"})
		}
		answer = set
	default:
		w.WriteHeader(http.StatusNotFound)
		return
	}
	assert.NoError(i, json.NewEncoder(w).Encode(answer))
}

func (i *issuer) set(change func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	change()
}

func (i *issuer) now() time.Time {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.clock
}

// times returns how often the keys were fetched.
func (i *issuer) times() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.asked
}

func (i *issuer) passes(d time.Duration) { i.set(func() { i.clock = i.clock.Add(d) }) }

// method returns a method that accepts the issuer's tokens.
func (i *issuer) method() *auth.OAuth2 {
	return &auth.OAuth2{
		Issuer: i.server.URL, Audience: "windlass", ProjectClaim: "project_id", Now: i.now,
		Keys: &auth.KeySet{Issuer: i.server.URL, HTTP: i.server.Client(), Now: i.now},
	}
}

// token returns a valid token with changed claims; nil removes a claim.
func (i *issuer) token(key *ecdsa.PrivateKey, id string, change map[string]any) string {
	i.Helper()
	claims := map[string]any{
		"iss": i.server.URL, "aud": []string{"other", "windlass"}, "exp": i.now().Add(time.Hour).Unix(),
		"iat": i.now().Unix(),
		"sub": "service-account", "client_id": "nfvo", "scope": "vnflcm:v2:all openid", "project_id": "edge",
	}
	maps.Copy(claims, change)
	maps.DeleteFunc(claims, func(_ string, v any) bool { return v == nil })
	options := (&jose.SignerOptions{}).WithType("at+jwt")
	if id != "" {
		options = options.WithHeader("kid", id)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key}, options)
	require.NoError(i, err)
	text, err := jwt.Signed(signer).Claims(claims).Serialize()
	require.NoError(i, err)
	return text
}

// bearer authenticates with a token.
func bearer(t *testing.T, m auth.Method, token string) (auth.Identity, error) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	who, given, err := m.Authenticate(r)
	require.True(t, given)
	return who, err
}

func refusal(t *testing.T, err error) *auth.RefusalError {
	t.Helper()
	r, ok := errors.AsType[*auth.RefusalError](err)
	require.True(t, ok, "%v", err)
	require.NotEmpty(t, r.Detail)
	return r
}

func TestOAuth2_tellsClientProjectAndScopes(t *testing.T) {
	i := newIssuer(t)
	m := i.method()
	who, err := bearer(t, m, i.token(i.keys["k1"], "k1", nil))
	require.NoError(t, err)
	assert.WithinDuration(t, i.now().Add(time.Hour), who.Until, time.Minute)
	who.Until = time.Time{}
	assert.Equal(t, auth.Identity{
		Client: "oauth2 nfvo for service-account", Project: "edge", Scopes: []string{"vnflcm:v2:all", "openid"},
	}, who)
	assert.False(t, who.Scope().All)

	who, err = bearer(t, m, i.token(i.keys["k1"], "",
		map[string]any{"client_id": nil, "scope": []string{"a", "b"}, "scp": "c", "aud": "windlass"}))
	require.NoError(t, err, "a token need not name its key")
	who.Until = time.Time{}
	assert.Equal(t, auth.Identity{Client: "oauth2 service-account", Project: "edge", Scopes: []string{"a", "b", "c"}}, who)

	who, err = bearer(t, m, i.token(i.keys["k1"], "k1", map[string]any{"project_id": nil, "scope": "windlass:admin"}))
	require.NoError(t, err)
	assert.Equal(t, lcm.Scope{Project: lcm.DefaultProject, All: true}, who.Scope(), "an administrator needs no project")

	_, err = bearer(t, m, i.token(i.keys["k1"], "k1", map[string]any{"project_id": nil}))
	assert.True(t, refusal(t, err).Unknown)
	m.Project = "shared"
	who, err = bearer(t, m, i.token(i.keys["k1"], "k1", map[string]any{"project_id": nil}))
	require.NoError(t, err)
	assert.Equal(t, lcm.ProjectID("shared"), who.Project)
}

func TestOAuth2_refusesTokensThatAreNotGood(t *testing.T) {
	i := newIssuer(t)
	m, key := i.method(), i.keys["k1"]
	at := func(d time.Duration) int64 { return i.now().Add(d).Unix() }
	for name, c := range map[string]struct{ token, says string }{
		"expired":    {i.token(key, "k1", map[string]any{"exp": at(-time.Minute)}), "expired"},
		"no end":     {i.token(key, "k1", map[string]any{"exp": nil}), "never expires"},
		"not yet":    {i.token(key, "k1", map[string]any{"nbf": at(time.Hour)}), "not valid now"},
		"issuer":     {i.token(key, "k1", map[string]any{"iss": "https://other.example"}), "another issuer"},
		"audience":   {i.token(key, "k1", map[string]any{"aud": "other"}), "audience"},
		"forged":     {i.token(certtest.Key(t), "k1", nil), "signature"},
		"forged too": {i.token(certtest.Key(t), "", nil), "signature"},
		"no such":    {i.token(certtest.Key(t), "k9", nil), "signature"},
	} {
		_, err := bearer(t, m, c.token)
		require.Contains(t, refusal(t, err).Detail, c.says, name)
		require.False(t, refusal(t, err).Malformed, name)
	}
	good := i.token(key, "k1", nil)
	head, rest, _ := strings.Cut(good, ".")
	none := "eyJhbGciOiJub25lIn0." + strings.Split(rest, ".")[0] + "."
	secret, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.HS256, Key: []byte(strings.Repeat("k", 32))}, nil)
	require.NoError(t, err)
	symmetric, err := jwt.Signed(secret).Claims(map[string]any{
		"iss": i.server.URL, "aud": "windlass", "exp": at(time.Hour),
	}).Serialize()
	require.NoError(t, err)
	for _, text := range []string{"", "x", head, good + ".x", none, symmetric, "{}"} {
		_, err := bearer(t, m, text)
		require.True(t, refusal(t, err).Malformed, text)
		require.NotContains(t, refusal(t, err).Detail, head)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	r.Header.Set("Authorization", "Basic dTpw")
	_, given, err := m.Authenticate(r)
	require.NoError(t, err)
	require.False(t, given)
}

func TestOAuth2_followsTheRotationOfKeys(t *testing.T) {
	i := newIssuer(t)
	m := i.method()
	first := i.keys["k1"]
	_, err := bearer(t, m, i.token(first, "k1", nil))
	require.NoError(t, err)
	_, err = bearer(t, m, i.token(first, "k1", nil))
	require.NoError(t, err)
	require.Equal(t, 1, i.times(), "known keys are not asked for")

	// The key set fetches a new key as soon as a token needs it, but it does not fetch keys for every unknown token.
	second := certtest.Key(t)
	i.set(func() { i.keys["k2"] = second })
	_, err = bearer(t, m, i.token(second, "k2", nil))
	require.Error(t, err, "asked a moment ago")
	i.passes(10 * time.Second)
	_, err = bearer(t, m, i.token(second, "k2", nil))
	require.NoError(t, err)
	for range 20 {
		_, err = bearer(t, m, i.token(certtest.Key(t), "unknown", nil))
		require.Error(t, err)
	}
	require.Equal(t, 2, i.times())

	// A withdrawn key is trusted only until the next fetch.
	i.set(func() { delete(i.keys, "k1") })
	_, err = bearer(t, m, i.token(first, "k1", nil))
	require.NoError(t, err)
	i.passes(20 * time.Minute)
	_, err = bearer(t, m, i.token(first, "k1", nil))
	require.Contains(t, refusal(t, err).Detail, "signature")

	// While the issuer is down, its keys are valid for some hours.
	i.set(func() { i.down = true })
	i.passes(time.Hour)
	_, err = bearer(t, m, i.token(second, "k2", nil))
	require.NoError(t, err)
	i.passes(24 * time.Hour)
	_, err = bearer(t, m, i.token(second, "k2", nil))
	require.True(t, lcm.Is(err, lcm.KindUnavailable), "%v", err)
	i.set(func() { i.down = false })
	i.passes(10 * time.Second)
	_, err = bearer(t, m, i.token(second, "k2", nil))
	require.NoError(t, err)
}

func TestOAuth2_doesNotBelieveTheMetadataOfAnother(t *testing.T) {
	i := newIssuer(t)
	i.issues = "https://other.example"
	m := i.method()
	_, err := bearer(t, m, i.token(i.keys["k1"], "k1", nil))
	require.True(t, lcm.Is(err, lcm.KindUnavailable), "%v", err)
	m.Keys = &auth.KeySet{Issuer: i.server.URL, URL: i.server.URL + "/keys", HTTP: i.server.Client()}
	_, err = bearer(t, m, i.token(i.keys["k1"], "k1", nil))
	require.NoError(t, err, "whose keys the settings name")
}

func TestOAuth2_challenges(t *testing.T) {
	m := &auth.OAuth2{}
	assert.Equal(t, `Bearer realm="windlass"`, m.Challenge(nil))
	assert.Equal(t, `Bearer realm="windlass", error="invalid_token", error_description="It is \"old\"."`,
		m.Challenge(&auth.RefusalError{Detail: "It is \"old\".\n"}))
	assert.Contains(t, m.Challenge(&auth.RefusalError{Malformed: true}), "invalid_request")
}
