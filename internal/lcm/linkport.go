package lcm

import "slices"

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
