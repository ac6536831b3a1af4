package record

import (
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// connectionPoints returns the connection points of a VM that the VNFD has (SOL003 clause 5.5.3.5), and the external
// connection points for them (clause 5.5.3.9). Their ids are made from the VM's id: they stay the same when a link
// changes and the VIM's port with it.
func (v vnf) connectionPoints(
	c Vnfc, made []Network,
) (cps []lcm.VnfcCpInfo, external []lcm.VnfExtCpInfo) {
	for _, a := range c.Attached {
		known, ok := v.Flavour.Cp(a.Resource)
		if !ok || a.Type != lcm.GrantLinkPort {
			continue
		}
		cp := lcm.VnfcCpInfo{ID: cpID(c, a), CpdID: a.Resource}
		_, asked, isExternal := lcm.Connection(v.Request.ExtVirtualLinks, a.Resource)
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

// otherExternal returns the connection points of the request's links that are no port of a VM under their own name: an
// address that servers share, or a port with another name in the template.
func (v vnf) otherExternal(known []lcm.VnfExtCpInfo) (out []lcm.VnfExtCpInfo) {
	for _, link := range v.Request.ExtVirtualLinks {
		for _, cp := range link.ExtCps {
			if !slices.ContainsFunc(known, func(k lcm.VnfExtCpInfo) bool { return k.CpdID == cp.CpdID }) {
				out = append(out, lcm.VnfExtCpInfo{ID: link.ID + "-" + cp.CpdID, CpdID: cp.CpdID})
			}
		}
	}
	return out
}

// madeLink reports whether the deployment made the network of an internal virtual link. It does not make a network that
// is managed elsewhere.
func madeLink(made []Network, id string) bool {
	return slices.ContainsFunc(made, func(n Network) bool { return n.Resource == id })
}

// virtualLinks returns the networks of the deployment that the VNFD describes, with the ports of VMs on them (SOL003
// clause 5.5.3.6).
func (v vnf) virtualLinks(made Outcome) (out []lcm.VnfVirtualLinkResourceInfo) {
	for _, link := range made.Networks {
		if _, described := v.Flavour.VirtualLink(link.Resource); !described {
			continue
		}
		info := lcm.VnfVirtualLinkResourceInfo{
			ID: link.ID, VnfVirtualLinkDescID: link.Resource,
			NetworkResource: lcm.ResourceHandle{
				VimConnectionID: v.on(""), ResourceID: link.ID, VimLevelResourceType: link.VimType,
			},
		}
		for _, c := range made.Vnfcs {
			if link.Part != "" && link.Part != c.Part { // it belongs to another VNFC only
				continue
			}
			for _, a := range c.Attached {
				if cp, ok := v.Flavour.Cp(a.Resource); ok && a.Type == lcm.GrantLinkPort && cp.VirtualLink == link.Resource {
					port := lcm.ResourceHandle{VimConnectionID: v.on(""), ResourceID: a.ID, VimLevelResourceType: a.VimType}
					info.VnfLinkPorts = append(info.VnfLinkPorts, lcm.VnfLinkPortInfo{
						ID: a.ID, ResourceHandle: port, CpInstanceID: cpID(c, a), CpInstanceType: "VNFC_CP",
					})
				}
			}
		}
		out = append(out, info)
	}
	return out
}

// cpID is the id of a VM's connection point.
func cpID(c Vnfc, a Attached) string { return a.Resource + "-" + c.ServerID }
