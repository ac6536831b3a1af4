package lcm

import (
	"encoding/json"
	"fmt"
)

// LinkPort is a port that somebody else has made, and that a request gives to a connection point (SOL003 clause 4.4.1.12,
// ExtLinkPortData). Nobody but who has made it deletes it.
type LinkPort struct {
	// ID is the one that the request has for it.
	ID string
	// ResourceID is the VIM's.
	ResourceID string
}

// samePort tells whether two connection points have the same port given, or none.
func samePort(a, b *LinkPort) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// GivenPort is the port that links have for a connection point, nil when the stack makes it.
func GivenPort(links []ExtVirtualLink, cpd string) *LinkPort {
	_, cp, _ := Connection(links, cpd)
	return cp.LinkPort
}

// IsGiven tells whether links have a port of the VIM that they were given.
func IsGiven(links []ExtVirtualLink, port string) bool {
	for _, link := range links {
		for _, cp := range link.ExtCps {
			if cp.LinkPort != nil && cp.LinkPort.ResourceID == port {
				return true
			}
		}
	}
	return false
}

// SharedPort is another connection point that has the same given port as that one, "" when none has: a port is in one server.
func SharedPort(links []ExtVirtualLink, cpd string) string {
	given := GivenPort(links, cpd)
	if given == nil {
		return ""
	}
	for _, link := range links {
		for _, cp := range link.ExtCps {
			if cp.CpdID != cpd && cp.LinkPort != nil && cp.LinkPort.ResourceID == given.ResourceID {
				return cp.CpdID
			}
		}
	}
	return ""
}

// rawLinkPortID tells null from nothing.
type rawLinkPortID struct {
	given bool
	id    string // "" for null
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *rawLinkPortID) UnmarshalJSON(b []byte) error {
	r.given = true
	return json.Unmarshal(b, &r.id)
}

type rawLinkPort struct {
	ID             string         `json:"id"`
	ResourceHandle ResourceHandle `json:"resourceHandle"`
}

// port is one of the link's own; nil when none is named, and where a link describes no ports at all: Tacker's samples have names of
// ports that nobody describes.
func (r rawExtVirtualLink) port(id string) *LinkPort {
	for _, p := range r.ExtLinkPorts {
		if id != "" && p.ID == id {
			return &LinkPort{ID: id, ResourceID: p.ResourceHandle.ResourceID}
		}
	}
	return nil
}

// linkPort checks the port that an entry names.
func (c *configCheck) linkPort(path string, config rawCpConfig) {
	id := config.LinkPortID.id
	if id == "" || len(c.link.ExtLinkPorts) == 0 {
		return
	}
	port := c.link.port(id)
	switch {
	case port == nil:
		c.wrong(path+".linkPortId", "is %q, and none of the link's extLinkPorts has this id", id)
	case port.ResourceID == "": // told where the port is described
	case c.used[port.ResourceID] != "":
		c.wrong(path+".linkPortId", "is the port %s, which %s has already: a port is in one server", port.ResourceID, c.used[port.ResourceID])
	default:
		c.used[port.ResourceID] = path
	}
}

// linkPorts checks the ports that a link describes.
func (c *configCheck) linkPorts(path string) {
	ids := map[string]bool{}
	for i, p := range c.link.ExtLinkPorts {
		if p.ID != "" && ids[p.ID] {
			c.wrong(fmt.Sprintf("%s.extLinkPorts[%d].id", path, i), "is the id of another port of this link, too")
		}
		ids[p.ID] = true
	}
}
