package activities

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// grant adds the document to the first record that follows the granting: that is when the operation leaves STARTING,
// before anything is touched.
func (o *OpOccs) grant(ctx context.Context, in RecordStateInput, rec *lcm.OperationRecord) error {
	if in.GrantID == "" || in.Status.State != lcm.Processing {
		return nil
	}
	opOcc, err := o.Records.Operation(ctx, in.OpOccID)
	if err != nil || opOcc.GrantID != "" { // kept already
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
