package operations

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
)

// reconnecting returns a CHANGE_EXT_CONN of a VNF with one server on the connection openstack.
func reconnecting(state lcm.OperationState, params string) *Operation {
	op := lcm.VnfLcmOpOcc{ID: "op", Operation: lcm.OpChangeExtConn, State: state, Params: json.RawMessage(params)}
	return &Operation{
		OpOcc: op, Own: lcmtest.Own(op),
		Instance: lcm.VnfInstance{
			VimConnections: []lcm.VimConnectionInfo{
				{ID: "openstack", VimID: "vim", VimType: "openstack"}, {ID: "other", VimType: "openstack"},
			},
			Instantiated: &lcm.InstantiatedVnfInfo{VnfcResources: []lcm.VnfcResourceInfo{
				{ID: "a", ComputeResource: lcm.ResourceHandle{ResourceID: "server", VimConnectionID: "openstack"}},
			}},
		},
	}
}

func TestTakeConnections_laysThoseOfTheRequestOverTheInstances(t *testing.T) {
	t.Parallel()
	o := reconnecting(lcm.Processing, `{"vimConnectionInfo":{"openstack":{"vimId":"another"},"other":null}}`)
	former := o.Instance.VimConnections
	require.NoError(t, o.takeConnections())
	changed := []lcm.VimConnectionInfo{{ID: "openstack", VimID: "another", VimType: "openstack"}}
	require.Equal(t, changed, o.Instance.VimConnections)
	require.Equal(t, changed, o.ChangedConnections())
	at, err := (&Resolver{}).Connections(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, changed, at, "the operation works on it")
	require.Equal(t, []string{"other"}, o.Modified.DeletedVimConnections)
	require.Equal(t, former, o.FormerVims, "a rollback leaves what there was")

	o = reconnecting(lcm.RolledBack, `{"vimConnectionInfo":{"openstack":{"vimId":"another"}}}`)
	require.NoError(t, o.takeConnections())
	require.Equal(t, former, o.Instance.VimConnections, "it never was")
}

// TestGranted_keepsImagesUntilAllServersAreMadeAnew checks that the images of a replaced VNFD stay until a heal makes
// the entire VNF anew.
func TestGranted_keepsImagesUntilAllServersAreMadeAnew(t *testing.T) {
	kept := map[string]string{"node": "former"}
	healing := func(p *lcm.Plan) *Operation {
		o := &Operation{OpOcc: lcm.VnfLcmOpOcc{Operation: lcm.OpHeal, Plan: p}}
		o.Instance.Instantiated = &lcm.InstantiatedVnfInfo{Granted: &lcm.GrantedChoices{KeptImages: kept}}
		require.NoError(t, (&Resolver{}).granted(t.Context(), o))
		return o
	}
	for _, p := range []*lcm.Plan{nil, {}} {
		require.Equal(t, kept, healing(p).Chosen().KeptImages)
	}
	require.Nil(t, healing(&lcm.Plan{Whole: true}).Chosen())
}
