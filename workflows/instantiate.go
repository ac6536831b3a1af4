package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Receivers of method values only: the SDK takes the activities' names from them.
var (
	infra   *activities.Infrastructure
	nodes   *activities.Nodes
	cluster *activities.Cluster
	vims    *activities.Registry
	grants  *activities.Grants
)

// Instantiate carries out one INSTANTIATE operation (SOL003 clause 5.4.4): it makes the infrastructure and,
// when the VNF is a cluster, builds a Kubernetes cluster on it.
func Instantiate(ctx workflow.Context, in lcm.OperationInput) error {
	b := &build{in: in}
	op := &operation{in: in, plan: b.plan, outcome: b.outcome}
	b.op = op
	return runOperation(ctx, op)
}

// build is what later steps learn from earlier ones. Steps read it again when they are retried.
type build struct {
	in   lcm.OperationInput
	op   *operation
	what activities.Description

	made    activities.FindNodesOutput
	before  activities.ReconnectStackOutput // what a rollback of a CHANGE_EXT_CONN has made anew
	account activities.VimAccountOutput
	vim     lcm.VimID
	gone    bool     // the stack is deleted
	left    bool     // made is what an operation has left that is given up
	moved   []string // the connection points that such a CHANGE_EXT_CONN has connected
	change  lcm.Plan // of a scaling or a healing
	sick    []string // nodes that did not work when that was decided

	registry *lcm.PrivateRegistry // how clusters connect to the VNF, when it is a registry of images
}

// plan lists the steps. What a VNF does not need is not in the list.
func (b *build) plan(what activities.Description) (starting, processing []step) {
	b.what = what
	starting = []step{
		{title: "Ask for a grant", do: b.requestGrant},
	}
	processing = []step{
		{title: "Create the infrastructure stack", do: b.createStack, undo: b.deleteStack},
		{title: "Find the nodes", do: b.findNodes},
	}
	if what.Cluster {
		processing = append(processing, b.clusterSteps()...)
	}
	return starting, append(processing, b.registryServerSteps()...)
}

func (b *build) outcome() *activities.Outcome {
	return &activities.Outcome{
		StackID: b.made.StackID, Vnfcs: b.made.Vnfcs, Networks: b.made.Networks, Nodes: b.made.Nodes, Storage: b.made.Storage,
		ClusterVimID: b.vim, Registry: b.registry, Left: b.left, Moved: b.moved,
	}
}

func (b *build) createStack(ctx workflow.Context) error {
	_, err := call(polling(ctx), infra.CreateStack, activities.StackInput{Tracked: track(ctx, ""), OpOccID: b.in.OpOccID})
	return err
}

func (b *build) deleteStack(ctx workflow.Context) error {
	_, err := call(polling(ctx), infra.DeleteStack, activities.StackInput{Tracked: track(ctx, ""), OpOccID: b.in.OpOccID})
	b.gone = err == nil
	return err
}

func (b *build) findNodes(ctx workflow.Context) error {
	return b.findThem(onlyWaits(short(ctx)), activities.FindNodesInput{AnyNumber: b.changesWhatIs()})
}

// changesWhatIs tells that the VNF was there before and stays: it may have been left with any number of VMs.
func (b *build) changesWhatIs() bool { return len(b.what.ServerIDs) > 0 && !b.what.Whole }

func (b *build) findThem(ctx workflow.Context, in activities.FindNodesInput) error {
	in.Tracked, in.OpOccID, in.Cluster, in.HighlyAvailable = track(ctx, ""), b.in.OpOccID, b.what.Cluster, b.what.HighlyAvailable
	made, err := call(ctx, infra.FindNodes, in)
	if err != nil {
		return err
	}
	b.made = made
	b.made.Nodes = made.Nodes.InOrderOf(b.what.Nodes)
	return nil
}
