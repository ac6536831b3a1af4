// Package orchestrator has the activities that talk to other systems about VNFs: the NFVO grants, subscribers get
// notifications, and packages come from a URI.
package orchestrator

import (
	"context"
	"errors"
	"time"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/nfvo"
)

// Granter is the NFVO.
type Granter interface {
	RequestGrant(ctx context.Context, r nfvo.GrantRequest) (nfvo.Answer, error)
	ReadGrant(ctx context.Context, location string, id lcm.OpOccID, apiVersion int) (nfvo.Answer, error)
}

// GrantFacts provides the request for a grant, and stores the grant.
type GrantFacts interface {
	// KeptGrant returns the id of the operation's stored grant, "" for none.
	KeptGrant(ctx context.Context, id lcm.OpOccID) (string, error)
	GrantRequest(ctx context.Context, id lcm.OpOccID) (nfvo.GrantRequest, error)
	// KeepGrant checks that Windlass can honour a grant, and stores it. From then on the grant applies to the operation.
	KeepGrant(ctx context.Context, id lcm.OpOccID, given lcm.Grant) error
}

// Grants asks the NFVO for permission to begin operations.
type Grants struct {
	// NFVO is nil in a worker without a configured NFVO.
	NFVO  Granter
	Facts GrantFacts
	// Poll is the interval between queries while the NFVO has not decided; 0 means 2 s.
	Poll time.Duration
}

const defaultPoll = 2 * time.Second

// RequestGrantInput names the operation. Location is the URL of the future grant, once it is known.
type RequestGrantInput struct {
	activities.Tracked
	OpOccID  lcm.OpOccID `json:"opOccId"`
	Location string      `json:"location,omitempty"`
}

// Patient tells the worker not to limit the attempts of this activity: an NFVO may be away for long.
func (RequestGrantInput) Patient() bool { return true }

// RequestGrantOutput has the grant's id, or else the Location of the future grant.
type RequestGrantOutput struct {
	GrantID  string `json:"grantId,omitempty"`
	Location string `json:"location,omitempty"`
}

// RequestGrant asks the NFVO for a grant.
//
// Idempotent as far as the NFVO allows: it does not ask again for a stored grant. A worker may die between the NFVO's
// answer and the storing. Then the next attempt asks again with the same vnfLcmOpOccId, by which the NFVO recognises
// the request.
func (g *Grants) RequestGrant(ctx context.Context, in RequestGrantInput) (out RequestGrantOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "ask for a grant", err) }()
	defer activities.Heartbeat(ctx)()
	if out.GrantID, err = g.kept(ctx, in.OpOccID); err != nil || out.GrantID != "" {
		return out, err
	}
	request, err := g.Facts.GrantRequest(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	answer, err := g.NFVO.RequestGrant(ctx, request)
	if err != nil {
		return out, err
	}
	if answer.Grant == nil {
		return RequestGrantOutput{Location: answer.Location}, nil
	}
	return RequestGrantOutput{GrantID: answer.Grant.ID}, g.Facts.KeepGrant(ctx, in.OpOccID, *answer.Grant)
}

// AwaitGrant polls the NFVO until it has decided.
//
// Idempotent: it does not read a stored grant again. It may take as long as the NFVO, so it heartbeats. A cancel ends
// the waiting.
func (g *Grants) AwaitGrant(ctx context.Context, in RequestGrantInput) (out RequestGrantOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "wait for the grant", err) }()
	defer activities.Heartbeat(ctx)()
	if out.GrantID, err = g.kept(ctx, in.OpOccID); err != nil || out.GrantID != "" {
		return out, err
	}
	request, err := g.Facts.GrantRequest(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	for {
		answer, err := g.NFVO.ReadGrant(ctx, in.Location, in.OpOccID, request.APIVersion)
		if err != nil {
			return out, err
		}
		if answer.Grant != nil {
			return RequestGrantOutput{GrantID: answer.Grant.ID}, g.Facts.KeepGrant(ctx, in.OpOccID, *answer.Grant)
		}
		if err := g.pause(ctx, answer.Pause); err != nil {
			return out, err
		}
	}
}

func (g *Grants) kept(ctx context.Context, id lcm.OpOccID) (string, error) {
	if g.NFVO == nil {
		return "", lcm.Errorf(lcm.KindUnavailable,
			"The operation waits for the grant of an NFVO, but this worker has no NFVO (nfvo.endpoint).")
	}
	return g.Facts.KeptGrant(ctx, id)
}

// pause waits between two queries, as long as the NFVO asks for.
func (g *Grants) pause(ctx context.Context, asked time.Duration) error {
	poll := g.Poll
	if poll == 0 {
		poll = defaultPoll
	}
	wait := time.NewTimer(max(poll, asked))
	defer wait.Stop()
	select {
	case <-wait.C:
		return nil
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return lcm.Errorf(lcm.KindUnavailable, "The NFVO has not decided yet.")
		}
		return ctx.Err()
	}
}
