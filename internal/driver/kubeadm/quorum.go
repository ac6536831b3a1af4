package kubeadm

import (
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// Check implements lifecycle.VnfDriver: etcd keeps its quorum.
func (c *Installer) Check(f lifecycle.Facts, p lcm.Plan) error {
	switch {
	case p.Operation.Scales():
		return c.checkSizes(f, p)
	case p.Replaces():
		return c.keepsQuorum(f, p)
	case p.ChangeStateTo != "":
		return c.KeepsQuorumRunning(f, p)
	default:
		return nil
	}
}

// checkSizes refuses numbers of control planes with which etcd cannot work.
func (c *Installer) checkSizes(f lifecycle.Facts, p lcm.Plan) error {
	vdus := c.ControlPlaneVdus(f)
	for _, g := range p.Groups {
		switch {
		case !slices.Contains(vdus, g.VduID):
		case g.From == 1:
			return lcm.Errorf(lcm.KindInvalid,
				"A cluster with one control plane has no virtual IP, so control planes cannot be added. "+
					"Instantiate one with three.")
		case g.To < 3 || g.To%2 == 0:
			return lcm.Errorf(lcm.KindInvalid,
				"A cluster needs an odd number of control planes, three or more, for etcd's quorum; "+
					"there would be %d.", g.To)
		}
	}
	return nil
}

// keepsQuorum refuses to heal more control planes at once than etcd can lose.
func (c *Installer) keepsQuorum(f lifecycle.Facts, plan lcm.Plan) error {
	if plan.Whole {
		return nil
	}
	vdus := c.ControlPlaneVdus(f)
	all, lost := 0, 0
	for _, v := range f.Instance.Instantiated.VnfcResources {
		if !slices.Contains(vdus, v.VduID) {
			continue
		}
		all++
		l := f.Leaving(v, "")
		goes := slices.ContainsFunc(plan.Leaving, func(g lcm.LeavingVnfc) bool { return g.VnfcID == v.ID })
		if _, bad := f.Unhealthy[l.Node]; goes || bad {
			lost++
		}
	}
	leaves := slices.ContainsFunc(plan.Leaving, func(g lcm.LeavingVnfc) bool { return slices.Contains(vdus, g.VduID) })
	switch {
	case !leaves:
		return nil
	case all == 1:
		return lcm.Errorf(lcm.KindConflict, "The only control plane cannot be healed alone: the cluster's state is on it. "+
			"Heal the entire VNF (without vnfcInstanceId).")
	case all-lost < all/2+1:
		return lcm.Errorf(lcm.KindConflict, "With %d of %d control planes gone or out of order, etcd has no quorum. "+
			"Heal fewer at once, broken ones first; if too many are broken, heal the entire VNF (without "+
			"vnfcInstanceId).", lost, all)
	}
	return nil
}
