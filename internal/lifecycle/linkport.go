package lifecycle

import (
	"encoding/json"
	"fmt"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
)

// links are the external links of the VNF, or those that its instantiation gives it.
func (f Facts) links() []lcm.ExtVirtualLink {
	if f.Instance.Instantiated != nil {
		return f.Instance.Instantiated.ExtVirtualLinks
	}
	return f.Links
}

// isGiven tells whether somebody else made a port. Only they delete it.
func (f Facts) isGiven(a lcm.AttachedResource) bool {
	return a.Type == lcm.GrantLinkPort && lcm.IsGiven(f.links(), a.ResourceID)
}

// apart tells whether each VNFC is a resource of its own in the VNF's deployment.
func (f Facts) apart() bool {
	return f.Instance.Instantiated != nil &&
		lcm.ParseUserData(f.Instance.Instantiated.AdditionalParams).SeparateResources()
}

// checkPorts refuses a group that would have more VMs than ports, if its connection points use given ports. additional
// are the request's additionalParams, which may name some.
func (f Facts) checkPorts(change lcm.GroupChange, additional json.RawMessage) error {
	if change.To <= change.From {
		return nil
	}
	var problems []lcm.Problem
	add := func(format string, args ...any) {
		problems = append(problems, lcm.Problem{Path: "$", Detail: fmt.Sprintf(format, args...)})
	}
	for _, link := range lcm.WithNfvPorts(f.links(), additional, f.apart()) {
		for _, cp := range link.ExtCps {
			known, ok := f.Flavour.Cp(cp.CpdID)
			given := cp.GivenPorts()
			if !ok || known.VduID != change.VduID || len(given) == 0 {
				continue
			}
			if f.apart() {
				members := descriptor.MembersOf(f.Instance.Instantiated.VnfcResources)
				members.Grow(change.VduID, change.To-change.From)
				if detail := hot.LackedPorts(f.Flavour, cp, members); detail != "" {
					add("%s", detail)
				}
			} else if change.To > len(given) {
				add("the connection point %s of %s has the port %s from the request (linkPortId), but a port belongs "+
					"to one server only: %d VMs cannot have it", cp.CpdID, change.VduID, given[0].ResourceID, change.To)
			}
		}
	}
	if len(problems) == 0 {
		return nil
	}
	return &lcm.Error{Kind: lcm.KindInvalid, Unprocessable: true, Detail: impossible, Problems: problems}
}
