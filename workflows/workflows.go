package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Operations are the workflows of the operations in lcm.Operations, by the names under which they are registered.
var Operations = map[lcm.WorkflowName]func(workflow.Context, lcm.OperationInput) error{
	lcm.WorkflowInstantiate:   Instantiate,
	lcm.WorkflowScale:         Scale,
	lcm.WorkflowHeal:          Heal,
	lcm.WorkflowModifyInfo:    ModifyInfo,
	lcm.WorkflowOperate:       Operate,
	lcm.WorkflowChangeExtConn: ChangeExtConn,
	lcm.WorkflowChangeVnfPkg:  ChangeVnfPkg,
	lcm.WorkflowChangeFlavour: ChangeFlavour,
	lcm.WorkflowTerminate:     Terminate,
}

// Registry takes workflows: a worker, or a replayer.
type Registry interface {
	RegisterWorkflowWithOptions(w any, options workflow.RegisterOptions)
}

// Register registers all workflows, those of operations and the others.
func Register(to Registry) {
	for name, w := range Operations {
		to.RegisterWorkflowWithOptions(w, workflow.RegisterOptions{Name: string(name)})
	}
	for name, w := range map[lcm.WorkflowName]any{
		lcm.WorkflowDeliver: DeliverNotifications, lcm.WorkflowFetch: FetchPackage, lcm.WorkflowDrift: CheckDrift,
	} {
		to.RegisterWorkflowWithOptions(w, workflow.RegisterOptions{Name: string(name)})
	}
}
