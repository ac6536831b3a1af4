package store

import (
	"strings"

	"github.com/windlass-nfv/windlass/internal/query"
)

// linkInfo are the attributes of an ExtVirtualLinkInfo at name. It is made of the links that sql has at path (lcm.LinkInfo);
// vimConnection is where the connection is noted on which all of them are.
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

// cpConfigColumn is the configuration of connection points, whose ids are its keys. Addresses are all that is stored of it.
func cpConfigColumn(sql string, path ...string) column {
	cps := root + members(path)
	return func(w *where, e query.Expression, below []string) string {
		if len(below) == 0 {
			if !e.OfKey {
				return nobody
			}
			return jsonCondition(w, sql, cps+".CpdID", plain(e), numbers)
		}
		cp := cps + "[*] ? (@.CpdID == " + quoted(below[0]) + ")"
		exists := func(steps string) string { return sql + " @? " + w.arg(cp+steps) + "::jsonpath" }
		if e.OfKey { // of one of the objects below, which all have the same keys
			return exists("")
		}
		if !plainNames(below[1:]) {
			return nobody
		}
		switch strings.Join(below[1:], "/") {
		case "cpProtocolData/layerProtocol":
			return constantsOf(e, constant{"IP_OVER_ETHERNET", exists("")})
		case "cpProtocolData/ipOverEthernet/macAddress":
			return jsonCondition(w, sql, cp+".MAC", e, numbers)
		case "cpProtocolData/ipOverEthernet/ipAddresses/type":
			return constantsOf(e, constant{"IPV4", exists(".FixedIPs")}, constant{"IPV6", exists(`.FixedIPs.Address ? (@ like_regex ":")`)})
		case "cpProtocolData/ipOverEthernet/ipAddresses/numDynamicAddresses":
			return constantsOf(e, constant{1.0, exists(`.FixedIPs.Address ? (@ == "")`)})
		case "cpProtocolData/ipOverEthernet/ipAddresses/fixedAddresses":
			return jsonCondition(w, sql, cp+".FixedIPs.Address", e, numbers)
		case "cpProtocolData/ipOverEthernet/ipAddresses/subnetId":
			return jsonCondition(w, sql, cp+".FixedIPs.SubnetID", e, numbers)
		default:
			return nobody
		}
	}
}
