package operations

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// mixed returns an operation on a VNF with a server and a Pod, each with a connection point.
func mixed() *Operation {
	link := func(id, cpd string) lcm.ExtVirtualLink {
		return lcm.ExtVirtualLink{ID: id, ResourceID: id, ExtCps: []lcm.ExtCp{{CpdID: cpd}}}
	}
	links := []lcm.ExtVirtualLink{link("net", "vm_cp"), link("media", "web_cp"), link("other", "of-the-template")}
	return &Operation{
		Flavour: &descriptor.Flavour{
			Hybrid: true, Vdus: []descriptor.Vdu{{ID: "vm"}, {ID: "web", Containers: true}},
			Cps: []descriptor.VduCp{{ID: "vm_cp", VduID: "vm"}, {ID: "web_cp", VduID: "web"}},
		},
		Instance: lcm.VnfInstance{
			VimConnections: []lcm.VimConnectionInfo{
				{ID: "spare", VimType: "kubernetes"},
				{ID: "os", VimType: "openstack"},
				{ID: "k8s", VimType: "ETSINFV.KUBERNETES.V_1"},
			},
			Instantiated: &lcm.InstantiatedVnfInfo{
				ExtVirtualLinks: links,
				VnfcResources: []lcm.VnfcResourceInfo{
					{ID: "s", VduID: "vm", ComputeResource: lcm.ResourceHandle{VimConnectionID: "os"}},
					{ID: "p", VduID: "web", ComputeResource: lcm.ResourceHandle{VimConnectionID: "k8s"}},
				},
			},
		},
		Request: lcm.InstantiateRequest{ExtVirtualLinks: links},
	}
}

func TestPart_isWhatAnOperationIsAboutOnOneKindOfVim(t *testing.T) {
	o := mixed()
	o.OpOcc.Plan = &lcm.Plan{
		Groups:  []lcm.GroupChange{{VduID: "web", From: 1, To: 2}},
		Leaving: []lcm.LeavingVnfc{{VduID: "vm", VnfcID: "s"}},
	}
	o.Before = mixed()
	pods, servers := o.Part(true), o.Part(false)
	require.Equal(t, map[string]int{"web": 1}, pods.Recorded())
	require.Equal(t, map[string]int{"vm": 1}, servers.Recorded())
	require.Len(t, pods.OpOcc.Plan.Groups, 1)
	require.Empty(t, pods.OpOcc.Plan.Leaving)
	require.Len(t, servers.OpOcc.Plan.Leaving, 1)
	require.Len(t, pods.Before.Instance.Instantiated.VnfcResources, 1)
	cps := func(part *Operation) (out []string) {
		for _, link := range part.Request.ExtVirtualLinks {
			for _, cp := range link.ExtCps {
				out = append(out, cp.CpdID)
			}
		}
		return out
	}
	require.Equal(t, []string{"web_cp"}, cps(pods))
	require.Equal(t, []string{"vm_cp", "of-the-template"}, cps(servers))
	require.Len(t, o.Instance.Instantiated.VnfcResources, 2, "the whole stays as it is")

	alone := &Operation{Flavour: &descriptor.Flavour{Containers: true}}
	require.Same(t, alone, alone.Part(true))
}

func TestTouches_tellsWhichPartAPlanIsAbout(t *testing.T) {
	for _, c := range []struct {
		plan          *lcm.Plan
		pods, servers bool
	}{
		{nil, true, true},
		{&lcm.Plan{Groups: []lcm.GroupChange{{VduID: "web", From: 1, To: 2}}}, true, false},
		{&lcm.Plan{Groups: []lcm.GroupChange{{VduID: "vm", From: 2, To: 1}, {VduID: "web", From: 1, To: 1}}}, false, true},
		{&lcm.Plan{Leaving: []lcm.LeavingVnfc{{VduID: "web"}, {VduID: "vm"}}}, true, true},
		{&lcm.Plan{Bitrates: true}, false, true},
	} {
		o := mixed()
		o.OpOcc.Plan = c.plan
		require.Equal(t, [2]bool{c.pods, c.servers}, [2]bool{o.Touches(true), o.Touches(false)}, "%+v", c.plan)
	}
}

func TestReconnects_tellsWhoseConnectionPointsChange(t *testing.T) {
	for link, want := range map[int][2]bool{0: {false, true}, 1: {true, false}, 2: {false, true}} {
		o := mixed()
		links := append([]lcm.ExtVirtualLink{}, o.Request.ExtVirtualLinks...)
		links[link].ResourceID = "another"
		o.OpOcc.Plan = &lcm.Plan{Links: links}
		require.Equal(t, want, [2]bool{o.Reconnects(true), o.Reconnects(false)}, "link %d", link)
	}
}

func TestConnections_areOneOfEachKind(t *testing.T) {
	o := mixed()
	have := o.Instance.VimConnections
	at, err := (&Resolver{}).Connections(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, []lcm.VimConnectionInfo{have[1], have[2]}, at, "those that its resources are on")

	o.Targets = []lcm.VimConnectionInfo{{ID: "a", VimType: "kubernetes"}, {ID: "b", VimType: "openstack"}}
	at, err = (&Resolver{}).Connections(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, []lcm.VimConnectionInfo{o.Targets[1], o.Targets[0]}, at)
	require.True(t, o.IsOn("openstack") && o.IsOn("kubernetes") && o.Follows())
}
