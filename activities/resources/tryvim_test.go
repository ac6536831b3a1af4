package resources_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// lookedAtCloud has a deployment, or an error.
type lookedAtCloud struct {
	activitytest.Unused

	refuses, settles error
}

func (c lookedAtCloud) VIM(context.Context, lcm.OpOccID) (vim.VIM, error) {
	return c, c.refuses
}

func (c lookedAtCloud) Settle(context.Context, string, string, func(string)) error { return c.settles }

func TestTryVim_wantsTheDeploymentOfAVnfThatHasOne(t *testing.T) {
	absent := lcm.Errorf(lcm.KindNotFound, "There is no stack vnf-1.")
	for name, c := range map[string]struct {
		cloud    lookedAtCloud
		hasStack bool
		says     string
	}{
		"the stack is there":      {lookedAtCloud{}, true, ""},
		"there is none yet":       {lookedAtCloud{settles: absent}, false, ""},
		"another cloud":           {lookedAtCloud{settles: absent}, true, "in another cloud or project"},
		"credentials are refused": {lookedAtCloud{refuses: lcm.Errorf(lcm.KindDenied, "No.")}, false, "No."},
		"somebody else's stack": {
			lookedAtCloud{settles: lcm.Errorf(lcm.KindConflict, "It is not ours.")},
			true,
			"not ours",
		},
		"Heat refuses, with a stack": {
			lookedAtCloud{settles: lcm.Errorf(lcm.KindDenied, "Heat refuses.")},
			true,
			"Heat refuses",
		},
	} {
		t.Run(name, func(t *testing.T) {
			infra := &resources.Activities{
				Cloud: resources.Cloud{
					VIMs:        c.cloud,
					Deployments: activitytest.FixedDeployment{},
					Output:      &activitytest.Output{},
				},
			}
			for range 2 {
				_, err := activitytest.Do(
					t,
					infra.TryVim,
					resources.TryVimInput{OpOccID: activitytest.OpOcc, HasDeployment: c.hasStack},
				)
				if c.says == "" {
					require.NoError(t, err)
				} else {
					assert.ErrorContains(t, err, c.says)
				}
			}
		})
	}
}
