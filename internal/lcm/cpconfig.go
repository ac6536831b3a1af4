package lcm

import (
	"slices"
	"strings"
)

// ExtCp is SOL003 clause 4.4.1.10 VnfExtCpData.
type ExtCp struct {
	CpdID string
	// The Base HOT gives FixedIPs and MAC to every port that it makes for the connection point. They come from the entry
	// of Configs that has any.
	FixedIPs []FixedIP
	// MAC is "" when the VIM chooses the address.
	MAC string `json:",omitempty"`
	// LinkPort is the port given for the connection point, nil when the deployment makes a port.
	LinkPort *LinkPort `json:",omitempty"`
	// Configs are the entries of cpConfig, ordered by their keys. It is empty where the client gave no keys, as in
	// v2.6.1, and where an older Windlass stored the connection point.
	Configs []CpConfig `json:",omitempty"`

	// A request has these two only until it is merged with the VNF's configuration: Removed holds the keys of entries
	// that are null, and Listed says that there are entries without keys.
	Removed []string `json:"-"`
	Listed  bool     `json:"-"`
}

// CpConfig is an entry of cpConfig (SOL003 clause 4.4.1.10a VnfExtCpConfig).
type CpConfig struct {
	Key      string
	FixedIPs []FixedIP `json:",omitempty"`
	MAC      string    `json:",omitempty"`
	LinkPort *LinkPort `json:",omitempty"`

	// A request has these two: Bare is set for an entry without cpProtocolData, which keeps its own. Ported is set for an
	// entry that names its port, or null for none; others keep the entry's port.
	Bare   bool `json:"-"`
	Ported bool `json:"-"`
}

// MostAddresses is the largest number of addresses of a subnet that a request may ask for on one port.
const MostAddresses = 16

// OneAddressed is the advice for a connection point that Contradicting returns.
const OneAddressed = "The Base HOT makes the same ports for all VNFCs of a VDU, so only one entry of a connection " +
	"point can have addresses; several entries may have the same subnets. Leave addresses to the VIM, or put those " +
	"VNFCs into a separate VDU with its own connection point"

// FixedIP is a fixed address of a connection point, or a number of addresses that the VIM chooses.
type FixedIP struct {
	Address  string
	SubnetID string
	// Dynamic is the number of addresses that the VIM chooses where Address is ""; 0 means one.
	Dynamic int `json:",omitempty"`
	// IPv6 says that the VIM is to choose IPv6 addresses.
	IPv6 bool `json:",omitempty"`
}

// Count is the number of addresses that it stands for.
func (ip FixedIP) Count() int {
	if ip.Address != "" {
		return 1
	}
	return min(max(ip.Dynamic, 1), MostAddresses)
}

// chosen reports whether the port needs this entry: without any entry, the VIM gives a port an address anyway.
func (ip FixedIP) chosen() bool { return ip.Address != "" || ip.SubnetID != "" }

// addressed reports whether the entry asks for more than the VIM gives any port.
func (c CpConfig) addressed() bool {
	return c.MAC != "" || c.LinkPort != nil || slices.ContainsFunc(c.FixedIPs, FixedIP.chosen)
}

// unique reports whether no two ports can have the values of the entry.
func (c CpConfig) unique() bool {
	return c.MAC != "" || c.LinkPort != nil || slices.ContainsFunc(c.FixedIPs,
		func(ip FixedIP) bool { return ip.Address != "" })
}

// Contradict reports whether a Base HOT cannot carry out the entries, because it makes all ports of a connection point
// alike. Given ports do not count, as the template does not make them. The check of the templates covers their VNFCs.
func Contradict(configs []CpConfig) bool {
	configs = slices.DeleteFunc(slices.Clone(configs),
		func(c CpConfig) bool { return !c.addressed() || c.LinkPort != nil })
	return slices.ContainsFunc(configs[min(1, len(configs)):], func(c CpConfig) bool {
		return c.unique() || configs[0].unique() || !slices.Equal(c.FixedIPs, configs[0].FixedIPs)
	})
}

// Contradicting returns the connection points for which more than one entry asks for addresses.
func Contradicting(links []ExtVirtualLink) (cpds []string) {
	for _, link := range links {
		for _, cp := range link.ExtCps {
			if Contradict(cp.Configs) {
				cpds = append(cpds, cp.CpdID)
			}
		}
	}
	return cpds
}

// ConfigID is the key of the entry that has the given port of the VIM. Without such an entry, it is the key of the
// entry whose addresses the connection point has, or of the first entry when none has addresses. Without keys, it is
// the id of the connection point.
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

// entries returns the entries of the configuration; there is at least one.
func (cp ExtCp) entries() []CpConfig {
	if len(cp.Configs) > 0 {
		return cp.Configs
	}
	return []CpConfig{{Key: cp.CpdID, FixedIPs: cp.FixedIPs, MAC: cp.MAC, LinkPort: cp.LinkPort}}
}

// settled returns the connection point with the addresses of its entries: of the first entry with a port, if one has a
// port.
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

// over merges a request for the connection point into its configuration on the same link, by the rules of JSON merge
// patch (RFC 7396). It is false when no entry is left. A request without keys replaces the whole configuration. So does
// a request with keys when the configuration has none, unless the request names the connection point's id, which the
// API shows as the key then.
func (cp ExtCp) over(had ExtCp) (ExtCp, bool) {
	switch {
	case cp.Listed && len(cp.Configs) > 0: // each VNFC has a port of its own
		cp.Listed = false
		return cp, true
	case cp.Listed, len(cp.Configs)+len(cp.Removed) == 0 && (len(cp.FixedIPs) > 0 || cp.MAC != "" || cp.LinkPort != nil):
		return ExtCp{CpdID: cp.CpdID, FixedIPs: cp.FixedIPs, MAC: cp.MAC, LinkPort: cp.LinkPort}, true
	case len(cp.Configs)+len(cp.Removed) == 0:
		had.CpdID = cp.CpdID
		return had, true
	}
	named := func(key string) bool {
		return slices.Contains(cp.Removed, key) || slices.ContainsFunc(cp.Configs,
			func(c CpConfig) bool { return c.Key == key })
	}
	var entries []CpConfig
	if had.CpdID != "" && (len(had.Configs) > 0 || named(cp.CpdID)) {
		entries = slices.Clone(had.entries())
	}
	if had.CpdID != "" && len(had.Configs) == 0 && len(cp.Configs) == 0 && !named(cp.CpdID) {
		return had, true // it removes entries that do not exist
	}
	entries = slices.DeleteFunc(entries, func(c CpConfig) bool { return slices.Contains(cp.Removed, c.Key) })
	for _, c := range cp.Configs {
		at := slices.IndexFunc(entries, func(known CpConfig) bool { return known.Key == c.Key })
		if at < 0 {
			c.Bare, c.Ported = false, false
			entries = append(entries, c)
			continue
		}
		entries[at] = c.over(entries[at])
	}
	slices.SortFunc(entries, func(a, b CpConfig) int { return strings.Compare(a.Key, b.Key) })
	return ExtCp{CpdID: cp.CpdID, Configs: entries}.settled(), len(entries) > 0
}

// over merges a request for the entry into the entry.
func (c CpConfig) over(was CpConfig) CpConfig {
	out := was
	if !c.Bare {
		out.FixedIPs, out.MAC = c.FixedIPs, c.MAC
	}
	if c.Ported {
		out.LinkPort = c.LinkPort
	}
	return out
}

// Leaves reports whether a request only removes entries of the connection point.
func (cp ExtCp) Leaves() bool { return len(cp.Removed) > 0 && len(cp.Configs) == 0 }

// NewExtCp makes the connection point of a request. entries are the entries of its configuration, removed the keys of
// entries that are null. Without keys (listed), the connection point keeps entries only where several VNFCs have ports:
// one entry for each of these VNFCs.
func NewExtCp(cpd string, entries []CpConfig, removed []string, listed bool) ExtCp {
	cp := ExtCp{CpdID: cpd, Configs: entries, Removed: removed, Listed: listed}.settled()
	if !listed {
		return cp
	}
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
