package lcm

import (
	"encoding/json"
	"fmt"
	"slices"
)

// LinkPort is an existing port that a request gives to a connection point (SOL003 clause 4.4.1.12, ExtLinkPortData).
// Windlass never deletes it: only its maker does.
type LinkPort struct {
	// ID is the port's id in the request.
	ID string
	// ResourceID is the VIM's id of the port.
	ResourceID string
}

// GivenPort returns the port that links give to a connection point, or the first port when VNFCs have one each. It is
// nil when the deployment makes the port.
func GivenPort(links []ExtVirtualLink, cpd string) *LinkPort {
	_, cp, _ := Connection(links, cpd)
	return cp.LinkPort
}

// IsGiven reports whether the port of the VIM is a given port of the links.
func IsGiven(links []ExtVirtualLink, port string) bool {
	for _, link := range links {
		for _, cp := range link.ExtCps {
			if slices.ContainsFunc(cp.GivenPorts(), func(p LinkPort) bool { return p.ResourceID == port }) {
				return true
			}
		}
	}
	return false
}

// HaveGivenPorts reports whether the links have any given port.
func HaveGivenPorts(links []ExtVirtualLink) bool {
	return slices.ContainsFunc(links, func(l ExtVirtualLink) bool {
		return slices.ContainsFunc(l.ExtCps, func(cp ExtCp) bool { return len(cp.GivenPorts()) > 0 })
	})
}

// SharedPort returns the connection point that has the same given port as cpd, possibly cpd itself. It is "" when there
// is none. A port can be in one server only.
func SharedPort(links []ExtVirtualLink, cpd string) string {
	_, own, _ := Connection(links, cpd)
	for i, port := range own.GivenPorts() {
		same := func(p LinkPort) bool { return p.ResourceID == port.ResourceID }
		if slices.ContainsFunc(own.GivenPorts()[:i], same) {
			return cpd
		}
		for _, link := range links {
			for _, cp := range link.ExtCps {
				if cp.CpdID != cpd && slices.ContainsFunc(cp.GivenPorts(), same) {
					return cp.CpdID
				}
			}
		}
	}
	return ""
}

// rawLinkPortID distinguishes null from a missing member.
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

// port returns one of the link's own ports. It is nil when the entry names none, and where a link describes no ports at
// all: Tacker's samples name ports that no link describes.
func (r rawExtVirtualLink) port(id string) *LinkPort {
	for _, p := range r.ExtLinkPorts {
		if id != "" && p.ID == id {
			return &LinkPort{ID: id, ResourceID: p.ResourceHandle.ResourceID}
		}
	}
	return nil
}

// linkPort checks the port that an entry names. is holds the ports of the connection point, including those from
// additionalParams. No other connection point and no other VNFC may have the same port.
func (c *configCheck) linkPort(path string, config rawCpConfig, is []LinkPort) {
	id := config.LinkPortID.id
	if id == "" || len(c.link.ExtLinkPorts) == 0 {
		return
	}
	if c.link.port(id) == nil {
		c.wrong(path+".linkPortId", "is %q, and none of the link's extLinkPorts has this id", id)
		return
	}
	at := slices.IndexFunc(is, func(p LinkPort) bool { return p.ID == id })
	if at < 0 || is[at].ResourceID == "" { // the check of the port's description reports it
		return
	}
	port := is[at].ResourceID
	if other := c.used[port]; other != "" {
		c.wrong(path+".linkPortId", "is the port %s, but %s has it already: a port belongs to one server only",
			port, other)
		return
	}
	c.used[port] = path
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
