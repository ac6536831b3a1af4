package apiserver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
)

// onboardWithCA uploads the sample package with the certificate of a CA, and with a file that is not a certificate.
func (b *bench) onboardWithCA() (vnfdID string) {
	b.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(b, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true, NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(b, err)
	dir := b.TempDir()
	require.NoError(b, os.CopyFS(dir, os.DirFS("../vnfpkg/samples/k8s-ha")))
	require.NoError(b, os.MkdirAll(filepath.Join(dir, "Files/registries"), 0o755))
	require.NoError(b, os.WriteFile(filepath.Join(dir, "Files/registries/ca.crt"),
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	require.NoError(b, os.WriteFile(filepath.Join(dir, "Files/registries/none.txt"), []byte("none"), 0o600))
	return b.onboardDir(dir)
}

func registryList(certificate string) []any {
	return []any{
		map[string]any{"connection_type": "0", "server": "192.168.0.10:5000"},
		map[string]any{
			"connection_type": 1, "server": "registry.example.com", "username": "user01", "password": marker + "-registry",
			"certificate_path": certificate, "hosts_string": "192.168.0.20 registry.example.com",
		},
	}
}

func TestInstantiate_checksRegistries(t *testing.T) {
	b := newBench(t)
	instance := b.create("/vnflcm/v1", b.onboardWithCA())
	request := clusterRequest(b.registerVim("lab", true))
	cluster := request["additionalParams"].(map[string]any)[lcm.ClusterParamsKey].(map[string]any)
	const at = "$.additionalParams.k8s_cluster_installation_param.private_registry_connection_info"

	cluster[lcm.RegistriesKey] = []any{
		map[string]any{"connection_type": "2", "server": "http://a"},
		map[string]any{"connection_type": "1", "server": "a.example.com", "username": "u"},
	}
	a := b.do("POST", instance+"/instantiate", request)
	a.problem(http.StatusBadRequest)
	require.ElementsMatch(t, []string{at + "[0].connection_type", at + "[0].server", at + "[1].password"}, a.paths())
	for file, says := range map[string]string{
		"Files/registries/absent.crt": "has no file",
		"Files/registries/none.txt":   "not a certificate in PEM form",
	} {
		cluster[lcm.RegistriesKey] = registryList(file)
		a = b.do("POST", instance+"/instantiate", request)
		require.Contains(t, a.problem(http.StatusUnprocessableEntity), says)
		require.Equal(t, []string{at + "[1].certificate_path"}, a.paths())
	}
	cluster[lcm.RegistriesKey] = registryList("Files/registries/ca.crt")
	a = b.do("POST", instance+"/instantiate", request)
	a.want(http.StatusAccepted)
	require.NotContains(t, string(b.operation(a.path()).Params), marker+"-registry", "the password is sealed")
}

func TestModify_checksRegistries(t *testing.T) {
	b := newBench(t)
	vnfdID := b.onboardWithCA()
	fresh := b.create("/vnflcm/v2", vnfdID)
	running := b.runs("/vnflcm/v2", vnfdID, "ha", 3, 2)
	change := func(list any) map[string]any {
		return map[string]any{"vnfConfigurableProperties": map[string]any{lcm.RegistriesKey: list}}
	}
	const at = "$.vnfConfigurableProperties.private_registry_connection_info"
	require.Contains(t, b.do("PATCH", fresh, change([]any{})).problem(http.StatusConflict), "not instantiated")
	a := b.do("PATCH", running, change([]any{map[string]any{"server": "a.example.com:x", "secret": 7}, "b"}))
	a.problem(http.StatusBadRequest)
	require.ElementsMatch(t, []string{at + "[0].connection_type", at + "[0].server", at + "[0].secret", at + "[1]"},
		a.paths())
	a = b.do("PATCH", running, change(registryList("Files/registries/none.txt")))
	a.problem(http.StatusUnprocessableEntity)
	require.Equal(t, []string{at + "[1].certificate_path"}, a.paths())

	a = b.do("PATCH", running, change(registryList("Files/registries/ca.crt")))
	a.want(http.StatusAccepted)
	require.NotContains(t, string(b.operation(a.path()).Params), marker+"-registry")
	request, err := lcmtest.Read[lcm.ModifyRequest](b.operation(a.path()).Params)
	require.NoError(t, err)
	after, done, err := request.Apply(b.instance(running), nil)
	require.NoError(t, err)
	after, err = k8s.Modified(request, b.instance(running), after)
	require.NoError(t, err)
	b.enter(a.path(), lcm.Completed, func(r *lcm.OperationRecord) { r.Instance, r.ChangedInfo = &after, &done })
	params, wrong := k8s.Read(b.instance(running).Instantiated.AdditionalParams)
	require.Empty(t, wrong.Types)
	require.Len(t, params.PrivateRegistries, 2, "later operations read them")
	for _, path := range []string{running, a.path()} {
		shown := b.do("GET", path, nil)
		shown.want(http.StatusOK)
		require.Contains(t, string(shown.Body), "registry.example.com")
		require.Contains(t, string(shown.Body), `"password":"***"`)
	}

	inst := b.instance(running)
	inst.Instantiated.Switch(lcm.VnfStopped, []string{"worker-0"}, nil)
	require.NoError(t, b.store.UpdateInstance(t.Context(), inst))
	require.Contains(t, b.do("PATCH", running, change(nil)).problem(http.StatusConflict), "stopped")
}

func TestModify_leavesThePropertiesOfOtherVNFsAlone(t *testing.T) {
	b := newBench(t)
	instance := b.plainServer("/vnflcm/v2")
	body, err := json.Marshal(map[string]any{"vnfConfigurableProperties": map[string]any{lcm.RegistriesKey: "whatever"}})
	require.NoError(t, err)
	b.do("PATCH", instance, string(body)).want(http.StatusAccepted)
}
