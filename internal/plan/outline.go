package plan

import (
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// PlannedStep is a step that an operation will take. Titles and order are those of package workflows, where a test
// compares them.
type PlannedStep struct {
	Title string `json:"title"`
	// Undo says how a rollback undoes the step; "" when there is nothing to undo, or no way back any more.
	Undo string `json:"undo,omitempty"`
	// Final is set when the step takes what cannot be brought back: the operation goes forward only from there on.
	Final bool `json:"final,omitempty"`
}

// Outline lists the steps of an operation that carries out p. A pod network that only the worker's configuration
// names is not known here: its step is missing.
func Outline(p lcm.Plan, f Facts) []PlannedStep {
	o := outline{plan: p, facts: f, cluster: f.Cluster != nil}
	if o.cluster {
		o.balanced = HighlyAvailable(f.Cluster.MasterNode, f.Flavour, f.sizes(p))
		o.controlPlanes = f.touchesControlPlanes(p)
	}
	var list []PlannedStep
	switch p.Operation {
	case lcm.OpInstantiate:
		list = append(o.granted(), o.making()...)
	case lcm.OpTerminate:
		list = append(o.granted(), o.ending()...)
	case lcm.OpHeal:
		list = append(o.granted("Decide what is healed"), o.healing()...)
	case lcm.OpOperate:
		list = o.operating()
	case lcm.OpChangeExtConn:
		list = append(o.granted("Decide what is connected"), o.trying()...)
		list = append(list, []PlannedStep{
			{Title: "Change the connections of the stack", Undo: "the connections are what they were"}, {Title: "Look at the infrastructure"},
		}...)
	default:
		list = append(o.granted("Decide what changes"), o.scaling()...)
	}
	forwardOnly := false
	for i := range list {
		if forwardOnly = forwardOnly || list[i].Final; forwardOnly {
			list[i].Undo = ""
		}
	}
	return list
}

type outline struct {
	plan  lcm.Plan
	facts Facts
	// What decides the steps: see activities.Description.
	cluster, balanced, controlPlanes bool
}

func (o outline) granted(before ...string) (list []PlannedStep) {
	for _, title := range append(before, "Ask for a grant") {
		list = append(list, PlannedStep{Title: title})
	}
	return list
}

// trying is done before another connection to the VIM counts.
func (o outline) trying() []PlannedStep {
	if !o.facts.ChangesVim {
		return nil
	}
	return []PlannedStep{{Title: "Try the VIM connection"}}
}

func (o outline) making() []PlannedStep {
	list := []PlannedStep{
		{Title: "Create the infrastructure stack", Undo: "the stack is deleted"},
		{Title: "Find the nodes"},
	}
	if !o.cluster {
		return append(list, o.installing(false)...)
	}
	list = append(list,
		PlannedStep{Title: "Wait until every node answers on SSH", Undo: "their host keys and the generated secrets are forgotten"},
		PlannedStep{Title: "Check every node"},
		PlannedStep{Title: "Prepare every node"},
	)
	list = append(list, o.connecting("Connect every node to the registries")...)
	if o.balanced {
		list = append(list, PlannedStep{Title: "Set up HAProxy and keepalived"})
	}
	list = append(list, PlannedStep{Title: "Initialise the first control plane"})
	if o.facts.Cluster.CniManifestPath != "" {
		list = append(list, PlannedStep{Title: "Apply the pod network"})
	}
	list = append(list,
		PlannedStep{Title: "Join the other nodes"},
		PlannedStep{Title: "Label the nodes and wait until they are Ready"},
	)
	list = append(append(list, o.storing()...), o.mounting()...)
	return append(list, PlannedStep{Title: "Register the cluster as a VIM", Undo: "the VIM is deregistered"})
}

func (o outline) ending() (list []PlannedStep) {
	if o.cluster {
		list = append(list, PlannedStep{Title: "Deregister the cluster", Final: true})
	}
	if o.facts.Graceful {
		list = append(list, PlannedStep{Title: "Shut the servers down", Final: true})
	}
	return append(list,
		PlannedStep{Title: "Delete the infrastructure stack", Final: true},
		PlannedStep{Title: "Forget keys and secrets"},
	)
}

func (o outline) scaling() []PlannedStep {
	list := []PlannedStep{{Title: "Look at the infrastructure"}}
	if o.plan.OnlyBitrates() {
		list = append(list, PlannedStep{Title: "Change the bit rates of the virtual links", Undo: "the former bit rates are set"})
	}
	if o.plan.Grows() {
		list = append(list,
			PlannedStep{Title: "Enlarge the infrastructure stack", Undo: "the new VMs are deleted"},
			PlannedStep{Title: "Find the new nodes"},
		)
		list = append(list, o.arrival()...)
	}
	if o.plan.Shrinks() {
		list = append(list, o.departure()...)
		list = append(list, PlannedStep{Title: "Remove the machines", Final: true})
		last := "Find the VNFCs that are left"
		if o.cluster {
			last = "Forget the nodes that have left"
		}
		list = append(list, PlannedStep{Title: last})
	}
	return list
}

func (o outline) healing() []PlannedStep {
	if o.plan.Whole {
		o.facts.Graceful = false
		var list []PlannedStep
		if lcm.HaveGivenPorts(o.facts.links()) {
			list = append(list, PlannedStep{Title: "Check the ports that are given"})
		}
		return append(append(list, o.ending()...), o.making()...)
	}
	storage := o.facts.ReplacesStorage(o.plan)
	nodes := !storage || o.replacesNodes()
	list := []PlannedStep{{Title: "Look at the infrastructure"}}
	if storage {
		list = append(list, o.leavingStorage()...)
	}
	if nodes {
		list = append(list, o.departure()...)
	}
	list = append(list, o.replacing(), PlannedStep{Title: "Find the new nodes"})
	if storage {
		list = append(list, o.storing()...)
	}
	if nodes {
		list = append(list, o.arrival()...)
	}
	if storage {
		list = append(list, o.mounting()...)
	}
	if o.cluster {
		list = append(list, PlannedStep{Title: "Forget the nodes that have left"})
	}
	return append(list, o.installing(true)...)
}

// replacing ends the way back, unless nothing is deleted before the new machines are there.
func (o outline) replacing() PlannedStep {
	if o.plan.Revocable() && !o.cluster {
		return PlannedStep{Title: "Replace the machines", Undo: "the former machines get their ports back, while none of them is deleted"}
	}
	return PlannedStep{Title: "Replace the machines", Final: true}
}

func (o outline) operating() []PlannedStep {
	var workers, controlPlanes, others, cordoned bool
	for _, v := range o.plan.Operated {
		at := slices.IndexFunc(o.facts.Instance.Instantiated.Nodes, func(n lcm.Node) bool { return o.cluster && n.ServerID == v.ServerID })
		switch {
		case at < 0:
			others = true
		case o.facts.Instance.Instantiated.Nodes[at].Role == lcm.ControlPlane:
			controlPlanes = true
		default:
			workers = true
		}
		cordoned = cordoned || o.facts.Instance.Instantiated.Cordoned(v.VnfcID)
	}
	if o.plan.ChangeStateTo == lcm.VnfStopped {
		return append(o.granted("Decide what is stopped"), o.stopping(workers, controlPlanes, others)...)
	}
	return append(o.granted("Decide what is started"), o.starting(workers, controlPlanes, others, cordoned)...)
}

func (o outline) stopping(workers, controlPlanes, others bool) (list []PlannedStep) {
	if o.facts.Graceful && !o.plan.Whole && (workers || controlPlanes) {
		list = append(list, PlannedStep{Title: "Drain the nodes that stop", Undo: "they take pods again"})
	}
	if workers {
		list = append(list, PlannedStep{Title: "Stop the workers", Undo: "they are started, and Ready"})
	}
	if controlPlanes {
		list = append(list, PlannedStep{Title: "Stop the control planes", Undo: "they are started, and etcd works"})
	}
	if others {
		list = append(list, PlannedStep{Title: o.machines("Stop"), Undo: "they are started"})
	}
	return list
}

func (o outline) starting(workers, controlPlanes, others, cordoned bool) (list []PlannedStep) {
	if others {
		list = append(list, PlannedStep{Title: o.machines("Start"), Undo: "those that were stopped before are stopped"})
	}
	if controlPlanes {
		list = append(list, PlannedStep{Title: "Start the control planes", Undo: "those that were stopped before are stopped"})
	}
	if workers {
		list = append(list, PlannedStep{Title: "Start the workers", Undo: "those that were stopped before are stopped"})
	}
	if !workers && !controlPlanes {
		return list
	}
	list = append(list,
		PlannedStep{Title: "Wait until every node answers on SSH"},
		PlannedStep{Title: "Make the nodes known to each other"},
		PlannedStep{Title: "Wait until the cluster works"},
	)
	if cordoned {
		list = append(list, PlannedStep{Title: "Let the nodes take pods again"})
	}
	return list
}

// machines names the step for VMs that are no nodes: in a cluster they are load balancers or storage.
func (o outline) machines(verb string) string {
	if o.cluster {
		return verb + " the other machines"
	}
	return verb + " the machines"
}

func (o outline) arrival() []PlannedStep {
	if !o.cluster {
		return nil
	}
	list := []PlannedStep{
		{Title: "Wait until every new node answers on SSH", Undo: "their host keys are forgotten"},
		{Title: "Check every new node"},
		{Title: "Prepare every new node"},
		{Title: "Make the nodes known to each other", Undo: "the others forget the new nodes"},
	}
	list = append(list, o.connecting("Connect every new node to the registries")...)
	if o.controlPlanes && o.balanced {
		list = append(list, PlannedStep{Title: "Set up HAProxy and keepalived", Undo: "only the former control planes share the load and the virtual IP"})
	}
	if o.storage() {
		list = append(list, PlannedStep{Title: "Let every new node mount the exports"})
	}
	return append(list,
		PlannedStep{Title: "Join the new nodes", Undo: "the new nodes are taken out of etcd and out of the cluster"},
		PlannedStep{Title: "Label the new nodes and wait until they are Ready"},
	)
}

func (o outline) departure() []PlannedStep {
	if !o.cluster {
		return nil
	}
	list := []PlannedStep{{Title: "Drain the nodes that leave", Undo: "they take pods again"}}
	if o.controlPlanes {
		list = append(list, PlannedStep{Title: "Take the control planes out of the cluster", Undo: "they join again, and share the load and the virtual IP"})
	}
	return list
}

// sizes are how many VMs of each VDU there are, or will be once the VNF is instantiated.
func (f Facts) sizes(p lcm.Plan) map[string]int {
	out := map[string]int{}
	if f.Instance.Instantiated == nil {
		for _, g := range p.Groups {
			out[g.VduID] = g.To
		}
		return out
	}
	for _, v := range f.Instance.Instantiated.VnfcResources {
		out[v.VduID]++
	}
	return out
}

// touchesControlPlanes reports whether control planes come or go.
func (f Facts) touchesControlPlanes(p lcm.Plan) bool {
	if f.Instance.Instantiated == nil {
		return true
	}
	is := func(vdu string) bool {
		return slices.ContainsFunc(f.Instance.Instantiated.Nodes.With(lcm.ControlPlane), func(n lcm.Node) bool { return n.VduID == vdu })
	}
	return slices.ContainsFunc(p.Groups, func(g lcm.GroupChange) bool { return is(g.VduID) }) ||
		slices.ContainsFunc(p.Leaving, func(l lcm.LeavingVnfc) bool { return is(l.VduID) })
}

// HighlyAvailable tells whether a cluster of such sizes has several control planes. A VNFD that does not tell how
// many VMs the role has is believed when the request puts an address in front of a group of them.
func HighlyAvailable(master lcm.NodeParams, f *vnfpkg.Flavour, sizes map[string]int) bool {
	vdus := f.VdusOfNodes(master)
	if len(vdus) == 0 {
		return master.AspectID != "" && master.ClusterCpName != ""
	}
	n := 0
	for _, vdu := range vdus {
		n += sizes[vdu]
	}
	return n > 1
}
