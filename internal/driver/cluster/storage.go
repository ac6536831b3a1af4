package cluster

import (
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// storageVdus are the VDUs of a cluster's storage server in the VNFD; none for a cluster without it.
func (c *Common) storageVdus(f lifecycle.Facts) []string {
	s := c.Params.StorageServer
	if s == nil {
		return nil
	}
	return f.Flavour.VdusOf("", s.NicCpName, s.SSHCpName)
}

// StorageServer is the storage server of an instance, nil when there is none. If a given-up operation has left it, only
// its server is known.
func (c *Common) StorageServer(f lifecycle.Facts) *lcm.StorageServer {
	if f.Instance.Instantiated == nil {
		return nil
	}
	if s := f.Instance.Instantiated.Storage; s != nil {
		return s
	}
	vdus := c.storageVdus(f)
	for _, v := range f.Instance.Instantiated.VnfcResources {
		if slices.Contains(vdus, v.VduID) {
			id := v.ComputeResource.ResourceID
			return &lcm.StorageServer{Node: lcm.Node{
				Name: lcm.NodeName(lcm.Storage, id), Role: lcm.Storage, ServerID: id, VduID: v.VduID,
			}}
		}
	}
	return nil
}

// replacesStorage reports whether a plan replaces the storage server.
func (c *Common) replacesStorage(f lifecycle.Facts, p lcm.Plan) bool {
	s := c.StorageServer(f)
	return s != nil && slices.ContainsFunc(p.Leaving,
		func(l lcm.LeavingVnfc) bool { return l.ServerID == s.Node.ServerID })
}

// OwnsVolumes implements lifecycle.VolumeKeeper.
func (c *Common) OwnsVolumes(f lifecycle.Facts, vduID string) bool {
	return slices.Contains(c.storageVdus(f), vduID)
}

// PlanVolumes implements lifecycle.VolumeKeeper: the volumes of a storage server are replaced unless the request says
// otherwise.
func (c *Common) PlanVolumes(f lifecycle.Facts, p *lcm.Plan, req lcm.HealRequest) {
	if !c.replacesStorage(f, *p) {
		return
	}
	s := c.StorageServer(f)
	keep, _ := req.KeepsVolumes()
	if p.KeepVolumes = keep; keep {
		p.Keepers = append(p.Keepers, s.Node.ServerID)
		return
	}
	if p.LeavingVolumes = s.VolumeIDs(); len(p.LeavingVolumes) > 0 {
		return
	}
	if v, ok := lifecycle.Vnfc(f.Instance, s.Node.ServerID); ok {
		p.LeavingVolumes = slices.Clone(v.StorageIDs)
	}
}

// NotScaled implements lifecycle.Fixer.
func (c *Common) NotScaled(f lifecycle.Facts, vduID string) string {
	switch {
	case slices.Contains(c.storageVdus(f), vduID):
		return "the storage server cannot be scaled: its volumes are attached to one server"
	case slices.Contains(c.balancerVdus(f), vduID) && !c.Params.ExternalLB.Shared():
		return "the external load balancer cannot be scaled: clients know its address; several load balancers need a " +
			"virtual IP, which external_lb_param.cluster_cp_name names"
	}
	return ""
}

// storage tells whether the cluster has a storage server.
func (l Listing) storage() bool { return l.Cluster.Params.StorageServer != nil }

// registers tells whether the cluster registers manifests of the storage server's volumes.
func (l Listing) registers() bool { return l.storage() && len(l.Cluster.Params.PersistentVolumes) > 0 }

// classes tells whether each claim gets its own directory on the storage server.
func (l Listing) classes() bool { return l.storage() && len(l.Cluster.Params.StorageClasses) > 0 }

// ReplacesStorage tells whether a heal replaces the storage server.
func (l Listing) ReplacesStorage() bool { return l.Cluster.replacesStorage(l.Facts, l.Plan) }

// ReplacesNodes tells whether a heal replaces more than the storage server or the external load balancer.
func (l Listing) ReplacesNodes() bool {
	return !l.ReplacesStorage() && !l.ReplacesBalancer() || len(l.Facts.Instance.Instantiated.Nodes.On(l.Plan.LeavingServers())) > 0
}

// StorageLeaves takes volumes of a storage server that is replaced out of use. The provisioners stop first: after that
// they make no volumes and delete no directories.
func (l Listing) StorageLeaves() []lifecycle.Step {
	return lifecycle.Join(
		lifecycle.When(l.classes(), lifecycle.Step{
			ID: StepStopProvisioners, Title: "Stop the provisioners of the storage classes", Undo: "they are started again",
		}),
		lifecycle.When(l.registers(), lifecycle.Step{
			ID: StepRemoveVolumes, Title: "Take the persistent volumes out of the cluster", Undo: "they are registered again",
		}),
	)
}

// StorageMade makes a server the storage server. The steps need no undo: their changes are on the server, and go with
// it.
func (l Listing) StorageMade() []lifecycle.Step {
	if !l.storage() {
		return nil
	}
	return []lifecycle.Step{
		{ID: StepWaitForStorage, Title: "Wait until the storage server answers on SSH"},
		{ID: StepCheckStorage, Title: "Check the storage server"},
		{ID: StepMountVolumes, Title: "Mount the volumes of the storage server"},
		{ID: StepExportVolumes, Title: "Export the volumes over NFS"},
	}
}

// StorageUsed lets nodes use the exports of the storage server.
func (l Listing) StorageUsed() []lifecycle.Step {
	return lifecycle.Join(
		lifecycle.When(l.storage(), lifecycle.Step{ID: StepMountExports, Title: "Let every node mount the exports"}),
		lifecycle.When(l.registers(), lifecycle.Step{ID: StepRegisterVolumes, Title: "Register the persistent volumes"}),
		lifecycle.When(l.classes(), lifecycle.Step{ID: StepSetUpClasses, Title: "Set up the storage classes"}),
	)
}
