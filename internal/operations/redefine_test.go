package operations

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// redefined is a hybrid VNF of a gateway and Pods of web, which becomes one of a gateway, Pods of api, and no web.
func redefined(own lcm.Request, state lcm.OperationState) *Operation {
	flavour := func(id string, pods string, cps ...string) *descriptor.Flavour {
		f := &descriptor.Flavour{ID: id, Hybrid: true, Vdus: []descriptor.Vdu{{ID: "gateway"}, {ID: pods, Containers: true}}}
		for _, cp := range cps {
			f.Cps = append(f.Cps, descriptor.VduCp{ID: cp, VduID: "gateway", External: true})
		}
		return f
	}
	link := func(id, cp string) lcm.ExtVirtualLink {
		return lcm.ExtVirtualLink{ID: id, ResourceID: "net-" + id, ExtCps: []lcm.ExtCp{{CpdID: cp}}}
	}
	inst := lcm.VnfInstance{Instantiated: &lcm.InstantiatedVnfInfo{
		FlavourID: "small", VnfcResources: []lcm.VnfcResourceInfo{{ID: "g", VduID: "gateway"}, {ID: "w", VduID: "web"}},
	}}
	small, large := flavour("small", "web", "in", "slow"), flavour("large", "api", "in", "fast")
	small.VirtualLinks = []descriptor.VirtualLink{{ID: "old"}, {ID: "both"}}
	large.VirtualLinks = []descriptor.VirtualLink{{ID: "both"}}
	return &Operation{
		Own: own, OpOcc: lcm.VnfLcmOpOcc{State: state}, Instance: inst, Flavour: large,
		Before: &Operation{Instance: inst, Flavour: small},
		Request: lcm.InstantiateRequest{
			FlavourID: "small", InstantiationLevelID: "low", AdditionalParams: json.RawMessage(`{"kept":1,"changed":1,"nfv":{"CP":{"fast":{"network":"older","name":"n"}}}}`),
			ExtManagedVirtualLinks: []lcm.ExtManagedVirtualLink{
				{ID: "m", VnfVirtualLinkDescID: "old", ResourceID: "net-m"}, {ID: "n", VnfVirtualLinkDescID: "both", ResourceID: "net-n"},
			},
			ExtVirtualLinks: []lcm.ExtVirtualLink{link("a", "in"), link("b", "slow"), link("c", "of_templates")},
		},
	}
}

func toLarge() lcm.Request {
	return lcm.ChangeFlavourRequest{
		NewFlavourID: "large", AdditionalParams: json.RawMessage(`{"changed":2,"patience":60}`),
		ExtVirtualLinks: []lcm.ExtVirtualLink{{ID: "d", ResourceID: "net-d", ExtCps: []lcm.ExtCp{{CpdID: "fast"}}}},
		Extensions:      map[string]any{"by": "flavour"},
	}
}

func TestRedefine_mergesTheRequestIntoThatOfTheVnf(t *testing.T) {
	o := redefined(toLarge(), lcm.Processing)
	require.NoError(t, o.redefine())
	o.dropFormer()
	require.Equal(t, "large", o.Request.FlavourID)
	require.Empty(t, o.Request.InstantiationLevelID, "the default level of the new flavour")
	require.JSONEq(t, `{"kept":1,"changed":2,"nfv":{"CP":{"fast":{"name":"n"}}}}`, string(o.Request.AdditionalParams),
		"patience is of this operation only, and the link counts")
	require.Len(t, o.Request.ExtManagedVirtualLinks, 1)
	require.Equal(t, "both", o.Request.ExtManagedVirtualLinks[0].VnfVirtualLinkDescID)
	require.Equal(t, map[string]any{"by": "flavour"}, o.Request.Extensions)
	var cpds []string
	for _, l := range o.Request.ExtVirtualLinks {
		for _, cp := range l.ExtCps {
			cpds = append(cpds, l.ID+" "+cp.CpdID)
		}
	}
	require.ElementsMatch(t, []string{"a in", "c of_templates", "d fast"}, cpds, "slow is not of the new flavour")
}

func TestRedefine_leavesAnEndedOperationAlone(t *testing.T) {
	o := redefined(toLarge(), lcm.Completed)
	require.NoError(t, o.redefine())
	require.Equal(t, "small", o.Request.FlavourID, "the record has the result")
}

func TestPart_hasWhatLeavesInTheRightPart(t *testing.T) {
	o := redefined(toLarge(), lcm.Processing)
	o.OpOcc.Plan = &lcm.Plan{
		Groups:  []lcm.GroupChange{{VduID: "api", To: 1}, {VduID: "web", From: 1}},
		Leaving: []lcm.LeavingVnfc{{VnfcID: "w", VduID: "web"}},
	}
	servers, pods := o.Part(false), o.Part(true)
	require.Empty(t, servers.OpOcc.Plan.Groups)
	require.Len(t, pods.OpOcc.Plan.Groups, 2)
	require.Len(t, pods.OpOcc.Plan.Leaving, 1, "Pods of a VDU that only the former flavour has")
	require.Len(t, servers.Instance.Instantiated.VnfcResources, 1)
	require.Equal(t, "web", pods.Before.Flavour.Vdus[0].ID)
	require.Equal(t, "gateway", servers.Before.Flavour.Vdus[0].ID)
}
