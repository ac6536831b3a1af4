package worker

import (
	"slices"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// resources puts in what a VNF consists of; on is on which connection the VNFCs of a VDU are.
func (j *job) resources(info *lcm.InstantiatedVnfInfo, made activities.Outcome, on func(vdu string) string) {
	info.VnfcResources, info.ExtCps, info.Attached = nil, nil, nil
	for _, v := range made.Vnfcs {
		resource := vnfcResource(v, on(v.VduID))
		var external []lcm.VnfExtCpInfo
		resource.CpInfo, external = j.connectionPoints(v, made.Networks)
		resource.ConfigurableProperties = j.Instance.KeptProperties(resource)
		info.VnfcResources = append(info.VnfcResources, resource)
		info.ExtCps = append(info.ExtCps, external...)
		info.Attached = append(info.Attached, j.attached(v)...)
	}
	info.ExtCps = append(info.ExtCps, j.otherExternal(info.ExtCps)...)
	info.Attached, info.NetworksSeen = append(info.Attached, j.networks(made)...), true
	info.VirtualLinks = j.virtualLinks(made, on(""))
	info.VirtualStorages = virtualStorages(info.Attached, func(vnfc string) string {
		for _, v := range info.VnfcResources {
			if v.ID == vnfc {
				return v.ComputeResource.VimConnectionID
			}
		}
		return on("")
	})
}

// restored is the VNF as it was before the operation, with the resources that a rollback has made anew.
func (j *job) restored(made activities.Outcome, on func(vdu string) string) activities.InstantiatedVnf {
	if j.Before != nil {
		j = &job{j.Before}
	}
	info := *j.Instance.Instantiated
	j.Request.ExtVirtualLinks = info.ExtVirtualLinks // not those that the operation was to make
	j.resources(&info, made, on)
	vims := j.Instance.VimConnections
	if j.FormerVims != nil {
		vims = j.FormerVims
	}
	return activities.InstantiatedVnf{
		Info: info, VimConnections: vims, Extensions: j.Instance.Extensions,
		ConfigurableProperties: j.Instance.ConfigurableProperties,
	}
}

// partlyReconnected is the VNF as it was before a CHANGE_EXT_CONN that was given up, with the ports that there are, and
// on the links on which these are.
func (j *job) partlyReconnected(made activities.Outcome, on func(vdu string) string) activities.InstantiatedVnf {
	before, after, changed := j.Instance.Instantiated.ExtVirtualLinks, j.Request.ExtVirtualLinks,
		j.Request.AdditionalParams
	out := j.restored(made, on)
	if len(made.Moved) == 0 {
		return out
	}
	out.Info.ExtVirtualLinks, out.Info.AdditionalParams = lcm.PartlyReconnected(before, after, made.Moved), changed
	j.Request.ExtVirtualLinks = out.Info.ExtVirtualLinks
	j.resources(&out.Info, made, on)
	return out
}

// connectionPoints are those of a VM that the VNFD has (SOL003 clause 5.5.3.5), and what they are on external links
// (clause 5.5.3.9). Their ids are made of the VM's: they stay when a link changes, and with it the port in the VIM.
func (j *job) connectionPoints(
	v activities.Vnfc, made []activities.Network,
) (cps []lcm.VnfcCpInfo, external []lcm.VnfExtCpInfo) {
	for _, a := range v.Attached {
		known, ok := j.Flavour.Cp(a.Resource)
		if !ok || a.Type != lcm.GrantLinkPort {
			continue
		}
		cp := lcm.VnfcCpInfo{ID: cpID(v, a), CpdID: a.Resource}
		_, asked, isExternal := lcm.Connection(j.Request.ExtVirtualLinks, a.Resource)
		addresses := lcm.ProtocolInfo(a.MAC, a.Addresses, asked.FixedIPs)
		if isExternal {
			cp.VnfExtCpID = "ext-" + cp.ID
			ext := lcm.VnfExtCpInfo{
				ID: cp.VnfExtCpID, CpdID: cp.CpdID, CpProtocolInfo: addresses, ExtLinkPortID: a.ID, PortType: a.VimType,
				AssociatedVnfcCpID: cp.ID,
			}
			for _, given := range asked.GivenPorts() {
				if given.ResourceID == a.ID {
					ext.ExtLinkPortID, ext.PortID = given.ID, a.ID
				}
			}
			external = append(external, ext)
		} else {
			cp.CpProtocolInfo = addresses
		}
		if known.VirtualLink != "" && madeLink(made, known.VirtualLink) {
			cp.VnfLinkPortID = a.ID
		}
		cps = append(cps, cp)
	}
	return cps, external
}

// otherExternal are the connection points of the request's links that are no port of a VM under their own name: an
// address that servers share, or a port that the Base HOT calls otherwise.
func (j *job) otherExternal(known []lcm.VnfExtCpInfo) (out []lcm.VnfExtCpInfo) {
	for _, link := range j.Request.ExtVirtualLinks {
		for _, cp := range link.ExtCps {
			if !slices.ContainsFunc(known, func(k lcm.VnfExtCpInfo) bool { return k.CpdID == cp.CpdID }) {
				out = append(out, lcm.VnfExtCpInfo{ID: link.ID + "-" + cp.CpdID, CpdID: cp.CpdID})
			}
		}
	}
	return out
}

// madeLink tells whether the deployment has a network for an internal virtual link: a network that is managed elsewhere
// is none of its.
func madeLink(made []activities.Network, id string) bool {
	return slices.ContainsFunc(made, func(n activities.Network) bool { return n.Resource == id })
}

// virtualLinks are the networks of the deployment that the VNFD describes, with the ports of VMs on them (SOL003 clause
// 5.5.3.6).
func (j *job) virtualLinks(made activities.Outcome, connectionID string) (out []lcm.VnfVirtualLinkResourceInfo) {
	for _, link := range made.Networks {
		if _, described := j.Flavour.VirtualLink(link.Resource); !described {
			continue
		}
		info := lcm.VnfVirtualLinkResourceInfo{
			ID: link.ID, VnfVirtualLinkDescID: link.Resource,
			NetworkResource: lcm.ResourceHandle{
				VimConnectionID: connectionID, ResourceID: link.ID,
				VimLevelResourceType: link.VimType,
			},
		}
		for _, v := range made.Vnfcs {
			if link.Part != "" && link.Part != v.Part { // another VNFC's own
				continue
			}
			for _, a := range v.Attached {
				if cp, ok := j.Flavour.Cp(a.Resource); ok && a.Type == lcm.GrantLinkPort && cp.VirtualLink == link.Resource {
					info.VnfLinkPorts = append(info.VnfLinkPorts, lcm.VnfLinkPortInfo{
						ID: a.ID, ResourceHandle: lcm.ResourceHandle{VimConnectionID: connectionID, ResourceID: a.ID, VimLevelResourceType: a.VimType}, CpInstanceID: cpID(v, a), CpInstanceType: "VNFC_CP",
					})
				}
			}
		}
		out = append(out, info)
	}
	return out
}

// cpID is the id of a VM's connection point.
func cpID(v activities.Vnfc, a activities.Attached) string { return a.Resource + "-" + v.ServerID }
