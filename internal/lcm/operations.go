package lcm

// Operation is the kind of a lifecycle operation (SOL003 clause 5.5.4.5 LcmOperationType).
type Operation string

// The operations of SOL003 that Windlass carries out.
const (
	OpInstantiate   Operation = "INSTANTIATE"
	OpScale         Operation = "SCALE"
	OpScaleToLevel  Operation = "SCALE_TO_LEVEL"
	OpHeal          Operation = "HEAL"
	OpModifyInfo    Operation = "MODIFY_INFO"
	OpOperate       Operation = "OPERATE"
	OpChangeExtConn Operation = "CHANGE_EXT_CONN"
	OpChangeVnfPkg  Operation = "CHANGE_VNFPKG"
	OpChangeFlavour Operation = "CHANGE_FLAVOUR"
	OpTerminate     Operation = "TERMINATE"
)

// OperationType is a row of the table of operations: what is true of every operation of that kind.
type OperationType struct {
	Name Operation
	// Title names the operation for people.
	Title string
	// Since is the first version of /vnflcm that has the operation.
	Since int
	// Task is the end of the path of its task resource below a VNF instance, and Link the name of that resource in the
	// instance's _links, "" if the standard has none. Both are "" for a MODIFY_INFO: it is a PATCH of the instance.
	Task, Link string
	// Workflow carries the operation out. It is "" if no VNF supports the operation: then Lacks says what VNFs lack.
	Workflow WorkflowName
	Lacks    string
	// Needs is the state that the VNF instance must have, "" for any. Started is set if a stopped VNF must be started
	// first, Scaling if the VNF must have a scaling aspect.
	Needs            InstantiationState
	Started, Scaling bool
	// Granted is set if the operation needs a grant. If not, it begins in PROCESSING (SOL003 clause 5.4.3.3.4).
	Granted bool
	// RollsBack is set if the operation has a rollback task at all (SOL003 clause 5.4.15 requires it for InstantiateVnf
	// at least).
	RollsBack bool
	// Repackages is set if the VNF gets another package: then the request may bring files, and what changes is told as a
	// consequence of the package (modificationsTriggeredByVnfPkgChange of SOL003 v3.3.1 clause 5.5.2.13).
	Repackages bool
	// Hooks are the operation's names in the Vnflcm interface of SOL001 (clause 6.7) and of Tacker's v2, without their
	// ends _start and _end. If a VNFD has no hook of the first name, its hook of the next one runs.
	Hooks []string
}

// Operations is the table of all operations of the standard, in the order of SOL003 clause 5.5.4.5.
var Operations = [...]OperationType{
	{
		Name: OpInstantiate, Title: "Instantiate", Since: 1, Task: "instantiate", Link: "instantiate",
		Workflow: WorkflowInstantiate, Needs: NotInstantiated, Granted: true, RollsBack: true,
		Hooks: []string{"instantiate"},
	},
	{
		Name: OpScale, Title: "Scale", Since: 1, Task: "scale", Link: "scale", Workflow: WorkflowScale,
		Needs: Instantiated, Started: true, Scaling: true, Granted: true, RollsBack: true,
		Hooks: []string{"scale"},
	},
	{
		Name: OpScaleToLevel, Title: "Scale to level", Since: 1, Task: "scale_to_level", Link: "scaleToLevel",
		Workflow: WorkflowScale, Needs: Instantiated, Started: true, Scaling: true, Granted: true, RollsBack: true,
		Hooks: []string{"scale_to_level", "scale"},
	},
	{
		Name: OpChangeFlavour, Title: "Change flavour", Since: 1, Task: "change_flavour", Link: "changeFlavour",
		Workflow: WorkflowChangeFlavour, Needs: Instantiated, Started: true, Granted: true, RollsBack: true,
		Hooks: []string{"change_flavour"},
	},
	{
		// A TERMINATE only goes forward: deleted servers do not come back, so it is retried until it is done, or declared
		// failed. The other operations can roll back until they delete a server.
		Name: OpTerminate, Title: "Terminate", Since: 1, Task: "terminate", Link: "terminate",
		Workflow: WorkflowTerminate, Needs: Instantiated, Granted: true,
		Hooks: []string{"terminate"},
	},
	{
		Name: OpHeal, Title: "Heal", Since: 1, Task: "heal", Link: "heal", Workflow: WorkflowHeal,
		Needs: Instantiated, Started: true, Granted: true, RollsBack: true,
		Hooks: []string{"heal"},
	},
	{
		Name: OpOperate, Title: "Start or stop", Since: 1, Task: "operate", Link: "operate", Workflow: WorkflowOperate,
		Needs: Instantiated, Granted: true, RollsBack: true,
		Hooks: []string{"operate"},
	},
	{
		Name: OpChangeExtConn, Title: "Change connectivity", Since: 1, Task: "change_ext_conn", Link: "changeExtConn",
		Workflow: WorkflowChangeExtConn, Needs: Instantiated, Granted: true, RollsBack: true,
		Hooks: []string{"change_external_connectivity"},
	},
	{
		Name: OpModifyInfo, Title: "Modify", Since: 1, Workflow: WorkflowModifyInfo, RollsBack: true,
		Hooks: []string{"modify_information"},
	},
	{Name: "CREATE_SNAPSHOT", Since: 2, Task: "create_snapshot", Lacks: "snapshots"},
	{Name: "REVERT_TO_SNAPSHOT", Since: 2, Task: "revert_to_snapshot", Lacks: "snapshots"},
	{
		Name: OpChangeVnfPkg, Title: "Change package", Since: 2, Task: "change_vnfpkg", Workflow: WorkflowChangeVnfPkg,
		Needs: Instantiated, Started: true, Granted: true, RollsBack: true, Repackages: true,
		Hooks: []string{"change_current_package"},
	},
}

// Supported tells whether VNFs can support the operation.
func (t OperationType) Supported() bool { return t.Workflow != "" }

// Type is the row of the operation, or a zero value for a text that is no operation.
func (o Operation) Type() OperationType {
	for _, t := range Operations {
		if t.Name == o {
			return t
		}
	}
	return OperationType{}
}

// CanRollBack reports whether the operation has a rollback task at all.
func (o Operation) CanRollBack() bool { return o.Type().RollsBack }

// Makes reports whether the operation makes the VNF: an INSTANTIATE.
func (o Operation) Makes() bool { return o.Type().Needs == NotInstantiated }

// Scales reports whether the operation changes the numbers of VNFCs: a SCALE or a SCALE_TO_LEVEL.
func (o Operation) Scales() bool { return o.Type().Scaling }

// FirstState is the state in which the operation begins. An operation that is refused before it touched anything goes
// from its first state to ROLLED_BACK.
func (o Operation) FirstState() OperationState {
	if o.Type().Granted {
		return Starting
	}
	return Processing
}

// OperationNames are the names of the operations that a version of /vnflcm has, supported or not.
func OperationNames(version int) (names []string) {
	for _, t := range Operations {
		if t.Since <= version {
			names = append(names, string(t.Name))
		}
	}
	return names
}

// SupportedOperations are the operations that VNFs can support.
func SupportedOperations() (out []Operation) {
	for _, t := range Operations {
		if t.Supported() {
			out = append(out, t.Name)
		}
	}
	return out
}

// TaskOperations are the names of the supported operations that begin at a task resource.
func TaskOperations() (names []string) {
	for _, t := range Operations {
		if t.Supported() && t.Task != "" {
			names = append(names, string(t.Name))
		}
	}
	return names
}

// Operation implements Request.
func (InstantiateRequest) Operation() Operation { return OpInstantiate }

// Operation implements Request.
func (ScaleRequest) Operation() Operation { return OpScale }

// Operation implements Request.
func (ScaleToLevelRequest) Operation() Operation { return OpScaleToLevel }

// Operation implements Request.
func (HealRequest) Operation() Operation { return OpHeal }

// Operation implements Request.
func (ModifyRequest) Operation() Operation { return OpModifyInfo }

// Operation implements Request.
func (OperateRequest) Operation() Operation { return OpOperate }

// Operation implements Request.
func (ChangeExtConnRequest) Operation() Operation { return OpChangeExtConn }

// Operation implements Request.
func (ChangeVnfPkgRequest) Operation() Operation { return OpChangeVnfPkg }

// Operation implements Request.
func (ChangeFlavourRequest) Operation() Operation { return OpChangeFlavour }

// Operation implements Request.
func (TerminateRequest) Operation() Operation { return OpTerminate }
