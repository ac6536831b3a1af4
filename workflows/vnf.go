package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// vnf is what later steps of an operation learn from earlier ones, whatever the VNF is. Steps read it again when they
// are retried.
type vnf struct {
	in   lcm.OperationInput
	op   *operation
	what lifecycle.Description

	made   activities.FindNodesOutput
	before activities.ReconnectStackOutput // what a rollback of a CHANGE_EXT_CONN has made anew
	vim    lcm.VimID                       // as which a cluster is registered
	gone   bool                            // the deployment is deleted
	left   bool                            // made is what an operation has left that is given up
	moved  []string                        // the connection points that such a CHANGE_EXT_CONN has connected
	change lcm.Plan                        // of a scaling or a healing

	exposed  []int                // the ports of Services that a load balancer serves since then
	registry *k8s.PrivateRegistry // how clusters connect to the VNF, when it is a registry of images
}

// newVnf is the beginning of an operation, with what the steps of all VNFs and of all drivers do.
func newVnf(in lcm.OperationInput) *vnf {
	v := &vnf{in: in}
	v.op = &operation{in: in, learn: v.learn, tables: tables{
		v.making(), v.ending(), v.scaling(), v.healing(), v.reconnecting(), v.repackaging(),
		v.modifying(),
	}}
	for _, driver := range drivers {
		v.op.tables = append(v.op.tables, driver(v)...)
	}
	return v
}

// learn takes what is known of the operation. What registers a cluster anew learns its VIM from that.
func (v *vnf) learn(what lifecycle.Description) {
	v.what = what
	if !what.Whole {
		v.vim = what.ClusterVimID
	}
}

func (v *vnf) outcome() *record.Outcome {
	return &record.Outcome{
		DeploymentID: v.made.DeploymentID, Vnfcs: v.made.Vnfcs, Networks: v.made.Networks, Nodes: v.made.Nodes, Storage: v.made.Storage,
		Balancers: v.made.Balancers, ClusterVimID: v.vim, Registry: v.registry, ExposedPorts: v.exposed, Left: v.left, Moved: v.moved,
	}
}

// decide makes the plan, before anything is touched.
func (v *vnf) decide(ctx workflow.Context) (err error) {
	in := activities.PlanInput{Tracked: track(ctx, ""), OpOccID: v.in.OpOccID}
	v.change, err = call(short(ctx), opOccs.PlanOperation, in)
	return err
}

func (v *vnf) on(ctx workflow.Context, node lcm.Node) activities.NodeInput {
	return activities.NodeInput{Tracked: track(ctx, node.Name), OpOccID: v.in.OpOccID, Node: node}
}

func (v *vnf) forgetNodes(ctx workflow.Context) error {
	in := activities.ForgetNodesInput{
		Tracked: track(ctx, ""), VnfInstanceID: v.in.VnfInstanceID,
		ServerIDs: v.what.ServerIDs,
	}
	for _, c := range v.made.Vnfcs {
		in.ServerIDs = append(in.ServerIDs, c.ServerID)
	}
	_, err := call(short(ctx), vims.ForgetNodes, in)
	return err
}

// freeVolumes takes the volumes that its successor gets from a machine that is replaced.
func (v *vnf) freeVolumes(ctx workflow.Context) error {
	for _, server := range v.keepers() {
		_, err := call(polling(ctx), infra.FreeVolumes,
			activities.FreeVolumesInput{Tracked: track(ctx, ""), OpOccID: v.in.OpOccID, ServerID: server})
		if err != nil {
			return err
		}
	}
	return nil
}

// keepers are the servers whose volumes stay when they are replaced.
func (v *vnf) keepers() []string { return v.change.Keepers }

// decided reads the plan when another run of the workflow has made it.
func (v *vnf) decided(ctx workflow.Context) (err error) {
	if v.change.Operation == "" {
		v.change, err = call(short(ctx), opOccs.PlanOperation,
			activities.PlanInput{Tracked: track(ctx, ""), OpOccID: v.in.OpOccID})
	}
	return err
}

// look reads what the VNF consists of, and the plan.
func (v *vnf) look(ctx workflow.Context) error {
	if err := v.decided(ctx); err != nil {
		return err
	}
	return v.findNodes(ctx)
}

// known looks, unless that has been done: a rollback may begin in a new run of the workflow.
func (v *vnf) known(ctx workflow.Context) error {
	if v.made.DeploymentID != "" {
		return nil
	}
	return v.look(ctx)
}

// lookBack sees what a change that is given up has left. A VNF that is made anew as a whole stays recorded as it was:
// only making it anew again helps, which makes other servers than those that are there now.
func (v *vnf) lookBack(ctx workflow.Context) error {
	if v.what.Whole {
		if len(v.made.Vnfcs) == 0 {
			return nil
		}
		in := activities.ForgetNodesInput{Tracked: track(ctx, ""), VnfInstanceID: v.in.VnfInstanceID, KeepCluster: true}
		for _, c := range v.made.Vnfcs {
			in.ServerIDs = append(in.ServerIDs, c.ServerID)
		}
		_, err := call(glance(ctx), vims.ForgetNodes, in)
		return err
	}
	err := v.findThem(glance(ctx), activities.FindNodesInput{AnyNumber: true, Left: true})
	v.left = err == nil
	return err
}

// changeDeployment gives the deployment the sizes; the servers of leaving go, or are replaced.
func (v *vnf) changeDeployment(ctx workflow.Context, sizes vim.Sizes, leaving []string) error {
	return v.changePart(ctx, sizes, leaving, "")
}

// changePart is changeDeployment of what a hybrid VNF has on VIMs of a type.
func (v *vnf) changePart(ctx workflow.Context, sizes vim.Sizes, leaving []string, on string) error {
	_, err := call(polling(ctx), infra.ChangeStack, activities.ChangeStackInput{
		Tracked: track(ctx, ""), OpOccID: v.in.OpOccID, Sizes: sizes, Leaving: leaving, On: on,
		LeavingVolumes: v.change.LeavingVolumes,
		LeavingPorts:   v.change.LeavingPorts, Within: v.change.Within,
	})
	return err
}
