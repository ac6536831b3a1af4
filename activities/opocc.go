package activities

import (
	"context"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Records is where the state of operations is kept.
type Records interface {
	RecordPlan(ctx context.Context, id lcm.OpOccID, plan []lcm.Step) error
	KeepPlan(ctx context.Context, id lcm.OpOccID, plan lcm.Plan) (lcm.Plan, error)
	RecordOperation(ctx context.Context, rec lcm.OperationRecord) error
	RecordStep(ctx context.Context, step lcm.Step) error
	RecordSteps(ctx context.Context, steps []lcm.Step) error
	Steps(ctx context.Context, id lcm.OpOccID) ([]lcm.Step, error)
	Operation(ctx context.Context, id lcm.OpOccID) (lcm.VnfLcmOpOcc, error)
	Instance(ctx context.Context, id lcm.VnfInstanceID) (lcm.VnfInstance, error)
}

// OpOccs keeps the records of operations: what REST clients read comes from here, never from Temporal.
type OpOccs struct {
	Records Records
	Facts   Facts
	// Forget deletes the secrets whose references begin with prefix.
	Forget func(ctx context.Context, prefix string) error
}

// Facts tells what an operation is about.
type Facts interface {
	Describe(ctx context.Context, id lcm.OpOccID) (Description, error)
	// Plan decides what a scaling or a healing changes, knowing which nodes do not work and why.
	Plan(ctx context.Context, id lcm.OpOccID, unhealthy map[string]string) (lcm.Plan, error)
	// Grant is what the operation may do, as planned.
	Grant(ctx context.Context, id lcm.OpOccID) (lcm.Grant, error)
	// Instantiated makes instantiatedVnfInfo of what an operation has made.
	Instantiated(ctx context.Context, id lcm.OpOccID, made Outcome) (InstantiatedVnf, error)
	// Modified is the VNF instance with the modifications of a MODIFY_INFO made, and what they are. A Conflict says why
	// they cannot be made any more.
	Modified(ctx context.Context, id lcm.OpOccID) (lcm.VnfInstance, lcm.VnfInfoModifications, error)
}

// InstantiatedVnf is what a VNF instance gains when it is instantiated.
type InstantiatedVnf struct {
	Info           lcm.InstantiatedVnfInfo
	VimConnections []lcm.VimConnectionInfo
	// Extensions and ConfigurableProperties are those of the instance with those of the request.
	Extensions, ConfigurableProperties map[string]any
	// ChangedInfo is what else of the instance the operation changes when it is complete; nil for nothing.
	ChangedInfo *lcm.VnfInfoModifications
}

// Description is what a workflow needs to know to choose its steps. It holds no parameter.
type Description struct {
	// State and Sequence are what was recorded of the operation so far.
	State       lcm.OperationState `json:"state"`
	Sequence    int64              `json:"sequence"`
	ForwardOnly bool               `json:"forwardOnly,omitempty"`
	// Refused is why the operation is rolled back before it does anything: the VNFD does not allow the attributes that
	// the VNF instance would have. nil when it does, and of an operation that has begun.
	Refused *lcm.Error `json:"refused,omitempty"`
	// ServerIDs are the VMs that the instance has before the operation.
	ServerIDs []string `json:"serverIds,omitempty"`
	// Cluster is set when the VNF is a Kubernetes cluster that Windlass's own driver builds.
	Cluster bool `json:"cluster,omitempty"`
	// HighlyAvailable is set when the cluster has a load balancer and a virtual IP.
	HighlyAvailable bool `json:"highlyAvailable,omitempty"`
	// Nodes are the cluster's nodes before the operation, in the order in which they are configured.
	Nodes lcm.Nodes `json:"nodes,omitempty"`
	// ClusterVimID is the VIM as which the cluster is registered.
	ClusterVimID lcm.VimID `json:"clusterVimId,omitempty"`
	// Grows, Shrinks and Whole are what a scaling or healing will do, and ControlPlanes is set when control planes
	// come or go. Which VMs these are is decided later.
	Grows         bool `json:"grows,omitempty"`
	Shrinks       bool `json:"shrinks,omitempty"`
	Whole         bool `json:"whole,omitempty"`
	ControlPlanes bool `json:"controlPlanes,omitempty"`
	// OnlyBitrates is set when a scaling changes bit rates of virtual links, and no VM comes or goes.
	OnlyBitrates bool `json:"onlyBitrates,omitempty"`
	// PodNetwork is set when the request names a manifest for the pod network.
	PodNetwork bool `json:"podNetwork,omitempty"`
	// Graceful is set when a VNF is to be taken out of service before it is deleted or stopped.
	Graceful bool `json:"graceful,omitempty"`
	// GrantPatience is how long an NFVO may take to grant the operation; 0 when Windlass grants it itself.
	GrantPatience time.Duration `json:"grantPatience,omitempty"`
	// ChangeStateTo is what an OPERATE makes of VMs; Partial is set when others stay in the other state. Workers,
	// ControlPlanes and Others tell which kinds it switches, Cordoned whether nodes among them were drained before.
	ChangeStateTo lcm.VnfState `json:"changeStateTo,omitempty"`
	Partial       bool         `json:"partial,omitempty"`
	Workers       bool         `json:"workers,omitempty"`
	Others        bool         `json:"others,omitempty"`
	Cordoned      bool         `json:"cordoned,omitempty"`
	// Stopped are the servers that were stopped on purpose before the operation.
	Stopped []string `json:"stopped,omitempty"`
	// StorageServer is the storage server before the operation, nil when it is not known; Storage is set when the
	// cluster has, or gets, one, and PersistentVolumes when manifests of its volumes are registered. StorageLeaves is
	// set when a heal replaces it, and OnlyStorage when that replaces no node. StorageClasses is set when claims get
	// directories of their own on it.
	StorageServer     *lcm.StorageServer `json:"storageServer,omitempty"`
	Storage           bool               `json:"storage,omitempty"`
	PersistentVolumes bool               `json:"persistentVolumes,omitempty"`
	StorageClasses    bool               `json:"storageClasses,omitempty"`
	StorageLeaves     bool               `json:"storageLeaves,omitempty"`
	OnlyStorage       bool               `json:"onlyStorage,omitempty"`
	// LooksBack is set where a CHANGE_EXT_CONN that is given up looks at what it has left. Those that were begun before
	// there was this look do not have it.
	LooksBack bool `json:"looksBack,omitempty"`
	// VimChanges is set when a modification changes or adds a connection to an OpenStack.
	VimChanges bool `json:"vimChanges,omitempty"`
	// Registries is set when nodes are connected to registries of images: new ones, or in a modification all.
	Registries bool `json:"registries,omitempty"`
	// AskNodes is set when every node is asked whether it answers before any is changed. Modifications that were begun
	// before there was this step do not have it.
	AskNodes bool `json:"askNodes,omitempty"`
	// RegistryServer is set when the VNF is a registry of images that Windlass's own driver installs.
	RegistryServer bool `json:"registryServer,omitempty"`
	// Revocable is set when a heal deletes nothing before all new machines are there: it can be rolled back until then.
	Revocable bool `json:"revocable,omitempty"`
	// RegistryVolume is set when its images are on a volume.
	RegistryVolume bool `json:"registryVolume,omitempty"`
	// GivenPorts is set when a heal makes everything anew on ports that are given: they are looked at before anything
	// is deleted. Heals that were begun before there was this step do not have it.
	GivenPorts bool `json:"givenPorts,omitempty"`
}

// DescribeInput names the operation.
type DescribeInput struct {
	OpOccID lcm.OpOccID `json:"opOccId"`
}

// DescribeOperation reads what the operation is about. Idempotent: it only reads.
func (o *OpOccs) DescribeOperation(ctx context.Context, in DescribeInput) (out Description, err error) {
	defer func() { err = boundary(ctx, "read the operation", err) }()
	return o.Facts.Describe(ctx, in.OpOccID)
}

// RecordPlanInput lists the titles of the operation's steps in order.
type RecordPlanInput struct {
	OpOccID lcm.OpOccID `json:"opOccId"`
	Titles  []string    `json:"titles"`
}

// RecordPlan stores the steps that are to come. Idempotent: rows that exist are kept.
func (o *OpOccs) RecordPlan(ctx context.Context, in RecordPlanInput) (err error) {
	defer func() { err = boundary(ctx, "record the plan", err) }()
	plan := make([]lcm.Step, 0, len(in.Titles))
	for i, title := range in.Titles {
		plan = append(plan, lcm.Step{OpOccID: in.OpOccID, Index: i, Phase: lcm.PhaseForward, Title: title, State: lcm.StepPending})
	}
	return o.Records.RecordPlan(ctx, in.OpOccID, plan)
}

// RecordStateInput is a transition of an operation.
type RecordStateInput struct {
	OpOccID  lcm.OpOccID `json:"opOccId"`
	Sequence int64       `json:"sequence"`
	// Status is where the operation stands now.
	Status lcm.OperationStatus `json:"status"`
	// GrantID is set from the transition on that follows the grant.
	GrantID string `json:"grantId,omitempty"`
	// Outcome is what the operation has changed, where it stops: at COMPLETED, FAILED_TEMP and FAILED.
	Outcome *Outcome `json:"outcome,omitempty"`
}

// RecordState stores a transition, its event and, at COMPLETED, the VNF instance, in one transaction.
// Idempotent: a sequence number that was recorded already changes nothing.
func (o *OpOccs) RecordState(ctx context.Context, in RecordStateInput) (err error) {
	defer func() { err = boundary(ctx, "record the state", err) }()
	rec := lcm.OperationRecord{
		OpOccID: in.OpOccID, Sequence: in.Sequence, State: in.Status.State, Step: in.Status.Step, Error: in.Status.Error,
		IsCancelPending: in.Status.IsCancelPending, CancelMode: in.Status.CancelMode, ForwardOnly: in.Status.ForwardOnly, GrantID: in.GrantID,
	}
	if err := o.account(ctx, in, &rec); err != nil {
		return err
	}
	if err := o.grant(ctx, in, &rec); err != nil {
		return err
	}
	if err := o.Records.RecordOperation(ctx, rec); err != nil {
		return err
	}
	if in.Status.State.Terminal() { // join tokens and the like are of no use any more
		return o.Forget(ctx, string(operationRef(in.OpOccID, "")))
	}
	return nil
}

// RecordStepInput is a transition of one step, or of one node's part of it.
type RecordStepInput struct {
	Step lcm.Step `json:"step"`
}

// RecordStepsInput is some transitions of steps of one operation.
type RecordStepsInput []RecordStepInput

// RecordSteps stores transitions of steps. With the end of a step as a whole the parts of its nodes end, too: a worker
// that was killed, or that the database did not hear, has not told the end of its own. Idempotent: the store keeps the
// newest of each step.
func (o *OpOccs) RecordSteps(ctx context.Context, in RecordStepsInput) (err error) {
	defer func() { err = boundary(ctx, "record the steps", err) }()
	steps := make([]lcm.Step, 0, len(in))
	for _, r := range in {
		parts, err := o.partsLeft(ctx, r.Step)
		if err != nil {
			return err
		}
		steps = append(append(steps, r.Step), parts...)
	}
	return o.Records.RecordSteps(ctx, steps)
}

// partsLeft ends the parts that are recorded as running of a step that has ended.
func (o *OpOccs) partsLeft(ctx context.Context, whole lcm.Step) (ended []lcm.Step, err error) {
	if whole.Node != "" || whole.State == lcm.StepPending || whole.State == lcm.StepRunning {
		return nil, nil
	}
	steps, err := o.Records.Steps(ctx, whole.OpOccID)
	for _, part := range steps {
		if part.Index == whole.Index && part.Phase == whole.Phase && part.Node != "" && part.State == lcm.StepRunning {
			part.State, part.Ended, part.Error = whole.State, whole.Ended, whole.Error
			ended = append(ended, part)
		}
	}
	return ended, err
}

// InterruptSteps records that no step is under way any more, because the workflow that ran them is gone.
// Idempotent: a step that has ended stays as it is.
func (o *OpOccs) InterruptSteps(ctx context.Context, in DescribeInput) (err error) {
	defer func() { err = boundary(ctx, "record the steps", err) }()
	steps, err := o.Records.Steps(ctx, in.OpOccID)
	if err != nil {
		return err
	}
	for _, step := range steps {
		if step.State != lcm.StepRunning {
			continue
		}
		step.State = lcm.StepCancelled
		if err := o.Records.RecordStep(ctx, step); err != nil {
			return err
		}
	}
	return nil
}
