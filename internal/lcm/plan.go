package lcm

// Plan holds the changes of a scaling, a healing or an OPERATE. It is decided once, before anything is touched, and
// stored with the operation: a retry works on the same VMs, whatever has happened to them since.
type Plan struct {
	Operation Operation `json:"operation"`
	// ScaleStatus is the scale level of every aspect when the operation is complete.
	ScaleStatus []ScaleInfo `json:"scaleStatus,omitempty"`
	// InstantiationLevelID is the VNF's level afterwards, "" for none.
	InstantiationLevelID string `json:"instantiationLevelId,omitempty"`
	// Groups are the groups of VMs whose size changes.
	Groups []GroupChange `json:"groups,omitempty"`
	// Bitrates is set when the deployment has to change the bit rates of virtual links.
	Bitrates bool `json:"bitrates,omitempty"`
	// Leaving are the VMs to remove. A heal replaces each of them.
	Leaving []LeavingVnfc `json:"leaving,omitempty"`
	// LeavingVolumes are volumes that are replaced with their servers: their data is lost. KeepVolumes is set when a
	// storage server, or a registry, gets its volumes back instead.
	LeavingVolumes []string `json:"leavingVolumes,omitempty"`
	KeepVolumes    bool     `json:"keepVolumes,omitempty"`
	// Within is set when a heal replaces only servers, also servers inside group members: ports, and volumes outside
	// LeavingVolumes, stay. Without Within, the whole group member is replaced, as in heals that an older Windlass
	// planned.
	Within bool `json:"within,omitempty"`
	// LeavingPorts are ports of the deployment that are replaced with their servers. Keepers are servers that hand their
	// volumes to their successors: they are deleted first, because a volume is attached to one server.
	LeavingPorts []string `json:"leavingPorts,omitempty"`
	Keepers      []string `json:"keepers,omitempty"`
	// Whole is set when a heal makes the entire VNF anew, or when the VNF is terminated.
	Whole bool `json:"whole,omitempty"`
	// ChangeStateTo is the state that an OPERATE gives the VMs of Operated. Whole is set when all VMs have that state
	// afterwards.
	ChangeStateTo VnfState       `json:"changeStateTo,omitempty"`
	Operated      []OperatedVnfc `json:"operated,omitempty"`
	// Links are the external virtual links after a CHANGE_EXT_CONN. ChangedLinks are the ids of the links that it
	// changes, and VimConnectionID is the connection of their resources.
	Links           []ExtVirtualLink `json:"links,omitempty"`
	ChangedLinks    []string         `json:"changedLinks,omitempty"`
	VimConnectionID string           `json:"vimConnectionId,omitempty"`
	// VnfPkgID is the VNF's package after a CHANGE_VNFPKG.
	VnfPkgID VnfPkgID `json:"vnfPkgId,omitempty"`
}

// OperatedVnfc is a VM to start or stop.
type OperatedVnfc struct {
	VnfcID   string `json:"vnfcId"`
	VduID    string `json:"vduId"`
	ServerID string `json:"serverId"`
	// Node is the VM's name in the cluster, "" for a VM that is no node.
	Node string `json:"node,omitempty"`
	// Was is its recorded state before the operation. A rollback leaves a VM alone that had the state already.
	Was VnfState `json:"was"`
	// Together is set for a container of a hybrid VNF. All its containers stop and start at once.
	Together bool `json:"together,omitempty"`
}

// GroupChange is a new size for a group of VMs.
type GroupChange struct {
	// AspectID is also the name of the group in the Base HOT.
	AspectID string `json:"aspectId"`
	VduID    string `json:"vduId"`
	From     int    `json:"from"`
	To       int    `json:"to"`
}

// LeavingVnfc is a VM to remove.
type LeavingVnfc struct {
	VnfcID   string `json:"vnfcId"`
	VduID    string `json:"vduId"`
	ServerID string `json:"serverId"`
	// Node is the VM's name in the cluster, "" for a VM that is no node.
	Node string `json:"node,omitempty"`
	// Why is the reason for its choice, as a clause.
	Why string `json:"why,omitempty"`
	// Pod is set for a Pod of a hybrid VNF.
	Pod bool `json:"pod,omitempty"`
}

// Grows reports whether the plan adds VMs.
func (p Plan) Grows() bool {
	for _, g := range p.Groups {
		if g.To > g.From {
			return true
		}
	}
	return false
}

// Shrinks reports whether the plan removes VMs for good.
func (p Plan) Shrinks() bool {
	for _, g := range p.Groups {
		if g.To < g.From {
			return true
		}
	}
	return false
}

// OnlyBitrates reports whether bit rates change and no VM comes or goes. A change of VMs would change the bit rates,
// too.
func (p Plan) OnlyBitrates() bool { return p.Bitrates && !p.Grows() && !p.Shrinks() }

// Replaces reports whether each VM that leaves gets a successor: a heal.
func (p Plan) Replaces() bool { return p.Operation == OpHeal }

// Adds is the number of new VMs; the cloud must have room for them. A heal makes one for each VM that leaves.
func (p Plan) Adds() int {
	if p.Replaces() {
		return len(p.Leaving)
	}
	n := 0
	for _, g := range p.Groups {
		n += max(0, g.To-g.From)
	}
	return n
}

// Removes is the number of VMs to remove.
func (p Plan) Removes() int { return len(p.Leaving) }

// Revocable reports whether a heal deletes nothing before the VIM has made every replacement, and no port loses its
// addresses to another port. A heal of nodes is not revocable: they leave their cluster first.
func (p Plan) Revocable() bool {
	return p.Within && len(p.Keepers)+len(p.LeavingPorts)+len(p.LeavingVolumes) == 0
}

// LeavingServers returns the ids of the servers to remove.
func (p Plan) LeavingServers() []string {
	var out []string
	for _, v := range p.Leaving {
		out = append(out, v.ServerID)
	}
	return out
}

// LeavingPods returns the ids of the Pods of a hybrid VNF that are among the leaving VMs.
func (p Plan) LeavingPods() (out []string) {
	for _, v := range p.Leaving {
		if v.Pod {
			out = append(out, v.ServerID)
		}
	}
	return out
}

// CreationTime is the member of a VNFC's metadata with the creation time of its VM, in RFC 3339.
const CreationTime = "creation_time"
