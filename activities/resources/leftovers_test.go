package resources_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/internal/vim/hybrid"
	"github.com/windlass-nfv/windlass/internal/vim/vimtest"
)

// on is a VIM for every operation.
type on struct{ cloud vim.VIM }

func (o on) VIM(context.Context, lcm.OpOccID) (vim.VIM, error) { return o.cloud, nil }

// silentVIM does not answer.
type silentVIM struct{ vim.VIM }

func (silentVIM) Settle(context.Context, string, string, func(string)) error {
	return lcm.Errorf(lcm.KindUnavailable, "The VIM does not answer.")
}

func TestLookForLeftovers_saysNothingOnlyWhenEveryVIMHasNothing(t *testing.T) {
	empty, full, foreign := vimtest.NewMemory(), vimtest.NewMemory(), vimtest.NewMemory()
	for m, owner := range map[*vimtest.Memory]string{full: "owner-1", foreign: "somebody"} {
		_, err := m.Deploy(t.Context(), vim.Deployment{
			Name: "vnf-1", Owner: owner, Operation: "op", Definition: vimtest.Size(1),
		}, func(string) {})
		require.NoError(t, err)
	}
	both := func(a, b vim.VIM) vim.VIM {
		return hybrid.New(hybrid.Part{Name: "a", VIM: a}, hybrid.Part{Name: "b", VIM: b})
	}
	for name, c := range map[string]struct {
		cloud   vim.VIM
		nothing bool
		says    string
	}{
		"nothing":                        {empty, true, ""},
		"a deployment":                   {full, false, ""},
		"a deployment of somebody":       {foreign, false, "belongs to somebody"},
		"no answer":                      {silentVIM{}, false, "does not answer"},
		"nothing on both":                {both(empty, vimtest.NewMemory()), true, ""},
		"a deployment on the first":      {both(full, empty), false, ""},
		"a deployment on the second":     {both(empty, full), false, ""},
		"no answer of the second of two": {both(empty, silentVIM{}), false, "does not answer"},
	} {
		t.Run(name, func(t *testing.T) {
			infra := &resources.Activities{
				Cloud: resources.Cloud{
					VIMs: on{c.cloud}, Deployments: activitytest.FixedDeployment{}, Output: &activitytest.Output{},
				},
			}
			for range 2 { // it only reads
				out, err := infra.LookForLeftovers(t.Context(), activitytest.DeploymentInput())
				require.Equal(t, c.nothing, out.Nothing)
				if c.says == "" {
					require.NoError(t, err)
				} else {
					require.ErrorContains(t, err, c.says)
				}
			}
		})
	}
}
