package activities

import (
	"context"
	"slices"
	"time"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Outcome is what a completed operation leaves: ids and addresses, no parameter.
type Outcome struct {
	// Terminated empties the instance; the other members are unset then.
	Terminated bool `json:"terminated,omitempty"`
	// Modified makes the modifications of a MODIFY_INFO; the other members are unset then.
	Modified bool `json:"modified,omitempty"`
	// Operated is what an OPERATE has done so far; the other members are unset then.
	Operated *Operated `json:"operated,omitempty"`
	// Restored is set where a rollback has made resources of the VNF anew, and the rest is what exists after it.
	Restored bool `json:"restored,omitempty"`
	// Left is set where an operation was given up, and the rest is what exists after it.
	Left bool `json:"left,omitempty"`
	// Moved are the connection points that a CHANGE_EXT_CONN that was given up has connected.
	Moved        []string `json:"moved,omitempty"`
	DeploymentID string   `json:"stackId,omitempty"`
	Vnfcs        []Vnfc   `json:"vnfcs,omitempty"`
	// Networks are those of the deployment; nil where an older worker has looked.
	Networks []Network `json:"networks,omitempty"`
	Nodes    lcm.Nodes `json:"nodes,omitempty"`
	// Storage is the storage server of a cluster that has one.
	Storage *lcm.StorageServer `json:"storage,omitempty"`
	// Registry is how clusters connect to a VNF that is a registry of images, nil where this operation has not found it
	// out.
	Registry *k8s.PrivateRegistry `json:"registry,omitempty"`
	// ClusterVimID is the VIM that the new cluster is registered as.
	ClusterVimID lcm.VimID `json:"clusterVimId,omitempty"`
}

// Operated are the VNFCs that were started or stopped, and those whose nodes were drained for it.
type Operated struct {
	ChangeStateTo lcm.VnfState `json:"changeStateTo"`
	Vnfcs         []string     `json:"vnfcs,omitempty"`
	Cordoned      []string     `json:"cordoned,omitempty"`
}

// Vnfc is one VM of the VNF.
type Vnfc struct {
	VduID    string `json:"vduId"`
	ServerID string `json:"serverId"`
	// Zone is the VM's availability zone.
	Zone string `json:"zone,omitempty"`
	// Part and ParentResource tell where the VIM keeps it; "" for a VM of the deployment itself.
	Part           string   `json:"stackId,omitempty"`
	ParentResource string   `json:"parentResource,omitempty"`
	VolumeIDs      []string `json:"volumeIds,omitempty"`
	// Attached are the volumes and ports of the deployment that the VM has.
	Attached []Attached `json:"attached,omitempty"`
	// Created is when the VIM made it.
	Created time.Time `json:"created,omitzero"`
	// VimType is the VIM's word for it (vimLevelResourceType).
	VimType string `json:"vimType,omitempty"`
}

// Attached is a volume or a port of a VM.
type Attached struct {
	Type string `json:"type"` // lcm.GrantStorage or lcm.GrantLinkPort
	// Resource is its name in the template, "" for a volume that the VIM has made itself.
	Resource string `json:"resource,omitempty"`
	ID       string `json:"id"`
	VimType  string `json:"vimType,omitempty"`
	// Of a port: the addresses that it has.
	MAC       string        `json:"mac,omitempty"`
	Addresses []lcm.FixedIP `json:"addresses,omitempty"`
}

// Network is a network that the deployment has made.
type Network struct {
	// Resource is its name in the template.
	Resource string `json:"resource"`
	ID       string `json:"id"`
	// Part tells where the VIM keeps it; "" for one of the deployment itself.
	Part    string `json:"stackId,omitempty"`
	VimType string `json:"vimType,omitempty"`
}

// account adds to rec what the operation has changed so far (resourceChanges, SOL003 clause 5.5.2.13) and, when it is
// completed or has been looked back at, the VNF instance as it is now. An operation that stops before it has touched a
// VM leaves what was recorded as it is; one that is rolled back has changed nothing.
func (o *OpOccs) account(ctx context.Context, in RecordStateInput, rec *lcm.OperationRecord) error {
	if in.Status.State == lcm.RolledBack {
		rec.ResourceChanges = &lcm.ResourceChanges{}
	}
	restored := in.Status.State == lcm.RolledBack && in.Outcome != nil && in.Outcome.Restored
	over := restored || in.Status.State == lcm.Completed || in.Status.State == lcm.Failed && in.Outcome != nil &&
		in.Outcome.Left
	if in.Outcome == nil || (!over && !in.Outcome.Terminated && in.Outcome.Operated == nil && len(in.Outcome.Vnfcs) == 0) {
		return nil
	}
	opOcc, err := o.Records.Operation(ctx, in.OpOccID)
	if err != nil || opOcc.Sequence >= in.Sequence { // recorded already: nothing to compute anew
		return err
	}
	if in.Outcome.Modified {
		return o.modify(ctx, in, rec)
	}
	inst, err := o.Records.Instance(ctx, opOcc.VnfInstanceID)
	if err != nil {
		return err
	}
	before := inst.Instantiated
	if in.Outcome.Operated != nil {
		if err := operate(inst, *in.Outcome.Operated, in.Status.State, rec); err != nil {
			return err
		}
		o.addDefinitions(ctx, in.OpOccID, rec, nil)
		return nil
	}
	if in.Outcome.Terminated {
		empty(&inst)
	} else if err := o.take(ctx, in, &inst, rec); err != nil {
		return err
	}
	rec.ResourceChanges = lcm.ChangesOf(before, inst.Instantiated)
	o.addDefinitions(ctx, in.OpOccID, rec, inst.Instantiated)
	if over {
		rec.Instance = &inst
	}
	return nil
}

// take gives inst what the operation has made and, when it is complete, what it changes beside.
func (o *OpOccs) take(ctx context.Context, in RecordStateInput, inst *lcm.VnfInstance, rec *lcm.OperationRecord) error {
	first := inst.Instantiated == nil
	made, err := o.Facts.Instantiated(ctx, in.OpOccID, *in.Outcome)
	if err != nil {
		return err
	}
	inst.InstantiationState, inst.Instantiated, inst.VimConnections = lcm.Instantiated, &made.Info, made.VimConnections
	inst.Extensions, inst.ConfigurableProperties = made.Extensions, made.ConfigurableProperties
	if in.Status.State != lcm.Completed {
		return nil
	}
	rec.ChangedInfo = made.ChangedInfo
	if made.Package != nil {
		inst.Take(*made.Package)
	}
	if made.Followed && first {
		policy := lcm.DefaultDriftPolicy()
		policy.Check = true
		rec.DriftPolicy = &policy
	}
	return nil
}

// addDefinitions adds to changes what they are in the grant. Where that cannot be told now, e.g. because its VIM has
// gone, the state is recorded without.
func (o *OpOccs) addDefinitions(
	ctx context.Context, id lcm.OpOccID, rec *lcm.OperationRecord, after *lcm.InstantiatedVnfInfo,
) {
	if granted, err := o.Facts.Grant(ctx, id); err == nil {
		addDefinitions(rec.ResourceChanges, granted, orEmpty(after))
	}
}

// operate adds to rec which VNFCs were switched. The instance has it also when the operation is given up: what was
// stopped on purpose must not be taken for broken.
func operate(inst lcm.VnfInstance, done Operated, state lcm.OperationState, rec *lcm.OperationRecord) error {
	if inst.Instantiated == nil {
		return lcm.Errorf(lcm.KindConflict, "The VNF instance %s is not instantiated any more.", inst.ID)
	}
	rec.ResourceChanges = &lcm.ResourceChanges{}
	for _, v := range inst.Instantiated.VnfcResources {
		if slices.Contains(done.Vnfcs, v.ID) {
			rec.ResourceChanges.AffectedVnfcs = append(rec.ResourceChanges.AffectedVnfcs, v.Affected(lcm.ChangeModified))
		}
	}
	if state == lcm.Completed || state == lcm.Failed {
		info := *inst.Instantiated
		info.Switch(done.ChangeStateTo, done.Vnfcs, done.Cordoned)
		inst.Instantiated = &info
		rec.Instance = &inst
	}
	return nil
}

// modify adds to rec the VNF instance with the modifications made.
func (o *OpOccs) modify(ctx context.Context, in RecordStateInput, rec *lcm.OperationRecord) error {
	inst, done, err := o.Facts.Modified(ctx, in.OpOccID)
	rec.Instance, rec.ChangedInfo = &inst, &done
	return err
}

// empty makes inst what it was before it was instantiated.
func empty(inst *lcm.VnfInstance) {
	inst.VimConnections = slices.DeleteFunc(slices.Clone(inst.VimConnections), func(c lcm.VimConnectionInfo) bool {
		return inst.Instantiated != nil && inst.Instantiated.ClusterVimID != "" && c.VimID == inst.Instantiated.ClusterVimID
	})
	inst.InstantiationState, inst.Instantiated = lcm.NotInstantiated, nil
}

func orEmpty(info *lcm.InstantiatedVnfInfo) lcm.InstantiatedVnfInfo {
	if info == nil {
		return lcm.InstantiatedVnfInfo{}
	}
	return *info
}
