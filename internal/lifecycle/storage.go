package lifecycle

import (
	"cmp"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// StorageVdus are the VDUs of a cluster's storage server, as the VNFD has them; none for a cluster without one.
func (f Facts) StorageVdus() []string {
	if f.Cluster == nil || f.Cluster.StorageServer == nil {
		return nil
	}
	s := f.Cluster.StorageServer
	return f.Flavour.VdusOf("", s.NicCpName, s.SSHCpName)
}

// StorageServer is the storage server of an instance, nil when there is none. Of one that an operation which was given
// up has left, its server is all that is known.
func (f Facts) StorageServer() *lcm.StorageServer {
	if f.Instance.Instantiated == nil {
		return nil
	}
	if s := f.Instance.Instantiated.Storage; s != nil {
		return s
	}
	for _, v := range f.Instance.Instantiated.VnfcResources {
		if slices.Contains(f.StorageVdus(), v.VduID) {
			id := v.ComputeResource.ResourceID
			return &lcm.StorageServer{Node: lcm.Node{Name: lcm.NodeName(lcm.Storage, id), Role: lcm.Storage, ServerID: id, VduID: v.VduID}}
		}
	}
	return nil
}

// ReplacesStorage reports whether a plan replaces the storage server.
func (f Facts) ReplacesStorage(p lcm.Plan) bool {
	s := f.StorageServer()
	return s != nil && slices.ContainsFunc(p.Leaving, func(l lcm.LeavingVnfc) bool { return l.ServerID == s.Node.ServerID })
}

// healStorage adds to the plan of a heal what becomes of volumes and ports.
func (f Facts) healStorage(p *lcm.Plan, req lcm.HealRequest) error {
	p.Within = !p.Whole
	if f.RegistryServer.HasVolume() {
		f.healRegistry(p, req)
		return nil
	}
	keep, by := req.KeepsVolumes()
	path := "$.additionalParams." + by
	switch {
	case p.Whole && keep && by == lcm.HealAll:
		return invalid(path, "the entire VNF is made anew, with its stack, addresses and volumes: name the VNFCs to be healed to keep the rest (vnfcInstanceId)")
	case p.Whole && keep:
		return invalid(path, "the entire VNF is made anew, with its volumes: heal the storage server alone to keep them (vnfcInstanceId)")
	case p.Whole:
		return nil
	case keep && by == lcm.KeepVolumes && !slices.ContainsFunc(p.Leaving, f.hasVolumes):
		return invalid(path, "none of the VNFCs that are healed has volumes that could be kept")
	}
	f.healStorageServer(p, keep)
	f.healOthers(p, by != "" && !keep, req.ReplacesAll())
	return nil
}

func (f Facts) hasVolumes(l lcm.LeavingVnfc) bool {
	v, ok := f.find(l.ServerID)
	return ok && f.RegistryServer == nil && (len(v.StorageIDs) > 0 || slices.Contains(f.StorageVdus(), v.VduID))
}

// healStorageServer decides about the volumes of a storage server, which are replaced unless the request says
// otherwise.
func (f Facts) healStorageServer(p *lcm.Plan, keep bool) {
	if !f.ReplacesStorage(*p) {
		return
	}
	s := f.StorageServer()
	if p.KeepVolumes = keep; keep {
		p.Keepers = append(p.Keepers, s.Node.ServerID)
		return
	}
	if p.LeavingVolumes = s.VolumeIDs(); len(p.LeavingVolumes) > 0 {
		return
	}
	if v, ok := f.find(s.Node.ServerID); ok {
		p.LeavingVolumes = slices.Clone(v.StorageIDs)
	}
}

// healOthers decides about volumes and ports of all other VNFCs, which are kept unless the request says otherwise.
func (f Facts) healOthers(p *lcm.Plan, volumes, all bool) {
	for _, l := range p.Leaving {
		v, ok := f.find(l.ServerID)
		if !ok || slices.Contains(f.StorageVdus(), v.VduID) {
			continue
		}
		switch {
		case len(v.StorageIDs) == 0:
		case volumes:
			p.LeavingVolumes = append(p.LeavingVolumes, v.StorageIDs...)
		default:
			p.Keepers = append(p.Keepers, l.ServerID)
		}
		for _, a := range f.attached(v) {
			if all && a.Type == lcm.GrantLinkPort && !f.isGiven(a) {
				p.LeavingPorts = append(p.LeavingPorts, a.ResourceID)
			}
		}
	}
}

// whyNotScaled is why there is one storage server.
const whyNotScaled = "the storage server cannot be scaled: its volumes are attached to one server"

// keepsOneStorageServer refuses to scale the storage server.
func (f Facts) keepsOneStorageServer(vdu string) error {
	if !slices.Contains(f.StorageVdus(), vdu) {
		return nil
	}
	return lcm.Errorf(lcm.KindInvalid, "%s is the storage server of the cluster; %s.", vdu, whyNotScaled)
}

// unknownAspect says of a name that is no scaling aspect what it is, or which ones there are.
func (f Facts) unknownAspect(name string) string {
	if slices.Contains(f.StorageVdus(), name) {
		return whyNotScaled
	}
	return "the VNFD has no scaling aspect of that name; it has " + f.aspectNames()
}

// storage tells whether the cluster has a storage server.
func (l listing) storage() bool { return l.cluster && l.facts.Cluster.StorageServer != nil }

// registers tells whether manifests of its volumes are registered.
func (l listing) registers() bool { return l.storage() && len(l.facts.Cluster.PersistentVolumes) > 0 }

// classes tells whether claims get directories of their own on it.
func (l listing) classes() bool { return l.storage() && len(l.facts.Cluster.StorageClasses) > 0 }

// replacesNodes tells whether a heal replaces nodes of the cluster.
func (l listing) replacesNodes() bool {
	return len(l.facts.Instance.Instantiated.Nodes.On(l.plan.LeavingServers())) > 0
}

// storageLeaves takes what is on a storage server that is replaced out of use. The provisioners stop first: from then
// on there are no new volumes, and no directory is deleted.
func (l listing) storageLeaves() []Step {
	return join(
		when(l.classes(), Step{
			ID: "stop-provisioners", Title: "Stop the provisioners of the storage classes", Undo: "they are started again",
		}),
		when(l.registers(), Step{
			ID: "remove-volumes", Title: "Take the persistent volumes out of the cluster", Undo: "they are registered again",
		}),
	)
}

// storageMade makes a server the storage server. Nothing needs an undo: what the steps make is on the server, and goes
// with it.
func (l listing) storageMade() []Step {
	if !l.storage() {
		return nil
	}
	return []Step{
		{ID: "wait-for-storage", Title: "Wait until the storage server answers on SSH"},
		{ID: "check-storage", Title: "Check the storage server"},
		{ID: "mount-volumes", Title: "Mount the volumes of the storage server"},
		{ID: "export-volumes", Title: "Export the volumes over NFS"},
	}
}

// storageUsed lets nodes use what it exports.
func (l listing) storageUsed() []Step {
	return join(
		when(l.storage(), Step{ID: "mount-exports", Title: "Let every node mount the exports"}),
		when(l.registers(), Step{ID: "register-volumes", Title: "Register the persistent volumes"}),
		when(l.classes(), Step{ID: "set-up-classes", Title: "Set up the storage classes"}),
	)
}

// leaves tells whether a volume or a port is replaced with its VM, which would else hand it over to the one that
// replaces it.
func (g *granting) leaves(a lcm.AttachedResource) bool {
	return a.Type == lcm.GrantStorage && slices.Contains(g.plan.LeavingVolumes, a.ResourceID) ||
		a.Type == lcm.GrantLinkPort && slices.Contains(g.plan.LeavingPorts, a.ResourceID)
}

// removeLeaving grants that they go.
func (g *granting) removeLeaving(v lcm.VnfcResourceInfo) {
	for _, a := range g.facts.attached(v) {
		if g.leaves(a) {
			g.removeAttached(v, a)
		}
	}
}

// addLeaving grants those that are made in their place; id is that of the new server.
func (g *granting) addLeaving(id string, v lcm.VnfcResourceInfo) {
	for _, a := range g.facts.attached(v) {
		if g.leaves(a) {
			g.addAttached(id+"-"+cmp.Or(a.TemplateID, a.ResourceID), a.Type, v.VduID, a.TemplateID)
		}
	}
}
