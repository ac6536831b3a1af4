package lcm

// Plan is what a scaling, a healing or an operating changes. It is decided once, before anything is touched, and kept
// with the operation: a retry works on the same VMs, whatever has become of them meanwhile.
type Plan struct {
	Operation Operation `json:"operation"`
	// ScaleStatus is the scale level of every aspect when the operation is complete.
	ScaleStatus []ScaleInfo `json:"scaleStatus,omitempty"`
	// InstantiationLevelID is the level that the VNF is at then, "" when it is at none.
	InstantiationLevelID string `json:"instantiationLevelId,omitempty"`
	// Groups are the groups of VMs whose size changes.
	Groups []GroupChange `json:"groups,omitempty"`
	// Bitrates is set when bit rates of virtual links change that the deployment takes.
	Bitrates bool `json:"bitrates,omitempty"`
	// Leaving are the VMs that go. A heal replaces each of them.
	Leaving []LeavingVnfc `json:"leaving,omitempty"`
	// LeavingVolumes are volumes that are replaced with their servers: what is on them is lost. KeepVolumes is
	// set when a storage server, or a registry, gets them back instead.
	LeavingVolumes []string `json:"leavingVolumes,omitempty"`
	KeepVolumes    bool     `json:"keepVolumes,omitempty"`
	// Within is set when a heal replaces servers alone, also those within members of groups: their ports, and the
	// volumes that are not in LeavingVolumes, stay. Without it a member goes as a whole, as in heals that an older
	// Windlass has planned.
	Within bool `json:"within,omitempty"`
	// LeavingPorts are ports of the deployment that are replaced with their servers. Keepers are servers whose volumes
	// their successors get: they are deleted first, because a volume is attached to one server.
	LeavingPorts []string `json:"leavingPorts,omitempty"`
	Keepers      []string `json:"keepers,omitempty"`
	// Whole is set when a heal makes the entire VNF anew, or when it is terminated.
	Whole bool `json:"whole,omitempty"`
	// ChangeStateTo is what an OPERATE makes of the VMs of Operated; Whole is set when it is the state of all VMs then.
	ChangeStateTo VnfState       `json:"changeStateTo,omitempty"`
	Operated      []OperatedVnfc `json:"operated,omitempty"`
	// Links are the external virtual links when a CHANGE_EXT_CONN is complete, ChangedLinks the ids of those that it
	// changes, and VimConnectionID the connection on which their resources are.
	Links           []ExtVirtualLink `json:"links,omitempty"`
	ChangedLinks    []string         `json:"changedLinks,omitempty"`
	VimConnectionID string           `json:"vimConnectionId,omitempty"`
	// VnfPkgID is the package that the VNF has when a CHANGE_VNFPKG is complete.
	VnfPkgID VnfPkgID `json:"vnfPkgId,omitempty"`
}

// OperatedVnfc is a VM that is started or stopped.
type OperatedVnfc struct {
	VnfcID   string `json:"vnfcId"`
	VduID    string `json:"vduId"`
	ServerID string `json:"serverId"`
	// Node is its name in the cluster, "" for a VM that is no node.
	Node string `json:"node,omitempty"`
	// Was is its state before, as it is recorded: a rollback leaves alone what had it already.
	Was VnfState `json:"was"`
	// Together is set when the VNF is hybrid, and this one of its containers, which stop and start all at once.
	Together bool `json:"together,omitempty"`
}

// GroupChange is a group of VMs that gets another size.
type GroupChange struct {
	// AspectID is also the name of the group in the Base HOT.
	AspectID string `json:"aspectId"`
	VduID    string `json:"vduId"`
	From     int    `json:"from"`
	To       int    `json:"to"`
}

// LeavingVnfc is a VM that goes.
type LeavingVnfc struct {
	VnfcID   string `json:"vnfcId"`
	VduID    string `json:"vduId"`
	ServerID string `json:"serverId"`
	// Node is its name in the cluster, "" for a VM that is no node.
	Node string `json:"node,omitempty"`
	// Why it was chosen, as a clause.
	Why string `json:"why,omitempty"`
	// Pod is set when the VNF is hybrid, and this is one of its Pods.
	Pod bool `json:"pod,omitempty"`
}

// Grows reports whether VMs are added.
func (p Plan) Grows() bool {
	for _, g := range p.Groups {
		if g.To > g.From {
			return true
		}
	}
	return false
}

// Shrinks reports whether VMs go for good.
func (p Plan) Shrinks() bool {
	for _, g := range p.Groups {
		if g.To < g.From {
			return true
		}
	}
	return false
}

// OnlyBitrates reports whether bit rates change and no VM comes or goes, which would change them, too.
func (p Plan) OnlyBitrates() bool { return p.Bitrates && !p.Grows() && !p.Shrinks() }

// Adds is how many VMs are made, for which the cloud must have room. A heal makes one for each that leaves.
func (p Plan) Adds() int {
	if p.Operation == OpHeal {
		return len(p.Leaving)
	}
	n := 0
	for _, g := range p.Groups {
		n += max(0, g.To-g.From)
	}
	return n
}

// Removes is how many VMs go.
func (p Plan) Removes() int { return len(p.Leaving) }

// Revocable reports whether a heal deletes nothing before the VIM has made all that takes its place, and no port loses
// its addresses to another one. A heal of nodes is not: they leave their cluster first.
func (p Plan) Revocable() bool {
	return p.Within && len(p.Keepers)+len(p.LeavingPorts)+len(p.LeavingVolumes) == 0
}

// LeavingServers are the ids of the servers that go.
func (p Plan) LeavingServers() []string {
	var out []string
	for _, v := range p.Leaving {
		out = append(out, v.ServerID)
	}
	return out
}

// LeavingPods are the ids of the Pods of a hybrid VNF among them.
func (p Plan) LeavingPods() (out []string) {
	for _, v := range p.Leaving {
		if v.Pod {
			out = append(out, v.ServerID)
		}
	}
	return out
}

// CreationTime is the member of a VNFC's metadata that tells when its VM was made, in RFC 3339.
const CreationTime = "creation_time"
