package records

import (
	"context"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// CheckModificationInput names the operation.
type CheckModificationInput struct {
	activities.Tracked
	OpOccID lcm.OpOccID `json:"opOccId"`
}

// CheckModificationOutput is empty: the modifications are possible.
type CheckModificationOutput struct{}

// CheckModification checks that the modifications are possible: their package and their VIMs must exist.
// Idempotent: it only reads.
func (o *OpOccs) CheckModification(
	ctx context.Context, in CheckModificationInput,
) (out CheckModificationOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "check the modifications", err) }()
	_, _, err = o.Facts.Modified(ctx, in.OpOccID)
	return out, err
}
