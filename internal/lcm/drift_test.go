package lcm

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDriftReport_countsChecksInARow(t *testing.T) {
	stopped := DriftFinding{Kind: DriftServerStopped, VnfcInstanceID: "a", Node: "worker-a"}
	cordoned := DriftFinding{Kind: DriftNodeCordoned, VnfcInstanceID: "b", Node: "worker-b"}
	checks := func(r DriftReport) (out []int) {
		for _, f := range r.Findings {
			out = append(out, f.Checks)
		}
		return out
	}
	first := DriftReport{Findings: []DriftFinding{stopped, cordoned}}.Following(nil, nil)
	require.Equal(t, []int{1, 1}, checks(first))
	second := DriftReport{Findings: []DriftFinding{stopped}}.Following(&first, nil)
	require.Equal(t, []int{2}, checks(second))
	third := DriftReport{Findings: []DriftFinding{cordoned, stopped}}.Following(&second, nil)
	require.Equal(t, []int{1, 3}, checks(third), "not found once begins anew")
	require.Equal(t, []int{2, 1}, checks(DriftReport{Findings: []DriftFinding{stopped, cordoned}}.Following(nil,
		[]string{"a"})), "a notification counts")
	require.Equal(t, 0, stopped.Checks)
}

func TestDriftPolicy_tellsEveryMistake(t *testing.T) {
	require.NoError(t, DefaultDriftPolicy().Validate())
	require.False(t, DefaultDriftPolicy().Check || DefaultDriftPolicy().AutoHeal, "nothing happens by itself")
	err := DriftPolicy{Interval: 1, AgreeingChecks: 0, MaxHeals: 0, MaxHealsPeriod: 1}.Validate()
	require.True(t, Is(err, KindInvalid))
	for _, member := range []string{"$.interval", "$.agreeingChecks", "$.maxHeals", "$.maxHealsPeriod"} {
		require.ErrorContains(t, err, member)
	}
}
