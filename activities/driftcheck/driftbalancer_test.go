package driftcheck_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

func (b *driftBed) Balance(context.Context, vim.LoadBalancer, func(string)) error {
	panic("it only looks")
}

func (b *driftBed) RemoveBalancer(context.Context, string, string, func(string)) error {
	panic("it only looks")
}

func (b *driftBed) BalancerState(_ context.Context, name, owner string) (vim.Level, string, error) {
	if name != "vnf" || owner != "owner" {
		return "", "", lcm.Errorf(lcm.KindConflict, "It is somebody else's.")
	}
	return b.balancer, "ERROR", nil
}

func TestLookForDrift_asksForTheLoadBalancerOfTheCloud(t *testing.T) {
	b := newDriftBed(t)
	for level, kinds := range map[vim.Level][]lcm.DriftKind{
		vim.Running: {}, vim.Failed: {lcm.DriftBalancerStatus}, vim.Removed: {lcm.DriftBalancerMissing},
	} {
		b.balancer = level
		for range 2 {
			require.ElementsMatch(t, kinds, kindsOf(b.look(t).Findings), level)
		}
	}
}
