package cluster

import "github.com/windlass-nfv/windlass/internal/lifecycle"

// BeforeHeal takes what a heal replaces out of use. departure takes nodes out of the cluster.
func (l Listing) BeforeHeal(departure func() []lifecycle.Step) (list []lifecycle.Step) {
	list = append(list, l.BalancersLeave()...)
	if l.ReplacesStorage() {
		list = append(list, l.StorageLeaves()...)
	}
	if l.ReplacesNodes() {
		list = append(list, departure()...)
	}
	return list
}

// AfterHeal puts the new servers into use. arrival makes new servers members of the cluster. The storage server is
// first: new nodes mount its exports.
func (l Listing) AfterHeal(arrival func() []lifecycle.Step) (list []lifecycle.Step) {
	if l.ReplacesBalancer() {
		list = append(list, l.BalancerMade()...)
	}
	if l.ReplacesStorage() {
		list = append(list, l.StorageMade()...)
	}
	if l.ReplacesNodes() {
		list = append(list, arrival()...)
	}
	if l.ReplacesStorage() {
		list = append(list, l.StorageUsed()...)
	}
	return append(list, l.ForgetReplaced()...)
}
