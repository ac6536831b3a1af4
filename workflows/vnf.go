package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/activities/records"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// vnf holds what later steps of an operation learn from earlier ones, for any kind of VNF. Steps read it again when
// they are retried.
type vnf struct {
	in   lcm.OperationInput
	op   *operation
	what lifecycle.Description

	made    kubenode.FindNodesOutput
	before  resources.ReconnectStackOutput // what the rollback of a CHANGE_EXT_CONN has made anew
	vim     lcm.VimID                      // the VIM as which the cluster is registered
	gone    bool                           // the deployment is deleted
	left    bool                           // made says what a given-up operation has left
	nothing bool                           // a given-up INSTANTIATE has left nothing
	moved   []string                       // connection points that a given-up CHANGE_EXT_CONN has connected
	change  lcm.Plan                       // the plan of a scaling or a healing

	exposed  []int                // ports of Services that a load balancer serves after the operation
	registry *k8s.PrivateRegistry // how clusters connect to the VNF, when it is a registry of images
}

// newVnf begins an operation, with the steps of all VNFs and of all drivers.
func newVnf(in lcm.OperationInput) *vnf {
	v := &vnf{in: in}
	v.op = &operation{in: in, learn: v.learn, tables: tables{
		v.instantiateWork(), v.terminateWork(), v.scaleWork(), v.healWork(), v.changeExtConnWork(), v.changeVnfPkgWork(),
		v.modifyWork(),
	}}
	for _, driver := range drivers {
		v.op.tables = append(v.op.tables, driver(v)...)
	}
	return v
}

// learn takes the description of the operation. An operation that registers a cluster anew learns the cluster's VIM
// later, from the registration.
func (v *vnf) learn(what lifecycle.Description) {
	v.what = what
	if !what.Whole {
		v.vim = what.ClusterVimID
	}
}

func (v *vnf) outcome() *record.Outcome {
	if v.nothing {
		return &record.Outcome{NothingLeft: true}
	}
	return &record.Outcome{
		DeploymentID: v.made.DeploymentID, Vnfcs: v.made.Vnfcs, Networks: v.made.Networks, Nodes: v.made.Nodes, Storage: v.made.Storage,
		Balancers: v.made.Balancers, ClusterVimID: v.vim, Registry: v.registry, ExposedPorts: v.exposed, Left: v.left, Moved: v.moved,
	}
}

// decide makes the plan before any step touches anything.
func (v *vnf) decide(ctx workflow.Context) (err error) {
	in := records.PlanInput{Tracked: track(ctx, ""), OpOccID: v.in.OpOccID}
	v.change, err = call(short(ctx), act.opOccs.PlanOperation, in)
	return err
}

func (v *vnf) on(ctx workflow.Context, node lcm.Node) reach.NodeInput {
	return reach.NodeInput{Tracked: track(ctx, node.Name), OpOccID: v.in.OpOccID, Node: node}
}

func (v *vnf) forgetNodes(ctx workflow.Context) error {
	in := kubecluster.ForgetNodesInput{
		Tracked: track(ctx, ""), VnfInstanceID: v.in.VnfInstanceID, ServerIDs: v.what.ServerIDs,
	}
	for _, c := range v.made.Vnfcs {
		in.ServerIDs = append(in.ServerIDs, c.ServerID)
	}
	_, err := call(short(ctx), act.vims.ForgetNodes, in)
	return err
}

// freeVolumes frees the volumes of machines that are replaced, so that their successors get them.
func (v *vnf) freeVolumes(ctx workflow.Context) error {
	for _, server := range v.keepers() {
		_, err := call(polling(ctx), act.infrastructure.FreeVolumes,
			resources.FreeVolumesInput{Tracked: track(ctx, ""), OpOccID: v.in.OpOccID, ServerID: server})
		if err != nil {
			return err
		}
	}
	return nil
}

// keepers are the servers that are replaced and whose volumes stay.
func (v *vnf) keepers() []string { return v.change.Keepers }

// decided reads the plan when another run of the workflow has made it.
func (v *vnf) decided(ctx workflow.Context) (err error) {
	if v.change.Operation == "" {
		v.change, err = call(short(ctx), act.opOccs.PlanOperation,
			records.PlanInput{Tracked: track(ctx, ""), OpOccID: v.in.OpOccID})
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

// known looks, unless an earlier step has looked: a rollback may begin in a new run of the workflow.
func (v *vnf) known(ctx workflow.Context) error {
	if v.made.DeploymentID != "" {
		return nil
	}
	return v.look(ctx)
}

// lookBack looks at what a given-up change has left. A VNF that was to be made anew as a whole stays recorded as it
// was. The client can only have it made anew again, and that makes other servers than those of now.
func (v *vnf) lookBack(ctx workflow.Context) error {
	if v.what.Whole {
		if len(v.made.Vnfcs) == 0 {
			return nil
		}
		in := kubecluster.ForgetNodesInput{Tracked: track(ctx, ""), VnfInstanceID: v.in.VnfInstanceID, KeepCluster: true}
		for _, c := range v.made.Vnfcs {
			in.ServerIDs = append(in.ServerIDs, c.ServerID)
		}
		_, err := call(glance(ctx), act.vims.ForgetNodes, in)
		return err
	}
	err := v.findThem(glance(ctx), kubenode.FindNodesInput{AnyNumber: true, Left: true})
	v.left = err == nil
	return err
}

// changeDeployment gives the deployment these sizes. The servers of leaving go, or are replaced.
func (v *vnf) changeDeployment(ctx workflow.Context, sizes vim.Sizes, leaving []string) error {
	return v.changePart(ctx, sizes, leaving, "")
}

// changePart is changeDeployment for the part of a hybrid VNF that is on VIMs of one type.
func (v *vnf) changePart(ctx workflow.Context, sizes vim.Sizes, leaving []string, on string) error {
	_, err := call(polling(ctx), act.infrastructure.ChangeStack, resources.ChangeStackInput{
		Tracked: track(ctx, ""), OpOccID: v.in.OpOccID, Sizes: sizes, Leaving: leaving, On: on,
		LeavingVolumes: v.change.LeavingVolumes, LeavingPorts: v.change.LeavingPorts, Within: v.change.Within,
	})
	return err
}
