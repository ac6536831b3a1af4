package lcm

import "slices"

// ExtManagedVirtualLink is SOL003 clause 4.4.1.12 ExtManagedVirtualLinkData: a network that replaces an internal one.
type ExtManagedVirtualLink struct {
	ID                   string `json:"id"`
	VnfVirtualLinkDescID string `json:"vnfVirtualLinkDescId"`
	ResourceID           string `json:"resourceId"`
	// VimConnectionID is the network's connection, "" for the connection of the VNF.
	VimConnectionID string `json:"vimConnectionId,omitempty"`
	// LinkPorts is the number of ports that the network's manager made for it. Such a network is refused, so the number is
	// not stored.
	LinkPorts int `json:"-"`
}

// ManagedAsGranted returns the grant's networks for internal virtual links, and the request's networks for links that
// the grant does not name (SOL003 clause 9.5.2.3).
func ManagedAsGranted(asked, granted []ExtManagedVirtualLink) []ExtManagedVirtualLink {
	links := slices.Clone(granted)
	for _, l := range asked {
		if !ManagesLink(granted, l.VnfVirtualLinkDescID) {
			links = append(links, l)
		}
	}
	return links
}

// ManagesLink reports whether one of the networks replaces that internal virtual link.
func ManagesLink(links []ExtManagedVirtualLink, id string) bool {
	return slices.ContainsFunc(links, func(l ExtManagedVirtualLink) bool { return l.VnfVirtualLinkDescID == id })
}

// ExtManagedVirtualLinkInfo is SOL003 clause 5.5.3.3.
type ExtManagedVirtualLinkInfo struct {
	ID                   string         `json:"id"`
	VnfVirtualLinkDescID string         `json:"vnfVirtualLinkDescId"`
	NetworkResource      ResourceHandle `json:"networkResource"`
}

// ManagedLinkInfo describes the networks that replace internal ones. vimConnection is their connection.
func ManagedLinkInfo(links []ExtManagedVirtualLink, vimConnection string) (out []ExtManagedVirtualLinkInfo) {
	for _, l := range links {
		out = append(out, ExtManagedVirtualLinkInfo{
			ID: l.ID, VnfVirtualLinkDescID: l.VnfVirtualLinkDescID,
			NetworkResource: ResourceHandle{VimConnectionID: vimConnection, ResourceID: l.ResourceID},
		})
	}
	return out
}
