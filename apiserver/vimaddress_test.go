package apiserver

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// withOwnVim gives an instance a connection of its own, whose password is sealed.
func (b *bench) withOwnVim(instance string) {
	b.Helper()
	inst := b.instance(instance)
	inst.VimConnections = append(inst.VimConnections, lcm.VimConnectionInfo{
		ID: "own", VimType: "openstack", InterfaceInfo: map[string]any{"endpoint": "https://cloud.example.com:5000/v3"},
		AccessInfo: map[string]any{"username": "nfv", "password": map[string]any{lcm.SecretKey: "vnf/x/grant/y/password"}, "project": "edge"},
	})
	require.NoError(b, b.store.UpdateInstance(b.Context(), inst))
}

// A client may change a connection without knowing its password, and must not get it that way.
func TestModify_sendsNoSecretToAnotherEndpoint(t *testing.T) {
	for root, path := range map[string]string{"/vnflcm/v1": "$.vimConnectionInfo[0].", "/vnflcm/v2": "$.vimConnectionInfo.own."} {
		t.Run(root, func(t *testing.T) {
			b := newBench(t)
			_, vnfdID := b.onboard()
			instance := b.create(root, vnfdID)
			b.withOwnVim(instance)
			patch := func(connection string) answer {
				if root == "/vnflcm/v1" {
					return b.do("PATCH", instance, `{"vimConnectionInfo":[{"id":"own",`+connection+`}]}`, asMergePatch)
				}
				return b.do("PATCH", instance, `{"vimConnectionInfo":{"own":{`+connection+`}}}`, asMergePatch)
			}
			for _, change := range []string{
				`"interfaceInfo":{"endpoint":"https://evil.example/v3"}`, `"interfaceInfo":{"skipCertificateVerification":true}`, `"accessInfo":{"cert_verify":"False"}`,
			} {
				a := patch(change)
				require.Contains(t, a.problem(http.StatusBadRequest), "must be given anew", change)
				require.Equal(t, []string{path + "accessInfo.password"}, a.paths(), change)
			}
			require.Empty(t, b.starter.starts)
			patch(`"interfaceInfo":{"endpoint":"https://new.example/v3"},"accessInfo":{"password":"` + marker + `-new"}`).want(http.StatusAccepted)
		})
	}
}

func TestChangeExtConn_sendsNoSecretToAnotherEndpoint(t *testing.T) {
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		t.Run(root, func(t *testing.T) {
			b := newBench(t)
			instance := b.plainServer(root)
			b.withOwnVim(instance)
			moved := map[string]any{"interfaceInfo": map[string]any{"endpoint": "https://evil.example/v3"}}
			request := map[string]any{"extVirtualLinks": []any{}}
			if root == "/vnflcm/v1" {
				moved["id"] = "own"
				request["vimConnectionInfo"] = []any{moved}
			} else {
				request["vimConnectionInfo"] = map[string]any{"own": moved}
			}
			require.Contains(t, b.do("POST", instance+"/change_ext_conn", request).problem(http.StatusBadRequest), "must be given anew")
			require.Empty(t, b.starter.starts)
		})
	}
}

// The credentials of the registry are sent to the registered address only.
func TestInstantiate_refusesAnotherEndpointBesideARegisteredVim(t *testing.T) {
	b := newBench(t)
	instance, request := b.ready("/vnflcm/v1")
	connection := request["vimConnectionInfo"].([]any)[0].(map[string]any)
	connection["interfaceInfo"] = map[string]any{"endpoint": "https://evil.example/v3"}
	a := b.do("POST", instance+"/instantiate", request)
	require.Contains(t, a.problem(http.StatusBadRequest), "is not that of the registered VIM lab")
	require.Equal(t, []string{"$.vimConnectionInfo[0].interfaceInfo.endpoint"}, a.paths())
	a = b.do("PATCH", instance, map[string]any{"vimConnectionInfo": []any{connection}}, asMergePatch)
	require.Contains(t, a.problem(http.StatusBadRequest), "is not that of the registered VIM lab")
}

func TestVim_sendsNoSecretToWhomNobodyVerifies(t *testing.T) {
	b := newBench(t)
	id := b.registerVim("lab", true)
	before := sealed(b)
	put := func(cred map[string]any) answer {
		return b.do("PUT", "/v1.0/vims/"+id, map[string]any{"vim": map[string]any{"auth_cred": cred}})
	}
	tried := len(b.vims.seen)
	for _, cred := range []map[string]any{{"cert_verify": "False"}, {"ca_cert": "-----BEGIN CERTIFICATE-----"}} {
		a := put(cred)
		a.want(http.StatusBadRequest)
		require.Contains(t, string(a.Body), "must be given anew")
	}
	require.Len(t, b.vims.seen, tried, "nobody has got the password")
	require.Equal(t, before, sealed(b))
	put(map[string]any{"cert_verify": "False", "password": marker + "-new"}).want(http.StatusOK)
	put(map[string]any{"cert_verify": false, "username": "other"}).want(http.StatusOK)
}
