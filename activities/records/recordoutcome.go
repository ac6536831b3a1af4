package records

import (
	"context"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/record"
)

// account adds to rec what the operation has changed so far (resourceChanges, SOL003 clause 5.5.2.13). It adds the
// present VNF instance, too, if the operation is completed or its result was read back from the VIM. An operation that
// stops before it has changed a VM leaves the record as it is. A rolled-back operation has changed nothing.
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
	if err != nil || opOcc.Sequence >= in.Sequence { // already stored, nothing to compute
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

// take puts the operation's result into inst and, for a completed operation, its other changes.
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

// addDefinitions adds the grant's definitions to the changes. If the definitions are not available now, e.g. because
// the VIM is gone, the state is stored without them.
func (o *OpOccs) addDefinitions(
	ctx context.Context, id lcm.OpOccID, rec *lcm.OperationRecord, after *lcm.InstantiatedVnfInfo,
) {
	if granted, err := o.Facts.Grant(ctx, id); err == nil {
		addDefinitions(rec.ResourceChanges, granted, orEmpty(after))
	}
}

// operate adds the switched VNFCs to rec. The instance is updated even if the operation is given up: a deliberately
// stopped VNFC must not look broken.
func operate(inst lcm.VnfInstance, done record.Operated, state lcm.OperationState, rec *lcm.OperationRecord) error {
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

// empty resets inst to its state before the instantiation.
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
