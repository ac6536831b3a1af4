package driftcheck_test

import (
	"context"
	"encoding/base64"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/driftcheck"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/driver/kubeadm"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/internal/vim/openstack"
)

const watched lcm.VnfInstanceID = "5c9b7a3e-0000-4000-8000-00000000bbbb"

// driftBed is a cluster for a check: its records are in memory, its nodes are fake.
type driftBed struct {
	vim.VIM // only Inventory is called

	inst     lcm.VnfInstance
	site     *activitytest.FakeSite
	policy   lcm.DriftPolicy
	report   *lcm.DriftReport
	begun    []lcm.VnfLcmOpOcc
	started  []lcm.OperationInput
	busy     error
	cloudErr error
	status   map[string]string // of servers; without an entry it is ACTIVE
	health   []string
	planErr  error
	looked   func()
	counts   map[string]int
	// balancer is the level of the cloud's load balancer for the cluster, "" for a cluster without one.
	balancer vim.Level
	// forgotten counts how often the notifications about servers were removed.
	forgotten int
}

func newDriftBed(t *testing.T) *driftBed {
	t.Helper()
	nodes := activitytest.Nodes(1, 2)
	b := &driftBed{
		site: activitytest.NewFakeSite(t, nodes), policy: lcm.DefaultDriftPolicy(), status: map[string]string{},
		counts: map[string]int{},
	}
	b.policy.AutoHeal = true
	info := &lcm.InstantiatedVnfInfo{Nodes: nodes, ClusterVimID: "vim"}
	for _, n := range nodes {
		info.VnfcResources = append(info.VnfcResources,
			lcm.VnfcResourceInfo{
				ID: n.ServerID, VduID: string(n.Role), ComputeResource: lcm.ResourceHandle{ResourceID: n.ServerID},
			})
		b.site.Replies["look-at-node"] = activitytest.Results("ca", base64.StdEncoding.EncodeToString([]byte(b.site.Ca)))
		b.health = append(b.health, n.Name+`|True|no|KubeletReady|""`)
	}
	b.inst = lcm.VnfInstance{ID: watched, InstantiationState: lcm.Instantiated, Instantiated: info, Version: 7}
	b.setHealth()
	return b
}

func (b *driftBed) setHealth() {
	var lines []string
	for _, n := range b.health {
		lines = append(lines, activitytest.Results("node", base64.StdEncoding.EncodeToString([]byte(n)))...)
	}
	cp := b.inst.Instantiated.Nodes[0]
	b.site.Replies["cluster-health"] = append(lines, activitytest.Results("member",
		base64.StdEncoding.EncodeToString([]byte("1|"+cp.Name+"|https://"+cp.Address+":2380|yes|no|yes")))...)
}

func (b *driftBed) activities() *driftcheck.Drift {
	return &driftcheck.Drift{Sites: b, Records: b, Starter: b, Metrics: b}
}

func (b *driftBed) Site(context.Context, lcm.VnfInstanceID) (driftcheck.Site, error) {
	if b.looked != nil {
		b.looked()
	}
	params := k8s.Params{}
	if b.balancer != "" {
		params.ExternalLB = &k8s.ExternalLBParams{Octavia: &k8s.OctaviaParams{}}
	}
	return driftcheck.Site{
		Instance: b.inst, Drivers: []lifecycle.VnfDriver{kubeadm.New(params)}, DeploymentName: "vnf", Owner: "owner",
		PlanHeal: func([]string, map[string]string) error { return b.planErr },
		On:       func(context.Context) (vim.VIM, error) { return b, b.cloudErr },
		Dial:     func(ctx context.Context, n lcm.Node) (reach.Host, error) { return b.site.Dial(ctx, "", n) },
		Vim: func(context.Context, lcm.VimID) (lcm.Vim, error) {
			return lcm.Vim{AuthCred: map[string]any{"ssl_ca_cert": b.site.Ca}}, nil
		},
	}, nil
}

func (b *driftBed) Inventory(context.Context, string) (*vim.Inventory, error) {
	inv := &vim.Inventory{ID: "stack", Level: vim.Running, Status: "CREATE_COMPLETE", Servers: map[string]vim.Server{}}
	for _, v := range b.inst.Instantiated.VnfcResources {
		inv.Resources = append(inv.Resources, vim.Resource{
			Kind: vim.Compute, Name: v.VduID, ID: v.ID, Part: "stack",
		})
		status, set := b.status[v.ID]
		if !set {
			status = "ACTIVE"
		}
		inv.Servers[v.ID] = vim.Server{ID: v.ID, Level: openstack.ServerLevel(status), Status: status}
	}
	return inv, nil
}

func (b *driftBed) Instance(context.Context, lcm.VnfInstanceID) (lcm.VnfInstance, error) {
	if b.inst.ID == "" {
		return b.inst, lcm.Errorf(lcm.KindNotFound, "There is no such instance.")
	}
	return b.inst, nil
}

func (b *driftBed) Operation(_ context.Context, id lcm.OpOccID) (lcm.VnfLcmOpOcc, error) {
	for _, o := range b.begun {
		if o.ID == id {
			return o, nil
		}
	}
	return lcm.VnfLcmOpOcc{}, lcm.Errorf(lcm.KindNotFound, "There is no such operation.")
}

func (b *driftBed) UpdateInstance(_ context.Context, inst lcm.VnfInstance) error {
	b.inst = inst
	b.inst.Version++
	return nil
}

func (b *driftBed) ForgetNotified(_ context.Context, _ lcm.VnfInstanceID, servers ...string) error {
	if len(servers) == 0 {
		b.forgotten++
	}
	return nil
}

func (b *driftBed) CheckIdle(context.Context, lcm.VnfInstanceID) error { return b.busy }

func (b *driftBed) Drift(context.Context, lcm.VnfInstanceID) (lcm.Drift, error) {
	return lcm.Drift{VnfInstanceID: watched, Policy: b.policy, Report: b.report}, nil
}

func (b *driftBed) RecordDrift(
	_ context.Context, _ lcm.VnfInstanceID, r lcm.DriftReport, notified []string,
) (lcm.DriftReport, error) {
	if b.report == nil || b.report.ID != r.ID {
		b.report = new(r.Following(b.report, notified))
	}
	return *b.report, nil
}

func (b *driftBed) DecideDrift(_ context.Context, _ lcm.VnfInstanceID, id string, d lcm.DriftDecision) error {
	if b.report != nil && b.report.ID == id {
		b.report.Decision = d
	}
	return nil
}

func (b *driftBed) RecentAutomaticHeals(context.Context, lcm.VnfInstanceID, time.Duration) (int, error) {
	return 0, nil
}

func (b *driftBed) BeginOperation(_ context.Context, op lcm.VnfLcmOpOcc, _ ...lcm.VimConnectionInfo) error {
	if b.busy != nil {
		return b.busy
	}
	b.begun = append(b.begun, op)
	return nil
}

func (b *driftBed) Start(_ context.Context, in lcm.OperationInput) error {
	b.started = append(b.started, in)
	return errors.New("Temporal is away") // the reconciler starts the operation
}

func (b *driftBed) Checked(_ lcm.DriftTrigger, result string) { b.counts[result]++ }
func (b *driftBed) Healed()                                   { b.counts["heals"]++ }

func (b *driftBed) look(t *testing.T) driftcheck.LookForDriftOutput {
	t.Helper()
	return activitytest.Must(t, b.activities().LookForDrift, driftcheck.LookForDriftInput{
		VnfInstanceID: watched,
		Trigger:       lcm.DriftBySchedule,
	})
}

func kindsOf(findings []lcm.DriftFinding) (kinds []lcm.DriftKind) {
	for _, f := range findings {
		kinds = append(kinds, f.Kind)
	}
	return kinds
}

func TestLookForDrift_findsNothingInASoundCluster(t *testing.T) {
	b := newDriftBed(t)
	for range 2 {
		require.Empty(t, b.look(t).Findings)
	}
	assert.Empty(t, b.site.Effects, "it only looks")
	require.Equal(t, 2, b.forgotten, "what is told from now on is for the next look")
}

func TestLookForDrift_tellsWhatIsWrong(t *testing.T) {
	b := newDriftBed(t)
	worker := b.inst.Instantiated.Nodes[1]
	b.status[worker.ServerID] = "SHUTOFF"
	b.health[1] = worker.Name + `|Unknown|no|NodeStatusUnknown|"Kubelet stopped posting node status."`
	b.setHealth()
	for range 2 {
		b.site.Fail["dial "+worker.Name] = []error{
			lcm.Errorf(lcm.KindUnavailable, "%s does not answer on SSH.", worker.Name),
		}
		out := b.look(t)
		require.Equal(t, []lcm.DriftKind{lcm.DriftServerStopped, lcm.DriftNodeUnreachable, lcm.DriftNodeNotReady},
			kindsOf(out.Findings))
		for _, f := range out.Findings {
			require.Equal(t, worker.ServerID, f.VnfcInstanceID)
			require.Equal(t, worker.Name, f.Node)
		}
	}
}

func TestLookForDrift_whatCannotBeSeenIsAFinding(t *testing.T) {
	b := newDriftBed(t)
	b.cloudErr = lcm.Errorf(lcm.KindUnavailable, "Keystone does not answer.")
	for _, n := range b.inst.Instantiated.Nodes {
		for range 2 {
			b.site.Fail["dial "+n.Name] = append(b.site.Fail["dial "+n.Name],
				lcm.Errorf(lcm.KindUnavailable, "%s does not answer.", n.Name))
		}
	}
	require.Equal(t, []lcm.DriftKind{
		lcm.DriftVimUnreachable, lcm.DriftNodeUnreachable, lcm.DriftNodeUnreachable, lcm.DriftNodeUnreachable,
		lcm.DriftClusterUnreachable,
	}, kindsOf(b.look(t).Findings))
}

func TestLookForDrift_leavesAloneWhatAnOperationWorksOn(t *testing.T) {
	b := newDriftBed(t)
	b.busy = lcm.Errorf(lcm.KindConflict, "HEAL is under way.")
	require.Equal(t, "HEAL is under way.", b.look(t).Busy)
	require.Empty(t, b.site.Ran)
	require.Zero(t, b.forgotten, "what was told has still to be looked at")

	b = newDriftBed(t)
	b.looked = func() { b.inst.Version++ } // an operation has begun and ended meanwhile
	out := b.look(t)
	require.NotEmpty(t, out.Busy)
	require.Empty(t, out.Findings)
	require.Equal(t, 1, b.counts["busy"])

	b = newDriftBed(t)
	b.inst.InstantiationState, b.inst.Instantiated = lcm.NotInstantiated, nil
	require.True(t, b.look(t).Gone)
	b.inst = lcm.VnfInstance{}
	require.True(t, b.look(t).Gone)
}

// act records a check that finds the first worker stopped, and lets the activity decide what to do.
func (b *driftBed) act(t *testing.T, id string, notified ...string) driftcheck.ActOnDriftOutput {
	t.Helper()
	worker := b.inst.Instantiated.Nodes[1]
	report := activitytest.Must(t, b.activities().RecordDrift,
		driftcheck.RecordDriftInput{VnfInstanceID: watched, Notified: notified, Report: lcm.DriftReport{
			ID: id, Trigger: lcm.DriftBySchedule, Findings: []lcm.DriftFinding{
				{
					Kind: lcm.DriftServerStopped, VnfcInstanceID: worker.ServerID, Node: worker.Name, Remedy: lcm.RemedyVnfc,
					Automatic: true,
				},
			},
		}})
	return activitytest.Must(t, b.activities().ActOnDrift, driftcheck.ActOnDriftInput{
		VnfInstanceID: watched, Report: report, Health: b.look(t).Health,
	})
}

func TestActOnDrift_healsOnceWhenChecksAgree(t *testing.T) {
	b := newDriftBed(t)
	require.Equal(t, lcm.DriftWaits, b.act(t, "1").Decision.Action)
	require.Empty(t, b.begun)
	first := b.act(t, "2")
	second := b.act(t, "2") // a retry repeats the same check
	require.Equal(t, lcm.DriftHeals, first.Decision.Action)
	require.Equal(t, first, second)
	require.Len(t, b.begun, 1)
	require.Len(t, b.started, 1)
	heal := b.begun[0]
	assert.Equal(t, lcm.OpHeal, heal.Operation)
	assert.True(t, heal.IsAutomaticInvocation)
	assert.JSONEq(
		t,
		`{"vnfcInstanceId":["`+b.inst.Instantiated.Nodes[1].ServerID+`"],"cause":"drift: `+first.Decision.Reason+`"}`,
		string(heal.Params),
	)
	assert.Equal(t, heal.ID, b.report.Decision.OpOccID)
	assert.Equal(t, 1, b.counts["heals"])
}

func TestActOnDrift_aNotificationIsOneMoreWhoSaysSo(t *testing.T) {
	b := newDriftBed(t)
	require.Equal(t, lcm.DriftHeals, b.act(t, "1", b.inst.Instantiated.Nodes[1].ServerID).Decision.Action)
}

func TestActOnDrift_doesNothingThatThePolicyOrTheClusterForbids(t *testing.T) {
	b := newDriftBed(t)
	b.policy.AgreeingChecks, b.policy.AutoHeal = 1, false
	require.Equal(t, lcm.DriftNothing, b.act(t, "1").Decision.Action)

	b.policy.AutoHeal, b.planErr = true, lcm.Errorf(lcm.KindConflict, "etcd has no quorum.")
	out := b.act(t, "2")
	require.Equal(t, lcm.DriftRefuses, out.Decision.Action)
	require.Contains(t, b.report.Decision.Reason, "no quorum")

	b.planErr = nil
	report := *b.report
	report.ID = "3"
	b.busy = lcm.Errorf(lcm.KindConflict, "HEAL is under way.")
	busy := activitytest.Must(
		t,
		b.activities().ActOnDrift,
		driftcheck.ActOnDriftInput{VnfInstanceID: watched, Report: report},
	)
	require.True(t, busy.Busy)
	require.Empty(t, b.begun)
}

func TestLookForDrift_leavesAloneWhatWasStoppedOnPurpose(t *testing.T) {
	b := newDriftBed(t)
	worker := b.inst.Instantiated.Nodes[1]
	b.status[worker.ServerID] = "SHUTOFF"
	b.health[1] = worker.Name + `|Unknown|yes|NodeStatusUnknown|"Kubelet stopped posting node status."`
	b.setHealth()
	b.inst.Instantiated.Switch(lcm.VnfStopped, []string{worker.ServerID}, nil)
	for range 2 {
		require.Empty(t, b.look(t).Findings)
	}
	b.status[worker.ServerID] = "ACTIVE"
	require.Equal(t, []lcm.DriftKind{lcm.DriftServerStatus}, kindsOf(b.look(t).Findings), "somebody has started it")

	for _, n := range b.inst.Instantiated.Nodes {
		b.inst.Instantiated.Switch(lcm.VnfStopped, []string{n.ServerID}, nil)
		b.status[n.ServerID] = "SHUTOFF"
	}
	b.site.Ran = nil
	require.Empty(t, b.look(t).Findings)
	require.Empty(t, b.site.Ran, "nobody is asked who cannot answer")
}
