package lcm_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
)

// on returns an entry of cpConfig with these items of ipAddresses.
func on(addresses ...string) string {
	return `{"cpProtocolData":[{"layerProtocol":"IP_OVER_ETHERNET","ipOverEthernet":{"ipAddresses":[` +
		strings.Join(addresses, ",") + `]}}]}`
}

const (
	plain   = `{"cpProtocolData":[{"layerProtocol":"IP_OVER_ETHERNET"}]}`
	fixed7  = `{"type":"IPV4","fixedAddresses":["10.0.0.7"]}`
	fixed8  = `{"type":"IPV4","fixedAddresses":["10.0.0.8"]}`
	ofS     = `{"type":"IPV4","numDynamicAddresses":1,"subnetId":"s"}`
	twoOfS  = `{"type":"IPV6","numDynamicAddresses":2,"subnetId":"s"}`
	anyIPv4 = `{"type":"IPV4","numDynamicAddresses":1}`
	anyIPv6 = `{"type":"IPV6","numDynamicAddresses":1}`
)

func TestExtCp_isShownAsItWasGiven(t *testing.T) {
	t.Parallel()
	for config, effective := range map[string][]lcm.FixedIP{
		`{"x":` + plain + `}`:                        nil,
		`{"x":` + on(anyIPv4) + `}`:                  nil,
		`{"x":` + on(anyIPv4, anyIPv6) + `}`:         nil,
		`{"x":` + on(twoOfS) + `}`:                   {{SubnetID: "s", Dynamic: 2, IPv6: true}},
		`{"a":` + plain + `,"b":` + on(fixed7) + `}`: {{Address: "10.0.0.7"}},
		`{"a":` + on(ofS) + `,"b":` + on(ofS) + `}`:  {{SubnetID: "s"}},
		`{"a b":` + on(fixed7, ofS) + `}`:            {{Address: "10.0.0.7"}, {SubnetID: "s"}},
	} {
		links := request(t, `"cpConfig":`+config)
		assert.Equal(t, effective, links[0].ExtCps[0].FixedIPs, config)
		assert.JSONEq(t, `[{"id":"a","resourceHandle":{"vimConnectionId":"vim","resourceId":"net-a"},"currentVnfExtCpData":[{"cpdId":"one","cpConfig":`+config+`}]}]`,
			shown(t, links, 2), config)
	}
}

func TestReconnected_mergesEntriesByTheirKeys(t *testing.T) {
	t.Parallel()
	config := func(list string) string { return `"cpConfig":` + list }
	with := func(entries string) string {
		return `[{"id":"a","resourceHandle":{"vimConnectionId":"vim","resourceId":"net-a"},"currentVnfExtCpData":[{"cpdId":"one","cpConfig":{` + entries + `}}]}]`
	}
	for name, c := range map[string]struct{ have, change, want string }{
		"another entry": {
			config(`{"x":` + on(ofS) + `}`), config(`{"y":` + plain + `}`),
			with(`"x":` + on(ofS) + `,"y":` + plain),
		},
		"the same entry": {
			config(`{"x":` + on(fixed7) + `}`), config(`{"x":` + on(fixed8) + `}`),
			with(`"x":` + on(fixed8)),
		},
		"one for another": {
			config(`{"x":` + on(fixed7) + `}`), config(`{"x":null,"y":` + on(fixed8) + `}`),
			with(`"y":` + on(fixed8)),
		},
		"away with one": {
			config(`{"x":` + on(fixed7) + `,"y":` + plain + `}`), config(`{"x":null}`),
			with(`"y":` + plain),
		},
		"away with what is not there": {config(`{"x":` + on(fixed7) + `}`), config(`{"z":null}`), with(`"x":` + on(fixed7))},
		"away with the last one":      {config(`{"x":` + on(fixed7) + `}`), config(`{"x":null}`), `null`},
		"nothing":                     {config(`{"x":` + on(fixed7) + `}`), config(`{}`), with(`"x":` + on(fixed7))},
		"nothing of an entry":         {config(`{"x":` + on(fixed7) + `}`), config(`{"x":{}}`), with(`"x":` + on(fixed7))},
		"the protocols away": {
			config(`{"x":` + on(fixed7) + `}`), config(`{"x":{"cpProtocolData":null}}`),
			with(`"x":` + plain),
		},
		"a list takes all places": {
			config(`{"x":` + on(fixed7) + `}`), config(`[` + plain + `]`),
			with(`"one":` + plain),
		},
		"keys in the place of none": {
			config(`[` + on(fixed7) + `]`), config(`{"x":` + on(fixed8) + `}`),
			with(`"x":` + on(fixed8)),
		},
		"the key that none is shown by": {
			config(`[` + on(fixed7) + `]`), config(`{"one":null,"x":` + plain + `}`), with(`"x":` + plain),
		},
		"away with the only one, which had no key": {config(`[` + on(fixed7) + `]`), config(`{"one":null}`), `null`},
		"no key, and another is to go": {
			config(`[` + on(fixed7) + `]`), config(`{"x":null}`),
			with(`"one":` + on(fixed7)),
		},
	} {
		got := lcm.Reconnected(request(t, c.have), request(t, c.change))
		assert.JSONEq(t, c.want, shown(t, got, 2), name)
		assert.JSONEq(t, c.want, shown(t, lcm.Reconnected(got, request(t, c.change)), 2), "%s, once more", name)
	}
}

func TestReconnected_movesAConnectionPointAsTheStandardHasIt(t *testing.T) {
	t.Parallel()
	have := request(t, `"cpConfig":{"x":`+on(fixed7)+`}`)
	const off, to = `{"id":"a","resourceId":"net-a","extCps":[{"cpdId":"one","cpConfig":{"x":null}}]}`,
		`{"id":"b","resourceId":"net-b","extCps":[{"cpdId":"one","cpConfig":{"y":` + plain + `}}]}`
	for _, list := range []string{off + "," + to, to + "," + off, to} {
		req, err := lcmtest.Read[lcm.ChangeExtConnRequest]([]byte(`{"extVirtualLinks":[` + list + `]}`))
		require.NoError(t, err)
		assert.JSONEq(t, `[{"id":"b","resourceHandle":{"vimConnectionId":"vim","resourceId":"net-b"},"currentVnfExtCpData":[{"cpdId":"one","cpConfig":{"y":`+plain+`}}]}]`,
			shown(t, lcm.Reconnected(have, req.ExtVirtualLinks), 2), list)
	}
}
