package apiserver

import (
	"net/http"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
)

// withOwnVim adds to an instance a connection of its own, with a sealed password.
func (b *bench) withOwnVim(instance string) {
	b.Helper()
	inst := b.instance(instance)
	inst.VimConnections = append(inst.VimConnections, lcm.VimConnectionInfo{
		ID: "own", VimType: "openstack", InterfaceInfo: map[string]any{"endpoint": "https://cloud.example.com:5000/v3"},
		AccessInfo: map[string]any{
			"username": "nfv", "password": map[string]any{lcm.SecretKey: "vnf/x/grant/y/password"}, "project": "edge",
		},
	})
	require.NoError(b, b.store.UpdateInstance(b.Context(), inst))
}

// TestModify_sendsNoSecretToAnotherEndpoint checks that a client that does not know the password of a connection cannot
// have it sent to another endpoint by changing the connection.
func TestModify_sendsNoSecretToAnotherEndpoint(t *testing.T) {
	for root, path := range map[string]string{
		"/vnflcm/v1": "$.vimConnectionInfo[0].",
		"/vnflcm/v2": "$.vimConnectionInfo.own.",
	} {
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
				`"interfaceInfo":{"endpoint":"https://evil.example/v3"}`, `"interfaceInfo":{"skipCertificateVerification":true}`,
				`"accessInfo":{"cert_verify":"False"}`,
			} {
				a := patch(change)
				require.Contains(t, a.problem(http.StatusBadRequest), "must be given again", change)
				require.Equal(t, []string{path + "accessInfo.password"}, a.paths(), change)
			}
			require.Empty(t, b.starter.starts)
			patch(`"interfaceInfo":{"endpoint":"https://new.example/v3"},"accessInfo":{"password":"` + marker +
				`-new"}`).want(http.StatusAccepted)
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
			said := b.do("POST", instance+"/change_ext_conn", request).problem(http.StatusBadRequest)
			require.Contains(t, said, "must be given again")
			at := map[string]string{
				"/vnflcm/v1": "$.vimConnectionInfo[0].accessInfo",
				"/vnflcm/v2": "$.vimConnectionInfo.own.accessInfo",
			}
			require.Contains(t, said, at[root], "the path is that of the request's own form")
			require.Empty(t, b.starter.starts)
		})
	}
}

// TestInstantiate_refusesAnotherEndpointBesideARegisteredVim checks that the credentials of the registry are sent only
// to the registered address.
func TestInstantiate_refusesAnotherEndpointBesideARegisteredVim(t *testing.T) {
	b := newBench(t)
	instance, request := b.ready("/vnflcm/v1")
	connection := request["vimConnectionInfo"].([]any)[0].(map[string]any)
	connection["interfaceInfo"] = map[string]any{"endpoint": "https://evil.example/v3"}
	a := b.do("POST", instance+"/instantiate", request)
	require.Contains(t, a.problem(http.StatusBadRequest), "is not the endpoint of the registered VIM lab")
	require.Equal(t, []string{"$.vimConnectionInfo[0].interfaceInfo.endpoint"}, a.paths())
	a = b.do("PATCH", instance, map[string]any{"vimConnectionInfo": []any{connection}}, asMergePatch)
	require.Contains(t, a.problem(http.StatusBadRequest), "is not the endpoint of the registered VIM lab")
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
		require.Contains(t, string(a.Body), "must be given again")
	}
	require.Len(t, b.vims.seen, tried, "nobody has got the password")
	require.Equal(t, before, sealed(b))
	put(map[string]any{"cert_verify": "False", "password": marker + "-new"}).want(http.StatusOK)
	put(map[string]any{"cert_verify": false, "username": "other"}).want(http.StatusOK)
}

// deniedHosts are addresses of the denied networks, in the forms of URLs.
var deniedHosts = []string{"169.254.169.254", "[fe80::1]", "[fe80::1%25eth0]", "[::ffff:169.254.169.254]"}

func withDenied(o *Options) {
	denied := []netip.Prefix{netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("fe80::/10")}
	o.VimAddresses = outbound.Guard{Denied: denied, Section: "vims", What: "no VIM and no node may have it"}
}

const denied = "is denied: no VIM and no node may have it (vims.deniedNetworks)"

func TestVim_refusesDeniedAddresses(t *testing.T) {
	b := newBench(t, withDenied)
	register := func(url string) answer {
		return b.do("POST", "/v1.0/vims", map[string]any{"vim": map[string]any{
			"name": "lab", "type": "openstack", "auth_url": url, "auth_cred": map[string]any{"password": marker},
		}})
	}
	for _, host := range deniedHosts {
		a := register("http://" + host + ":5000/v3")
		a.want(http.StatusUnprocessableEntity)
		require.Contains(t, string(a.Body), denied, host)
	}
	a := register("169.254.169.254:6443") // the form for a Kubernetes
	a.want(http.StatusUnprocessableEntity)
	require.Empty(t, b.vims.seen, "nobody was called")
	require.Empty(t, sealed(b))
	register("http://192.0.2.5:5000/v3").want(http.StatusCreated)
}

func TestInstantiate_refusesDeniedAddresses(t *testing.T) {
	for root, path := range map[string]string{
		"/vnflcm/v1": "$.vimConnectionInfo[0].",
		"/vnflcm/v2": "$.vimConnectionInfo.own.",
	} {
		t.Run(root, func(t *testing.T) {
			b := newBench(t, withDenied)
			_, vnfdID := b.onboard()
			instance := b.create(root, vnfdID)
			with := func(endpoint string) map[string]any {
				own, request := ownVim(), clusterRequest("")
				own["id"], own["interfaceInfo"] = "own", map[string]any{"endpoint": endpoint}
				if request["vimConnectionInfo"] = []any{own}; root == "/vnflcm/v2" {
					request = asV2(t, request)
				}
				return request
			}
			for _, host := range deniedHosts {
				request := with("https://" + host + "/v3")
				for _, a := range []answer{
					b.do("POST", instance+"/instantiate", request),
					b.do("PATCH", instance, map[string]any{"vimConnectionInfo": request["vimConnectionInfo"]}, asMergePatch),
				} {
					require.Contains(t, a.problem(http.StatusUnprocessableEntity), denied, host)
					require.Equal(t, []string{path + "interfaceInfo.endpoint"}, a.paths())
				}
			}
			require.Empty(t, b.starter.starts)
			require.Empty(t, sealed(b))
			// A name is resolved only when a connection is opened.
			b.do("POST", instance+"/instantiate", with("https://metadata.example/v3")).want(http.StatusAccepted)
		})
	}
}

func TestChangeExtConn_refusesDeniedAddresses(t *testing.T) {
	b := newBench(t, withDenied)
	instance := b.plainServer("/vnflcm/v2")
	b.withOwnVim(instance)
	moved := map[string]any{
		"interfaceInfo": map[string]any{"endpoint": "http://169.254.169.254/v3"},
		"accessInfo":    map[string]any{"password": marker},
	}
	a := b.do("POST", instance+"/change_ext_conn",
		map[string]any{"extVirtualLinks": []any{}, "vimConnectionInfo": map[string]any{"own": moved}})
	require.Contains(t, a.problem(http.StatusUnprocessableEntity), denied)
	require.Equal(t, []string{"$.vimConnectionInfo.own.interfaceInfo.endpoint"}, a.paths())
	require.Empty(t, b.starter.starts)
}
