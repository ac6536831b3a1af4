package lifecycle_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// mixed returns the facts of a VNF of two servers, vm, with volumes, and of two Pods, web, with claims.
func mixed() lifecycle.Facts {
	f := &descriptor.Flavour{
		ID: "simple", Hybrid: true, Vdus: []descriptor.Vdu{{ID: "vm"}, {ID: "web", Containers: true}},
		Aspects: []descriptor.ScalingAspect{
			{ID: "vms", MaxScaleLevel: 3, StepDeltas: []string{"one"}, Deltas: map[string]map[string]int{"vm": {"one": 1}}},
			{ID: "pods", MaxScaleLevel: 3, StepDeltas: []string{"one"}, Deltas: map[string]map[string]int{"web": {"one": 1}}},
		},
	}
	on := func(id, vdu, vim string) lcm.VnfcResourceInfo {
		return lcm.VnfcResourceInfo{
			ID: id, VduID: vdu, StorageIDs: []string{"of-" + id},
			ComputeResource: lcm.ResourceHandle{ResourceID: id, VimConnectionID: vim},
		}
	}
	return lifecycle.Facts{Flavour: f, Instance: lcm.VnfInstance{ID: "i", Instantiated: &lcm.InstantiatedVnfInfo{
		VnfState: lcm.VnfStarted, ScaleStatus: []lcm.ScaleInfo{{AspectID: "pods", ScaleLevel: 1}, {AspectID: "vms", ScaleLevel: 1}},
		VnfcResources: []lcm.VnfcResourceInfo{
			on("s1", "vm", "os"), on("s2", "vm", "os"), on("p1", "web", "k8s"), on("p2", "web", "k8s"),
		},
	}}}
}

var both = []lcm.VimConnectionInfo{{ID: "os", VimType: "openstack"}, {ID: "k8s", VimType: "kubernetes"}}

func stepsOf(t *testing.T, f lifecycle.Facts, op lcm.Operation, body string) (p lcm.Plan, ids []lifecycle.StepID) {
	t.Helper()
	p, err := planOf(f, op, json.RawMessage(body))
	require.NoError(t, err, body)
	for _, s := range lifecycle.Steps(f, p) {
		ids = append(ids, s.ID)
	}
	return p, ids
}

func TestHybrid_isOperatedAsEachOfItsPartsIs(t *testing.T) {
	f := mixed()
	for body, want := range map[string][]lifecycle.StepID{
		`{"changeStateTo":"STOPPED"}`: {"decide-operate", "ask-for-grant", "stop-containers", "stop-others"},
		`{"changeStateTo":"STARTED"}`: {
			"decide-operate", "ask-for-grant", "start-others", "start-containers", "find-started",
		},
		`{"changeStateTo":"STOPPED","vnfcInstanceId":["s2"]}`:           {"decide-operate", "ask-for-grant", "stop-others"},
		`{"changeStateTo":"STOPPED","vnfcInstanceId":["p2","p1"]}`:      {"decide-operate", "ask-for-grant", "stop-containers"},
		`{"changeStateTo":"STOPPED","vnfcInstanceId":["p2","s1","p1"]}`: {"decide-operate", "ask-for-grant", "stop-containers", "stop-others"},
	} {
		p, ids := stepsOf(t, f, lcm.OpOperate, body)
		require.Equal(t, want, ids, body)
		for _, v := range p.Operated {
			require.Equal(t, v.VduID == "web", v.Together)
		}
	}
	_, err := planOf(f, lcm.OpOperate, json.RawMessage(`{"changeStateTo":"STOPPED","vnfcInstanceId":["s1","s2","p1"]}`))
	require.ErrorContains(t, err, "stops and starts all containers of a VNF together")
}

func TestHybrid_connectsItsServersWhileItsContainersAreStopped(t *testing.T) {
	f := mixed()
	f.Flavour.Cps = []descriptor.VduCp{
		{ID: "of-vm", VduID: "vm", External: true}, {ID: "of-web", VduID: "web", External: true},
	}
	f.Instance.Instantiated.ExtVirtualLinks = []lcm.ExtVirtualLink{
		{ID: "a", ResourceID: "net", ExtCps: []lcm.ExtCp{{CpdID: "of-vm"}}},
		{ID: "b", ResourceID: "media", ExtCps: []lcm.ExtCp{{CpdID: "of-web"}}},
	}
	f.Instance.Instantiated.Switch(lcm.VnfStopped, []string{"p1", "p2"}, nil)
	to := func(link, cpd string) json.RawMessage {
		return json.RawMessage(`{"extVirtualLinks":[{"id":"` + link + `","resourceId":"other","extCps":[{"cpdId":"` + cpd +
			`","cpConfig":[{"cpProtocolData":[{"layerProtocol":"IP_OVER_ETHERNET"}]}]}]}]}`)
	}
	p, err := planOf(f, lcm.OpChangeExtConn, to("a", "of-vm"))
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, p.ChangedLinks)
	_, err = planOf(f, lcm.OpChangeExtConn, to("b", "of-web"))
	require.True(t, lcm.Is(err, lcm.KindConflict), "%v", err)
	require.ErrorContains(t, err, "is stopped, so it has no containers to connect")
}

func TestHybrid_isHealedAsEachOfItsPartsIs(t *testing.T) {
	f := mixed()
	for body, want := range map[string]struct {
		steps, keepers []string
	}{
		`{"vnfcInstanceId":["p1"]}`:      {[]string{"replace-containers"}, nil},
		`{"vnfcInstanceId":["s1"]}`:      {[]string{"replace-servers"}, []string{"s1"}},
		`{"vnfcInstanceId":["s1","p2"]}`: {[]string{"replace-containers", "replace-servers"}, []string{"s1"}},
	} {
		p, ids := stepsOf(t, f, lcm.OpHeal, body)
		var replacing []string
		for _, id := range ids {
			if len(id) > 8 && id[:8] == "replace-" {
				replacing = append(replacing, string(id))
			}
		}
		require.Equal(t, want.steps, replacing, body)
		require.Equal(t, want.keepers, p.Keepers, "claims are given to Pods by the cluster")
	}
	p, _ := stepsOf(t, f, lcm.OpHeal, `{"vnfcInstanceId":["s1","p2"]}`)
	require.Equal(t, []string{"p2"}, p.LeavingPods())
	_, err := planOf(f, lcm.OpHeal, json.RawMessage(`{"vnfcInstanceId":["s1","p2"],"additionalParams":{"all":true}}`))
	require.ErrorContains(t, err, "get their former volumes", "of Pods")
	p, _ = stepsOf(t, f, lcm.OpHeal, `{"vnfcInstanceId":["s1"],"additionalParams":{"all":true}}`)
	require.Equal(t, []string{"of-s1"}, p.LeavingVolumes)
}

func TestHybrid_isTerminatedWithItsServersShutDown(t *testing.T) {
	f := mixed()
	f.Graceful = true
	p, err := planOf(f, lcm.OpTerminate, nil)
	require.NoError(t, err)
	var ids []lifecycle.StepID
	for _, s := range lifecycle.Steps(f, p) {
		ids = append(ids, s.ID)
	}
	require.Equal(t, []lifecycle.StepID{"ask-for-grant", "shut-down", "delete-stack", "forget-secrets"}, ids)
}

func TestHybrid_isGrantedOnTheVimOfEachPart(t *testing.T) {
	f := mixed()
	p, err := planOf(f, lcm.OpScaleToLevel, json.RawMessage(
		`{"scaleInfo":[{"aspectId":"pods","scaleLevel":3},{"aspectId":"vms","scaleLevel":2}]}`))
	require.NoError(t, err)
	g := lifecycle.Granted(f, p, both...)
	require.Equal(t, both, g.VimConnections)
	where := map[string]string{}
	for _, r := range g.AddResources {
		where[r.ResourceDefinitionID] = r.VimConnectionID
	}
	require.Equal(t, map[string]string{"add-vm-1": "os", "add-web-1": "k8s", "add-web-2": "k8s"}, where)

	one := lifecycle.OneVim(f, p, g)
	require.Len(t, one, 2, "what is of one kind is on one VIM")
	for i, last := range []string{"s1", "p1"} {
		require.Equal(t, last, one[i].Resources[len(one[i].Resources)-1].ResourceID)
	}
	for i := range g.AddResources {
		g.AddResources[i].VimConnectionID = map[string]string{"vm": "other-os", "web": "other-k8s"}[g.AddResources[i].VduID]
	}
	for kind, want := range map[string]string{"openstack": "other-os", "kubernetes": "other-k8s"} {
		target, err := lifecycle.TargetOn(f, kind, g)
		require.NoError(t, err)
		require.Equal(t, want, target)
	}
	_, err = lifecycle.Chosen(f, g, false)
	require.NoError(t, err)
}
