package requests

import (
	"cmp"
	"encoding/json"
	"iter"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

// link is ExtVirtualLinkData (SOL003 clause 4.4.1.11). C has the configurations of a connection point.
type link[C cpConfigs] struct {
	ID              string `json:"id" param:"required"`
	ResourceID      string `json:"resourceId" param:"required"`
	VimConnectionID string `json:"vimConnectionId"`
	ExtCps          []struct {
		CpdID    string `json:"cpdId" param:"required"`
		CpConfig C      `json:"cpConfig"`
	} `json:"extCps" param:"required"`
	ExtLinkPorts linkPorts `json:"extLinkPorts"`
}

type linkPorts []struct {
	ID             string `json:"id" param:"required"`
	ResourceHandle struct {
		ResourceID string `json:"resourceId" param:"required"`
	} `json:"resourceHandle" param:"required"`
}

// cpConfigs are the configurations of a connection point with their keys. A nil configuration removes the entry.
type cpConfigs interface {
	entries() iter.Seq2[string, *cpConfig]
}

// cpList is the list of v2.6.1, which has no keys.
type cpList []cpConfig

func (l cpList) entries() iter.Seq2[string, *cpConfig] {
	return func(yield func(string, *cpConfig) bool) {
		for i := range l {
			if !yield("", &l[i]) {
				return
			}
		}
	}
}

// cpMap is the map of v3.3.1.
type cpMap map[string]cpConfig

func (m cpMap) entries() iter.Seq2[string, *cpConfig] {
	return func(yield func(string, *cpConfig) bool) {
		for key, config := range inOrder(m) {
			if !yield(key, &config) {
				return
			}
		}
	}
}

// cpPatch is the map of v3.3.1 in a merge patch.
type cpPatch map[string]*cpConfig

func (m cpPatch) entries() iter.Seq2[string, *cpConfig] { return inOrder(m) }

// cpConfig is SOL003 clause 4.4.1.10a. checkLinks checks the rest of it.
type cpConfig struct {
	params.Noted
	CpInstanceID   string `json:"cpInstanceId"`
	LinkPortID     string `json:"linkPortId"`
	CpProtocolData []struct {
		LayerProtocol  string `json:"layerProtocol" param:"required; enum=IP_OVER_ETHERNET"`
		IPOverEthernet struct {
			MacAddress  string      `json:"macAddress" param:"is=MAC address"`
			IPAddresses []addresses `json:"ipAddresses"`
		} `json:"ipOverEthernet"`
	} `json:"cpProtocolData"`
}

type addresses struct {
	Type                string   `json:"type" param:"required; enum=IPV4|IPV6"`
	FixedAddresses      []string `json:"fixedAddresses" param:"is=IP address"`
	NumDynamicAddresses *int     `json:"numDynamicAddresses" param:"min=1"`
	SubnetID            string   `json:"subnetId"`
	AddressRange        any      `json:"addressRange"`
	IPAddressRange      any      `json:"ipAddressRange"` // the standard's text has this name
}

// valuesOf are the links as values.
func valuesOf[C cpConfigs](links []link[C]) (out []lcm.ExtVirtualLink) {
	for _, l := range links {
		value := lcm.ExtVirtualLink{ID: l.ID, ResourceID: l.ResourceID}
		for _, cp := range l.ExtCps {
			var configs []lcm.CpConfig
			var removed []string
			listed := false
			for key, config := range cp.CpConfig.entries() {
				if config == nil {
					removed = append(removed, key)
					continue
				}
				configs = append(configs, config.entry(key, l.ExtLinkPorts))
				listed = listed || key == ""
			}
			value.ExtCps = append(value.ExtCps, lcm.NewExtCp(cp.CpdID, configs, removed, listed))
		}
		out = append(out, value)
	}
	return out
}

// port returns one of the link's own ports. It is nil when the entry names none, and where a link describes no ports at
// all: Tacker's samples name ports that no link describes.
func (list linkPorts) port(id string) *lcm.LinkPort {
	for _, p := range list {
		if id != "" && p.ID == id {
			return &lcm.LinkPort{ID: id, ResourceID: p.ResourceHandle.ResourceID}
		}
	}
	return nil
}

// entry is one entry of a connection point on a link with these ports. It ignores a port name that the link does not
// describe.
func (c cpConfig) entry(key string, ports linkPorts) lcm.CpConfig {
	out := lcm.CpConfig{Key: key, Bare: !c.Has("cpProtocolData"), LinkPort: ports.port(c.LinkPortID)}
	out.Ported = out.LinkPort != nil || c.Has("linkPortId") && c.LinkPortID == ""
	for _, data := range c.CpProtocolData {
		out.MAC = cmp.Or(out.MAC, data.IPOverEthernet.MacAddress)
		for _, ip := range data.IPOverEthernet.IPAddresses {
			out.FixedIPs = append(out.FixedIPs, ip.fixedIPs()...)
		}
	}
	return out
}

func (a addresses) fixedIPs() (out []lcm.FixedIP) {
	for _, address := range a.FixedAddresses {
		out = append(out, lcm.FixedIP{Address: address, SubnetID: a.SubnetID})
	}
	if len(out) > 0 {
		return out
	}
	ip := lcm.FixedIP{SubnetID: a.SubnetID, IPv6: a.Type == "IPV6"}
	if a.number() > 1 {
		ip.Dynamic = a.number()
	}
	return []lcm.FixedIP{ip}
}

// GrantedLinks reads the links of a grant, which are in the form of either version. Problems are what Windlass cannot
// honour in them, with paths in the grant; additionalParams are the grant's.
func GrantedLinks(list, additionalParams json.RawMessage) ([]lcm.ExtVirtualLink, []lcm.Problem, error) {
	if params.Absent(list) {
		return nil, nil, nil
	}
	var byKey []link[cpPatch]
	wrong, _ := kept.Read("$.extVirtualLinks", list, &byKey)
	if len(wrong) == 0 {
		mistakes, impossible := checkLinks(byKey, additionalParams)
		return valuesOf(byKey), append(mistakes, impossible...), nil
	}
	var inList []link[cpList]
	if again, _ := kept.Read("$.extVirtualLinks", list, &inList); len(again) > 0 {
		return nil, nil, lcm.InvalidAll("extVirtualLinks is malformed.", again)
	}
	mistakes, impossible := checkLinks(inList, additionalParams)
	return valuesOf(inList), append(mistakes, impossible...), nil
}
