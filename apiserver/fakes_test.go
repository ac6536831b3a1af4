package apiserver

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/store"
	"github.com/windlass-nfv/windlass/internal/telemetry"
	"github.com/windlass-nfv/windlass/internal/vim/kubernetes"
)

// rememberingStarter replaces Temporal. It records accepted actions as a workflow would.
type rememberingStarter struct {
	store  *store.Store
	mu     sync.Mutex
	starts []lcm.OperationInput
	// traces are the spans that the started workflows belong to.
	traces []string
	acts   []lcm.Action
	// down is the error of Start, refuse the error of Act.
	down, refuse error
	// behind is the error of the next Act only.
	behind error
	// downFor is the operation for which Start fails.
	downFor lcm.OpOccID
}

func (r *rememberingStarter) Start(ctx context.Context, in lcm.OperationInput) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.down != nil {
		return r.down
	}
	if in.OpOccID == r.downFor {
		return lcm.Errorf(lcm.KindUnavailable, "Temporal does not take it.")
	}
	r.starts, r.traces = append(r.starts, in), append(r.traces, telemetry.TraceParent(ctx))
	return nil
}

func (r *rememberingStarter) Act(
	ctx context.Context, id lcm.OpOccID, action lcm.Action, cancel lcm.CancelRequest,
) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refuse != nil {
		return r.refuse
	}
	if err := r.behind; err != nil {
		r.behind = nil
		return err
	}
	r.acts = append(r.acts, action)
	o, err := r.store.Operation(ctx, id)
	if err != nil {
		return err
	}
	rec := lcm.OperationRecord{OpOccID: id, Sequence: o.Sequence + 1, State: o.State, Error: o.Error}
	switch action {
	case lcm.Retry:
		rec.State, rec.Error = lcm.Processing, nil
	case lcm.Rollback:
		rec.State = lcm.RollingBack
	case lcm.Fail:
		rec.State = lcm.Failed
	case lcm.Cancel:
		rec.IsCancelPending, rec.CancelMode = true, cancel.Mode
	}
	return r.store.RecordOperation(ctx, rec)
}

// enter records a state, as the workflow of the operation at path would.
func (b *bench) enter(path string, state lcm.OperationState, change ...func(*lcm.OperationRecord)) {
	b.Helper()
	o := b.operation(path)
	rec := lcm.OperationRecord{OpOccID: o.ID, Sequence: o.Sequence + 1, State: state}
	for _, c := range change {
		c(&rec)
	}
	require.NoError(b, b.store.RecordOperation(b.Context(), rec))
}

func (b *bench) operation(path string) lcm.VnfLcmOpOcc {
	b.Helper()
	o, err := b.store.Operation(b.Context(), lcm.OpOccID(path[strings.LastIndexByte(path, '/')+1:]))
	require.NoError(b, err)
	return o
}

// obligingVims accept all credentials, unless the test sets refuse.
type obligingVims struct {
	mu      sync.Mutex
	regions []string
	// version and warnings are findings about a Kubernetes VIM.
	version  string
	warnings []string
	tried    lcm.Vim
	extras   []map[string]any
	refuse   error
	asked    int // for quotas
	seen     []map[string]any
	// meanwhile runs while credentials are checked.
	meanwhile func()
}

func (o *obligingVims) Check(_ context.Context, vim lcm.Vim, credentials map[string]any) (lcm.VimFindings, error) {
	o.mu.Lock() // several VIMs are checked at the same time
	o.tried = vim
	o.seen, o.extras = append(o.seen, credentials), append(o.extras, vim.Extra)
	do := o.meanwhile
	o.meanwhile = nil
	o.mu.Unlock()
	if do != nil {
		do()
	}
	return lcm.VimFindings{Regions: o.regions, Version: o.version, Warnings: o.warnings}, o.refuse
}

func (o *obligingVims) Quotas(context.Context, lcm.Vim, map[string]any) ([]lcm.VimQuota, error) {
	o.asked++
	return []lcm.VimQuota{{Resource: "servers", Limit: "10", Used: "3"}, {Resource: "cores", Used: "7"}}, o.refuse
}

func (o *obligingVims) Read(vim lcm.Vim, cred map[string]any, path string) (lcm.Vim, map[string]any, error) {
	return kubernetes.ReadKubeconfig(vim, cred, path)
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// soon waits until another goroutine has made a condition true.
func soon(t *testing.T, condition func() bool) {
	t.Helper()
	require.Eventually(t, condition, time.Minute, 5*time.Millisecond)
}
