package vnflcm_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
)

func registryList(certificate string) []any {
	return []any{
		map[string]any{"connection_type": "0", "server": "192.168.0.10:5000"},
		map[string]any{
			"connection_type":  1,
			"server":           "registry.example.com",
			"username":         "user01",
			"password":         servertest.Marker + "-registry",
			"certificate_path": certificate,
			"hosts_string":     "192.168.0.20 registry.example.com",
		},
	}
}

func TestInstantiate_checksRegistries(t *testing.T) {
	b := servertest.New(t)
	instance := b.Create("/vnflcm/v1", b.OnboardWithCA())
	request := servertest.ClusterRequest(b.RegisterVim("lab", true))
	cluster := request["additionalParams"].(map[string]any)[k8s.ParamsKey].(map[string]any)
	const at = "$.additionalParams.k8s_cluster_installation_param.private_registry_connection_info"

	cluster[lcm.RegistriesKey] = []any{
		map[string]any{"connection_type": "2", "server": "http://a"},
		map[string]any{"connection_type": "1", "server": "a.example.com", "username": "u"},
	}
	a := b.Do("POST", instance+"/instantiate", request)
	a.Problem(http.StatusBadRequest)
	require.ElementsMatch(t, []string{at + "[0].connection_type", at + "[0].server", at + "[1].password"}, a.Paths())
	for file, says := range map[string]string{
		"Files/registries/absent.crt": "has no file",
		"Files/registries/none.txt":   "not a certificate in PEM form",
	} {
		cluster[lcm.RegistriesKey] = registryList(file)
		a = b.Do("POST", instance+"/instantiate", request)
		require.Contains(t, a.Problem(http.StatusUnprocessableEntity), says)
		require.Equal(t, []string{at + "[1].certificate_path"}, a.Paths())
	}
	cluster[lcm.RegistriesKey] = registryList("Files/registries/ca.crt")
	a = b.Do("POST", instance+"/instantiate", request)
	a.Want(http.StatusAccepted)
	require.NotContains(t, string(b.Operation(a.Path()).Params), servertest.Marker+"-registry", "the password is sealed")
}

func TestModify_checksRegistries(t *testing.T) {
	b := servertest.New(t)
	vnfdID := b.OnboardWithCA()
	fresh := b.Create("/vnflcm/v2", vnfdID)
	running := b.Runs("/vnflcm/v2", vnfdID, "ha", 3, 2)
	change := func(list any) map[string]any {
		return map[string]any{"vnfConfigurableProperties": map[string]any{lcm.RegistriesKey: list}}
	}
	const at = "$.vnfConfigurableProperties.private_registry_connection_info"
	require.Contains(t, b.Do("PATCH", fresh, change([]any{})).Problem(http.StatusConflict), "not instantiated")
	a := b.Do("PATCH", running, change([]any{map[string]any{"server": "a.example.com:x", "secret": 7}, "b"}))
	a.Problem(http.StatusBadRequest)
	require.ElementsMatch(t, []string{at + "[0].connection_type", at + "[0].server", at + "[0].secret", at + "[1]"},
		a.Paths())
	a = b.Do("PATCH", running, change(registryList("Files/registries/none.txt")))
	a.Problem(http.StatusUnprocessableEntity)
	require.Equal(t, []string{at + "[1].certificate_path"}, a.Paths())

	a = b.Do("PATCH", running, change(registryList("Files/registries/ca.crt")))
	a.Want(http.StatusAccepted)
	require.NotContains(t, string(b.Operation(a.Path()).Params), servertest.Marker+"-registry")
	request, err := lcmtest.Read[lcm.ModifyRequest](b.Operation(a.Path()).Params)
	require.NoError(t, err)
	after, done, err := request.Apply(b.Instance(running), nil)
	require.NoError(t, err)
	after, err = k8s.Modified(request, b.Instance(running), after)
	require.NoError(t, err)
	b.Enter(a.Path(), lcm.Completed, func(r *lcm.OperationRecord) { r.Instance, r.ChangedInfo = &after, &done })
	params, wrong := k8s.Read(b.Instance(running).Instantiated.AdditionalParams)
	require.Empty(t, wrong.Types)
	require.Len(t, params.PrivateRegistries, 2, "later operations read them")
	for _, path := range []string{running, a.Path()} {
		shown := b.Do("GET", path, nil)
		shown.Want(http.StatusOK)
		require.Contains(t, string(shown.Body), "registry.example.com")
		require.Contains(t, string(shown.Body), `"password":"***"`)
	}

	inst := b.Instance(running)
	inst.Instantiated.Switch(lcm.VnfStopped, []string{"worker-0"}, nil)
	require.NoError(t, b.Store.UpdateInstance(t.Context(), inst))
	require.Contains(t, b.Do("PATCH", running, change(nil)).Problem(http.StatusConflict), "stopped")
}

func TestModify_leavesThePropertiesOfOtherVNFsAlone(t *testing.T) {
	b := servertest.New(t)
	instance := b.PlainServer("/vnflcm/v2")
	body, err := json.Marshal(map[string]any{"vnfConfigurableProperties": map[string]any{lcm.RegistriesKey: "whatever"}})
	require.NoError(t, err)
	b.Do("PATCH", instance, string(body)).Want(http.StatusAccepted)
}
