package lcm

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// ExtCp is SOL003 clause 4.4.1.10 VnfExtCpData.
type ExtCp struct {
	CpdID string
	// FixedIPs and MAC are what the Base HOT gets for every port that it makes of the connection point: those of the
	// entry of Configs that has any.
	FixedIPs []FixedIP
	// MAC is "" when the VIM chooses the address.
	MAC string `json:",omitempty"`
	// LinkPort is the port that the connection point is given, nil when the deployment makes one.
	LinkPort *LinkPort `json:",omitempty"`
	// Configs are the entries of cpConfig, ordered by their keys. There are none where the client gave no keys, as in
	// v2.6.1, and where an older Windlass has kept the connection point.
	Configs []CpConfig `json:",omitempty"`

	// Of a request only, until it is laid over what the VNF has: the keys of entries that are null, and that there are
	// entries without keys.
	removed []string
	listed  bool
}

// CpConfig is an entry of cpConfig (SOL003 clause 4.4.1.10a VnfExtCpConfig).
type CpConfig struct {
	Key      string
	FixedIPs []FixedIP `json:",omitempty"`
	MAC      string    `json:",omitempty"`
	LinkPort *LinkPort `json:",omitempty"`

	bare   bool // a request's entry without cpProtocolData, which leaves that of the entry as it is
	ported bool // a request's entry that says which port it has, or none (null); others leave that of the entry as it is
}

// FixedIP is a fixed address of a connection point, or some that the VIM chooses.
type FixedIP struct {
	Address  string
	SubnetID string
	// Dynamic is how many addresses the VIM chooses where Address is ""; 0 is one.
	Dynamic int `json:",omitempty"`
	// IPv6 is the type of those that the VIM chooses.
	IPv6 bool `json:",omitempty"`
}

// Count is how many addresses it stands for.
func (ip FixedIP) Count() int {
	if ip.Address != "" {
		return 1
	}
	return min(max(ip.Dynamic, 1), mostAddresses)
}

// chosen tells whether a port has to be told of it: the VIM gives a port an address anyway.
func (ip FixedIP) chosen() bool { return ip.Address != "" || ip.SubnetID != "" }

// addressed tells whether the entry asks for more than any port.
func (c CpConfig) addressed() bool {
	return c.MAC != "" || c.LinkPort != nil || slices.ContainsFunc(c.FixedIPs, FixedIP.chosen)
}

// unique tells whether no two ports can have what the entry asks for.
func (c CpConfig) unique() bool {
	return c.MAC != "" || c.LinkPort != nil || slices.ContainsFunc(c.FixedIPs,
		func(ip FixedIP) bool { return ip.Address != "" })
}

// contradict tells whether a Base HOT, which makes all ports of a connection point alike, cannot do what the entries
// ask for. Ports that are given are not made: who takes them is looked at with the templates.
func contradict(configs []CpConfig) bool {
	configs = slices.DeleteFunc(slices.Clone(configs),
		func(c CpConfig) bool { return !c.addressed() || c.LinkPort != nil })
	return slices.ContainsFunc(configs[min(1, len(configs)):], func(c CpConfig) bool {
		return c.unique() || configs[0].unique() || !slices.Equal(c.FixedIPs, configs[0].FixedIPs)
	})
}

// Contradicting are the connection points of which more than one entry asks for addresses.
func Contradicting(links []ExtVirtualLink) (cpds []string) {
	for _, link := range links {
		for _, cp := range link.ExtCps {
			if contradict(cp.Configs) {
				cpds = append(cpds, cp.CpdID)
			}
		}
	}
	return cpds
}

// ConfigID is the key of the entry with that port of the VIM; else of the one whose addresses the connection point has,
// of the first one where none has any, and the id of the connection point itself where there are no keys.
func (cp ExtCp) ConfigID(port string) string {
	for _, c := range cp.Configs {
		if c.LinkPort != nil && c.LinkPort.ResourceID == port {
			return c.Key
		}
	}
	for _, c := range cp.Configs {
		if c.addressed() {
			return c.Key
		}
	}
	if len(cp.Configs) > 0 {
		return cp.Configs[0].Key
	}
	return cp.CpdID
}

// entries are those of the configuration, of which there is at least one.
func (cp ExtCp) entries() []CpConfig {
	if len(cp.Configs) > 0 {
		return cp.Configs
	}
	return []CpConfig{{Key: cp.CpdID, FixedIPs: cp.FixedIPs, MAC: cp.MAC, LinkPort: cp.LinkPort}}
}

// settled has the addresses of its entries: of the first with a port, where one has any.
func (cp ExtCp) settled() ExtCp {
	cp.FixedIPs, cp.MAC, cp.LinkPort = nil, "", nil
	ported := slices.ContainsFunc(cp.Configs, func(c CpConfig) bool { return c.LinkPort != nil })
	for _, c := range cp.Configs {
		if c.addressed() && (c.LinkPort != nil) == ported {
			cp.FixedIPs = slices.DeleteFunc(slices.Clone(c.FixedIPs), func(ip FixedIP) bool { return !ip.chosen() })
			cp.MAC, cp.LinkPort = c.MAC, c.LinkPort
			break
		}
	}
	return cp
}

// over is the connection point with what a request says of it laid over what it had on the same link, by the rules of
// JSON merge patch (RFC 7396); false when no entry is left. A request without keys takes the place of what there was,
// and so does one with keys of what had none, unless it names the connection point's id, which is shown as the key
// then.
func (cp ExtCp) over(had ExtCp) (ExtCp, bool) {
	switch {
	case cp.listed && len(cp.Configs) > 0: // each VNFC has a port of its own
		cp.listed = false
		return cp, true
	case cp.listed, len(cp.Configs)+len(cp.removed) == 0 && (len(cp.FixedIPs) > 0 || cp.MAC != "" || cp.LinkPort != nil):
		return ExtCp{CpdID: cp.CpdID, FixedIPs: cp.FixedIPs, MAC: cp.MAC, LinkPort: cp.LinkPort}, true
	case len(cp.Configs)+len(cp.removed) == 0:
		had.CpdID = cp.CpdID
		return had, true
	}
	named := func(key string) bool {
		return slices.Contains(cp.removed, key) || slices.ContainsFunc(cp.Configs,
			func(c CpConfig) bool { return c.Key == key })
	}
	var entries []CpConfig
	if had.CpdID != "" && (len(had.Configs) > 0 || named(cp.CpdID)) {
		entries = slices.Clone(had.entries())
	}
	if had.CpdID != "" && len(had.Configs) == 0 && len(cp.Configs) == 0 && !named(cp.CpdID) {
		return had, true // it takes away what is not there
	}
	entries = slices.DeleteFunc(entries, func(c CpConfig) bool { return slices.Contains(cp.removed, c.Key) })
	for _, c := range cp.Configs {
		at := slices.IndexFunc(entries, func(known CpConfig) bool { return known.Key == c.Key })
		if at < 0 {
			c.bare, c.ported = false, false
			entries = append(entries, c)
			continue
		}
		entries[at] = c.over(entries[at])
	}
	slices.SortFunc(entries, func(a, b CpConfig) int { return strings.Compare(a.Key, b.Key) })
	return ExtCp{CpdID: cp.CpdID, Configs: entries}.settled(), len(entries) > 0
}

// over is the entry with what a request says of it laid over what it was.
func (c CpConfig) over(was CpConfig) CpConfig {
	out := was
	if !c.bare {
		out.FixedIPs, out.MAC = c.FixedIPs, c.MAC
	}
	if c.ported {
		out.LinkPort = c.LinkPort
	}
	return out
}

// Leaves tells whether a request names no more of the connection point than entries that are to go.
func (cp ExtCp) Leaves() bool { return len(cp.removed) > 0 && len(cp.Configs) == 0 }

type rawExtVirtualLink struct {
	ID         string `json:"id"`
	ResourceID string `json:"resourceId"`
	ExtCps     []struct {
		CpdID    string              `json:"cpdId"`
		CpConfig keyed[*rawCpConfig] `json:"cpConfig"`
	} `json:"extCps"`
	ExtLinkPorts []rawLinkPort `json:"extLinkPorts"`
}

type rawCpConfig struct {
	LinkPortID     rawLinkPortID   `json:"linkPortId"`
	CpProtocolData rawProtocolData `json:"cpProtocolData"`
}

// rawProtocolData tells null from nothing.
type rawProtocolData struct {
	given bool
	list  []struct {
		IPOverEthernet struct {
			MacAddress  string         `json:"macAddress"`
			IPAddresses []rawAddresses `json:"ipAddresses"`
		} `json:"ipOverEthernet"`
	}
}

// UnmarshalJSON implements json.Unmarshaler.
func (d *rawProtocolData) UnmarshalJSON(b []byte) error {
	d.given = true
	return json.Unmarshal(b, &d.list)
}

type rawAddresses struct {
	Type                string   `json:"type"`
	FixedAddresses      []string `json:"fixedAddresses"`
	NumDynamicAddresses *int     `json:"numDynamicAddresses"`
	SubnetID            string   `json:"subnetId"`
	AddressRange        any      `json:"addressRange"`
	IPAddressRange      any      `json:"ipAddressRange"` // as the text of the standard calls it
}

func (r rawExtVirtualLink) link() ExtVirtualLink {
	out := ExtVirtualLink{ID: r.ID, ResourceID: r.ResourceID}
	for _, cp := range r.ExtCps {
		ext := ExtCp{CpdID: cp.CpdID}
		for i, config := range cp.CpConfig.items {
			switch key := cp.CpConfig.keys[i]; {
			case config != nil:
				ext.Configs = append(ext.Configs, config.entry(key, r))
				ext.listed = ext.listed || key == ""
			case key != "":
				ext.removed = append(ext.removed, key)
			}
		}
		ext = ext.settled()
		if ext.listed {
			ext = ext.numbered()
		}
		out.ExtCps = append(out.ExtCps, ext)
	}
	return out
}

// numbered is a connection point of a list, which has no keys. Entries are kept where several have ports, by the VNFCs
// that get these.
func (cp ExtCp) numbered() ExtCp {
	ported := cp.PortEntries()
	cp.Configs = nil
	if len(ported) < 2 {
		return cp
	}
	for n, c := range ported {
		c.Key = memberCp(cp.CpdID, n)
		cp.Configs = append(cp.Configs, c)
	}
	return cp
}

// entry is one of a connection point on that link. The name of a port that nobody describes says nothing.
func (c rawCpConfig) entry(key string, link rawExtVirtualLink) CpConfig {
	out := CpConfig{Key: key, bare: !c.CpProtocolData.given, LinkPort: link.port(c.LinkPortID.id)}
	out.ported = out.LinkPort != nil || c.LinkPortID.given && c.LinkPortID.id == ""
	for _, data := range c.CpProtocolData.list {
		out.MAC = cmp.Or(out.MAC, data.IPOverEthernet.MacAddress)
		for _, ip := range data.IPOverEthernet.IPAddresses {
			out.FixedIPs = append(out.FixedIPs, ip.fixedIPs()...)
		}
	}
	return out
}

func (a rawAddresses) fixedIPs() (out []FixedIP) {
	for _, address := range a.FixedAddresses {
		out = append(out, FixedIP{Address: address, SubnetID: a.SubnetID})
	}
	if len(out) > 0 {
		return out
	}
	ip := FixedIP{SubnetID: a.SubnetID, IPv6: a.Type == "IPV6"}
	if a.NumDynamicAddresses != nil && *a.NumDynamicAddresses > 1 {
		ip.Dynamic = *a.NumDynamicAddresses
	}
	return []FixedIP{ip}
}
