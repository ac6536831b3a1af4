package workflows

// drivers have the work of the steps of each driver (package internal/driver), one file for each driver. An operation
// has the tables of all of them, because another release may have begun it.
var drivers = []func(v *vnf) tables{
	func(v *vnf) tables {
		shared := &clusterWork{vnf: v} // one for all drivers of clusters: their steps stand between its own
		list := append(shared.tables(), (&kubeadmWork{shared}).tables()...)
		work := &kubesprayWork{shared}
		return append(list, work.table(), work.ofControlPlanes())
	},
	func(v *vnf) tables { return tables{(&registryWork{v}).table()} },
	func(v *vnf) tables { return tables{(&exposureWork{v}).table()} },
	func(v *vnf) tables { return tables{(&scriptWork{vnf: v}).table()} },
	func(v *vnf) tables { return tables{(&playbookWork{v}).table()} },
}
