package operations

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// ported returns an instantiation in which one of two connection points has a given port.
func ported() *Operation {
	j := beginning(``)
	j.Flavour.Cps = []descriptor.VduCp{
		{ID: "cp", VduID: "node", External: true}, {ID: "other", VduID: "node", External: true},
	}
	port := &lcm.LinkPort{ID: "p", ResourceID: "port-1"}
	j.Request.ExtVirtualLinks[0].ExtCps = []lcm.ExtCp{{
		CpdID: "cp", LinkPort: port, Configs: []lcm.CpConfig{{Key: "k", LinkPort: port}},
	}, {CpdID: "other"}}
	return j
}

// TestOwnPorts_areThoseOfAScaling checks that the VNFC that a scaling adds gets the port that the scaling names.
func TestOwnPorts_areThoseOfAScaling(t *testing.T) {
	j := &Operation{
		Instance: lcm.VnfInstance{Instantiated: &lcm.InstantiatedVnfInfo{}},
		Request: lcm.InstantiateRequest{AdditionalParams: json.RawMessage(
			`{"lcm-operation-user-data": "x.py", "lcm-operation-user-data-class": "StandardUserData"}`)},
	}
	j.Instance.Instantiated.ExtVirtualLinks = []lcm.ExtVirtualLink{{
		ID: "l", ResourceID: "n",
		ExtCps: []lcm.ExtCp{{CpdID: "cp", LinkPort: &lcm.LinkPort{ID: "p", ResourceID: "port-0"}}},
	}}
	j.Own = lcm.ScaleRequest{AdditionalParams: json.RawMessage(`{"nfv":{"CP":{"cp-1":{"port":"port-1"}}}}`)}
	links, err := j.OwnPorts(j.Instance.Instantiated.ExtVirtualLinks)
	require.NoError(t, err)
	_, cp, _ := lcm.Connection(links, "cp")
	require.Equal(t, []string{"port-0", "port-1"}, []string{cp.PortOf(0).ResourceID, cp.PortOf(1).ResourceID})
	require.Nil(t, cp.PortOf(2))
}
