package extensions

import (
	"cmp"
	"context"
	"net/url"
	"slices"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// vimOfVnfView is a VIM that a VNF is connected to.
type vimOfVnfView struct {
	VimConnectionID string    `json:"vimConnectionId"`
	VimID           lcm.VimID `json:"vimId,omitempty"`
	VimType         string    `json:"vimType"`
	// Name and Status are those of the registered VIM; a request may bring the address of a VIM that is not registered.
	Name    string `json:"name,omitempty"`
	Status  string `json:"status,omitempty"`
	Address string `json:"address,omitempty"`
	// OfCluster is set of the cluster that the VNF itself is.
	OfCluster bool `json:"ofCluster,omitempty"`
}

// The kinds of networks.
const (
	networkExternal = "EXTERNAL" // a link of the request
	networkManaged  = "MANAGED"  // somebody else's, in place of an internal one
	networkInternal = "INTERNAL" // the VNF's own
)

// networkView is a network that VNFCs are connected to.
type networkView struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	// Name is the virtual link in the VNFD; an external link has none.
	Name       string `json:"name,omitempty"`
	ResourceID string `json:"resourceId"`
}

// portView is a connection point of a VNFC.
type portView struct {
	CpdID string `json:"cpdId"`
	// ResourceID is the VIM's id of the port, NetworkID the id of the network among networks.
	ResourceID string   `json:"resourceId,omitempty"`
	NetworkID  string   `json:"networkId,omitempty"`
	MacAddress string   `json:"macAddress,omitempty"`
	Addresses  []string `json:"addresses,omitempty"`
}

// vimsOf are the VIMs of a VNF, with their names if they are registered.
func (h *Handler) vimsOf(ctx context.Context, inst lcm.VnfInstance) (out []vimOfVnfView) {
	for _, c := range inst.VimConnections {
		v := vimOfVnfView{VimConnectionID: c.ID, VimID: c.VimID, VimType: c.VimType}
		v.Address, _ = c.InterfaceInfo["endpoint"].(string)
		v.OfCluster = c.VimID != "" && inst.Instantiated != nil && inst.Instantiated.ClusterVimID == c.VimID
		if vim, err := h.Store.Vim(ctx, c.VimID); c.VimID != "" && err == nil {
			v.Name, v.Status, v.Address = vim.Name, vim.Status, vim.AuthURL
		}
		out = append(out, v)
	}
	return out
}

// networksOf are the networks of a VNF: from the outside to the inside.
func networksOf(i *lcm.InstantiatedVnfInfo) (out []networkView) {
	for _, l := range i.ExtVirtualLinks {
		out = append(out, networkView{ID: l.ID, Kind: networkExternal, ResourceID: l.ResourceID})
	}
	for _, l := range i.ExtManagedVirtualLinks {
		out = append(out, networkView{l.ID, networkManaged, l.VnfVirtualLinkDescID, l.ResourceID})
	}
	for _, l := range i.VirtualLinks {
		out = append(out, networkView{l.ID, networkInternal, l.VnfVirtualLinkDescID, l.NetworkResource.ResourceID})
	}
	return out
}

// portsOf are the connection points of a VNFC, with their networks and addresses as far as they are recorded.
func portsOf(i *lcm.InstantiatedVnfInfo, r lcm.VnfcResourceInfo, f *descriptor.Flavour) (out []portView) {
	for _, cp := range r.CpInfo {
		v := portView{CpdID: cp.CpdID, ResourceID: cp.VnfLinkPortID}
		info := cp.CpProtocolInfo
		for _, ext := range i.ExtCps {
			if cp.VnfExtCpID != "" && ext.ID == cp.VnfExtCpID {
				info, v.ResourceID = ext.CpProtocolInfo, cmp.Or(ext.PortID, ext.ExtLinkPortID)
			}
		}
		v.MacAddress, v.Addresses = addressesIn(info)
		v.NetworkID = networkOf(i, cp, f)
		out = append(out, v)
	}
	return out
}

// networkOf is the id of a connection point's network, "" if it is not known.
func networkOf(i *lcm.InstantiatedVnfInfo, cp lcm.VnfcCpInfo, f *descriptor.Flavour) string {
	if link, _, ok := lcm.Connection(i.ExtVirtualLinks, cp.CpdID); ok {
		return link.ID
	}
	for _, l := range i.VirtualLinks {
		if slices.ContainsFunc(l.VnfLinkPorts, func(p lcm.VnfLinkPortInfo) bool { return p.CpInstanceID == cp.ID }) {
			return l.ID
		}
	}
	described, ok := f.Cp(cp.CpdID)
	if !ok {
		return ""
	}
	for _, l := range i.ExtManagedVirtualLinks {
		if l.VnfVirtualLinkDescID == described.VirtualLink {
			return l.ID
		}
	}
	return ""
}

func addressesIn(info []lcm.CpProtocolInfo) (mac string, addresses []string) {
	for _, p := range info {
		if p.IPOverEthernet == nil {
			continue
		}
		mac = cmp.Or(mac, p.IPOverEthernet.MacAddress)
		for _, ip := range p.IPOverEthernet.IPAddresses {
			addresses = append(addresses, ip.Addresses...)
		}
	}
	return mac, addresses
}

// virtualIPOf is the address that the control planes of a cluster share, or its load balancers; "" without one. A recorded
// connection point tells it; else it is where the cluster's API is.
func virtualIPOf(i *lcm.InstantiatedVnfInfo, endpoint string) string {
	params, _ := k8s.Read(i.AdditionalParams) // of a VNF that is no cluster there are none
	name := params.SharedCp()
	if name == "" {
		return ""
	}
	for _, cp := range i.ExtCps {
		if _, addresses := addressesIn(cp.CpProtocolInfo); cp.CpdID == name && len(addresses) > 0 {
			return addresses[0]
		}
	}
	at, err := url.Parse(endpoint)
	if err != nil {
		return ""
	}
	return at.Hostname()
}
