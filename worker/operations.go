package worker

import (
	"context"
	"net/http"
	"time"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/driver/cluster"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/outbound"
	"github.com/windlass-nfv/windlass/internal/secrets"
)

// resolver tells activities what they need to know of an operation. Histories hold ids only.
type resolver struct {
	*operations.Resolver
	vault *secrets.Vault
	// grantPatience is how long an NFVO may take to grant an operation, 0 without one; endpoint begins links to the API.
	grantPatience time.Duration
	endpoint      string
	// definers make what VIMs are told, by type.
	definers map[string]definer
	// vimGuard says where VIMs may be.
	vimGuard outbound.Guard
	// vimWraps are put around what calls VIMs.
	vimWraps []func(http.RoundTripper) http.RoundTripper
}

// job is an operation whose activities run here.
type job struct{ *operations.Operation }

func (o *resolver) load(ctx context.Context, id lcm.OpOccID) (*job, error) {
	op, err := o.Load(ctx, id)
	return &job{op}, err
}

func (o *resolver) loadOf(ctx context.Context, opOcc lcm.VnfLcmOpOcc) (*job, error) {
	op, err := o.Of(ctx, opOcc)
	return &job{op}, err
}

// Describe implements activities.Facts.
func (o *resolver) Describe(ctx context.Context, id lcm.OpOccID) (activities.Description, error) {
	j, err := o.load(ctx, id)
	if err != nil {
		return activities.Description{}, err
	}
	facts, p, err := j.Planned()
	if err != nil {
		return activities.Description{}, err
	}
	d := activities.Description{
		State: j.OpOcc.State, Sequence: j.OpOcc.Sequence, ForwardOnly: j.OpOcc.ForwardOnly, Refused: j.Refused(),
		GrantPatience: o.grantPatience, Whole: p.Whole, ChangeStateTo: p.ChangeStateTo,
	}
	if c := cluster.Of(facts); c != nil {
		d.Cluster, d.HighlyAvailable = true, c.HighlyAvailable(facts, p)
		d.ControlPlanes, d.StorageServer = c.Shared().ControlPlanes(facts, p), c.Shared().StorageServer(facts)
	}
	if d.Steps, err = o.stepsOf(ctx, id, facts, p); err != nil {
		return d, err
	}
	if j.Instance.Instantiated != nil {
		d.Stopped = j.Instance.Instantiated.StoppedServers()
		d.ServerIDs, d.Nodes, d.ClusterVimID = j.Servers(), j.Instance.Instantiated.Nodes,
			j.Instance.Instantiated.ClusterVimID
	}
	return d, nil
}

// stepsOf is the list of steps that is kept with the operation. Until there is one it is what this release lists: rows
// of former releases have no ids.
func (o *resolver) stepsOf(
	ctx context.Context, id lcm.OpOccID, f lifecycle.Facts, p lcm.Plan,
) ([]lifecycle.Step, error) {
	rows, err := o.Store.Steps(ctx, id)
	var kept []lifecycle.Step
	for _, row := range rows {
		if row.Phase != lcm.PhaseForward || row.Node != "" {
			continue
		}
		if row.ID == "" { // what is behind the list is of a former release
			break
		}
		kept = append(kept, lifecycle.Step{ID: lifecycle.StepID(row.ID), Title: row.Title, Undo: row.Undo, Final: row.Final})
	}
	if err != nil || len(kept) > 0 {
		return kept, err
	}
	return lifecycle.Steps(f, p), nil
}

// Vnf implements activities.Vnfs.
func (o *resolver) Vnf(ctx context.Context, id lcm.OpOccID) (activities.VnfContext, error) {
	j, err := o.load(ctx, id)
	if err != nil {
		return activities.VnfContext{}, err
	}
	drivers, err := j.Drivers()
	return activities.VnfContext{
		OpOcc: j.OpOcc, Instance: j.Instance, Former: j.Former, Drivers: drivers,
		PackageFile: func(ctx context.Context, path string) ([]byte, error) {
			return o.packageFile(ctx, j.Instance.VnfPkgID, path)
		},
	}, err
}
