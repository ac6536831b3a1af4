package store

import "slices"

// linkInfo is an ExtVirtualLinkInfo at a path. lcm.LinkInfo makes this object from the links that the column has at the
// steps. connection has the connection of all links, and more are further attributes.
func linkInfo(path, column, links string, connection place, more ...Attributes) Attributes {
	there := object.in(column)
	return objectAt(path, there, append(more, Attributes{
		{"id", document.in(column, links, ".ID")},
	}, objectAt("resourceHandle", there, Attributes{
		{"resourceId", document.in(column, links, ".ResourceID")},
		{"vimConnectionId", connection},
	}), objectAt("currentVnfExtCpData", there, Attributes{
		{"cpdId", document.in(column, links, ".ExtCps.CpdID")},
	}, cpConfig(column, links+".ExtCps")))...)
}

// cpConfig is the configuration of the connection points at the steps. Its keys are those that clients gave, else the
// ids of the connection points. Only its addresses are stored.
func cpConfig(column, cps string) Attributes {
	return slices.Concat(Attributes{
		{"cpConfig", mapKeys.in(column, cps, ".Configs.Key")},
		{"cpConfig", mapKeys.in(column, cps, "[*] ? (!exists(@.Configs)).CpdID")},
	},
		cpConfigEntry(column, cps+".Configs[*] ? (@.Key == {key})"),
		cpConfigEntry(column, cps+"[*] ? (!exists(@.Configs) && @.CpdID == {key})"))
}

// cpConfigEntry is an entry of the configuration, at the steps.
func cpConfigEntry(column, steps string) Attributes {
	there := object.in(column, steps)
	return objectAt("cpConfig/*", there, Attributes{
		{"linkPortId", document.in(column, steps, ".LinkPort.ID")},
	}, objectAt("cpProtocolData", there, Attributes{
		{"layerProtocol", constant.in(column, steps).is("IP_OVER_ETHERNET")},
	}, objectAt("ipOverEthernet", there, Attributes{
		{"macAddress", document.in(column, steps, ".MAC")},
	}, objectAt("ipAddresses", there, Attributes{
		{"type", constant.in(column, steps, ".FixedIPs").is("IPV4")},
		{"type", constant.in(column, steps, `.FixedIPs[*] ? (@.Address like_regex ":" || @.IPv6 == true)`).is("IPV6")},
		{"numDynamicAddresses", constant.in(column, steps, `.FixedIPs[*] ? (@.Address == "" && !exists(@.Dynamic))`).is(1.0)},
		{"numDynamicAddresses", document.in(column, steps, ".FixedIPs.Dynamic")},
		{"fixedAddresses", document.in(column, steps, ".FixedIPs.Address")},
		{"subnetId", document.in(column, steps, ".FixedIPs.SubnetID")},
	}))))
}
