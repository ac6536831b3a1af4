package access

import (
	"net/http"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/environment"
)

const (
	readLcm    = "vnflcm:v1:readonly vnflcm:v2:readonly vnfpkgm:v1:readonly"
	writeLcm   = "vnflcm:v1:all vnflcm:v2:all vnfpkgm:v1:all"
	instances2 = "/vnflcm/v2/vnf_instances"
)

// TestOAuth2 starts a server with TLS. Its clients have tokens of an issuer, or certificates.
func TestOAuth2(t *testing.T) {
	idp, ca := newIssuer(t), newAuthority(t)
	ca.issue("api", 101)
	ca.issue("monitoring", 7)
	s := start(t, ca.client(""), map[string]string{
		"WINDLASS_API_TLS_CERT_FILE": ca.file("api.pem"), "WINDLASS_API_TLS_KEY_FILE": ca.file("api.key"),
		"WINDLASS_API_TLS_CLIENT_CA_FILE": ca.file("CA.pem"),
		"WINDLASS_AUTH_MODE":              "oauth2,mtls", "WINDLASS_AUTH_OAUTH2_ISSUER": idp.server.URL,
		"WINDLASS_AUTH_OAUTH2_AUDIENCE": "windlass",
		"WINDLASS_AUTH_MTLS_CLIENTS":    "monitoring=edge/read",
	})
	edge, core := idp.token("k1", "nfvo", "edge", writeLcm, nil), idp.token("k1", "other", "core", writeLcm, nil)

	t.Run("strangers", func(t *testing.T) {
		s := s.with(t)
		a := s.do(http.MethodGet, instances2, nil)
		require.Contains(t, a.refused(http.StatusUnauthorized), "does not say who sends it")
		require.Equal(t, []string{`Bearer realm="windlass"`, `Certificate realm="windlass"`},
			a.Header.Values("WWW-Authenticate"))
		for what, token := range map[string]string{
			"has expired": idp.token("k1", "nfvo", "edge", writeLcm,
				map[string]any{"exp": time.Now().Add(-time.Hour).Unix()}),
			"audience":       idp.token("k1", "nfvo", "edge", writeLcm, map[string]any{"aud": "another"}),
			"another issuer": idp.token("k1", "nfvo", "edge", writeLcm, map[string]any{"iss": "https://another.example"}),
		} {
			a := s.do(http.MethodGet, instances2, nil, token)
			require.Contains(t, a.refused(http.StatusUnauthorized), what)
			require.Contains(t, a.Header.Get("WWW-Authenticate"), `error="invalid_token"`)
		}
		a = s.do(http.MethodGet, instances2, nil, "Authorization: Bearer nonsense")
		a.refused(http.StatusBadRequest)
		require.Contains(t, a.Header.Get("WWW-Authenticate"), `error="invalid_request"`)
		s.do(http.MethodGet, "/vnflcm/v2/api_versions", nil).want(http.StatusOK)
	})
	t.Run("scopes", func(t *testing.T) {
		s := s.with(t)
		reader := idp.token("k1", "dashboard", "edge", readLcm, nil)
		s.do(http.MethodGet, instances2, nil, reader).want(http.StatusOK)
		a := s.do(http.MethodPost, instances2, map[string]any{"vnfdId": "any"}, reader)
		require.Contains(t, a.refused(http.StatusForbidden), "vnflcm:v2:all")
		require.Contains(t, a.Header.Get("WWW-Authenticate"), `error="insufficient_scope"`)
		s.do(http.MethodGet, "/v1.0/vims", nil, reader).want(http.StatusForbidden)
		// The request is authorized, but there is no such VNFD.
		s.do(http.MethodPost, instances2, map[string]any{"vnfdId": "any"}, edge).refused(http.StatusUnprocessableEntity)
		require.Contains(t, s.do(http.MethodGet, instances2, nil,
			idp.token("k1", "lost", "", writeLcm, nil)).refused(http.StatusForbidden), "no project")
	})
	t.Run("projects", func(t *testing.T) {
		s := s.with(t)
		ours, theirs := s.makePackage(edge), s.makePackage(core)
		require.Equal(t, []string{ours}, s.sees(edge))
		require.Equal(t, []string{theirs}, s.sees(core))
		s.do(http.MethodGet, ours, nil, core).refused(http.StatusNotFound)
		s.do(http.MethodDelete, ours, nil, core).refused(http.StatusNotFound)
		require.ElementsMatch(t, []string{ours, theirs},
			s.sees(idp.token("k1", "operator", "default", "windlass:admin", nil)))

		var records []struct{ Client, ProjectID, Method, Resource string }
		s.do(http.MethodGet, "/windlass/v1/audit", nil,
			idp.token("k1", "auditor", "edge", "windlass:read", nil)).want(http.StatusOK, &records)
		require.NotEmpty(t, records)
		for _, r := range records {
			require.Equal(t, "edge", r.ProjectID)
		}
		require.Contains(t, records, struct{ Client, ProjectID, Method, Resource string }{
			"oauth2 nfvo", "edge",
			http.MethodPost, ours,
		})
	})
	t.Run("a certificate in place of a token", func(t *testing.T) {
		s := s.with(t)
		s.client = ca.client("monitoring")
		s.do(http.MethodGet, instances2, nil).want(http.StatusOK)
		s.do(http.MethodPost, packages, map[string]any{}).refused(http.StatusForbidden)
		require.Len(t, s.sees("Accept: application/json"), 1, "those of its project")
	})
	t.Run("the document tells how", func(t *testing.T) {
		var doc struct {
			Components struct {
				SecuritySchemes map[string]struct{ Type, OpenIDConnectURL string }
			}
		}
		s.with(t).do(http.MethodGet, "/openapi.json", nil).want(http.StatusOK, &doc)
		require.Equal(t, idp.server.URL+"/.well-known/openid-configuration",
			doc.Components.SecuritySchemes["oauth2"].OpenIDConnectURL)
	})
	t.Run("the command line client", func(t *testing.T) {
		root, err := environment.Root()
		require.NoError(t, err)
		cmd := exec.CommandContext(t.Context(), environment.Site{Root: root}.Bin("windlass"), "package", "list", "--api",
			s.url(""), "--ca-cert", ca.file("CA.pem"))
		cmd.Env = []string{"HOME=" + t.TempDir(), "WINDLASS_TOKEN=" + edge[len("Authorization: Bearer "):]}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), "CREATED")
	})
	t.Run("the issuer's keys rotate", func(t *testing.T) {
		s := s.with(t)
		idp.rotate("k2")
		renewed := idp.token("k2", "nfvo", "edge", writeLcm, nil)
		require.Eventually(t, func() bool { return s.do(http.MethodGet, instances2, nil, renewed).Status == http.StatusOK },
			patience, 200*time.Millisecond)
		// The issuer no longer publishes k1, and the server has loaded the new keys.
		s.do(http.MethodGet, instances2, nil, edge).refused(http.StatusUnauthorized)
		require.Len(t, s.sees(renewed), 1)
	})
	t.Run("the certificate is renewed", func(t *testing.T) {
		s := s.with(t)
		require.EqualValues(t, 101, s.serial())
		ca.issue("api", 102)
		require.Eventually(t, func() bool { return s.serial() == 102 }, patience, 200*time.Millisecond)
		require.Contains(t, s.log.String(), "TLS certificate loaded")
	})
	require.NotContains(t, s.log.String(), edge[len("Authorization: Bearer "):], "a token is in the log")
}

// with returns the server with its failures reported to a subtest.
func (s *server) with(t *testing.T) *server {
	other := *s
	other.T = t
	return &other
}

// serial opens a connection and returns the serial number of the server's certificate.
func (s *server) serial() int64 {
	s.Helper()
	req, err := http.NewRequestWithContext(s.Context(), http.MethodGet, s.url("/healthz"), nil)
	require.NoError(s, err)
	resp, err := s.client.Do(req)
	require.NoError(s, err)
	require.NoError(s, resp.Body.Close())
	require.NotEmpty(s, resp.TLS.PeerCertificates)
	return resp.TLS.PeerCertificates[0].SerialNumber.Int64()
}
