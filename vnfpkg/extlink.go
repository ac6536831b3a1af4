package vnfpkg

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// ExtVirtualLink is SOL003 ExtVirtualLinkData, the part that decides Heat parameters.
type ExtVirtualLink struct {
	ID         string  `json:"id"`
	ResourceID string  `json:"resourceId"`
	ExtCps     []ExtCp `json:"extCps"`
}

// ExtCp is SOL003 VnfExtCpData.
type ExtCp struct {
	CpdID    string    `json:"cpdId"`
	CpConfig CpConfigs `json:"cpConfig"`
}

// CpConfigs are the configurations of a connection point: a list in SOL003 v2, a map in v3.
type CpConfigs []CpConfig

// CpConfig is SOL003 VnfExtCpConfig.
type CpConfig struct {
	LinkPortID     string           `json:"linkPortId,omitempty"`
	CpProtocolData []CpProtocolData `json:"cpProtocolData,omitempty"`
}

// CpProtocolData is SOL003 clause 4.4.1.10b.
type CpProtocolData struct {
	LayerProtocol  string          `json:"layerProtocol,omitempty"`
	IPOverEthernet *IPOverEthernet `json:"ipOverEthernet,omitempty"`
}

// IPOverEthernet is SOL003 IpOverEthernetAddressData.
type IPOverEthernet struct {
	MacAddress  string      `json:"macAddress,omitempty"`
	IPAddresses []IPAddress `json:"ipAddresses,omitempty"`
}

// IPAddress is an entry of ipAddresses in SOL003 IpOverEthernetAddressData.
type IPAddress struct {
	Type                string   `json:"type,omitempty"`
	FixedAddresses      []string `json:"fixedAddresses,omitempty"`
	NumDynamicAddresses int      `json:"numDynamicAddresses,omitempty"`
	SubnetID            string   `json:"subnetId,omitempty"`
}

// ExtManagedVirtualLink is SOL003 ExtManagedVirtualLinkData. v1 calls the descriptor vnfVirtualLinkDescId,
// v2 too, with another case in some clients.
type ExtManagedVirtualLink struct {
	ID                   string `json:"id"`
	VnfVirtualLinkDescID string `json:"vnfVirtualLinkDescId"`
	ResourceID           string `json:"resourceId"`
}

// UnmarshalJSON reads a list, or a map in the order of its keys.
func (c *CpConfigs) UnmarshalJSON(b []byte) error {
	*c = nil
	if !bytes.HasPrefix(bytes.TrimSpace(b), []byte("{")) {
		return json.Unmarshal(b, (*[]CpConfig)(c))
	}
	var byID map[string]CpConfig
	if err := json.Unmarshal(b, &byID); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		*c = append(*c, byID[id])
	}
	return nil
}

// fixedIPs is the fixed_ips of a Neutron port for a connection point, never nil.
func fixedIPs(cp *ExtCp) []any {
	out := []any{}
	if cp == nil {
		return out
	}
	for _, config := range cp.CpConfig {
		for _, protocol := range config.CpProtocolData {
			if protocol.IPOverEthernet == nil {
				continue
			}
			for _, address := range protocol.IPOverEthernet.IPAddresses {
				out = append(out, address.fixedIPs()...)
			}
		}
	}
	return out
}

func (a IPAddress) fixedIPs() []any {
	one := func(address string) any {
		ip := map[string]any{}
		if a.SubnetID != "" {
			ip["subnet"] = a.SubnetID
		}
		if address != "" {
			ip["ip_address"] = address
		}
		return ip
	}
	if len(a.FixedAddresses) == 0 {
		if a.SubnetID == "" {
			return nil
		}
		return []any{one("")}
	}
	out := make([]any, 0, len(a.FixedAddresses))
	for _, address := range a.FixedAddresses {
		out = append(out, one(address))
	}
	return out
}
