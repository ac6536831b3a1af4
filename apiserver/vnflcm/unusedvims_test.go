package vnflcm_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/apiserver/servertest"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// TestInstantiate_leavesConnectionsOfOtherKindsAlone checks that the API neither refuses nor stores connections that
// this VNF does not use. Tacker's clients send all connections that they know.
func TestInstantiate_leavesConnectionsOfOtherKindsAlone(t *testing.T) {
	params := map[string]any{"lcm-kubernetes-def-files": []any{"Files/kubernetes/web.yaml"}}
	for root, inV2 := range map[string]bool{"/vnflcm/v1": false, "/vnflcm/v2": true} {
		for name, vimType := range map[string]string{"a type": "openstack", "no type": ""} {
			t.Run(root+" "+name, func(t *testing.T) {
				b := servertest.New(t)
				instance := b.Create(root, b.OnboardDir("../../vnfpkg/samples/cnf-manifests"))
				request := manifestsRequest(b.RegisterCluster("c"), params)
				other := map[string]any{"id": "0", "vimId": b.RegisterVim("cloud", true)}
				if vimType != "" {
					other["vimType"] = vimType
				}
				request["vimConnectionInfo"] = append([]any{other}, request["vimConnectionInfo"].([]any)...)
				if inV2 {
					other["vimType"] = "openstack" // v2 requires a type
					request = servertest.AsV2(t, request)
				}
				b.Do("POST", instance+"/instantiate", request).Want(http.StatusAccepted)
				kept := b.Instance(instance).VimConnections
				require.Len(t, kept, 1)
				require.Equal(t, [2]string{"1", lcm.VimKubernetes}, [2]string{kept[0].ID, kept[0].Kind()})
			})
		}
	}
}

// TestInstantiate_tellsMistakesOfConnectionsThatItDoesNotUse checks that mistakes in unused connections are reported,
// too.
func TestInstantiate_tellsMistakesOfConnectionsThatItDoesNotUse(t *testing.T) {
	b := servertest.New(t)
	instance := b.Create("/vnflcm/v1", b.OnboardDir("../../vnfpkg/samples/cnf-manifests"))
	request := manifestsRequest(b.RegisterCluster("c"),
		map[string]any{"lcm-kubernetes-def-files": []any{"Files/kubernetes/web.yaml"}})
	request["vimConnectionInfo"] = append(request["vimConnectionInfo"].([]any),
		map[string]any{"id": "2", "vimId": "7e8a0b3c-1d2f-4a5b-8c9d-0e1f2a3b4c5d", "vimType": "openstack"})
	a := b.Do("POST", instance+"/instantiate", request)
	a.Problem(http.StatusUnprocessableEntity)
	require.Equal(t, []string{"$.vimConnectionInfo[1].vimId"}, a.Paths())
}
