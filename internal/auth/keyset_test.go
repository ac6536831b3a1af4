package auth_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/auth"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// answering returns a method that fetches the issuer's keys from a server with this answer.
func (i *issuer) answering(answer http.HandlerFunc) *auth.OAuth2 {
	i.Helper()
	server := httptest.NewServer(answer)
	i.Cleanup(server.Close)
	m := i.method()
	m.Keys = &auth.KeySet{Issuer: i.server.URL, URL: server.URL, HTTP: server.Client(), Now: i.now}
	return m
}

func TestKeySet_leavesOutKeysThatItDoesNotKnow(t *testing.T) {
	i := newIssuer(t)
	known, err := json.Marshal(jose.JSONWebKey{Key: i.keys["k1"].Public(), KeyID: "k1", Use: "sig"})
	require.NoError(t, err)
	for name, more := range map[string]string{
		"of a kind to come": `{"kty": "AKP", "alg": "ML-DSA-44", "kid": "k2", "pub": "AAAA"}`,
		"for encryption":    `{"kty": "OKP", "crv": "X25519", "kid": "k2", "use": "enc", "x": "AAAA"}`,
		"of another curve":  `{"kty": "EC", "crv": "secp256k1", "kid": "k2", "x": "AAAA", "y": "AAAA"}`,
		"with a part only":  `{"kty": "RSA", "kid": "k2", "n": "AAAA"}`,
		"no key":            `"k2"`,
	} {
		for _, keys := range []string{more + "," + string(known), string(known) + "," + more} {
			m := i.answering(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"keys": [`+keys+`]}`) })
			_, err := bearer(t, m, i.token(i.keys["k1"], "k1", nil))
			require.NoError(t, err, name)
		}
		m := i.answering(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"keys": [`+more+`]}`) })
		_, err := bearer(t, m, i.token(i.keys["k1"], "k1", nil))
		require.True(t, lcm.Is(err, lcm.KindUnavailable), "%s: %v", name, err)
		require.ErrorContains(t, err, "keys", name)
	}
}

// TestKeySet_boundsWhatAnIssuerMayAnswer uses answers in which the good key comes after the limit of what the key set
// reads.
func TestKeySet_boundsWhatAnIssuerMayAnswer(t *testing.T) {
	i := newIssuer(t)
	known, err := json.Marshal(jose.JSONWebKey{Key: i.keys["k1"].Public(), KeyID: "k1", Use: "sig"})
	require.NoError(t, err)
	answer := func(padding int) string {
		return `{"more": "` + strings.Repeat("x", padding) + `", "keys": [` + string(known) + `]}`
	}
	for name, c := range map[string]struct {
		answer  http.HandlerFunc
		refused bool
	}{
		"usual": {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer(1<<10)) }, false},
		"large": {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer(2<<20)) }, true},
		"inflated": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			small := gzip.NewWriter(w)
			defer small.Close()
			_, _ = io.WriteString(small, answer(2<<20))
		}, true},
		"no keys": {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{}`) }, true},
		"a page":  {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `<html>`) }, true},
		"an error": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTeapot)
			_, _ = io.WriteString(w, answer(0))
		}, true},
	} {
		_, err := bearer(t, i.answering(c.answer), i.token(i.keys["k1"], "k1", nil))
		if c.refused {
			require.True(t, lcm.Is(err, lcm.KindUnavailable), "%s: %v", name, err)
			require.Less(t, len(err.Error()), 1000, "an error does not bring the answer")
		} else {
			require.NoError(t, err, name)
		}
	}
}
