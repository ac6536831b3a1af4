package cluster

import "github.com/windlass-nfv/windlass/internal/lifecycle"

// BeforeScaleIn takes what leaves out of use. departure takes nodes out of the cluster.
func (l Listing) BeforeScaleIn(departure func() []lifecycle.Step) []lifecycle.Step {
	if l.OnlyBalancers() {
		return l.BalancersLeave()
	}
	return lifecycle.Join(l.BalancersLeave(), departure())
}

// AfterScaleOut puts the new servers into use. arrival makes new servers members of the cluster. Load balancers are
// first: they know the former nodes, and then the new ones.
func (l Listing) AfterScaleOut(arrival func() []lifecycle.Step) []lifecycle.Step {
	if l.OnlyBalancers() {
		return l.BalancersCome()
	}
	return lifecycle.Join(l.BalancersCome(), arrival())
}
