package store_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/store"
)

// instantiated returns an instance that has VMs.
func instantiated(t *testing.T, s *store.Store) lcm.VnfInstance {
	t.Helper()
	inst := newInstance(t, s)
	inst.InstantiationState, inst.Instantiated, inst.Version = lcm.Instantiated, &lcm.InstantiatedVnfInfo{FlavourID: "f"},
		1
	require.NoError(t, s.UpdateInstance(t.Context(), inst))
	return inst
}

// TestRecordDrift_tellsTheLastCheck checks that each check causes one event for current readers. Only the last one is
// stored for later readers.
func TestRecordDrift_tellsTheLastCheck(t *testing.T) {
	t.Parallel()
	s, ctx := open(t), t.Context()
	inst, other := newInstance(t, s), newInstance(t, s)
	last := int64(0)
	for _, report := range []lcm.DriftReport{
		{ID: "1", CheckedAt: time.Now()}, {ID: "2", CheckedAt: time.Now(), Findings: []lcm.DriftFinding{{Kind: lcm.DriftServerStopped}}},
	} {
		for range 2 {
			_, err := s.RecordDrift(ctx, inst.ID, report, nil)
			require.NoError(t, err)
		}
		events, next, _, err := s.AllEvents(ctx, last)
		require.NoError(t, err)
		require.Len(t, events, 1, "a repeated record tells nothing")
		require.Equal(t, lcm.EventDrift, events[0].Type)
		require.Equal(t, inst.ID, events[0].VnfInstanceID)
		require.Empty(t, events[0].OpOccID)
		var told lcm.DriftEvent
		require.NoError(t, json.Unmarshal(events[0].Data, &told))
		require.Equal(t, report.ID, told.ReportID)
		require.Len(t, report.Findings, told.Findings)
		last = next
	}
	_, err := s.RecordDrift(ctx, other.ID, lcm.DriftReport{ID: "3", CheckedAt: time.Now()}, nil)
	require.NoError(t, err)
	require.NoError(t, s.WaitAllEvents(ctx, last))
	strange, _, _, err := s.AllEvents(lcm.WithScope(ctx, lcm.Scope{Project: "stranger"}), 0)
	require.NoError(t, err)
	require.Empty(t, strange)

	require.NoError(t, s.DeleteInstance(ctx, inst.ID))
	_, err = s.RecordDrift(ctx, inst.ID, lcm.DriftReport{ID: "4", CheckedAt: time.Now()}, nil)
	require.NoError(t, err, "a check may end after its instance")
	require.Eventually(t, func() bool { // a reader waits for missing numbers
		all, _, held, err := s.AllEvents(ctx, 0)
		return err == nil && !held && len(all) == 1 && all[0].VnfInstanceID == other.ID
	}, time.Minute, 100*time.Millisecond, "of each instance that exists there is one")
}

func TestDrift_countsOnAndRecordsACheckOnce(t *testing.T) {
	t.Parallel()
	s, ctx := open(t), t.Context()
	inst := instantiated(t, s)
	before, err := s.Drift(ctx, inst.ID)
	require.NoError(t, err)
	require.Equal(t, lcm.Drift{VnfInstanceID: inst.ID, Policy: lcm.DefaultDriftPolicy()}, before)

	report := lcm.DriftReport{
		ID: "1", Trigger: lcm.DriftBySchedule, CheckedAt: time.Now().UTC().Truncate(time.Second),
		Findings: []lcm.DriftFinding{
			{
				Kind: lcm.DriftServerStopped, VnfcInstanceID: "v", Node: "worker-1", Detail: "It is off.", Remedy: lcm.RemedyVnfc,
				Automatic: true,
			},
		},
	}
	for range 2 {
		kept, err := s.RecordDrift(ctx, inst.ID, report, nil)
		require.NoError(t, err)
		require.Equal(t, 1, kept.Findings[0].Checks, "a repeated record does not count")
	}
	report.ID = "2"
	kept, err := s.RecordDrift(ctx, inst.ID, report, nil)
	require.NoError(t, err)
	require.Equal(t, 2, kept.Findings[0].Checks)

	decision := lcm.DriftDecision{Action: lcm.DriftWaits, Reason: "Soon."}
	require.NoError(t, s.DecideDrift(ctx, inst.ID, "1", lcm.DriftDecision{Action: lcm.DriftHeals}), "late")
	require.NoError(t, s.DecideDrift(ctx, inst.ID, "2", decision))
	after, err := s.Drift(ctx, inst.ID)
	require.NoError(t, err)
	kept.Decision = decision
	require.Equal(t, &kept, after.Report)

	counts, err := s.DriftCount(ctx)
	require.NoError(t, err)
	require.Equal(t, map[lcm.DriftKind]int{lcm.DriftServerStopped: 1}, counts)

	require.NoError(t, s.ForgetDriftReports(ctx))
	after, err = s.Drift(ctx, inst.ID)
	require.NoError(t, err)
	require.NotNil(t, after.Report, "it is instantiated")
	inst, err = s.Instance(ctx, inst.ID)
	require.NoError(t, err)
	inst.InstantiationState, inst.Instantiated = lcm.NotInstantiated, nil
	require.NoError(t, s.UpdateInstance(ctx, inst))
	require.NoError(t, s.ForgetDriftReports(ctx))
	after, err = s.Drift(ctx, inst.ID)
	require.NoError(t, err)
	require.Nil(t, after.Report)
}

func TestDrift_schedulesFollowPolicyAndInstance(t *testing.T) {
	t.Parallel()
	s, ctx := open(t), t.Context()
	inst := instantiated(t, s)
	unsettled := func() []store.DriftSchedule {
		list, err := s.UnsettledDriftSchedules(ctx)
		require.NoError(t, err)
		return list
	}
	settle := func(want store.DriftSchedule) {
		t.Helper()
		require.Equal(t, []store.DriftSchedule{want}, unsettled())
		require.NoError(t, s.SettledDriftSchedule(ctx, want))
		require.Empty(t, unsettled())
	}
	policy := lcm.DefaultDriftPolicy()
	require.NoError(t, s.KeepDriftPolicy(ctx, inst.ID, policy))
	require.Empty(t, unsettled(), "off by default")
	policy.Check, policy.Interval = true, 60
	require.NoError(t, s.KeepDriftPolicy(ctx, inst.ID, policy))
	settle(store.DriftSchedule{VnfInstanceID: inst.ID, Interval: 60})
	kept, err := s.Drift(ctx, inst.ID)
	require.NoError(t, err)
	require.Equal(t, policy, kept.Policy)

	inst, err = s.Instance(ctx, inst.ID)
	require.NoError(t, err)
	inst.InstantiationState, inst.Instantiated = lcm.NotInstantiated, nil
	require.NoError(t, s.UpdateInstance(ctx, inst))
	settle(store.DriftSchedule{VnfInstanceID: inst.ID})
	counts, err := s.DriftCount(ctx)
	require.NoError(t, err)
	require.Empty(t, counts)

	require.NoError(t, s.DeleteInstance(ctx, inst.ID))
	settle(store.DriftSchedule{VnfInstanceID: inst.ID, Gone: true})
	require.NoError(t, s.KeepDriftPolicy(ctx, inst.ID, policy), "an instance that is gone keeps nothing")
	require.Empty(t, unsettled())
}

func TestRecentAutomaticHeals_countsThoseThatNobodyHasAskedFor(t *testing.T) {
	t.Parallel()
	s, ctx := open(t), t.Context()
	inst := instantiated(t, s)
	heal := func(automatic bool) {
		id := lcm.OpOccID(uuid.NewString())
		require.NoError(t, s.BeginOperation(ctx, lcm.VnfLcmOpOcc{
			ID: id, VnfInstanceID: inst.ID, Operation: lcm.OpHeal, IsAutomaticInvocation: automatic, APIVersion: 1,
		}))
		require.NoError(t, s.RecordOperation(ctx, lcm.OperationRecord{OpOccID: id, Sequence: 1, State: lcm.RolledBack}))
	}
	heal(false)
	heal(true)
	count, err := s.RecentAutomaticHeals(ctx, inst.ID, time.Hour)
	require.NoError(t, err)
	require.Equal(t, 1, count)
	count, err = s.RecentAutomaticHeals(ctx, inst.ID, 0)
	require.NoError(t, err)
	require.Zero(t, count)
}

func TestNotified_standsUntilACheckLooksOrTimeHasPassed(t *testing.T) {
	t.Parallel()
	s, ctx := open(t), t.Context()
	inst := instantiated(t, s)
	note := func(server string, while time.Duration) bool {
		isNew, err := s.NoteNotified(ctx, inst.ID, server, while)
		require.NoError(t, err)
		return isNew
	}
	require.True(t, note("one", time.Hour))
	require.False(t, note("one", time.Hour))
	require.True(t, note("two", time.Hour), "another server")
	require.True(t, note("one", 0), "the signal may have been lost")
	require.NoError(t, s.ForgetNotified(ctx, inst.ID, "one"))
	require.True(t, note("one", time.Hour))
	require.False(t, note("two", time.Hour))
	require.NoError(t, s.ForgetNotified(ctx, inst.ID))
	require.True(t, note("one", time.Hour))
	require.True(t, note("two", time.Hour))
	kept, err := s.Drift(ctx, inst.ID)
	require.NoError(t, err)
	require.Equal(t, lcm.DefaultDriftPolicy(), kept.Policy, "what is told does not change the policy")
}
