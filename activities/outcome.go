package activities

import (
	"context"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/record"
)

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
