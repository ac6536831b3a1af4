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

// Failed returns the error of an activity that could not be run, in the same form as the activity's own errors.
func Failed(ctx context.Context, op string, err error) error { return Boundary(ctx, op, err) }
