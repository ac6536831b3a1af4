package records

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// grant adds the grant to the first record after the granting. At that time the operation leaves STARTING, before
// anything has changed.
func (o *OpOccs) grant(ctx context.Context, in RecordStateInput, rec *lcm.OperationRecord) error {
	if in.GrantID == "" || in.Status.State != lcm.Processing {
		return nil
	}
	opOcc, err := o.Records.Operation(ctx, in.OpOccID)
	if err != nil || opOcc.GrantID != "" { // stored already
		return err
	}
	granted, err := o.Facts.Grant(ctx, in.OpOccID)
	if err != nil {
		return err
	}
	granted.ID, granted.VnfInstanceID, granted.OpOccID = in.GrantID, opOcc.VnfInstanceID, in.OpOccID
	rec.Grant = &granted
	return nil
}
