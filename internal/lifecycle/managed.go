package lifecycle

import (
	"fmt"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Managed are the networks that replace internal virtual links of a VNF under a grant. They come from the grant; for
// the other links, from the VNF or the request. Only an operation that decides what the VNF is made of can change them.
// The grant of any other operation that changes them is Invalid. So is a grant for links that the VNF does not have, or
// on another VIM than vim.
func Managed(f Facts, op lcm.Operation, g lcm.Grant, vim lcm.VimConnectionInfo) ([]lcm.ExtManagedVirtualLink, error) {
	a, connects := accepting{}, op.Makes() || f.redefines()
	for i, l := range g.ExtManagedVirtualLinks {
		a.managed(f, fmt.Sprintf("$.extManagedVirtualLinks[%d]", i), l, vim)
		if lcm.ManagesLink(g.ExtManagedVirtualLinks[:i], l.VnfVirtualLinkDescID) {
			a.add(fmt.Sprintf("$.extManagedVirtualLinks[%d]", i),
				"the virtual link %q is named twice; on one VIM it is one network", l.VnfVirtualLinkDescID)
		}
		if !connects && !isManagedBy(f.Managed, l) {
			a.add(fmt.Sprintf("$.extManagedVirtualLinks[%d]", i),
				"the VNF has another network for the virtual link %q, and %s does not change it", l.VnfVirtualLinkDescID, op)
		}
	}
	if !connects {
		return f.Managed, lcm.InvalidAll(unhonoured, a.problems)
	}
	return lcm.ManagedAsGranted(f.Managed, g.ExtManagedVirtualLinks), lcm.InvalidAll(unhonoured, a.problems)
}

func (a *accepting) managed(f Facts, path string, l lcm.ExtManagedVirtualLink, vim lcm.VimConnectionInfo) {
	if _, known := f.Flavour.VirtualLink(l.VnfVirtualLinkDescID); !known {
		a.add(path+".vnfVirtualLinkDescId", "the VNFD has no internal virtual link %q in the flavour %s",
			l.VnfVirtualLinkDescID, f.Flavour.ID)
	}
	if id := l.VimConnectionID; id != "" && id != vim.ID && id != string(vim.VimID) {
		a.add(path+".vimConnectionId", "the VNF is on the VIM connection %s, so its network cannot be on %s", vim.ID, id)
	}
}

func isManagedBy(links []lcm.ExtManagedVirtualLink, wanted lcm.ExtManagedVirtualLink) bool {
	for _, l := range links {
		if l.VnfVirtualLinkDescID == wanted.VnfVirtualLinkDescID && l.ResourceID == wanted.ResourceID {
			return true
		}
	}
	return false
}
