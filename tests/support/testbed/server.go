package testbed

// ServerPackage is a package with one server, which has one connection point; ServerVnfdID is its VNFD.
const (
	ServerPackage = "tests/programs/bench/server"
	ServerVnfdID  = "0c9d3b52-6f0e-4d43-9d0b-5a1f6c0f7e11"
)

// LinksTo returns a request that connects the server with a network, with these addresses if there are any.
func LinksTo(network string, addresses ...string) map[string]any {
	data := map[string]any{"layerProtocol": "IP_OVER_ETHERNET"}
	if len(addresses) > 0 {
		data["ipOverEthernet"] = map[string]any{"ipAddresses": []any{map[string]any{
			"type":           "IPV4",
			"fixedAddresses": addresses,
		}}}
	}
	cp := map[string]any{"cpdId": "VDU1_CP1", "cpConfig": []any{map[string]any{"cpProtocolData": []any{data}}}}
	return map[string]any{"extVirtualLinks": []any{map[string]any{
		"id": "link-" + network, "resourceId": network, "extCps": []any{cp},
	}}}
}
