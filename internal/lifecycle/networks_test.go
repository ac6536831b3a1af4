package lifecycle_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func TestPlan_ofContainersOnNetworks(t *testing.T) {
	f := repackaged()
	f.Flavour = f.FormerFlavour
	one := 1
	f.Flavour.Vdus[0].InitialInstances, f.Flavour.Aspects[0].StepDeltas = &one, []string{""}
	f.Flavour.Cps = []descriptor.VduCp{{ID: "ext", VduID: "web", External: true}}
	f.Instance.Instantiated.ExtVirtualLinks = []lcm.ExtVirtualLink{{
		ID: "l", ResourceID: "media", ExtCps: []lcm.ExtCp{{CpdID: "ext", FixedIPs: []lcm.FixedIP{{Address: "10.0.0.7"}}}},
	}}
	scaleOut := json.RawMessage(`{"type":"SCALE_OUT","aspectId":"web_pods"}`)
	_, err := planOf(f, lcm.OpScale, scaleOut)
	require.True(t, lcm.Is(err, lcm.KindConflict), "%v", err)
	require.ErrorContains(t, err, "The VDU web cannot have 3 Pods: its connection point ext has a fixed address")

	move := json.RawMessage(`{"extVirtualLinks":[{"id":"l","resourceId":"other","extCps":[{"cpdId":"ext","cpConfig":[{"cpProtocolData":
	 [{"layerProtocol":"IP_OVER_ETHERNET","ipOverEthernet":{"ipAddresses":[{"type":"IPV4","numDynamicAddresses":1}]}}]}]}]}]}`)
	p, err := planOf(f, lcm.OpChangeExtConn, move)
	require.NoError(t, err)
	require.Equal(t, []string{"l"}, p.ChangedLinks)
	f.Instance.Instantiated.ExtVirtualLinks = p.Links
	_, err = planOf(f, lcm.OpScale, scaleOut)
	require.NoError(t, err)

	f.Instance.Instantiated.VnfState = lcm.VnfStopped
	_, err = planOf(f, lcm.OpChangeExtConn, move)
	require.ErrorContains(t, err, "is stopped, so it has no containers to connect: start it first")
}
