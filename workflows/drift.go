package workflows

import (
	"slices"
	"strconv"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/windlass-nfv/windlass/activities/driftcheck"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

const (
	// secondLook is the pause before the next check after a notification. It is long enough for a restart of kubelet to
	// pass.
	secondLook = 10 * time.Second
	// firstPause to longestPause are the pauses between two looks whether an operation has ended.
	firstPause   = 5 * time.Second
	longestPause = time.Minute
	// manyRounds is the number of looks after which the history begins anew: an operation may wait for a person for days.
	manyRounds = 200
	// longHistory is the number of events after which the history begins anew, too. Each notification is one event, and
	// brings others. Temporal warns of a workflow with 10,240 events, and ends one with 51,200.
	longHistory = 4000
	// driftHistoryBound is the change since which the length of the history counts.
	driftHistoryBound = "drift-history-bound"
	// manyFailures is how many looks in a row may fail before a notification is given up: about half an hour.
	manyFailures = 30
)

// CheckDrift checks a VNF instance once, and begins the heal that its policy asks for. It is short: a schedule starts
// the next check as another run.
//
// A check by notification is patient. It waits until no operation is under way. It looks as often as the policy wants
// checks to agree. It looks again when another notification has come meanwhile, so that none is lost.
func CheckDrift(ctx workflow.Context, in lcm.DriftInput) error {
	c := &driftCheck{in: in, signals: workflow.GetSignalChannel(ctx, lcm.SignalServerNotified), pause: firstPause}
	for again := true; again; {
		c.takeNotifications()
		var err error
		if again, err = c.round(ctx); err != nil {
			if again, err = c.bear(ctx, err); err != nil {
				return err
			}
		}
		again = again || c.signals.Len() > 0
		if again && (c.rounds >= manyRounds || c.isLong(ctx)) {
			c.takeNotifications()
			return workflow.NewContinueAsNewError(ctx, string(lcm.WorkflowDrift), c.in)
		}
	}
	return nil
}

// isLong tells whether the history should begin anew because of its length.
func (c *driftCheck) isLong(ctx workflow.Context) bool {
	info := workflow.GetInfo(ctx)
	if info.GetCurrentHistoryLength() < longHistory && !info.GetContinueAsNewSuggested() {
		return false
	}
	return workflow.GetVersion(ctx, driftHistoryBound, workflow.DefaultVersion, 1) > workflow.DefaultVersion
}

type driftCheck struct {
	in      lcm.DriftInput
	signals workflow.ReceiveChannel
	rounds  int
	looks   int // looks that led to a decision
	pause   time.Duration
	// failures counts failed looks since the last look that led to a decision.
	failures int
}

// bear waits after a failed look: a notification must not be lost because a database is away.
func (c *driftCheck) bear(ctx workflow.Context, cause error) (again bool, err error) {
	c.failures++
	if c.in.Trigger != lcm.DriftByNotification || isCancelled(cause) || c.failures >= manyFailures {
		return false, cause
	}
	workflow.GetLogger(ctx).Warn("Check for drift failed; it is made again.", "error", cause)
	return c.awaitTurn(ctx)
}

// takeNotifications takes the notifications that have come.
func (c *driftCheck) takeNotifications() {
	for {
		var server string
		if !c.signals.ReceiveAsync(&server) {
			return
		}
		if !slices.Contains(c.in.Servers, server) {
			c.in.Servers = append(c.in.Servers, server)
		}
		c.looks = 0
	}
}

// round is one look and what follows. again tells that there must be another one.
func (c *driftCheck) round(ctx workflow.Context) (again bool, err error) {
	c.rounds++
	var seen driftcheck.LookForDriftOutput
	err = workflow.ExecuteActivity(looking(ctx), act.drift.LookForDrift,
		driftcheck.LookForDriftInput{VnfInstanceID: c.in.VnfInstanceID, Trigger: c.in.Trigger}).Get(ctx, &seen)
	switch {
	case err != nil || seen.Gone:
		return false, err
	case seen.Busy != "":
		return c.awaitTurn(ctx)
	}
	c.pause = firstPause
	report := lcm.DriftReport{
		ID: workflow.GetInfo(ctx).WorkflowExecution.RunID + "-" + strconv.Itoa(c.rounds), Trigger: c.in.Trigger,
		CheckedAt: workflow.Now(ctx).UTC(), Findings: seen.Findings, VirtualIPHolder: seen.VirtualIPHolder,
	}
	err = workflow.ExecuteActivity(short(ctx), act.drift.RecordDrift, driftcheck.RecordDriftInput{
		VnfInstanceID: c.in.VnfInstanceID, Report: report, Notified: c.in.Servers,
	}).Get(ctx, &report)
	if err != nil {
		return false, err
	}
	var follows driftcheck.ActOnDriftOutput
	err = workflow.ExecuteActivity(short(ctx), act.drift.ActOnDrift, driftcheck.ActOnDriftInput{
		VnfInstanceID: c.in.VnfInstanceID, Report: report, Health: seen.Health,
	}).Get(ctx, &follows)
	switch {
	case err != nil:
		return false, err
	case follows.Busy:
		return c.awaitTurn(ctx)
	}
	c.looks++
	c.failures = 0
	if c.in.Trigger != lcm.DriftByNotification || follows.Decision.Action != lcm.DriftWaits ||
		c.looks >= follows.Agreeing {
		c.in.Servers = nil // the check has looked at them
		return false, nil
	}
	return true, workflow.Sleep(ctx, secondLook)
}

// awaitTurn waits a while when an operation is under way, but only for a notification.
func (c *driftCheck) awaitTurn(ctx workflow.Context) (again bool, err error) {
	if c.in.Trigger != lcm.DriftByNotification {
		return false, nil
	}
	err = workflow.Sleep(ctx, c.pause)
	c.pause = min(2*c.pause, longestPause)
	return true, err
}

// looking is for one look at a whole VNF. It does not retry for long: the next check is better.
func looking(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: 10 * time.Minute, HeartbeatTimeout: beat,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, MaximumInterval: 20 * time.Second, MaximumAttempts: 5,
		},
	})
}
