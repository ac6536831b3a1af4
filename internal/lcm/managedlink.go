package lcm

import (
	"cmp"
	"encoding/json"
	"slices"
)

// ExtManagedVirtualLink is SOL003 clause 4.4.1.12 ExtManagedVirtualLinkData: a network in the place of an internal one.
type ExtManagedVirtualLink struct {
	ID                   string `json:"id"`
	VnfVirtualLinkDescID string `json:"vnfVirtualLinkDescId"`
	ResourceID           string `json:"resourceId"`
	// VimConnectionID is where the network is, "" for where the VNF is.
	VimConnectionID string `json:"vimConnectionId,omitempty"`
	// LinkPorts is how many ports of the network come with it, made by whoever manages it; they are not kept.
	LinkPorts int `json:"-"`
}

// UnmarshalJSON takes also virtualLinkDescId, the name that earlier versions of SOL003 have for vnfVirtualLinkDescId.
func (l *ExtManagedVirtualLink) UnmarshalJSON(b []byte) error {
	type plain ExtManagedVirtualLink
	raw := struct {
		*plain
		VirtualLinkDescID string            `json:"virtualLinkDescId"`
		VnfLinkPort       []json.RawMessage `json:"vnfLinkPort"`
	}{plain: (*plain)(l)}
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	l.VnfVirtualLinkDescID, l.LinkPorts = cmp.Or(l.VnfVirtualLinkDescID, raw.VirtualLinkDescID), len(raw.VnfLinkPort)
	return nil
}

// ManagedAsGranted are the networks that a grant has in the place of internal virtual links, and those of the request
// for the links that the grant says nothing of (SOL003 clause 9.5.2.3).
func ManagedAsGranted(asked, granted []ExtManagedVirtualLink) []ExtManagedVirtualLink {
	links := slices.Clone(granted)
	for _, l := range asked {
		if !ManagesLink(granted, l.VnfVirtualLinkDescID) {
			links = append(links, l)
		}
	}
	return links
}

// ManagesLink tells whether one of the networks takes the place of that internal virtual link.
func ManagesLink(links []ExtManagedVirtualLink, id string) bool {
	return slices.ContainsFunc(links, func(l ExtManagedVirtualLink) bool { return l.VnfVirtualLinkDescID == id })
}

// ExtManagedVirtualLinkInfo is SOL003 clause 5.5.3.3.
type ExtManagedVirtualLinkInfo struct {
	ID                   string         `json:"id"`
	VnfVirtualLinkDescID string         `json:"vnfVirtualLinkDescId"`
	NetworkResource      ResourceHandle `json:"networkResource"`
}

// ManagedLinkInfo describes networks in the place of internal ones. vimConnection is where they are.
func ManagedLinkInfo(links []ExtManagedVirtualLink, vimConnection string) (out []ExtManagedVirtualLinkInfo) {
	for _, l := range links {
		out = append(out, ExtManagedVirtualLinkInfo{
			ID: l.ID, VnfVirtualLinkDescID: l.VnfVirtualLinkDescID,
			NetworkResource: ResourceHandle{VimConnectionID: vimConnection, ResourceID: l.ResourceID},
		})
	}
	return out
}
