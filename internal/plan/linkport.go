package plan

import "github.com/windlass-nfv/windlass/internal/lcm"

// links are the external links of the VNF, or those that it gets when it is instantiated.
func (f Facts) links() []lcm.ExtVirtualLink {
	if f.Instance.Instantiated != nil {
		return f.Instance.Instantiated.ExtVirtualLinks
	}
	return f.Links
}

// isGiven tells whether a port was made by somebody else, who alone deletes it.
func (f Facts) isGiven(a lcm.AttachedResource) bool {
	return a.Type == lcm.GrantLinkPort && lcm.IsGiven(f.links(), a.ResourceID)
}

// givenPort is a connection point of a VDU that has a port that was given to it; nil when none has.
func (f Facts) givenPort(vdu string) (cpd string, port *lcm.LinkPort) {
	for _, cp := range f.Flavour.Cps {
		if given := lcm.GivenPort(f.links(), cp.ID); cp.VduID == vdu && given != nil {
			return cp.ID, given
		}
	}
	return "", nil
}
