package apiserver

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/labstack/echo/v4"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/auth"
)

func TestRemoteAddress_isAHeadersOnlyBehindATrustedProxy(t *testing.T) {
	for _, c := range []struct {
		trusted []netip.Prefix
		want    string
	}{
		{nil, "192.0.2.1"},
		{[]netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, "203.0.113.7"},
		{[]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, "192.0.2.1"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil) // its address is 192.0.2.1
		r.Header.Set("X-Forwarded-For", "198.51.100.9, 203.0.113.7")
		require.Equal(t, c.want, extractIP(c.trusted)(r))
	}
}

func TestForbidden_tellsBearersWhichScopeIsMissing(t *testing.T) {
	s := &Server{}
	c := echo.New().NewContext(httptest.NewRequest(http.MethodGet, "/", nil), httptest.NewRecorder())
	err := s.forbidden(c, auth.Identity{Client: "oauth2 nfvo", Scopes: []string{"a"}},
		auth.Need{APIs: []string{"vnflcm:v2"}, Access: auth.Write})
	require.ErrorContains(t, err, "needs the scope vnflcm:v2:all or windlass:write or windlass:admin; you have a")
	require.Equal(t, `Bearer realm="windlass", error="insufficient_scope", scope="vnflcm:v2:all"`,
		c.Response().Header().Get("WWW-Authenticate"))
}
