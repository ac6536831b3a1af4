package lifecycle

import (
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// reconnectable refuses VNFs whose connection points cannot get other networks now.
func (f Facts) reconnectable() error {
	if !f.any(func(k lcm.VimKind) bool { return k.ReconnectsPorts }) {
		return lcm.Errorf(lcm.KindConflict, "The VNF instance %s is on %s: Windlass cannot move connection points to "+
			"other networks there.", f.Instance.ID, f.vimKinds()[0].Name)
	}
	if f.any(func(k lcm.VimKind) bool { return !k.RunsContainers }) {
		return nil // that depends on which connection points the request names
	}
	return f.containersRun()
}

// checkConnected refuses to reconnect containers of a hybrid VNF while they are stopped.
func (f Facts) checkConnected(links []lcm.ExtVirtualLink) error {
	for _, cp := range f.Flavour.Cps {
		was, as, _ := lcm.Connection(f.Instance.Instantiated.ExtVirtualLinks, cp.ID)
		is, now, _ := lcm.Connection(links, cp.ID)
		changes := was.ResourceID != is.ResourceID || !as.Same(now)
		if changes && f.vimKindOf(cp.VduID).RunsContainers {
			return f.containersRun()
		}
	}
	return nil
}

// containersRun refuses stopped containers: they do not exist, so nobody could see whether another network works.
func (f Facts) containersRun() error {
	info := f.Instance.Instantiated
	stopped := func(v lcm.VnfcResourceInfo) bool {
		return f.vimKindOf(v.VduID).RunsContainers && info.StateOf(v.ID) == lcm.VnfStopped
	}
	if slices.ContainsFunc(info.VnfcResources, stopped) || info.VnfState == lcm.VnfStopped {
		return lcm.Errorf(lcm.KindConflict, "The VNF instance %s is stopped, so it has no containers to connect: "+
			"start it first (operate, with changeStateTo STARTED).", f.Instance.ID)
	}
	return nil
}

// checkAddresses refuses to add containers to a VDU whose connection point has a fixed address: one template makes all
// of them, so all would have that address. Each server has a template of its own.
func (f Facts) checkAddresses(p lcm.Plan) error {
	for _, g := range p.Groups {
		if g.To <= max(g.From, 1) || !f.vimKindOf(g.VduID).RunsContainers {
			continue
		}
		for _, cpd := range f.Flavour.Cps {
			_, cp, ok := lcm.Connection(f.Instance.Instantiated.ExtVirtualLinks, cpd.ID)
			fixed := cp.MAC != "" || slices.ContainsFunc(cp.FixedIPs, func(ip lcm.FixedIP) bool { return ip.Address != "" })
			if ok && fixed && cpd.VduID == g.VduID {
				return lcm.Errorf(lcm.KindConflict, "The VDU %s cannot have %d Pods: its connection point %s has a "+
					"fixed address, and all Pods would have this address. Remove the address first (change_ext_conn).",
					g.VduID, g.To, cpd.ID)
			}
		}
	}
	return nil
}
