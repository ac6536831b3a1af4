package workflows

import (
	"maps"

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
// when the VNF is a cluster, builds a Kubernetes cluster on it. Its steps are those of making in package lifecycle.
func Instantiate(ctx workflow.Context, in lcm.OperationInput) error {
	b := &build{in: in}
	op := &operation{in: in, learn: b.learn, table: b.table(), outcome: b.outcome}
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

// learn takes what is known of the operation. What registers a cluster anew learns its VIM from that.
func (b *build) learn(what activities.Description) {
	b.what = what
	if !what.Whole {
		b.vim = what.ClusterVimID
	}
}

// table has what the steps of all operations but OPERATE do.
func (b *build) table() table {
	return joined(
		b.making(), b.ending(), b.scaling(), b.healing(), b.reconnecting(), b.modifying(),
		b.clusterMade(), b.arrival(), b.departure(), b.registries(), b.storageMade(), b.storageReplaced(), b.registryMade(),
	)
}

// joined is a table of all steps of several.
func joined(tables ...table) table {
	all := table{}
	for _, t := range tables {
		maps.Copy(all, t)
	}
	return all
}

func (b *build) making() table {
	return table{
		"ask-for-grant": {do: b.requestGrant},
		"create-stack":  {do: b.createStack, undo: b.deleteStack},
		"find-nodes":    {do: b.findNodes},
	}
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
	return b.findThem(onlyWaits(short(ctx)), activities.FindNodesInput{AnyNumber: b.vnfStays()})
}

// vnfStays tells that the VNF was there before and stays: it may have been left with any number of VMs.
func (b *build) vnfStays() bool { return len(b.what.ServerIDs) > 0 && !b.what.Whole }

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
