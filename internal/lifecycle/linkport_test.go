package lifecycle_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// given returns the facts of a VNF with workers, the first of which has a given port.
func given(t *testing.T) lifecycle.Facts {
	f := equipped(t)
	f.Drivers = nil
	f.Instance.Instantiated.ExtVirtualLinks[0].ExtCps[0].LinkPort = &lcm.LinkPort{ID: "p", ResourceID: "port-worker-0"}
	return f
}

func grantOf(t *testing.T, f lifecycle.Facts, op lcm.Operation, body string) lcm.Grant {
	t.Helper()
	p, err := planOf(f, op, json.RawMessage(body))
	require.NoError(t, err)
	return lifecycle.Granted(f, p, lcm.VimConnectionInfo{ID: "openstack"})
}

func TestGranted_asksForNoPortThatIsGiven(t *testing.T) {
	f := given(t)
	g := grantOf(t, f, lcm.OpHeal, `{"vnfcInstanceId":["worker-0"],"additionalParams":{"all":true}}`)
	require.Empty(t, ofType(g.RemoveResources, lcm.GrantLinkPort))
	require.Empty(t, ofType(g.AddResources, lcm.GrantLinkPort))
	require.Equal(t, []string{"remove-volume-worker-0"}, ofType(g.RemoveResources, lcm.GrantStorage))

	p, err := planOf(f, lcm.OpTerminate, nil)
	require.NoError(t, err)
	require.NotContains(t, ofType(lifecycle.Granted(f, p, lcm.VimConnectionInfo{}).RemoveResources, lcm.GrantLinkPort),
		"remove-port-worker-0")
	f.Instance.Instantiated.ExtVirtualLinks[0].ExtCps[0].LinkPort.ResourceID = "port-worker-3"
	g = grantOf(t, f, lcm.OpScale, `{"type":"SCALE_IN","aspectId":"worker_instance","numberOfSteps":2}`)
	require.Equal(t, []string{"remove-port-worker-2"}, ofType(g.RemoveResources, lcm.GrantLinkPort))

	f.Links, f.Instance.Instantiated = f.Instance.Instantiated.ExtVirtualLinks, nil
	p, err = planOf(f, lcm.OpInstantiate, nil)
	require.NoError(t, err)
	g = lifecycle.Granted(f, p, lcm.VimConnectionInfo{})
	require.NotContains(t, ofType(g.AddResources, lcm.GrantLinkPort), "add-workerNode-1-workerNode_CP2")
	require.NotEmpty(t, ofType(g.AddResources, lcm.GrantLinkPort), "that of the others")
}

func TestGranted_ofAChangeOfGivenPorts(t *testing.T) {
	f := given(t)
	link := func(config, ports string) string {
		return `{"extVirtualLinks":[{"id":"b","resourceId":"net-b","extCps":[{"cpdId":"workerNode_CP2","cpConfig":` + config +
			`}]` + ports + `}]}`
	}
	const ports = `,"extLinkPorts":[{"id":"q","resourceHandle":{"resourceId":"port-q"}}]`
	g := grantOf(t, f, lcm.OpChangeExtConn, link(`[{"linkPortId":"q"}]`, ports))
	require.Empty(t, ofType(g.AddResources, lcm.GrantLinkPort), "the new one is given")
	require.NotContains(t, ofType(g.RemoveResources, lcm.GrantLinkPort), "remove-port-worker-0", "so was the old one")
	require.Len(t, ofType(g.UpdateResources, lcm.GrantCompute), 4)
	g = grantOf(t, f, lcm.OpChangeExtConn, link(`[{"cpProtocolData":[{"layerProtocol":"IP_OVER_ETHERNET"}]}]`, ""))
	require.Len(t, ofType(g.AddResources, lcm.GrantLinkPort), 4, "ports that the stack makes")
}

func TestScale_doesNotShareAGivenPort(t *testing.T) {
	f := given(t)
	_, err := planOf(f, lcm.OpScale, json.RawMessage(`{"type":"SCALE_OUT","aspectId":"worker_instance"}`))
	require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
	require.ErrorContains(t, err, "workerNode_CP2 of workerNode has the port port-worker-0")
}

func TestChangeExtConn_refusesAPortTwice(t *testing.T) {
	f := given(t)
	links := f.Instance.Instantiated.ExtVirtualLinks
	body := `{"extVirtualLinks":[{"id":"b","resourceId":"net-a","extCps":[{"cpdId":"masterNode_CP1","cpConfig":[{"linkPortId":"x"}]}],
		"extLinkPorts":[{"id":"x","resourceHandle":{"resourceId":"` + links[0].ExtCps[0].LinkPort.ResourceID + `"}}]}]}`
	_, err := planOf(f, lcm.OpChangeExtConn, json.RawMessage(body))
	require.ErrorContains(t, err, "would have the same port (linkPortId) as workerNode_CP2")
}

func TestNeeds_noPortThatIsGiven(t *testing.T) {
	f := given(t)
	body := json.RawMessage(`{"type":"SCALE_OUT","aspectId":"worker_instance"}`)
	f.Instance.Instantiated.ExtVirtualLinks[0].ExtCps[0].LinkPort = nil
	p, err := planOf(f, lcm.OpScale, body)
	require.NoError(t, err)
	require.Equal(t, 1, lifecycle.Needs(p, f).Ports)
	f.Instance.Instantiated.ExtVirtualLinks[0].ExtCps[0].LinkPort = &lcm.LinkPort{ID: "p", ResourceID: "x"}
	require.Equal(t, 0, lifecycle.Needs(p, f).Ports)
}

// TestScale_givesEachVnfcAPortOfItsOwn checks that each new VNFC gets a port where each VNFC is a separate resource:
// one that is left from the instantiation, or one that the scaling itself names.
func TestScale_givesEachVnfcAPortOfItsOwn(t *testing.T) {
	f := given(t)
	info := f.Instance.Instantiated
	info.AdditionalParams = json.RawMessage(`{"lcm-operation-user-data":"x.py","lcm-operation-user-data-class":"StandardUserData"}`)
	workers := 0
	for i, v := range info.VnfcResources {
		info.VnfcResources[i].Metadata = map[string]any{"parent_resource_name": descriptor.MemberName(v.VduID, i)}
		if v.VduID == "workerNode" {
			info.VnfcResources[i].Metadata["parent_resource_name"] = descriptor.MemberName(v.VduID, workers)
			workers++
		}
	}
	cp := &info.ExtVirtualLinks[0].ExtCps[0]
	ports := func(n int) {
		cp.Configs = nil
		for i := range n {
			cp.Configs = append(cp.Configs, lcm.CpConfig{
				Key:      fmt.Sprint("k", i),
				LinkPort: &lcm.LinkPort{ID: fmt.Sprint("p", i), ResourceID: fmt.Sprint("port-", i)},
			})
		}
	}
	scale := func(params string) error {
		_, err := planOf(f, lcm.OpScale,
			json.RawMessage(`{"type":"SCALE_OUT","aspectId":"worker_instance"`+params+`}`))
		return err
	}
	ports(workers + 1)
	require.NoError(t, scale(""), "the one that was left over")
	ports(workers)
	err := scale("")
	require.ErrorContains(t, err, fmt.Sprintf("there are %d VMs of workerNode and %d ports of workerNode_CP2", workers+1,
		workers))
	var refused *lcm.Error
	require.ErrorAs(t, err, &refused)
	require.True(t, refused.Unprocessable)
	require.NoError(t, scale(fmt.Sprintf(`,"additionalParams":{"nfv":{"CP":{"workerNode_CP2-%d":{"port":"x"}}}}`,
		workers)))
}

// TestChangeExtConn_takesThePortsOfNfv checks that ports in nfv take precedence over those of the request's links, also
// for connection points that the links do not name.
func TestChangeExtConn_takesThePortsOfNfv(t *testing.T) {
	f := given(t)
	p, err := planOf(f, lcm.OpChangeExtConn, json.RawMessage(`{"extVirtualLinks":[{"id":"b","resourceId":"net-b","extCps":[{"cpdId":"masterNode_CP1","cpConfig":[{"linkPortId":"x"}]}],
		"extLinkPorts":[{"id":"x","resourceHandle":{"resourceId":"dummy"}}]}],
		"additionalParams":{"nfv":{"CP":{"masterNode_CP1":{"port":"port-1"},"workerNode_CP2":{"port":"port-2"}}}}}`))
	require.NoError(t, err)
	require.Equal(t, &lcm.LinkPort{ID: "x", ResourceID: "port-1"}, lcm.GivenPort(p.Links, "masterNode_CP1"))
	require.Equal(t, &lcm.LinkPort{ID: "p", ResourceID: "port-2"}, lcm.GivenPort(p.Links, "workerNode_CP2"))
	require.Equal(t, "port-worker-0", lcm.GivenPort(f.Instance.Instantiated.ExtVirtualLinks, "workerNode_CP2").ResourceID,
		"what is recorded stays")
}

// TestScale_passesOverAConnectionPointThatIsNotThere has a record with a connection point that is in no VNFD, because a
// request has named it.
func TestScale_passesOverAConnectionPointThatIsNotThere(t *testing.T) {
	f := equipped(t)
	f.Drivers = nil
	cps := &f.Instance.Instantiated.ExtVirtualLinks[0].ExtCps
	*cps = append(*cps, lcm.ExtCp{CpdID: "gone_CP"})
	_, err := planOf(f, lcm.OpScale, json.RawMessage(`{"type":"SCALE_OUT","aspectId":"worker_instance"}`))
	require.NoError(t, err)
}
