package store

import (
	"strings"

	"github.com/windlass-nfv/windlass/internal/query"
)

// linkInfo returns the attributes of an ExtVirtualLinkInfo under name. lcm.LinkInfo makes this object from the links
// that sql has at path. vimConnection is the column with the connection of all links.
func linkInfo(name, sql string, path string, vimConnection column) attributes {
	return attributes{
		name:                                     objectColumn(sql),
		name + "/id":                             documentColumn(sql, path, "ID"),
		name + "/resourceHandle/resourceId":      documentColumn(sql, path, "ResourceID"),
		name + "/resourceHandle/vimConnectionId": vimConnection,
		name + "/resourceHandle":                 objectColumn(sql),
		name + "/currentVnfExtCpData":            objectColumn(sql),
		name + "/currentVnfExtCpData/cpdId":      documentColumn(sql, path, "ExtCps", "CpdID"),
		name + "/currentVnfExtCpData/cpConfig":   cpConfigColumn(sql, path, "ExtCps"),
	}
}

// cpConfigColumn is the configuration of connection points. Its keys are those that clients gave, else the ids of the
// connection points. Only its addresses are stored.
func cpConfigColumn(sql string, path ...string) column {
	cps := root + members(path)
	return func(w *where, e query.Expression, below []string) string {
		if len(below) == 0 {
			if !e.OfKey {
				return nobody
			}
			return either(jsonCondition(w, sql, cps+".Configs.Key", plain(e), numbers),
				jsonCondition(w, sql, cps+"[*] ? (!exists(@.Configs)).CpdID", plain(e), numbers))
		}
		key := quoted(below[0])
		return either(cpConfigCondition(w, sql, cps+".Configs[*] ? (@.Key == "+key+")", e, below[1:]),
			cpConfigCondition(w, sql, cps+"[*] ? (!exists(@.Configs) && @.CpdID == "+key+")", e, below[1:]))
	}
}

// cpConfigCondition makes the condition for the entry at steps.
func cpConfigCondition(w *where, sql, steps string, e query.Expression, below []string) string {
	exists := func(further string) string { return sql + " @? " + w.arg(steps+further) + "::jsonpath" }
	if e.OfKey { // a key of the objects below, which all have the same keys
		return exists("")
	}
	if !plainNames(below) {
		return nobody
	}
	switch strings.Join(below, "/") {
	case "linkPortId":
		return jsonCondition(w, sql, steps+".LinkPort.ID", e, numbers)
	case "cpProtocolData/layerProtocol":
		return constantsOf(e, constant{"IP_OVER_ETHERNET", exists("")})
	case "cpProtocolData/ipOverEthernet/macAddress":
		return jsonCondition(w, sql, steps+".MAC", e, numbers)
	case "cpProtocolData/ipOverEthernet/ipAddresses/type":
		return constantsOf(e, constant{"IPV4", exists(".FixedIPs")},
			constant{"IPV6", exists(`.FixedIPs[*] ? (@.Address like_regex ":" || @.IPv6 == true)`)})
	case "cpProtocolData/ipOverEthernet/ipAddresses/numDynamicAddresses":
		return either(constantsOf(e, constant{1.0, exists(`.FixedIPs[*] ? (@.Address == "" && !exists(@.Dynamic))`)}),
			jsonCondition(w, sql, steps+".FixedIPs.Dynamic", e, numbers))
	case "cpProtocolData/ipOverEthernet/ipAddresses/fixedAddresses":
		return jsonCondition(w, sql, steps+".FixedIPs.Address", e, numbers)
	case "cpProtocolData/ipOverEthernet/ipAddresses/subnetId":
		return jsonCondition(w, sql, steps+".FixedIPs.SubnetID", e, numbers)
	default:
		return nobody
	}
}
