package lcm

import (
	"cmp"
	"slices"
	"strings"
)

// CpProtocolInfo is SOL003 clause 5.5.3.9b: the addresses of a connection point.
type CpProtocolInfo struct {
	LayerProtocol  string              `json:"layerProtocol"`
	IPOverEthernet *IPOverEthernetInfo `json:"ipOverEthernet,omitempty"`
}

// IPOverEthernetInfo is SOL003 clause 5.5.3.10.
type IPOverEthernetInfo struct {
	MacAddress  string          `json:"macAddress,omitempty"`
	IPAddresses []IPAddressInfo `json:"ipAddresses,omitempty"`
}

// IPAddressInfo are addresses that a connection point has.
type IPAddressInfo struct {
	Type      string   `json:"type"` // IPV4 or IPV6
	Addresses []string `json:"addresses"`
	// IsDynamic is false for an address that a request has asked for.
	IsDynamic bool   `json:"isDynamic"`
	SubnetID  string `json:"subnetId,omitempty"`
}

// VnfcCpInfo is a connection point of a VNFC (SOL003 clause 5.5.3.15).
type VnfcCpInfo struct {
	ID    string `json:"id"`
	CpdID string `json:"cpdId"`
	// VnfLinkPortID is set for a connection point on an internal virtual link of the deployment.
	VnfLinkPortID string `json:"vnfLinkPortId,omitempty"`
	// VnfExtCpID is set when a link makes the connection point external. Its addresses are there then.
	VnfExtCpID     string           `json:"vnfExtCpId,omitempty"`
	CpProtocolInfo []CpProtocolInfo `json:"cpProtocolInfo,omitempty"`
}

// ExtLinkPortInfo is a port on an external link (SOL003 clause 5.5.3.8): the VIM's port of a connection point.
type ExtLinkPortInfo struct {
	ID             string         `json:"id"`
	ResourceHandle ResourceHandle `json:"resourceHandle"`
	CpInstanceID   string         `json:"cpInstanceId,omitempty"`
}

// VnfVirtualLinkResourceInfo is SOL003 clause 5.5.3.6: a network that the deployment has made for an internal virtual
// link.
type VnfVirtualLinkResourceInfo struct {
	ID                   string            `json:"id"`
	VnfVirtualLinkDescID string            `json:"vnfVirtualLinkDescId"`
	NetworkResource      ResourceHandle    `json:"networkResource"`
	VnfLinkPorts         []VnfLinkPortInfo `json:"vnfLinkPorts,omitempty"`
}

// VnfLinkPortInfo is SOL003 clause 5.5.3.7a: the VIM's port of a VNFC's connection point.
type VnfLinkPortInfo struct {
	ID             string         `json:"id"`
	ResourceHandle ResourceHandle `json:"resourceHandle"`
	CpInstanceID   string         `json:"cpInstanceId,omitempty"`
	// CpInstanceType is VNFC_CP, in v3.3.1 only.
	CpInstanceType string `json:"cpInstanceType,omitempty"`
}

// ShownLinks returns the VNF's own networks in the form of a version of the API.
func (i *InstantiatedVnfInfo) ShownLinks(apiVersion int) []VnfVirtualLinkResourceInfo {
	if apiVersion > 1 {
		return i.VirtualLinks
	}
	out := slices.Clone(i.VirtualLinks)
	for at := range out {
		out[at].VnfLinkPorts = slices.Clone(out[at].VnfLinkPorts)
		for p := range out[at].VnfLinkPorts {
			out[at].VnfLinkPorts[p].CpInstanceType = ""
		}
	}
	return out
}

// ProtocolInfo returns the addresses of a port; nil when none is known. Addresses in asked are not dynamic.
func ProtocolInfo(mac string, addresses, asked []FixedIP) []CpProtocolInfo {
	if mac == "" {
		return nil
	}
	info := &IPOverEthernetInfo{MacAddress: mac}
	for _, ip := range slices.SortedFunc(slices.Values(addresses),
		func(a, b FixedIP) int { return strings.Compare(a.Address, b.Address) }) {
		kind := "IPV4"
		if strings.Contains(ip.Address, ":") {
			kind = "IPV6"
		}
		info.IPAddresses = append(info.IPAddresses, IPAddressInfo{
			Type: kind, Addresses: []string{ip.Address}, SubnetID: ip.SubnetID,
			IsDynamic: !slices.ContainsFunc(asked, func(a FixedIP) bool { return a.Address == ip.Address }),
		})
	}
	return []CpProtocolInfo{{LayerProtocol: "IP_OVER_ETHERNET", IPOverEthernet: info}}
}

// LinkInfo describes the external links of a VNF with their ports.
func (i *InstantiatedVnfInfo) LinkInfo(apiVersion int) []ExtVirtualLinkInfo {
	connection := i.VimConnectionID()
	out := LinkInfo(i.ExtVirtualLinks, connection, apiVersion)
	for at, link := range i.ExtVirtualLinks {
		for _, cp := range i.ExtCps {
			if cp.ExtLinkPortID != "" && connects([]ExtVirtualLink{link}, cp.CpdID) {
				out[at].ExtLinkPorts = append(out[at].ExtLinkPorts, ExtLinkPortInfo{
					ID: cp.ExtLinkPortID, ResourceHandle: cp.handle(connection), CpInstanceID: cp.ID,
				})
			}
		}
	}
	return out
}

// port returns the VIM's id of the port.
func (cp VnfExtCpInfo) port() string { return cmp.Or(cp.PortID, cp.ExtLinkPortID) }

// CpConfigID is the key of the entry of currentVnfExtCpData that configures the connection point.
func (i *InstantiatedVnfInfo) CpConfigID(of VnfExtCpInfo) string {
	if _, cp, ok := Connection(i.ExtVirtualLinks, of.CpdID); ok {
		return cp.ConfigID(of.PortID)
	}
	return of.CpdID
}

// handle is the port in the VIM.
func (cp VnfExtCpInfo) handle(vimConnection string) ResourceHandle {
	return ResourceHandle{VimConnectionID: vimConnection, ResourceID: cp.port(), VimLevelResourceType: cp.PortType}
}
