package requests

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/windlass-nfv/windlass/internal/lcm"
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

func TestCheckLinks_tellsWhatIsWrongAndWhatCannotBe(t *testing.T) {
	t.Parallel()
	const ports = `,"extLinkPorts":[{"id":"p","resourceHandle":{"resourceId":"port-1"}}]`
	const range1 = `{"type":"IPV4","addressRange":{"minAddress":"10.0.0.7","maxAddress":"10.0.0.9"}}`
	const at = "$.extVirtualLinks[0].extCps[0].cpConfig"
	const ips = ".cpProtocolData[0].ipOverEthernet.ipAddresses"
	for name, c := range map[string]struct {
		config, further string
		mistakes        map[string]string
		impossible      map[string]string
	}{
		"nothing": {`{}`, ports, nil, nil},
		"a port that nobody describes": {
			`[{"linkPortId":"q"}]`, ports,
			map[string]string{at + "[0].linkPortId": "none of the link's extLinkPorts has this id"},
			nil,
		},
		"no ports are described": {`[{"linkPortId":"q"}]`, "", nil, nil},
		"a port":                 {`[{"linkPortId":"p"}]`, ports, nil, nil},
		"a port, by key":         {`{"a b":{"linkPortId":"p"},"c":null}`, ports, nil, nil},
		"a port beside its address": {
			`{"a":{"linkPortId":"p",` + strings.TrimPrefix(on(fixed7), "{") + `}`, ports, nil,
			nil,
		},
		"no port": {`{"a":{"linkPortId":null}}`, ports, nil, nil},
		"a port twice": {
			`{"a":{"linkPortId":"p"},"b":{"linkPortId":"p"}}`, ports,
			map[string]string{at + ".b.linkPortId": "is the port port-1, but " + at + ".a has it already"},
			nil,
		},
		"a port beside addresses": {`{"a":{"linkPortId":"p"},"b":` + on(fixed7) + `}`, ports, nil, nil},
		"two ports of one id": {
			`{}`,
			`,"extLinkPorts":[{"id":"p","resourceHandle":{"resourceId":"1"}},{"id":"p","resourceHandle":{"resourceId":"2"}}]`,
			map[string]string{"$.extVirtualLinks[0].extLinkPorts[1].id": "another port"},
			nil,
		},
		"one with addresses": {`{"a":` + on(fixed7) + `,"b":` + plain + `,"c":` + on(anyIPv4) + `}`, "", nil, nil},
		"two with addresses": {
			`{"a":` + on(fixed7) + `,"b":` + on(fixed8) + `}`, "", nil,
			map[string]string{at: "one entry of a connection point can have addresses"},
		},
		"two in a list": {
			`[` + on(fixed7) + `,` + on(ofS) + `]`, "", nil,
			map[string]string{at: "more than one entry with addresses"},
		},
		"the same address": {
			`[` + on(fixed7) + `,` + on(fixed7) + `]`, "", nil,
			map[string]string{at: "more than one entry with addresses"},
		},
		"the same subnet": {`[` + on(ofS) + `,` + on(ofS) + `]`, "", nil, nil},
		"a range": {
			`{"a":` + on(range1) + `}`, "", nil,
			map[string]string{at + ".a" + ips + "[0].addressRange": "no range"},
		},
		"a range, as the text has it": {
			`{"a":` + on(strings.Replace(range1, "addressRange", "ipAddressRange", 1)) + `}`, "",
			nil,
			map[string]string{at + ".a" + ips + "[0].ipAddressRange": "no range"},
		},
		"two kinds": {
			`{"a":` + on(fixed7,
				`{"type":"IPV4","fixedAddresses":["10.0.0.8"],"numDynamicAddresses":1}`) + `}`, "",
			map[string]string{at + ".a" + ips + "[1]": "it has fixedAddresses and numDynamicAddresses"},
			nil,
		},
		"no kind": {
			`{"a":` + on(`{"type":"IPV4","subnetId":"s"}`) + `}`, "",
			map[string]string{at + ".a" + ips + "[0]": "it has none"},
			nil,
		},
		"no address": {
			`{"a":` + on(`{"type":"IPV4","fixedAddresses":[]}`) + `}`, "",
			map[string]string{at + ".a" + ips + "[0].fixedAddresses": "must not be empty"},
			nil,
		},
		"two of a subnet": {`{"a":` + on(twoOfS) + `}`, "", nil, nil},
		"two of any": {
			`{"a":` + on(`{"type":"IPV4","numDynamicAddresses":2}`) + `}`, "", nil,
			map[string]string{at + ".a" + ips + "[0].numDynamicAddresses": "name the subnet (subnetId)"},
		},
		"one of any, twice": {
			`{"a":` + on(anyIPv4, anyIPv4) + `}`, "", nil,
			map[string]string{at + ".a" + ips + "[1]": "a second address"},
		},
		"one of any of each type": {`{"a":` + on(anyIPv4, anyIPv6) + `}`, "", nil, nil},
		"one of any beside another": {
			`{"a":` + on(anyIPv6, fixed7) + `}`, "", nil,
			map[string]string{at + ".a" + ips: "beside others"},
		},
		"a thousand": {
			`{"a":` + on(strings.Replace(twoOfS, "2", "1000", 1)) + `}`, "", nil,
			map[string]string{at + ".a" + ips + "[0].numDynamicAddresses": "16 at most"},
		},
		"what is malformed": {`{"a":7}`, "", nil, nil},
	} {
		mistakes, impossible := checked(`[{"id":"a","resourceId":"n","extCps":[{"cpdId":"one","cpConfig":` + c.config + `}]` + c.further + `}]`)
		requireProblems(t, name+", mistakes", c.mistakes, mistakes)
		requireProblems(t, name+", impossible", c.impossible, impossible)
	}
}

func requireProblems(t *testing.T, name string, want map[string]string, got []lcm.Problem) {
	t.Helper()
	var paths []string
	for _, p := range got {
		paths = append(paths, p.Path)
		assert.Contains(t, p.Detail, want[p.Path], name)
	}
	assert.ElementsMatch(t, slices.Collect(maps.Keys(want)), paths, "%s: %s", name, fmt.Sprint(got))
}

// checked checks a list of links in the form of either version.
func checked(list string) (mistakes, impossible []lcm.Problem) {
	var byKey []link[cpPatch]
	if wrong, _ := kept.Read("$", json.RawMessage(list), &byKey); len(wrong) == 0 {
		return checkLinks(byKey, nil)
	}
	var inList []link[cpList]
	if wrong, _ := kept.Read("$", json.RawMessage(list), &inList); len(wrong) == 0 {
		return checkLinks(inList, nil)
	}
	return nil, nil
}
