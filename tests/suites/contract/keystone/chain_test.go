package keystone

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/auth"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestChain_takesTheFirstMethodThatIsGivenAnything(t *testing.T) {
	issuer, k := httptest.NewServer(http.NotFoundHandler()), newKeystone(t) // it gets no requests
	t.Cleanup(issuer.Close)
	tokens := &auth.OAuth2{
		Issuer: issuer.URL, Audience: "windlass", Keys: &auth.KeySet{Issuer: issuer.URL, HTTP: issuer.Client()},
	}
	chain := auth.Chain{tokens, k.method(), &auth.Certificates{}}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	_, err := chain.Authenticate(r)
	failure, ok := errors.AsType[*auth.UnauthenticatedError](err)
	require.True(t, ok, "%v", err)
	assert.Len(t, failure.Challenges, 3)
	assert.Equal(t, "The request does not say who sends it: it has no bearer token (Authorization), or Keystone token "+
		"(X-Auth-Token), or client certificate.", failure.Detail)

	token, project := k.login("demo", demoPassword, ofDemo)
	r.Header.Set("X-Auth-Token", token)
	who, err := chain.Authenticate(r)
	require.NoError(t, err)
	assert.Equal(t, lcm.ProjectID(project), who.Project)

	r.Header.Set("Authorization", "Bearer forged")
	_, err = chain.Authenticate(r)
	failure, ok = errors.AsType[*auth.UnauthenticatedError](err)
	require.True(t, ok, "a bad token is not mended by another one")
	assert.True(t, failure.Malformed)
	assert.Len(t, failure.Challenges, 1)
}
