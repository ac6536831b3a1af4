package e2e

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

const (
	registryVnfdID   = "5d0b2c1e-6c11-4a53-8f0e-2b7d3f9a4c10"
	registryName     = "registry.windlass.test"
	registryPassword = "Pa55-of-the-registry-77ab"
	connectStep      = "Connect every node to the registries"
)

// imageRegistry is an image registry that records the user agents of its requests, which name the nodes. Without a
// password it accepts every request.
type imageRegistry struct {
	*httptest.Server

	mu       sync.Mutex
	password string
	asked    map[string]bool // nodes whose requests were accepted
}

func (r *imageRegistry) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	user, password, _ := req.BasicAuth()
	if r.password != "" && (user != "user01" || password != r.password) {
		w.Header().Set("WWW-Authenticate", `Basic realm="registry"`)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if strings.Contains(req.URL.Path, "/manifests/") && req.URL.Path != "/v2/edge/app/manifests/1.0" {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	r.asked[req.UserAgent()] = true
	_, _ = w.Write([]byte(`{"repositories":[]}`))
}

func (r *imageRegistry) setPassword(password string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.password = password
}

// requireAsked checks that the registry has accepted requests of all these nodes. Then it clears the record.
func (r *imageRegistry) requireAsked(t *testing.T, nodes []string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, node := range nodes {
		require.Contains(t, r.asked, node)
	}
	clear(r.asked)
}

func (r *imageRegistry) port(t *testing.T) string {
	t.Helper()
	_, port, err := net.SplitHostPort(r.Listener.Addr().String())
	require.NoError(t, err)
	return port
}

// startRegistry starts a registry over HTTP, or over HTTPS with a certificate.
func startRegistry(t *testing.T, certificate *tls.Certificate) *imageRegistry {
	t.Helper()
	r := &imageRegistry{asked: map[string]bool{}}
	r.Server = httptest.NewUnstartedServer(r)
	if certificate == nil {
		r.Start()
	} else {
		r.TLS = &tls.Config{Certificates: []tls.Certificate{*certificate}, MinVersion: tls.VersionTLS12}
		r.StartTLS()
	}
	t.Cleanup(r.Close)
	return r
}

// privateCA makes a CA, and a certificate for the registry that the CA has signed.
func privateCA(t *testing.T) (ca []byte, server *tls.Certificate) {
	t.Helper()
	sign := func(template, parent *x509.Certificate, public, private any) []byte {
		template.SerialNumber, template.NotBefore, template.NotAfter = big.NewInt(time.Now().UnixNano()),
			time.Now().Add(-time.Hour), time.Now().Add(24*time.Hour)
		der, err := x509.CreateCertificate(rand.Reader, template, parent, public, private)
		require.NoError(t, err)
		return der
	}
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	root := &x509.Certificate{
		Subject: pkix.Name{CommonName: "a private CA"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign,
	}
	rootDER := sign(root, root, caKey.Public(), caKey)
	leaf := &x509.Certificate{
		Subject: pkix.Name{CommonName: registryName}, DNSNames: []string{registryName},
		KeyUsage: x509.KeyUsageDigitalSignature,
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: rootDER}),
		&tls.Certificate{Certificate: [][]byte{sign(leaf, root, key.Public(), caKey)}, PrivateKey: key}
}

// onboardWithCA on-boards the sample package with another VNFD id and the certificate of a CA.
func (b *bed) onboardWithCA(t *testing.T, ca []byte) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(b.Root, "vnfpkg/samples/k8s-ha"))))
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, bytes.ReplaceAll(content, []byte(testbed.VnfdID), []byte(registryVnfdID)), 0o600)
	}))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "Files/registries"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Files/registries/ca.crt"), ca, 0o600))
	b.onboardDirectory(t, dir)
}

// onboardDirectory builds a package of a directory, and on-boards it.
func (b *bed) onboardDirectory(t *testing.T, dir string) {
	t.Helper()
	archive := filepath.Join(t.TempDir(), "package.zip")
	file, err := os.Create(archive)
	require.NoError(t, err)
	require.NoError(t, vnfpkg.Build(dir, file))
	require.NoError(t, file.Close())
	b.Onboard(t, archive)
}

// serverOff switches a server off without Windlass.
func (b *bed) serverOff(t *testing.T, nova *gophercloud.ServiceClient, server string) string {
	t.Helper()
	require.NoError(t, servers.Stop(t.Context(), nova, server).ExtractErr())
	b.awaitServer(t, nova, server, "SHUTOFF")
	return server
}

func (b *bed) awaitServer(t *testing.T, nova *gophercloud.ServiceClient, server, status string) {
	t.Helper()
	require.Eventually(t, func() bool {
		s, err := servers.Get(t.Context(), nova, server).Extract()
		return err == nil && s.Status == status
	}, quick, 100*time.Millisecond, "the server %s does not become %s", server, status)
}

// requireRegistriesBut checks the registries of every node. The dead node must still have the registries from before
// its end.
func (b *bed) requireRegistriesBut(t *testing.T, dead string, its, others []string) {
	t.Helper()
	found := false
	for _, m := range b.Clusters(t)[0].Members {
		want := others
		if strings.HasSuffix(m.Node, "-"+dead[:8]) {
			want, found = its, true
		}
		require.ElementsMatch(t, want, m.Registries, m.Node)
	}
	require.True(t, found, "no node is on the server %s", dead)
}

// requireRegistries checks that every node is connected to exactly these registries, and returns the nodes.
func (b *bed) requireRegistries(t *testing.T, servers ...string) (nodes []string) {
	t.Helper()
	for _, m := range b.Clusters(t)[0].Members {
		require.ElementsMatch(t, servers, m.Registries, m.Node)
		nodes = append(nodes, m.Node)
	}
	return nodes
}

// registries connects a cluster with two registries, also the nodes that come later. Then it connects the cluster with
// other registries.
func registries(t *testing.T, b *bed) {
	ca, certificate := privateCA(t)
	b.onboardWithCA(t, ca)
	plain, secure, other := startRegistry(t, nil), startRegistry(t, certificate), startRegistry(t, nil)
	secure.setPassword(registryPassword)
	plainServer, secureServer, otherServer := plain.Listener.Addr().String(), registryName+":"+secure.port(t),
		other.Listener.Addr().String()
	list := func(password string) []any {
		return []any{
			map[string]any{"connection_type": "0", "server": plainServer},
			map[string]any{
				"connection_type": "1", "server": secureServer, "username": "user01", "password": password,
				"certificate_path": "Files/registries/ca.crt", "hosts_string": "127.0.0.1 " + registryName,
				"test_image": "edge/app:1.0",
			},
		}
	}
	vnf := b.CreateOf(t, registryVnfdID, "registries")
	request := b.InstantiateRequest(t, "registries", func(_, cluster map[string]any) {
		cluster["private_registry_connection_info"] = list(registryPassword)
	})

	secure.setPassword("another") // it is corrected while the operation waits
	op := b.Begin(t, vnf, "instantiate", request)
	got := b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, got["error"].(map[string]any)["detail"],
		secureServer+" refuses the user name or the password (401)")
	require.Regexp(t, `(cp|worker)-[0-9a-f]{8}`, got["error"].(map[string]any)["detail"])
	secure.setPassword(registryPassword)
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "instantiate-registries")
	b.RequireCluster(t, 3, 2)
	nodes := b.requireRegistries(t, plainServer, secureServer)
	plain.requireAsked(t, nodes)
	secure.requireAsked(t, nodes)
	properties := b.Get(t, "/vnflcm/v1/vnf_instances/"+vnf)["vnfConfigurableProperties"].(map[string]any)
	shown := properties["private_registry_connection_info"].([]any)
	require.Len(t, shown, 2)
	require.Equal(t, "***", shown[1].(map[string]any)["password"])

	op = b.Scale(t, vnf, "SCALE_OUT", "worker_instance")
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "scale-out-registries")
	after := b.requireRegistries(t, plainServer, secureServer)
	secure.requireAsked(t, slices.DeleteFunc(after, func(node string) bool { return slices.Contains(nodes, node) }))

	b.changeRegistries(t, vnf, plain, otherServer, secureServer, list)
	plain.Close() // no node needs it any more
	for _, vdu := range []string{"workerNode", "masterNode"} {
		op = b.Begin(t, vnf, "heal", map[string]any{"vnfcInstanceId": b.VnfcOf(t, vnf, vdu)})
		b.Await(t, op, quick, "COMPLETED")
		b.record(t, op, "heal-registries")
		b.RequireCluster(t, 3, 3)
		b.requireRegistries(t, otherServer)
	}
	op = b.Begin(t, vnf, "heal", map[string]any{"cause": "everything"})
	b.Await(t, op, quick, "COMPLETED")
	b.RequireCluster(t, 3, 3)
	other.requireAsked(t, b.requireRegistries(t, otherServer))

	b.inlineCA(t, vnf, secure, secureServer, ca, otherServer)
	op = b.Modify(t, vnf, registriesProperty(nil))
	b.Await(t, op, quick, "COMPLETED")
	b.requireRegistries(t)
	require.NotContains(t, b.Get(t, "/vnflcm/v1/vnf_instances/"+vnf), "vnfConfigurableProperties")
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)
}

// inlineCA sends the CA of a registry in the request, not in the package. With another CA the modification fails.
func (b *bed) inlineCA(t *testing.T, vnf string, secure *imageRegistry, secureServer string, ca []byte, before string) {
	t.Helper()
	change := func(ca []byte) string {
		return b.Modify(t, vnf, registriesProperty([]any{map[string]any{
			"connection_type": "1", "server": secureServer, "username": "user01", "password": registryPassword,
			"ca_certificate": string(ca), "hosts_string": "127.0.0.1 " + registryName,
		}}))
	}
	another, _ := privateCA(t)
	op := b.Modify(t, vnf, registriesProperty([]any{map[string]any{
		"connection_type": "0", "server": before, "test_image": "edge/none:1",
	}}))
	got := b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, fmt.Sprint(got["error"]), before+" does not have test_image edge/none:1 (404)")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")

	op = change(another)
	got = b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, fmt.Sprint(got["error"]), "has a certificate that is not trusted")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	b.requireRegistries(t, before)
	secure.requireAsked(t, nil) // this only clears the record

	op = change(ca)
	b.Await(t, op, quick, "COMPLETED")
	secure.requireAsked(t, b.requireRegistries(t, secureServer))
}

// changeRegistries connects a running cluster with another registry, after a modification that is rolled back.
func (b *bed) changeRegistries(
	t *testing.T, vnf string, plain *imageRegistry, otherServer, secureServer string, list func(string) []any,
) {
	t.Helper()
	op := b.Modify(t, vnf, registriesProperty(append(list("wrong"),
		map[string]any{"connection_type": "0", "server": otherServer})))
	got := b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, got["error"].(map[string]any)["detail"], "6 of 6 nodes failed")
	nova := testbed.Service(t, b.Cloud.Login(), openstack.NewComputeV2)
	dead := b.serverOff(t, nova, b.VnfcOf(t, vnf, "workerNode")) // meanwhile a node dies
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "rollback", nil).Status)
	b.Await(t, op, quick, "ROLLED_BACK")
	b.record(t, op, "modify-registries-rollback")
	before, other := []string{plain.Listener.Addr().String(), secureServer},
		[]string{plain.Listener.Addr().String(), secureServer, otherServer}
	b.requireRegistriesBut(t, dead, other, before)

	op = b.Modify(t, vnf, registriesProperty([]any{map[string]any{
		"connection_type": 0, "server": otherServer, "test_image": "edge/app:1.0",
	}}))
	got = b.Await(t, op, quick, "FAILED_TEMP")
	require.Contains(t, got["error"].(map[string]any)["detail"], "The operation has changed no node yet")
	require.Contains(t, got["error"].(map[string]any)["detail"], "worker-"+dead[:8])
	b.requireRegistriesBut(t, dead, other, before)
	require.NoError(t, servers.Start(t.Context(), nova, dead).ExtractErr())
	b.awaitServer(t, nova, dead, "ACTIVE")
	require.Equal(t, http.StatusAccepted, b.Act(t, op, "retry", nil).Status)
	b.Await(t, op, quick, "COMPLETED")
	b.record(t, op, "modify-registries")
	b.requireRegistries(t, otherServer)
	require.NotEmpty(t, b.NodeStates(t, op, connectStep))
}

func registriesProperty(list []any) map[string]any {
	return map[string]any{"vnfConfigurableProperties": map[string]any{"private_registry_connection_info": list}}
}
