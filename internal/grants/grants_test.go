package grants

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

func instantiating(params string) *operations.Operation {
	return &operations.Operation{
		OpOcc: lcm.VnfLcmOpOcc{ID: "op", Operation: lcm.OpInstantiate}, Own: lcm.InstantiateRequest{}, Instance: lcm.VnfInstance{ID: "vnf"},
		Request: lcm.InstantiateRequest{
			AdditionalParams: json.RawMessage(params),
			ExtVirtualLinks:  []lcm.ExtVirtualLink{{ID: "a", ResourceID: "net-a"}, {ID: "b", ResourceID: "net-b"}},
		},
		Flavour: &descriptor.Flavour{ID: "f", Vdus: []descriptor.Vdu{{ID: "node", InitialInstances: new(1)}}},
	}
}

func TestAcceptable_refusesAddressesThatCannotBe(t *testing.T) {
	const nine = `{"cpProtocolData":[{"layerProtocol":"IP_OVER_ETHERNET","ipOverEthernet":{"ipAddresses":[{"type":"IPV4","fixedAddresses":["10.0.0.9"]}]}}]}`
	for links, says := range map[string]string{
		`[{"id":"a","resourceId":"n","extCps":[{"cpdId":"cp","cpConfig":{"x":{"linkPortId":"q"}}}],"extLinkPorts":[{"id":"p","resourceHandle":{"resourceId":"r"}}]}]`: "$.extVirtualLinks[0].extCps[0].cpConfig.x.linkPortId",
		`[{"id":"a","resourceId":"n","extCps":[{"cpdId":"cp","cpConfig":{"x":` + nine + `,"y":` + nine +
			`}}]}]`: "has more than one entry with addresses",
		`[{"id":"a","resourceId":"n","extCps":[{"cpdId":"cp","cpConfig":{"y":` + nine +
			`}}]}]`: "would have more than one entry " +
			"with addresses, with those of the request",
	} {
		j := instantiating(``)
		j.Targets = []lcm.VimConnectionInfo{{ID: "vim", VimID: "v"}}
		seven := []lcm.FixedIP{{Address: "10.0.0.7"}}
		j.Request.ExtVirtualLinks[0].ExtCps = []lcm.ExtCp{{
			CpdID: "cp", FixedIPs: seven, Configs: []lcm.CpConfig{{Key: "x", FixedIPs: seven}},
		}}
		_, err := (&Grants{Operations: &operations.Resolver{}}).acceptable(t.Context(), j, lcm.Grant{ID: "g", ExtVirtualLinks: json.RawMessage(links)})
		require.True(t, lcm.Is(err, lcm.KindInvalid), "%v", err)
		require.ErrorContains(t, err, says)
	}
}

// ported returns an instantiation in which one of two connection points has a given port.
func ported() *operations.Operation {
	j := instantiating(``)
	j.Flavour.Cps = []descriptor.VduCp{
		{ID: "cp", VduID: "node", External: true}, {ID: "other", VduID: "node", External: true},
	}
	port := &lcm.LinkPort{ID: "p", ResourceID: "port-1"}
	j.Request.ExtVirtualLinks[0].ExtCps = []lcm.ExtCp{{
		CpdID: "cp", LinkPort: port, Configs: []lcm.CpConfig{{Key: "k", LinkPort: port}},
	}, {CpdID: "other"}}
	return j
}

func TestAcceptable_refusesAPortTwice(t *testing.T) {
	j := ported()
	j.Targets = []lcm.VimConnectionInfo{{ID: "vim", VimID: "v"}}
	links := `[{"id":"b","resourceId":"net-b","extCps":[{"cpdId":"other","cpConfig":[{"linkPortId":"x"}]}],"extLinkPorts":[{"id":"x","resourceHandle":{"resourceId":"port-1"}}]}]`
	_, err := (&Grants{Operations: &operations.Resolver{}}).acceptable(t.Context(), j, lcm.Grant{ID: "g", ExtVirtualLinks: json.RawMessage(links)})
	require.ErrorContains(t, err, "the connection points cp and other would have the same port")
}
