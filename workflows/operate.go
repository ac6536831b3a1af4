package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/records"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/driver/cluster"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/record"
)

// Operate carries out one OPERATE operation (SOL003 clause 5.4.10). It starts or stops all VMs of the VNF, or those
// that the request names. It stops a cluster from its edge inwards, and starts it the other way round.
func Operate(ctx workflow.Context, in lcm.OperationInput) error {
	p := &power{clusterWork: &clusterWork{vnf: newVnf(in)}}
	p.op.tables, p.op.outcome, p.op.restored = append(p.op.tables, p.operateWork()), p.done, p.formerPods
	return runOperation(ctx, p.op)
}

// power holds what later steps of an OPERATE learn from earlier ones.
type power struct {
	*clusterWork
	// switched and cordoned are VNFCs, in the order of the work on them.
	switched, cordoned []string
}

func (p *power) done() *record.Outcome {
	if p.made.DeploymentID != "" { // containers, which have new Pods after a start
		return p.outcome()
	}
	return &record.Outcome{Operated: &record.Operated{
		ChangeStateTo: p.what.ChangeStateTo, Vnfcs: p.switched, Cordoned: p.cordoned,
	}}
}

func (p *power) operateWork() table {
	return table{
		lifecycle.StepDecideOperate:    {do: p.choose},
		cluster.StepDrainStopping:      {do: p.drainNodes, undo: p.uncordonNodes},
		cluster.StepStopWorkers:        {do: p.stopWorkers, undo: p.bringBackWorkers},
		cluster.StepStopControlPlanes:  {do: p.stopControlPlanes, undo: p.bringBackControlPlanes},
		lifecycle.StepStopOthers:       {do: p.stopOthers, undo: p.startOthers},
		lifecycle.StepStartOthers:      {do: p.startOthers, undo: p.stopOthers},
		cluster.StepStartControlPlanes: {do: p.startControlPlanes, undo: p.stopControlPlanesAgain},
		cluster.StepStartWorkers:       {do: p.startWorkers, undo: p.stopWorkers},
		cluster.StepWaitForStarted:     {do: p.awaitLogins},
		cluster.StepTellStarted:        {do: p.tellStarted},
		cluster.StepWaitForCluster:     {do: p.awaitCluster},
		cluster.StepUncordonStarted:    {do: p.uncordonNodes},
		lifecycle.StepStopContainers:   {do: p.stopContainers, undo: p.startContainersAgain},
		lifecycle.StepStartContainers:  {do: p.startContainers, undo: p.stopContainersAgain},
		lifecycle.StepFindStarted:      {do: p.findNodes},
	}
}

// choose decides which VMs to switch. It asks for the state of the control planes only when some of them stop and the
// cluster goes on.
func (p *power) choose(ctx workflow.Context) (err error) {
	in := records.PlanInput{Tracked: track(ctx, ""), OpOccID: p.in.OpOccID}
	if p.what.ChangeStateTo == lcm.VnfStopped && !p.what.Whole && p.what.ControlPlanes {
		health, err := call(onlyWaits(onNode(ctx)), act.cluster.ClusterHealth, p.through(ctx, p.running()))
		if err != nil {
			return err
		}
		if len(health.Members) == 0 {
			return lcm.Errorf(lcm.KindConflict, "%s", health.Reason)
		}
		in.Unhealthy = health.Unhealthy()
	}
	p.change, err = call(short(ctx), act.opOccs.PlanOperation, in)
	return err
}

// chosen is the plan: another run of the workflow may have made it.
func (p *power) chosen(ctx workflow.Context) (lcm.Plan, error) {
	if p.change.ChangeStateTo != "" {
		return p.change, nil
	}
	kept, err := call(short(ctx), act.opOccs.PlanOperation,
		records.PlanInput{Tracked: track(ctx, ""), OpOccID: p.in.OpOccID})
	p.change = kept
	return kept, err
}

// kind tells the VMs of a step apart.
type kind func(node lcm.Node, isNode bool) bool

func ofRole(role lcm.Role) kind {
	return func(node lcm.Node, isNode bool) bool { return isNode && node.Role == role }
}

func noNode(_ lcm.Node, isNode bool) bool  { return !isNode }
func anyNode(_ lcm.Node, isNode bool) bool { return isNode }

// pick returns the operation's VMs of one kind that are switched one by one.
func (p *power) pick(ctx workflow.Context, is kind) (out []lcm.OperatedVnfc, err error) {
	plan, err := p.chosen(ctx)
	for _, v := range plan.Operated {
		at := slices.IndexFunc(p.what.Nodes, func(n lcm.Node) bool { return n.ServerID == v.ServerID })
		node := lcm.Node{}
		if at >= 0 {
			node = p.what.Nodes[at]
		}
		if is(node, at >= 0) && !v.Together {
			out = append(out, v)
		}
	}
	return out, err
}

// nodesOf are the nodes on the VMs of a kind.
func (p *power) nodesOf(ctx workflow.Context, is kind) (lcm.Nodes, error) {
	list, err := p.pick(ctx, is)
	var servers []string
	for _, v := range list {
		servers = append(servers, v.ServerID)
	}
	return p.what.Nodes.On(servers), err
}

// all switches all VMs of a kind at once.
func (p *power) all(ctx workflow.Context, is kind, to lcm.VnfState) error {
	list, err := p.pick(ctx, is)
	if err != nil {
		return err
	}
	return inParallel(ctx, asNodes(list), func(ctx workflow.Context,
		node lcm.Node,
	) error {
		return p.turn(ctx, list, node, to)
	})
}

// inTurnTo switches the VMs of a kind one after the other.
func (p *power) inTurnTo(ctx workflow.Context, is kind, to lcm.VnfState, after func(workflow.Context) error) error {
	list, err := p.pick(ctx, is)
	if err != nil {
		return err
	}
	return inTurn(ctx, asNodes(list), func(ctx workflow.Context, node lcm.Node) error {
		if err := p.turn(ctx, list, node, to); err != nil {
			return err
		}
		return after(ctx)
	})
}

// asNodes names VMs for the records. The name of a VM that is no node is its VDU and its id.
func asNodes(list []lcm.OperatedVnfc) (out lcm.Nodes) {
	for _, v := range list {
		name := v.Node
		if name == "" {
			name = v.VduID + " " + v.ServerID
		}
		out = append(out, lcm.Node{Name: name, ServerID: v.ServerID})
	}
	return out
}

// turn switches one VM. When it undoes, it does not touch a VM that had the state before.
func (p *power) turn(ctx workflow.Context, list []lcm.OperatedVnfc, node lcm.Node, to lcm.VnfState) error {
	at := slices.IndexFunc(list, func(v lcm.OperatedVnfc) bool { return v.ServerID == node.ServerID })
	v := list[at]
	if to != p.what.ChangeStateTo && v.Was != to {
		return nil
	}
	_, err := call(polling(ctx), act.infrastructure.SwitchServer, resources.SwitchServerInput{
		Tracked: track(ctx, node.Name), OpOccID: p.in.OpOccID, ServerID: v.ServerID, To: to,
	})
	if err == nil {
		p.note(v.VnfcID, to)
	}
	return err
}

// note stores which VNFCs are in the state that the operation makes.
func (p *power) note(vnfc string, to lcm.VnfState) {
	p.switched = slices.DeleteFunc(p.switched, func(id string) bool { return id == vnfc })
	if to == p.what.ChangeStateTo {
		p.switched = append(p.switched, vnfc)
	}
}

func (p *power) stopWorkers(ctx workflow.Context) error {
	return p.all(ctx, ofRole(lcm.Worker), lcm.VnfStopped)
}

// stopControlPlanes stops control planes one at a time. If the cluster goes on, the others must work before the next
// one stops.
func (p *power) stopControlPlanes(ctx workflow.Context) error {
	return p.inTurnTo(ctx, ofRole(lcm.ControlPlane), lcm.VnfStopped, func(ctx workflow.Context) error {
		if p.what.Whole {
			return nil
		}
		return p.await(ctx, p.running())
	})
}

func (p *power) stopOthers(ctx workflow.Context) error {
	return p.all(ctx, noNode, lcm.VnfStopped)
}

func (p *power) startOthers(ctx workflow.Context) error {
	return p.all(ctx, noNode, lcm.VnfStarted)
}

func (p *power) startControlPlanes(ctx workflow.Context) error {
	return p.all(ctx, ofRole(lcm.ControlPlane), lcm.VnfStarted)
}

func (p *power) startWorkers(ctx workflow.Context) error {
	return p.all(ctx, ofRole(lcm.Worker), lcm.VnfStarted)
}

func (p *power) stopControlPlanesAgain(ctx workflow.Context) error {
	return p.inTurnTo(ctx, ofRole(lcm.ControlPlane), lcm.VnfStopped, func(workflow.Context) error { return nil })
}

func (p *power) bringBackControlPlanes(ctx workflow.Context) error {
	if err := p.startControlPlanes(ctx); err != nil {
		return err
	}
	return p.awaitBack(ctx, ofRole(lcm.ControlPlane))
}

func (p *power) bringBackWorkers(ctx workflow.Context) error {
	if err := p.startWorkers(ctx); err != nil {
		return err
	}
	return p.awaitBack(ctx, ofRole(lcm.Worker))
}
