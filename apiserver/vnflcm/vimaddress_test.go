package vnflcm_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// withOwnVim adds to an instance a connection of its own, with a sealed password.
func withOwnVim(b *servertest.Bench, instance string) {
	b.Helper()
	inst := b.Instance(instance)
	inst.VimConnections = append(inst.VimConnections, lcm.VimConnectionInfo{
		ID: "own", VimType: "openstack", InterfaceInfo: map[string]any{"endpoint": "https://cloud.example.com:5000/v3"},
		AccessInfo: map[string]any{
			"username": "nfv", "password": map[string]any{lcm.SecretKey: "vnf/x/grant/y/password"}, "project": "edge",
		},
	})
	require.NoError(b, b.Store.UpdateInstance(b.Context(), inst))
}

// TestModify_sendsNoSecretToAnotherEndpoint checks that a client that does not know the password of a connection cannot
// have it sent to another endpoint by changing the connection.
func TestModify_sendsNoSecretToAnotherEndpoint(t *testing.T) {
	for root, path := range map[string]string{
		"/vnflcm/v1": "$.vimConnectionInfo[0].",
		"/vnflcm/v2": "$.vimConnectionInfo.own.",
	} {
		t.Run(root, func(t *testing.T) {
			b := servertest.New(t)
			_, vnfdID := b.Onboard()
			instance := b.Create(root, vnfdID)
			withOwnVim(b, instance)
			patch := func(connection string) servertest.Answer {
				if root == "/vnflcm/v1" {
					return b.Do("PATCH", instance, `{"vimConnectionInfo":[{"id":"own",`+connection+`}]}`, servertest.AsMergePatch)
				}
				return b.Do("PATCH", instance, `{"vimConnectionInfo":{"own":{`+connection+`}}}`, servertest.AsMergePatch)
			}
			for _, change := range []string{
				`"interfaceInfo":{"endpoint":"https://evil.example/v3"}`, `"interfaceInfo":{"skipCertificateVerification":true}`,
				`"accessInfo":{"cert_verify":"False"}`,
			} {
				a := patch(change)
				require.Contains(t, a.Problem(http.StatusBadRequest), "must be given again", change)
				require.Equal(t, []string{path + "accessInfo.password"}, a.Paths(), change)
			}
			require.Empty(t, b.Starter.Starts)
			patch(`"interfaceInfo":{"endpoint":"https://new.example/v3"},"accessInfo":{"password":"` + servertest.Marker +
				`-new"}`).Want(http.StatusAccepted)
		})
	}
}

func TestChangeExtConn_sendsNoSecretToAnotherEndpoint(t *testing.T) {
	for _, root := range []string{"/vnflcm/v1", "/vnflcm/v2"} {
		t.Run(root, func(t *testing.T) {
			b := servertest.New(t)
			instance := b.PlainServer(root)
			withOwnVim(b, instance)
			moved := map[string]any{"interfaceInfo": map[string]any{"endpoint": "https://evil.example/v3"}}
			request := map[string]any{"extVirtualLinks": []any{}}
			if root == "/vnflcm/v1" {
				moved["id"] = "own"
				request["vimConnectionInfo"] = []any{moved}
			} else {
				request["vimConnectionInfo"] = map[string]any{"own": moved}
			}
			said := b.Do("POST", instance+"/change_ext_conn", request).Problem(http.StatusBadRequest)
			require.Contains(t, said, "must be given again")
			at := map[string]string{
				"/vnflcm/v1": "$.vimConnectionInfo[0].accessInfo",
				"/vnflcm/v2": "$.vimConnectionInfo.own.accessInfo",
			}
			require.Contains(t, said, at[root], "the path is that of the request's own form")
			require.Empty(t, b.Starter.Starts)
		})
	}
}

// TestInstantiate_refusesAnotherEndpointBesideARegisteredVim checks that the credentials of the registry are sent only
// to the registered address.
func TestInstantiate_refusesAnotherEndpointBesideARegisteredVim(t *testing.T) {
	b := servertest.New(t)
	instance, request := b.Ready("/vnflcm/v1")
	connection := request["vimConnectionInfo"].([]any)[0].(map[string]any)
	connection["interfaceInfo"] = map[string]any{"endpoint": "https://evil.example/v3"}
	a := b.Do("POST", instance+"/instantiate", request)
	require.Contains(t, a.Problem(http.StatusBadRequest), "is not the endpoint of the registered VIM lab")
	require.Equal(t, []string{"$.vimConnectionInfo[0].interfaceInfo.endpoint"}, a.Paths())
	a = b.Do("PATCH", instance, map[string]any{"vimConnectionInfo": []any{connection}}, servertest.AsMergePatch)
	require.Contains(t, a.Problem(http.StatusBadRequest), "is not the endpoint of the registered VIM lab")
}

func TestInstantiate_refusesDeniedAddresses(t *testing.T) {
	for root, path := range map[string]string{
		"/vnflcm/v1": "$.vimConnectionInfo[0].",
		"/vnflcm/v2": "$.vimConnectionInfo.own.",
	} {
		t.Run(root, func(t *testing.T) {
			b := servertest.New(t, servertest.WithDenied)
			_, vnfdID := b.Onboard()
			instance := b.Create(root, vnfdID)
			with := func(endpoint string) map[string]any {
				own, request := ownVim(), servertest.ClusterRequest("")
				own["id"], own["interfaceInfo"] = "own", map[string]any{"endpoint": endpoint}
				if request["vimConnectionInfo"] = []any{own}; root == "/vnflcm/v2" {
					request = servertest.AsV2(t, request)
				}
				return request
			}
			for _, host := range servertest.DeniedHosts {
				request := with("https://" + host + "/v3")
				for _, a := range []servertest.Answer{
					b.Do("POST", instance+"/instantiate", request),
					b.Do("PATCH", instance, map[string]any{"vimConnectionInfo": request["vimConnectionInfo"]}, servertest.AsMergePatch),
				} {
					require.Contains(t, a.Problem(http.StatusUnprocessableEntity), servertest.Denied, host)
					require.Equal(t, []string{path + "interfaceInfo.endpoint"}, a.Paths())
				}
			}
			require.Empty(t, b.Starter.Starts)
			require.Empty(t, b.Sealed())
			// A name is resolved only when a connection is opened.
			b.Do("POST", instance+"/instantiate", with("https://metadata.example/v3")).Want(http.StatusAccepted)
		})
	}
}

func TestChangeExtConn_refusesDeniedAddresses(t *testing.T) {
	b := servertest.New(t, servertest.WithDenied)
	instance := b.PlainServer("/vnflcm/v2")
	withOwnVim(b, instance)
	moved := map[string]any{
		"interfaceInfo": map[string]any{"endpoint": "http://169.254.169.254/v3"},
		"accessInfo":    map[string]any{"password": servertest.Marker},
	}
	a := b.Do("POST", instance+"/change_ext_conn",
		map[string]any{"extVirtualLinks": []any{}, "vimConnectionInfo": map[string]any{"own": moved}})
	require.Contains(t, a.Problem(http.StatusUnprocessableEntity), servertest.Denied)
	require.Equal(t, []string{"$.vimConnectionInfo.own.interfaceInfo.endpoint"}, a.Paths())
	require.Empty(t, b.Starter.Starts)
}
