package lcm

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// ChangeExtConnRequest is SOL003 clause 5.5.2.11, independent of the API's version. Links that are not named stay as
// they are.
type ChangeExtConnRequest struct {
	// ExtVirtualLinks are stored in a form of their own: see package requests.
	ExtVirtualLinks []ExtVirtualLink `json:"-"`
	// VimConnections is a merge patch for those of the instance.
	VimConnections   []VimConnectionPatch `json:"vimConnectionInfo,omitempty"`
	AdditionalParams json.RawMessage      `json:"additionalParams,omitempty"`
	Waits
}

// VimPatches implements PatchingVims.
func (r ChangeExtConnRequest) VimPatches() []VimConnectionPatch { return r.VimConnections }

// Reconnected applies a request to the links. A connection point that the request names leaves its former link; all
// others stay. If some connection points of a link move to another resource, the others keep the former resource, and
// two links then have the same id. Links without connection points are removed. A connection point that stays on the
// same resource keeps the entries of its configuration that the request does not name.
func Reconnected(have, changes []ExtVirtualLink) []ExtVirtualLink { return moved(have, changes, false) }

// PartlyReconnected returns the links before a change, with the named connection points as the links after it have
// them.
func PartlyReconnected(before, after []ExtVirtualLink, cpds []string) []ExtVirtualLink {
	links := before
	for _, link := range after {
		for _, cp := range link.ExtCps {
			if !slices.Contains(cpds, cp.CpdID) {
				continue
			}
			as := cp
			as.Configs = slices.Clone(cp.Configs)
			for i := range as.Configs {
				as.Configs[i].Ported = true
			}
			_, had, _ := Connection(links, cp.CpdID)
			for _, c := range had.Configs {
				if !slices.ContainsFunc(as.Configs, func(o CpConfig) bool { return o.Key == c.Key }) {
					as.Removed = append(as.Removed, c.Key)
				}
			}
			as.Listed = len(cp.Configs) == 0 // replaces all former entries
			links = moved(links, []ExtVirtualLink{{ID: link.ID, ResourceID: link.ResourceID, ExtCps: []ExtCp{as}}}, false)
		}
	}
	return links
}

// Regranted applies a grant to the links of a change. A connection point keeps the requested values that the grant does
// not repeat, also on another resource.
func Regranted(asked, granted []ExtVirtualLink) []ExtVirtualLink { return moved(asked, granted, true) }

func moved(have, changes []ExtVirtualLink, carry bool) (links []ExtVirtualLink) {
	for _, link := range have {
		link.ExtCps = slices.Clone(link.ExtCps)
		links = append(links, link)
	}
	for _, change := range changes {
		for _, cp := range change.ExtCps {
			links = moveCp(links, change, cp, carry)
		}
	}
	return slices.DeleteFunc(links, func(l ExtVirtualLink) bool { return len(l.ExtCps) == 0 })
}

// moveCp moves one connection point to the link of a change.
func moveCp(links []ExtVirtualLink, to ExtVirtualLink, cp ExtCp, carry bool) []ExtVirtualLink {
	at := slices.IndexFunc(links, func(l ExtVirtualLink) bool { return l.ID == to.ID && l.ResourceID == to.ResourceID })
	from := at
	if from < 0 || !connects(links[from:from+1], cp.CpdID) {
		from = slices.IndexFunc(links, func(l ExtVirtualLink) bool {
			return l.ID == to.ID &&
				connects([]ExtVirtualLink{l}, cp.CpdID)
		})
	}
	var had ExtCp
	if from >= 0 && (from == at || carry || cp.Leaves()) {
		_, had, _ = Connection(links[from:from+1], cp.CpdID)
	}
	merged, stays := cp.over(had)
	for i := range links {
		if stays || i == from {
			links[i].ExtCps = slices.DeleteFunc(links[i].ExtCps, func(c ExtCp) bool { return c.CpdID == cp.CpdID })
		}
	}
	switch {
	case !stays:
	case at >= 0:
		links[at].ExtCps = append(links[at].ExtCps, merged)
	default:
		links = append(links, ExtVirtualLink{ID: to.ID, ResourceID: to.ResourceID, ExtCps: []ExtCp{merged}})
	}
	return links
}

// Overridden replaces the links of a request with those of a grant (SOL003 clause 9.5.2.3). A connection point that a
// grant's link names leaves its former link. A link with the same id gets the grant's resource. Values that the grant
// does not repeat stay as requested. A connection point that stays on its link keeps the entries of its configuration
// that the grant does not name; it leaves the link when no entry is left.
func Overridden(asked, granted []ExtVirtualLink) (links []ExtVirtualLink) {
	for _, link := range asked {
		link.ExtCps = slices.Clone(link.ExtCps)
		links = append(links, link)
	}
	for _, change := range granted {
		at := slices.IndexFunc(links, func(l ExtVirtualLink) bool { return l.ID == change.ID })
		if at < 0 {
			links = append(links, ExtVirtualLink{ID: change.ID})
			at = len(links) - 1
		}
		links[at].ResourceID = change.ResourceID
		for _, cp := range change.ExtCps {
			_, had, _ := Connection(links[at:at+1], cp.CpdID)
			merged, stays := cp.over(had)
			for i := range links {
				if stays || i == at {
					links[i].ExtCps = slices.DeleteFunc(links[i].ExtCps, func(c ExtCp) bool { return c.CpdID == cp.CpdID })
				}
			}
			if stays {
				links[at].ExtCps = append(links[at].ExtCps, merged)
			}
		}
	}
	return links
}

// SameLinks reports whether two lists have the same links, in any order of the links and their connection points.
func SameLinks(a, b []ExtVirtualLink) bool {
	sorted := func(links []ExtVirtualLink) []ExtVirtualLink {
		links = slices.Clone(links)
		for i := range links {
			links[i].ExtCps = slices.Clone(links[i].ExtCps)
			slices.SortFunc(links[i].ExtCps, func(a, b ExtCp) int { return strings.Compare(a.CpdID, b.CpdID) })
		}
		slices.SortFunc(links, func(a, b ExtVirtualLink) int {
			return cmp.Or(strings.Compare(a.ID, b.ID), strings.Compare(a.ResourceID, b.ResourceID))
		})
		return links
	}
	return slices.EqualFunc(sorted(a), sorted(b), func(a, b ExtVirtualLink) bool {
		return a.ID == b.ID && a.ResourceID == b.ResourceID && slices.EqualFunc(a.ExtCps, b.ExtCps, ExtCp.equal)
	})
}

// Same reports whether two connection points have the same configuration.
func (cp ExtCp) Same(other ExtCp) bool { return cp.equal(other) }

func (cp ExtCp) equal(other ExtCp) bool {
	return cp.CpdID == other.CpdID && cp.MAC == other.MAC && slices.Equal(cp.GivenPorts(), other.GivenPorts()) &&
		slices.Equal(cp.FixedIPs, other.FixedIPs)
}

// Connection returns the link of a connection point and its configuration there; false when it is on no link.
func Connection(links []ExtVirtualLink, cpd string) (ExtVirtualLink, ExtCp, bool) {
	for _, link := range links {
		for _, cp := range link.ExtCps {
			if cp.CpdID == cpd {
				return link, cp, true
			}
		}
	}
	return ExtVirtualLink{}, ExtCp{}, false
}

// connects tells whether one of the links has that connection point.
func connects(links []ExtVirtualLink, cpd string) bool {
	return slices.ContainsFunc(links, func(l ExtVirtualLink) bool {
		return slices.ContainsFunc(l.ExtCps, func(cp ExtCp) bool { return cp.CpdID == cpd })
	})
}

// ExtVirtualLinkInfo is SOL003 clause 5.5.3.2.
type ExtVirtualLinkInfo struct {
	ID             string         `json:"id"`
	ResourceHandle ResourceHandle `json:"resourceHandle"`
	// ExtLinkPorts are the ports on the link, of an instance only.
	ExtLinkPorts []ExtLinkPortInfo `json:"extLinkPorts,omitempty"`
	// CurrentVnfExtCpData are the connection points on the link, in v3.3.1 only.
	CurrentVnfExtCpData []VnfExtCpData `json:"currentVnfExtCpData,omitempty"`
}

// VnfExtCpData is SOL003 v3.3.1 clause 4.4.1.10. The keys of its configuration are the client's, or the connection
// point's id.
type VnfExtCpData struct {
	CpdID    string                    `json:"cpdId"`
	CpConfig map[string]VnfExtCpConfig `json:"cpConfig"`
}

// VnfExtCpConfig is SOL003 v3.3.1 clause 4.4.1.10a.
type VnfExtCpConfig struct {
	LinkPortID     string           `json:"linkPortId,omitempty"`
	CpProtocolData []CpProtocolData `json:"cpProtocolData"`
}

// CpProtocolData is SOL003 clause 4.4.1.10b.
type CpProtocolData struct {
	LayerProtocol  string          `json:"layerProtocol"`
	IPOverEthernet *IPOverEthernet `json:"ipOverEthernet,omitempty"`
}

// IPOverEthernet is SOL003 clause 4.4.1.10c, as far as Windlass keeps it.
type IPOverEthernet struct {
	MacAddress  string        `json:"macAddress,omitempty"`
	IPAddresses []IPAddresses `json:"ipAddresses,omitempty"`
}

// IPAddresses are addresses of one subnet.
type IPAddresses struct {
	Type           string   `json:"type"`
	FixedAddresses []string `json:"fixedAddresses,omitempty"`
	SubnetID       string   `json:"subnetId,omitempty"`
	// NumDynamicAddresses is how many the VIM chooses, where none is fixed.
	NumDynamicAddresses int `json:"numDynamicAddresses,omitempty"`
}

// LinkInfo describes links in the form of a version of the API. vimConnection is where their resources are.
func LinkInfo(links []ExtVirtualLink, vimConnection string, apiVersion int) []ExtVirtualLinkInfo {
	var out []ExtVirtualLinkInfo
	for _, link := range links {
		info := ExtVirtualLinkInfo{ID: link.ID, ResourceHandle: ResourceHandle{
			VimConnectionID: vimConnection,
			ResourceID:      link.ResourceID,
		}}
		for _, cp := range link.ExtCps {
			if apiVersion > 1 {
				info.CurrentVnfExtCpData = append(info.CurrentVnfExtCpData, cp.data())
			}
		}
		out = append(out, info)
	}
	return out
}

func (cp ExtCp) data() VnfExtCpData {
	out := VnfExtCpData{CpdID: cp.CpdID, CpConfig: map[string]VnfExtCpConfig{}}
	for _, c := range cp.entries() {
		config := VnfExtCpConfig{CpProtocolData: []CpProtocolData{c.protocol()}}
		if c.LinkPort != nil {
			config.LinkPortID = c.LinkPort.ID
		}
		out.CpConfig[c.Key] = config
	}
	return out
}

func (c CpConfig) protocol() CpProtocolData {
	protocol := CpProtocolData{LayerProtocol: "IP_OVER_ETHERNET"}
	if c.MAC != "" || len(c.FixedIPs) > 0 {
		protocol.IPOverEthernet = &IPOverEthernet{MacAddress: c.MAC}
	}
	for _, ip := range c.FixedIPs {
		addresses := IPAddresses{Type: "IPV4", SubnetID: ip.SubnetID}
		if ip.IPv6 || strings.Contains(ip.Address, ":") {
			addresses.Type = "IPV6"
		}
		if ip.Address == "" {
			addresses.NumDynamicAddresses = ip.Count()
		} else {
			addresses.FixedAddresses = []string{ip.Address}
		}
		protocol.IPOverEthernet.IPAddresses = append(protocol.IPOverEthernet.IPAddresses, addresses)
	}
	return protocol
}

// ChangedLinkInfo describes the links that a CHANGE_EXT_CONN has changed, in their final form.
func (p *Plan) ChangedLinkInfo(apiVersion int) []ExtVirtualLinkInfo {
	if p == nil {
		return nil
	}
	changed := slices.DeleteFunc(slices.Clone(p.Links),
		func(l ExtVirtualLink) bool { return !slices.Contains(p.ChangedLinks, l.ID) })
	return LinkInfo(changed, p.VimConnectionID, apiVersion)
}

// Connectivity is the plan of a completed operation that has changed external links, nil for all others.
func (o VnfLcmOpOcc) Connectivity() *Plan {
	if o.Operation == OpChangeExtConn && o.State == Completed {
		return o.Plan
	}
	return nil
}

// VimConnectionID is the connection of the VNF's resources, "" when it has none. For a hybrid VNF it is the connection
// of its servers, which are recorded first.
func (i *InstantiatedVnfInfo) VimConnectionID() string {
	for _, v := range i.VnfcResources {
		return v.ComputeResource.VimConnectionID
	}
	return ""
}
