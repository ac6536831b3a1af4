package lcm_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
)

func link(id, resource string, cps ...string) lcm.ExtVirtualLink {
	l := lcm.ExtVirtualLink{ID: id, ResourceID: resource}
	for _, cp := range cps {
		l.ExtCps = append(l.ExtCps, lcm.ExtCp{CpdID: cp})
	}
	return l
}

func TestReconnected_movesConnectionPointsAndKeepsTheRest(t *testing.T) {
	t.Parallel()
	have := []lcm.ExtVirtualLink{link("a", "net-a", "one", "two"), link("b", "net-b", "three")}
	for name, c := range map[string]struct{ changes, want []lcm.ExtVirtualLink }{
		"nothing": {nil, have},
		"to a new link": {
			[]lcm.ExtVirtualLink{link("c", "net-c", "one")},
			[]lcm.ExtVirtualLink{link("a", "net-a", "two"), link("b", "net-b", "three"), link("c", "net-c", "one")},
		},
		"to another link": {
			[]lcm.ExtVirtualLink{link("b", "net-b", "one")},
			[]lcm.ExtVirtualLink{link("a", "net-a", "two"), link("b", "net-b", "three", "one")},
		},
		"the last one": {
			[]lcm.ExtVirtualLink{link("a", "net-a", "three")},
			[]lcm.ExtVirtualLink{link("a", "net-a", "one", "two", "three")},
		},
		"one of two": {
			[]lcm.ExtVirtualLink{link("a", "net-x", "one")},
			[]lcm.ExtVirtualLink{link("a", "net-a", "two"), link("b", "net-b", "three"), link("a", "net-x", "one")},
		},
		"and the other": {
			[]lcm.ExtVirtualLink{link("a", "net-x", "one"), link("a", "net-x", "two")},
			[]lcm.ExtVirtualLink{link("b", "net-b", "three"), link("a", "net-x", "one", "two")},
		},
		"another network": {
			[]lcm.ExtVirtualLink{link("b", "net-x", "three")},
			[]lcm.ExtVirtualLink{link("a", "net-a", "one", "two"), link("b", "net-x", "three")},
		},
	} {
		assert.Equal(t, c.want, lcm.Reconnected(have, c.changes), name)
	}
	assert.Len(t, have[0].ExtCps, 2, "what it was given stays")
}

func TestReconnected_takesNoAddressesToAnotherNetwork(t *testing.T) {
	t.Parallel()
	address := []lcm.FixedIP{{Address: "10.0.0.7"}}
	have := []lcm.ExtVirtualLink{{ID: "a", ResourceID: "net-a", ExtCps: []lcm.ExtCp{{CpdID: "one", FixedIPs: address}}}}
	assert.Equal(t, address, lcm.Reconnected(have, []lcm.ExtVirtualLink{link("a", "net-a", "one")})[0].ExtCps[0].FixedIPs)
	assert.Empty(t, lcm.Reconnected(have, []lcm.ExtVirtualLink{link("a", "net-x", "one")})[0].ExtCps[0].FixedIPs)
	assert.Equal(t, address, lcm.Regranted(have, []lcm.ExtVirtualLink{link("a", "net-x", "one")})[0].ExtCps[0].FixedIPs,
		"the same request, elsewhere")
}

func TestOverridden_keepsWhatAGrantDoesNotRepeat(t *testing.T) {
	t.Parallel()
	asked := []lcm.ExtVirtualLink{link("a", "net-a", "one", "two"), link("b", "net-b", "three")}
	require.Equal(t, asked, lcm.Overridden(asked, nil))
	got := lcm.Overridden(asked, []lcm.ExtVirtualLink{
		link("a", "net-x", "two"), link("c", "net-c", "three"),
		link("d", "net-d"),
	})
	require.True(t, lcm.SameLinks([]lcm.ExtVirtualLink{
		link("d", "net-d"), link("c", "net-c", "three"), link("b", "net-b"), link("a", "net-x", "two", "one"),
	}, got), "%v", got)
	require.False(t, lcm.SameLinks(asked, got))
	require.True(t, lcm.SameLinks(asked, lcm.Overridden(asked, []lcm.ExtVirtualLink{link("a", "net-a", "one")})))
	addressed := lcm.Overridden(asked,
		[]lcm.ExtVirtualLink{{
			ID: "a", ResourceID: "net-a", ExtCps: []lcm.ExtCp{{CpdID: "one", FixedIPs: []lcm.FixedIP{{SubnetID: "s"}}}},
		}})
	require.False(t, lcm.SameLinks(asked, addressed))
}

func TestChangeExtConnRequest_readsBothVersions(t *testing.T) {
	t.Parallel()
	const address = `{"cpProtocolData":[{"layerProtocol":"IP_OVER_ETHERNET","ipOverEthernet":{"macAddress":"fa:16:3e:00:00:09","ipAddresses":[{"type":"IPV4","fixedAddresses":["10.0.0.9"],"subnetId":"s"}]}}]}`
	for config, key := range map[string]string{`[` + address + `]`: "one", `{"x":` + address + `}`: "x"} {
		links := request(t, `"cpConfig":`+config)
		require.Len(t, links, 1)
		assert.Equal(t, "fa:16:3e:00:00:09", links[0].ExtCps[0].MAC)
		assert.Equal(t, []lcm.FixedIP{{Address: "10.0.0.9", SubnetID: "s"}}, links[0].ExtCps[0].FixedIPs)
		assert.JSONEq(t, `[{"id":"a","resourceHandle":{"vimConnectionId":"vim","resourceId":"net-a"},
			"currentVnfExtCpData":[{"cpdId":"one","cpConfig":{"`+key+`":`+address+`}}]}]`, shown(t, links, 2))
		assert.JSONEq(t, `[{"id":"a","resourceHandle":{"vimConnectionId":"vim","resourceId":"net-a"}}]`, shown(t, links, 1))
		assert.Equal(t, key, links[0].ExtCps[0].ConfigID(""))

		kept, err := json.Marshal(links)
		require.NoError(t, err)
		var read []lcm.ExtVirtualLink
		require.NoError(t, json.Unmarshal(kept, &read))
		assert.JSONEq(t, shown(t, links, 2), shown(t, read, 2))
	}
}

// request returns the links of a change_ext_conn with one connection point.
func request(t *testing.T, cp string) []lcm.ExtVirtualLink {
	t.Helper()
	req, err := lcmtest.Read[lcm.ChangeExtConnRequest]([]byte(`{"extVirtualLinks":[{"id":"a","resourceId":"net-a","extCps":[{"cpdId":"one",` + cp + `}]}]}`))
	require.NoError(t, err)
	return req.ExtVirtualLinks
}

func shown(t *testing.T, links []lcm.ExtVirtualLink, version int) string {
	t.Helper()
	doc, err := json.Marshal(lcm.LinkInfo(links, "vim", version))
	require.NoError(t, err)
	return string(doc)
}
