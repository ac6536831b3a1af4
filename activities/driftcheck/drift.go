// Package driftcheck has the activities that compare a VNF with its record. It only reads, except for the record.
package driftcheck

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/drift"
	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/requests"
)

// DriftRecords stores the checks of VNF instances.
type DriftRecords interface {
	Instance(ctx context.Context, id lcm.VnfInstanceID) (lcm.VnfInstance, error)
	Operation(ctx context.Context, id lcm.OpOccID) (lcm.VnfLcmOpOcc, error)
	// CheckIdle returns a Conflict that names the running operation of the instance, if any.
	CheckIdle(ctx context.Context, id lcm.VnfInstanceID) error
	Drift(ctx context.Context, id lcm.VnfInstanceID) (lcm.Drift, error)
	// UpdateInstance writes an instance. It returns a Conflict when the stored instance has changed since it was read.
	UpdateInstance(ctx context.Context, inst lcm.VnfInstance) error
	// ForgetNotified deletes the notified servers of an instance. Later notifications do not belong to this look.
	ForgetNotified(ctx context.Context, id lcm.VnfInstanceID, servers ...string) error
	RecordDrift(ctx context.Context, id lcm.VnfInstanceID, report lcm.DriftReport, notified []string) (lcm.DriftReport,
		error)
	DecideDrift(ctx context.Context, id lcm.VnfInstanceID, report string, decision lcm.DriftDecision) error
	RecentAutomaticHeals(ctx context.Context, id lcm.VnfInstanceID, period time.Duration) (int, error)
	BeginOperation(ctx context.Context, op lcm.VnfLcmOpOcc, vims ...lcm.VimConnectionInfo) error
}

// DriftMetrics counts checks and heals.
type DriftMetrics interface {
	Checked(trigger lcm.DriftTrigger, result string)
	Healed()
}

// Drift compares VNFs with their intended state, and heals them when their policies say so.
type Drift struct {
	Sites   Sites
	Records DriftRecords
	Starter activities.Starter
	Metrics DriftMetrics // nil: nothing is counted
}

// RecordDriftInput is the result of a check.
type RecordDriftInput struct {
	VnfInstanceID lcm.VnfInstanceID `json:"vnfInstanceId"`
	Report        lcm.DriftReport   `json:"report"`
	// Notified are servers that a notification has reported as out of order.
	Notified []string `json:"notified,omitempty"`
}

// RecordDrift stores the report of a check.
//
// Idempotent: it does not count a recorded check twice.
func (d *Drift) RecordDrift(ctx context.Context, in RecordDriftInput) (out lcm.DriftReport, err error) {
	defer func() { err = activities.Boundary(ctx, "record the check for drift", err) }()
	if out, err = d.Records.RecordDrift(ctx, in.VnfInstanceID, in.Report, in.Notified); err == nil {
		d.count(in.Report.Trigger, "done")
	}
	return out, err
}

func (d *Drift) count(trigger lcm.DriftTrigger, result string) {
	if d.Metrics != nil {
		d.Metrics.Checked(trigger, result)
	}
}

// ActOnDriftInput is a recorded check, with its other observations.
type ActOnDriftInput struct {
	VnfInstanceID lcm.VnfInstanceID               `json:"vnfInstanceId"`
	Report        lcm.DriftReport                 `json:"report"`
	Health        kubecluster.ClusterHealthOutput `json:"health"`
}

// ActOnDriftOutput is the decision after a check.
type ActOnDriftOutput struct {
	Decision lcm.DriftDecision `json:"decision"`
	// Busy is set when an operation is running, so that no decision is possible.
	Busy bool `json:"busy,omitempty"`
	// Agreeing is the policy's number of checks that must agree.
	Agreeing int `json:"agreeing,omitempty"`
}

// ActOnDrift decides what to do after a check and begins the heal that is due. The heal is an operation of its own with
// isAutomaticInvocation, as if a client had requested it.
//
// Idempotent: the heal's id derives from the check's id, so a second run finds the first run's heal. If a heal could
// not be started, the reconciler of the API server starts it.
func (d *Drift) ActOnDrift(ctx context.Context, in ActOnDriftInput) (out ActOnDriftOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "decide about drift", err) }()
	have, err := d.Records.Drift(ctx, in.VnfInstanceID)
	if err != nil {
		return out, err
	}
	out.Agreeing = have.Policy.AgreeingChecks
	id := lcm.OpOccID(uuid.NewSHA1(uuid.NameSpaceURL,
		[]byte("windlass:drift:"+string(in.VnfInstanceID)+":"+in.Report.ID)).String())
	opOcc, err := d.Records.Operation(ctx, id)
	switch {
	case err == nil: // an earlier run of this activity has begun it
		out.Decision, err = decisionOf(opOcc)
	case lcm.Is(err, lcm.KindNotFound):
		out.Decision, out.Busy, err = d.decide(ctx, in, have.Policy, id)
	}
	if err != nil {
		return out, err
	}
	return out, d.Records.DecideDrift(ctx, in.VnfInstanceID, in.Report.ID, out.Decision)
}

func (d *Drift) decide(
	ctx context.Context, in ActOnDriftInput, policy lcm.DriftPolicy, id lcm.OpOccID,
) (decision lcm.DriftDecision, busy bool, err error) {
	site, err := d.Sites.Site(ctx, in.VnfInstanceID)
	if err != nil {
		return decision, false, err
	}
	recent, err := d.Records.RecentAutomaticHeals(ctx, in.VnfInstanceID, reach.Seconds(policy.MaxHealsPeriod))
	if err != nil {
		return decision, false, err
	}
	nodes := site.nodes()
	decision = drift.Decide(in.Report.Findings, drift.Situation{
		Policy: policy, Nodes: nodes, Recent: recent,
		Refusal: func(vnfcs []string) string { return refusal(site, in.Health, vnfcs) },
	})
	if decision.Action != lcm.DriftHeals {
		return decision, false, nil
	}
	opOcc, err := healOf(in.VnfInstanceID, id, decision)
	if err != nil {
		return decision, false, err
	}
	opOcc.RegistersVim = driver.VimName(in.VnfInstanceID, site.Drivers)
	if err := d.Records.BeginOperation(ctx, opOcc); err != nil {
		if !lcm.Is(err, lcm.KindConflict) {
			return decision, false, err
		}
		return lcm.DriftDecision{Action: lcm.DriftWaits, Reason: lcm.Sentence(err)}, true, nil
	}
	if d.Metrics != nil {
		d.Metrics.Healed()
	}
	decision.OpOccID = id
	if d.Starter != nil { // the reconciler starts what is not started here
		_ = d.Starter.Start(ctx, opOcc.Input())
	}
	return decision, false, nil
}

// refusal says why these VNFCs cannot be healed together, with the same error as the heal itself.
func refusal(site Site, health kubecluster.ClusterHealthOutput, vnfcs []string) string {
	unhealthy := map[string]string{}
	for _, n := range health.Unhealthy() {
		unhealthy[n.Node] = n.Why
	}
	if err := site.PlanHeal(vnfcs, unhealthy); err != nil {
		return lcm.Sentence(err)
	}
	leaving := site.nodes().On(site.serversOf(vnfcs)).With(lcm.ControlPlane)
	if len(leaving) == 0 {
		return ""
	}
	return health.Refusal(leaving)
}

// healOf is the heal, as if a client had asked for it.
func healOf(inst lcm.VnfInstanceID, id lcm.OpOccID, decision lcm.DriftDecision) (lcm.VnfLcmOpOcc, error) {
	request := lcm.HealRequest{VnfcInstanceID: decision.VnfcInstanceIDs, Cause: "drift: " + decision.Reason}
	op := lcm.VnfLcmOpOcc{
		ID: id, VnfInstanceID: inst, Operation: lcm.OpHeal, State: lcm.Starting, IsAutomaticInvocation: true, APIVersion: 1,
	}
	var err error
	if op.Request, err = requests.ToStore(request); err != nil {
		return op, err
	}
	op.Params, err = json.Marshal(request) // its members are those of the standard
	return op, err
}

// decisionOf reads the decision from the heal that this decision has begun.
func decisionOf(opOcc lcm.VnfLcmOpOcc) (lcm.DriftDecision, error) {
	own, err := requests.Of(opOcc)
	if err != nil {
		return lcm.DriftDecision{}, err
	}
	request, err := lcm.RequestAs[lcm.HealRequest](own)
	if err != nil {
		return lcm.DriftDecision{}, err
	}
	reason := request.Cause
	if len(reason) > len("drift: ") {
		reason = reason[len("drift: "):]
	}
	return lcm.DriftDecision{
		Action: lcm.DriftHeals, Reason: reason, VnfcInstanceIDs: request.VnfcInstanceID, OpOccID: opOcc.ID,
	}, nil
}

// Subject is the VNF instance that was checked.
func (in RecordDriftInput) Subject() lcm.Subject {
	return lcm.Subject{VnfInstanceID: in.VnfInstanceID}
}

// Subject is the VNF instance that was checked.
func (in ActOnDriftInput) Subject() lcm.Subject {
	return lcm.Subject{VnfInstanceID: in.VnfInstanceID}
}
