package lcm_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
	"github.com/windlass-nfv/windlass/internal/requests"
)

// dummies is a list of links. Each connection point has a dummy port in extLinkPorts.
const dummies = `[{"id":"a","resourceId":"net-a","extCps":[{"cpdId":"cp-1","cpConfig":{"cp-1":{"linkPortId":"x"}}},{"cpdId":"cp-2","cpConfig":{"cp-2":{"linkPortId":"y"}}}],
	"extLinkPorts":[{"id":"x","resourceHandle":{"resourceId":"dummy"}},{"id":"y","resourceHandle":{"resourceId":"dummy"}}]}]`

// apartParams returns additionalParams with the class that makes each VNFC a separate resource, and with this nfv.
func apartParams(nfv string) json.RawMessage {
	return json.RawMessage(`{"lcm-operation-user-data-class":"` + lcm.StandardUserData + `","nfv":` + nfv + `}`)
}

func instantiation(t *testing.T, links string, params json.RawMessage) []lcm.ExtVirtualLink {
	t.Helper()
	req, err := lcmtest.Read[lcm.InstantiateRequest](json.RawMessage(`{"flavourId":"simple","extVirtualLinks":` + links +
		`,"additionalParams":` + string(params) + `}`))
	require.NoError(t, err)
	return req.ExtVirtualLinks
}

func TestInstantiateRequest_takesPortsFromNfv(t *testing.T) {
	t.Parallel()
	params := json.RawMessage(`{"nfv":{"CP":{"cp-2":{"port":"port-2"},"elsewhere":{"port":"port-3"},"cp-1":{"port":{"get_param":"p"}}}}}`)
	links := instantiation(t, dummies, params)
	assert.Equal(t, &lcm.LinkPort{ID: "x", ResourceID: "dummy"}, lcm.GivenPort(links, "cp-1"), "not a text")
	assert.Equal(t, &lcm.LinkPort{ID: "y", ResourceID: "port-2"}, lcm.GivenPort(links, "cp-2"))
	assert.True(t, lcm.IsGiven(links, "port-2"))
	assert.False(t, lcm.IsGiven(links, "port-3"), "no link has the connection point")

	links = instantiation(t, `[{"id":"a","resourceId":"net-a","extCps":[{"cpdId":"cp-2","cpConfig":{"k":`+plain+`}},{"cpdId":"cp-3","cpConfig":{"j":`+plain+`}}]}]`,
		json.RawMessage(`{"nfv":{"CP":{"cp-2":{"port":"port-2"},"cp-3":{"port":"port-3"}}}}`))
	assert.Equal(t, &lcm.LinkPort{ID: "port-2", ResourceID: "port-2"}, lcm.GivenPort(links, "cp-2"),
		"a port that no link describes")
	_, cp, _ := lcm.Connection(links, "cp-2")
	assert.Equal(t, "k", cp.ConfigID("port-2"))
	assert.Equal(t, &lcm.LinkPort{ID: "port-3", ResourceID: "port-3"}, lcm.GivenPort(links, "cp-3"))

	for _, malformed := range []string{`{"nfv":7}`, `{"nfv":{"CP":[]}}`, `{"nfv":{"CP":{"cp-1":7}}}`} {
		assert.Equal(t, "dummy", lcm.GivenPort(instantiation(t, dummies, json.RawMessage(malformed)), "cp-1").ResourceID,
			malformed)
	}
}

func TestGrantedLinks_looksAtThePortsOfNfv(t *testing.T) {
	t.Parallel()
	paths := func(params string) (out []string) {
		_, problems, err := requests.GrantedLinks(json.RawMessage(dummies), json.RawMessage(params))
		require.NoError(t, err)
		for _, p := range problems {
			out = append(out, p.Path)
		}
		return out
	}
	const second = "$.extVirtualLinks[0].extCps[1].cpConfig.cp-2.linkPortId"
	assert.Equal(t, []string{second}, paths(`{}`), "the dummy is the port of both")
	assert.Empty(t, paths(`{"nfv":{"CP":{"cp-1":{"port":"port-1"}}}}`))
	assert.Equal(t, []string{second}, paths(`{"nfv":{"CP":{"cp-1":{"port":"port-1"},"cp-2":{"port":"port-1"}}}}`))
}

// TestPortOf_isTheVnfcsOwn checks that where each VNFC is a separate resource, an entry belongs to the VNFC that its
// key names, otherwise to the next VNFC.
func TestPortOf_isTheVnfcsOwn(t *testing.T) {
	t.Parallel()
	const ports = `"extLinkPorts":[{"id":"p","resourceHandle":{"resourceId":"port-p"}},{"id":"q","resourceHandle":{"resourceId":"port-q"}},{"id":"r","resourceHandle":{"resourceId":"port-r"}}]`
	for name, c := range map[string]struct {
		config, nfv string
		want        []string
	}{
		"by the order of keys": {
			`{"a":{"linkPortId":"p"},"b":{"linkPortId":"q"}}`, `{}`,
			[]string{"port-p", "port-q", ""},
		},
		"by their names": {
			`{"cp-1":{"linkPortId":"p"},"cp-0":{"linkPortId":"q"}}`, `{}`,
			[]string{"port-q", "port-p", ""},
		},
		"by both": {
			`{"cp-0":{"linkPortId":"p"},"a":{"linkPortId":"q"},"b":{"linkPortId":"r"}}`, `{}`,
			[]string{"port-p", "port-q", "port-r"},
		},
		"entries without ports": {`{"a":` + plain + `,"b":{"linkPortId":"q"}}`, `{}`, []string{"port-q", "", ""}},
		"a list":                {`[{"linkPortId":"q"},{"linkPortId":"p"}]`, `{}`, []string{"port-q", "port-p", ""}},
		"a list of one":         {`[{"linkPortId":"q"}]`, `{}`, []string{"port-q", "", ""}},
		"dummies": {
			`{"a":{"linkPortId":"p"},"b":{"linkPortId":"q"}}`,
			`{"CP":{"cp-0":{"port":"x"},"cp-1":{"port":"y"}}}`,
			[]string{"x", "y", ""},
		},
		"one dummy of two": {
			`{"a":{"linkPortId":"p"},"b":{"linkPortId":"q"}}`, `{"CP":{"cp-1":{"port":"y"}}}`,
			[]string{"port-p", "y", ""},
		},
		"ports of nfv alone": {
			`{"a":` + plain + `}`,
			`{"CP":{"cp-0":{"port":"x"},"cp-2":{"port":"z"},"cp-1":{"port":"y"}}}`,
			[]string{"x", "y", "z"},
		},
		"ports of nfv, and a list": {
			`[` + plain + `]`, `{"CP":{"cp-0":{"port":"x"},"cp-1":{"port":"y"}}}`,
			[]string{"x", "y", ""},
		},
		"a number that is none": {
			`[` + plain + `]`,
			`{"CP":{"cp-00":{"port":"x"},"cp--1":{"port":"y"},"cp-":{"port":"z"}}}`,
			[]string{"", "", ""},
		},
	} {
		links := instantiation(t, `[{"id":"a","resourceId":"n","extCps":[{"cpdId":"cp","cpConfig":`+c.config+`}],`+ports+`}]`,
			apartParams(c.nfv))
		doc, err := json.Marshal(lcm.Reconnected(nil, links))
		require.NoError(t, err)
		var kept []lcm.ExtVirtualLink
		require.NoError(t, json.Unmarshal(doc, &kept))
		for _, links := range [][]lcm.ExtVirtualLink{links, kept} {
			_, cp, ok := lcm.Connection(links, "cp")
			require.True(t, ok)
			var got []string
			for n := range c.want {
				port := cp.PortOf(n)
				if port == nil {
					port = &lcm.LinkPort{}
				}
				got = append(got, port.ResourceID)
			}
			assert.Equal(t, c.want, got, "%s: %s", name, doc)
		}
	}
}

func TestWithNfvPorts_leavesTheLinksOfTheVnfAlone(t *testing.T) {
	t.Parallel()
	have := instantiation(t, dummies, json.RawMessage(`{}`))
	before, err := json.Marshal(have)
	require.NoError(t, err)
	changed := lcm.WithNfvPorts(have, apartParams(`{"CP":{"cp-1":{"port":"port-1"},"cp-1-1":{"port":"port-2"}}}`), true)
	after, err := json.Marshal(have)
	require.NoError(t, err)
	assert.JSONEq(t, string(before), string(after))
	_, cp, _ := lcm.Connection(changed, "cp-1")
	assert.Equal(t, []lcm.LinkPort{{ID: "x", ResourceID: "port-1"}, {ID: "port-2", ResourceID: "port-2"}}, cp.GivenPorts())
	assert.Empty(t, lcm.SharedPort(changed, "cp-1"))
	assert.False(t, lcm.SameLinks(have, changed))
	_, other, _ := lcm.Connection(lcm.WithNfvPorts(have, apartParams(`{"CP":{"cp-1-1":{"port":"port-2"}}}`), false),
		"cp-1")
	assert.Len(t, other.GivenPorts(), 1, "VNFCs that are alike have no numbers")
	twice := lcm.WithNfvPorts(have, apartParams(`{"CP":{"cp-1":{"port":"p"},"cp-1-1":{"port":"p"}}}`), true)
	assert.Equal(t, "cp-1", lcm.SharedPort(twice, "cp-1"), "with itself")
	named := instantiation(t, `[{"id":"a","resourceId":"n","extCps":[{"cpdId":"cp","cpConfig":[{}]},{"cpdId":"cp-1","cpConfig":[{}]}]}]`, apartParams(`{"CP":{"cp-1":{"port":"p"}}}`))
	assert.Nil(t, lcm.GivenPort(named, "cp"), "it is the name of a connection point")
	assert.NotNil(t, lcm.GivenPort(named, "cp-1"))
}
