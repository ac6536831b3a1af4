package activities

import (
	"context"

	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// BuiltInGrant is the id of the grant (SOL003 clause 9.4) that Windlass gives to its own operation when no
// NFVO is configured to be asked. It is derived from the operation's id, so that a replay makes the same.
func BuiltInGrant(id lcm.OpOccID) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte("windlass:grant:"+id)).String()
}

// grant adds the document to the first record that follows the granting: that is when the operation leaves STARTING, before
// anything is touched.
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
