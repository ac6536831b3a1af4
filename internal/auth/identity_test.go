package auth_test

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

func TestScopes_whatTheyLetDo(t *testing.T) {
	read := auth.Need{APIs: []string{"vnflcm:v1"}, Access: auth.Read}
	write := auth.Need{APIs: []string{"vnflcm:v1", "vnflcm:v2"}, Access: auth.Write}
	heal := auth.Need{APIs: []string{"vnflcm:v1", "vnflcm:v2"}, Access: auth.Write, Task: "heal"}
	any, admin := auth.Need{Access: auth.Read}, auth.Need{Access: auth.Admin}
	for scope, want := range map[string][5]bool{
		"vnflcm:v1:readonly":  {true, false, false, false, false},
		"vnflcm:v1:all":       {true, true, true, false, false},
		"vnflcm:v2:all":       {false, true, true, false, false},
		"vnflcm:v2:heal":      {false, false, true, false, false},
		"vnflcm:v2:terminate": {},
		"vnflcm:v3:heal":      {},
		"vnfpkgm:v1:all":      {},
		"windlass:read":       {true, false, false, true, false},
		"windlass:write":      {true, true, true, true, false},
		"windlass:admin":      {true, true, true, true, true},
		"windlass:heal":       {},
		"windlass":            {},
		"":                    {},
	} {
		i := auth.Identity{Scopes: []string{"openid", scope}}
		assert.Equal(t, want, [5]bool{i.May(read), i.May(write), i.May(heal), i.May(any), i.May(admin)}, scope)
	}
	assert.Equal(t, []string{
		"vnflcm:v1:heal", "vnflcm:v2:heal", "vnflcm:v1:all", "vnflcm:v2:all", "windlass:write",
		"windlass:admin",
	}, heal.Scopes())
	assert.Equal(t, []string{"vnflcm:v1:all", "vnflcm:v2:all", "windlass:write", "windlass:admin"}, write.Scopes())
	assert.True(t, auth.Nobody.Scope().All)
}

func TestChain_takesTheFirstMethodThatIsGivenAnything(t *testing.T) {
	i, k := newIssuer(t), newKeystone(t)
	chain := auth.Chain{i.method(), k.method(), &auth.Certificates{}}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	_, err := chain.Authenticate(r)
	failure, ok := errors.AsType[*auth.UnauthenticatedError](err)
	require.True(t, ok, "%v", err)
	assert.Len(t, failure.Challenges, 3)
	assert.Equal(t, "The request does not tell who sends it: it has no bearer token (Authorization), or Keystone token "+
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
