package access

import (
	"crypto/ecdsa"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/certtest"
)

// issuer is a small OAuth 2.0 authorization server. It has metadata, and keys that rotate.
type issuer struct {
	*testing.T
	server *httptest.Server

	mu   sync.Mutex
	id   string // of the key that signs: only this key is published
	keys map[string]*ecdsa.PrivateKey
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	i := &issuer{T: t, keys: map[string]*ecdsa.PrivateKey{}}
	i.rotate("k1")
	i.server = httptest.NewServer(http.HandlerFunc(i.serve))
	t.Cleanup(i.server.Close)
	return i
}

func (i *issuer) serve(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	var answer any
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		answer = map[string]string{"issuer": i.server.URL, "jwks_uri": i.server.URL + "/keys"}
	case "/keys":
		answer = jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{
			Key: i.keys[i.id].Public(), KeyID: i.id, Use: "sig", Algorithm: "ES256",
		}}}
	default:
		w.WriteHeader(http.StatusNotFound)
		return
	}
	assert.NoError(i, json.NewEncoder(w).Encode(answer))
}

// rotate publishes a new key instead of the former one.
func (i *issuer) rotate(id string) {
	i.Helper()
	key := certtest.Key(i.T)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.id, i.keys[id] = id, key
}

// token returns the header with a client's token for a project. A key that is or was the issuer's signs it. The map
// change replaces claims; nil removes the value of a claim.
func (i *issuer) token(key, client, project, scope string, change map[string]any) string {
	i.Helper()
	i.mu.Lock()
	private := i.keys[key]
	i.mu.Unlock()
	now := time.Now()
	claims := map[string]any{
		"iss": i.server.URL, "aud": "windlass", "exp": now.Add(time.Hour).Unix(), "iat": now.Unix(), "sub": client,
		"client_id": client, "scope": scope, "project_id": project,
	}
	maps.Copy(claims, change)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: private},
		(&jose.SignerOptions{}).WithType("at+jwt").WithHeader("kid", key))
	require.NoError(i, err)
	text, err := jwt.Signed(signer).Claims(claims).Serialize()
	require.NoError(i, err)
	return "Authorization: Bearer " + text
}
