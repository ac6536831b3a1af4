package kubernetes

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
)

// certificate returns a self-signed certificate and its key, as PEM.
func certificate(t *testing.T, name string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	require.NoError(t, err)
	keyDER, err := x509.MarshalECPrivateKey(private)
	require.NoError(t, err)
	return pemOf("CERTIFICATE", der), pemOf("EC PRIVATE KEY", keyDER)
}

func pemOf(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// secured returns an API server with TLS that accepts the requests for which known returns true, and the CA of the
// server.
func secured(t *testing.T, known func(*http.Request) bool) (vim lcm.Vim, authority string) {
	t.Helper()
	api := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !known(r) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"gitVersion":"v1.34.1","items":[{"metadata":{"name":"default"}}]}`)
	}))
	api.TLS = &tls.Config{ClientAuth: tls.RequestClientCert} //nolint:gosec // a test's
	api.StartTLS()
	t.Cleanup(api.Close)
	return lcm.Vim{Name: "k8s", Type: lcm.VimKubernetes, AuthURL: api.URL}, pemOf("CERTIFICATE", api.Certificate().Raw)
}

func TestCheck_logsInInEveryWay(t *testing.T) {
	t.Parallel()
	cert, key := certificate(t, "nfv")
	folded := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	for name, c := range map[string]struct {
		cred  map[string]any
		known func(*http.Request) bool
	}{
		"a token": {
			map[string]any{"bearer_token": "good"},
			func(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer good" },
		},
		"a password": {
			map[string]any{"username": "nfv", "password": "good"},
			func(r *http.Request) bool {
				user, password, _ := r.BasicAuth()
				return user == "nfv" && password == "good"
			},
		},
		"a client certificate": {
			map[string]any{"client_certificate": cert, "client_key": folded(key)},
			func(r *http.Request) bool {
				return len(r.TLS.PeerCertificates) == 1 && r.TLS.PeerCertificates[0].Subject.CommonName == "nfv"
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			vim, authority := secured(t, c.known)
			for _, trusted := range []string{authority, folded(authority)} { // the second as YAML folds it
				c.cred["ssl_ca_cert"] = trusted
				found, err := Check(t.Context(), vim, c.cred, outbound.Guard{})
				require.NoError(t, err)
				require.Equal(t, []any{"v1.34.1", []string{"default"}}, []any{found.Version, found.Regions})
				require.NotContains(t, strings.Join(found.Warnings, ""), "not verified")
			}
			c.cred["ssl_ca_cert"] = "None"
			found, err := Check(t.Context(), vim, c.cred, outbound.Guard{})
			require.NoError(t, err)
			require.Contains(t, strings.Join(found.Warnings, ""), "certificate of the VIM is not verified")
			c.cred["ssl_ca_cert"] = cert
			_, err = Check(t.Context(), vim, c.cred, outbound.Guard{})
			require.True(t, lcm.Is(err, lcm.KindUnavailable), "%v", err)
			require.Contains(t, lcm.Sentence(err), "is not from the authority in ssl_ca_cert")
		})
	}
}

func TestConfigOf_refusesWhatIsNoWayToLogIn(t *testing.T) {
	for name, cred := range map[string]map[string]any{
		"nothing":                {"ssl_ca_cert": "None"},
		"two ways":               {"bearer_token": "s3cr3t", "username": "u", "password": "s3cr3t"},
		"half a certificate":     {"client_key": "-----BEGIN PRIVATE KEY-----\ns3cr3t\n-----END PRIVATE KEY-----"},
		"an authority of no PEM": {"bearer_token": "s3cr3t", "ssl_ca_cert": "/etc/ca.pem"},
	} {
		_, err := configOf(lcm.Vim{Name: "k8s"}, cred, nil)
		require.True(t, lcm.Is(err, lcm.KindInvalid), "%s: %v", name, err)
		require.NotContains(t, err.Error(), "s3cr3t")
	}
}

// TestConfigOf_takesTheFilesOfTackersUsers reads the two files in the specification of Kubernetes as a VIM. YAML folds
// the certificate in them into one line.
func TestConfigOf_takesTheFilesOfTackersUsers(t *testing.T) {
	for _, name := range []string{"vim-token.yaml", "vim-password.yaml"} {
		text, err := os.ReadFile("testdata/" + name)
		require.NoError(t, err)
		cred := map[string]any{}
		require.NoError(t, yaml.Unmarshal(text, &cred))
		require.NotContains(t, cred["ssl_ca_cert"], "\n")
		config, err := configOf(lcm.Vim{AuthURL: cred["auth_url"].(string)}, cred, nil)
		require.NoError(t, err)
		made, err := rest.TLSConfigFor(config)
		require.NoError(t, err)
		require.NotNil(t, made.RootCAs)
		require.False(t, made.InsecureSkipVerify)
	}
}
