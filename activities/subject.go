package activities

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// Subjective is the input of every activity: it names the subject of the activity. The worker's interceptor limits the
// activity to the subject's project. It does not run an activity without a subject.
type Subjective interface {
	Subject() lcm.Subject
}

// Subject is the operation that the step belongs to.
func (t Tracked) Subject() lcm.Subject { return lcm.Subject{OpOccID: t.Step.OpOccID} }

// Subject is the operation.
func (in DescribeInput) Subject() lcm.Subject { return lcm.Subject{OpOccID: in.OpOccID} }

// Subject is the operation.
func (in RecordPlanInput) Subject() lcm.Subject { return lcm.Subject{OpOccID: in.OpOccID} }

// Subject is the operation.
func (in RecordStateInput) Subject() lcm.Subject { return lcm.Subject{OpOccID: in.OpOccID} }

// Subject is the operation, the same for all steps.
func (in RecordStepsInput) Subject() lcm.Subject {
	if len(in) == 0 {
		return lcm.Subject{}
	}
	return lcm.Subject{OpOccID: in[0].Step.OpOccID}
}

// Subject is the VNF instance that is checked.
func (in LookForDriftInput) Subject() lcm.Subject {
	return lcm.Subject{VnfInstanceID: in.VnfInstanceID}
}

// Subject is the VNF instance that was checked.
func (in RecordDriftInput) Subject() lcm.Subject {
	return lcm.Subject{VnfInstanceID: in.VnfInstanceID}
}

// Subject is the VNF instance that was checked.
func (in ActOnDriftInput) Subject() lcm.Subject {
	return lcm.Subject{VnfInstanceID: in.VnfInstanceID}
}

// Subject is the subscription.
func (in NextNotificationInput) Subject() lcm.Subject {
	return lcm.Subject{SubscriptionID: in.SubscriptionID}
}

// Subject is the delivery; it belongs to its subscription's project.
func (in DeliveryInput) Subject() lcm.Subject { return lcm.Subject{DeliveryID: in.DeliveryID} }

// Subject is the package.
func (in FetchPackageInput) Subject() lcm.Subject { return lcm.Subject{VnfPkgID: in.VnfPkgID} }

// Subject is the package.
func (in GiveUpPackageInput) Subject() lcm.Subject { return lcm.Subject{VnfPkgID: in.VnfPkgID} }

// Failed returns the error of an activity that could not be run, in the same form as the activity's own errors.
func Failed(ctx context.Context, op string, err error) error { return boundary(ctx, op, err) }
