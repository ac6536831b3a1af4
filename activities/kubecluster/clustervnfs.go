package kubecluster

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/requests"
)

// ClusterVnfRecords stores the VNFs on a cluster, and their operations.
type ClusterVnfRecords interface {
	VimUsers(ctx context.Context, id lcm.VimID) ([]lcm.VnfInstanceID, error)
	Instance(ctx context.Context, id lcm.VnfInstanceID) (lcm.VnfInstance, error)
	Operation(ctx context.Context, id lcm.OpOccID) (lcm.VnfLcmOpOcc, error)
	BeginOperation(ctx context.Context, op lcm.VnfLcmOpOcc, vims ...lcm.VimConnectionInfo) error
	// ReleaseVim removes the VIM from the connections of an instance that is not instantiated. It is a Conflict if the
	// instance is instantiated, or if an operation may instantiate it.
	ReleaseVim(ctx context.Context, vim lcm.VimID, of lcm.VnfInstanceID) error
}

// ClusterVnfs terminates the VNFs on a cluster before the cluster's own termination.
type ClusterVnfs struct {
	Records ClusterVnfRecords
	Starter activities.Starter // nil: the reconciler of the API server starts the operations
	Output  activities.Output
}

// TerminateVnfsInput is the termination of the cluster.
type TerminateVnfsInput struct {
	activities.Tracked
	OpOccID       lcm.OpOccID       `json:"opOccId"`
	VnfInstanceID lcm.VnfInstanceID `json:"vnfInstanceId"`
}

// TerminateVnfsOutput is empty.
type TerminateVnfsOutput struct{}

// TerminateVnfs begins a TERMINATE of each VNF on the cluster, with the terminationType of the cluster, and waits for
// all of them. A VNF that is not instantiated has no resources there. All VNFs lose their connection to the cluster.
//
// Idempotent: the ids of the operations derive from the cluster's operation, so another run waits for the same
// operations. It begins a FAILED or rolled-back termination again; an operator must decide about an operation in
// FAILED_TEMP. Takes as long as the VNFs do, so it heartbeats. A cancel only ends the waiting.
func (c *ClusterVnfs) TerminateVnfs(ctx context.Context, in TerminateVnfsInput) (out TerminateVnfsOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "terminate the VNFs on the cluster", err) }()
	defer activities.Heartbeat(ctx)()
	vim := ClusterVimID(in.VnfInstanceID)
	users, err := c.Records.VimUsers(ctx, vim)
	if err != nil {
		return out, err
	}
	users = slices.DeleteFunc(users, func(id lcm.VnfInstanceID) bool { return id == in.VnfInstanceID })
	e := ending{ClusterVnfs: c, in: in, show: c.Output.Lines(ctx, in.Step)}
	for _, id := range users {
		if err := e.begin(ctx, id); err != nil {
			return out, err
		}
	}
	if err := e.await(ctx); err != nil {
		return out, err
	}
	for _, id := range users {
		if err := c.Records.ReleaseVim(ctx, vim, id); err != nil {
			return out, err
		}
	}
	return out, nil
}

// ending is one run of the activity.
type ending struct {
	*ClusterVnfs

	in    TerminateVnfsInput
	show  func(string)
	begun []lcm.VnfLcmOpOcc
	wrong []string // the failures, one sentence each
}

// begin begins the termination of a VNF, or finds the existing termination.
func (e *ending) begin(ctx context.Context, id lcm.VnfInstanceID) error {
	inst, err := e.Records.Instance(ctx, id)
	if err != nil || inst.InstantiationState != lcm.Instantiated {
		return err
	}
	request, err := e.request(ctx)
	if err != nil {
		return err
	}
	for n := 0; ; n++ {
		op := lcm.VnfLcmOpOcc{
			ID: lcm.OpOccID(uuid.NewSHA1(uuid.NameSpaceURL,
				fmt.Appendf(nil, "windlass:terminate-vnf:%s:%s:%d", e.in.OpOccID, id, n)).String()),
			VnfInstanceID: id, Operation: lcm.OpTerminate, State: lcm.Starting, IsAutomaticInvocation: true,
			Request: request.Request, Params: request.Params, APIVersion: request.APIVersion,
		}
		have, err := e.Records.Operation(ctx, op.ID)
		switch {
		case lcm.Is(err, lcm.KindNotFound):
			return e.start(ctx, inst, op)
		case err != nil:
			return err
		case !have.State.Terminal():
			e.begun = append(e.begun, have)
			return nil
		}
	}
}

// request is the request of the terminations: the cluster's without the members that concern only the cluster.
func (e *ending) request(ctx context.Context) (lcm.VnfLcmOpOcc, error) {
	of, err := e.Records.Operation(ctx, e.in.OpOccID)
	if err != nil {
		return of, err
	}
	own, err := requests.Of(of)
	if err != nil {
		return of, err
	}
	request, err := lcm.RequestAs[lcm.TerminateRequest](own)
	if err != nil {
		return of, err
	}
	only := lcm.TerminateRequest{
		TerminationType: request.TerminationType, GracefulTerminationTimeout: request.GracefulTerminationTimeout,
	}
	if of.Request, err = requests.ToStore(only); err != nil {
		return of, err
	}
	of.Params, err = json.Marshal(only) // its members are those of the standard
	return of, err
}

func (e *ending) start(ctx context.Context, inst lcm.VnfInstance, op lcm.VnfLcmOpOcc) error {
	err := e.Records.BeginOperation(ctx, op)
	if lcm.Is(err, lcm.KindConflict) { // another operation is under way
		e.wrong = append(e.wrong, fmt.Sprintf("The VNF instance %s cannot be terminated now: %s", inst.ID, lcm.Sentence(err)))
		return nil
	}
	if err != nil {
		return err
	}
	e.begun = append(e.begun, op)
	e.show(fmt.Sprintf("The VNF instance %s (%s) is terminated by the operation %s.", inst.ID, inst.Name, op.ID))
	if e.Starter != nil { // the reconciler starts what is not started here
		_ = e.Starter.Start(ctx, op.Input())
	}
	return nil
}

// lookAgain is the poll interval for an operation.
const lookAgain = time.Second

// await waits until no termination is running. It reports failures only after all other terminations have ended.
func (e *ending) await(ctx context.Context) error {
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	for _, op := range e.begun {
		for {
			have, err := e.Records.Operation(ctx, op.ID)
			if err != nil {
				return err
			}
			if have.State.Terminal() || have.State == lcm.FailedTemp {
				e.judge(have)
				break
			}
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-tick.C:
			}
		}
	}
	if len(e.wrong) > 0 {
		return lcm.Errorf(lcm.KindBroken, "Windlass could not terminate all VNFs on the cluster; terminate them, then "+
			"retry. %s", strings.Join(e.wrong, " "))
	}
	return nil
}

func (e *ending) judge(op lcm.VnfLcmOpOcc) {
	if op.State == lcm.Completed {
		e.show(fmt.Sprintf("The VNF instance %s is terminated.", op.VnfInstanceID))
		return
	}
	why := ""
	if op.Error != nil {
		why = ": " + op.Error.Detail
	}
	e.wrong = append(e.wrong, fmt.Sprintf("The VNF instance %s: its operation %s is %s%s", op.VnfInstanceID, op.ID, op.State, why))
}
