package resources_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// haltingCloud can stop whole deployments.
type haltingCloud struct {
	activitytest.ChangingCloud
	halted bool
	grace  time.Duration
}

func (c *haltingCloud) VIM(context.Context, lcm.OpOccID) (vim.VIM, error) { return c, nil }

func (c *haltingCloud) Halt(_ context.Context, _ vim.Change, grace time.Duration, _ func(string)) error {
	c.halted, c.grace = true, grace
	return nil
}

func (c *haltingCloud) Resume(context.Context, vim.Change, func(string)) error {
	c.halted = false
	return nil
}

func TestOperateContainers_stopsAndStartsThem(t *testing.T) {
	cloud := &haltingCloud{}
	infra := &resources.Activities{
		Cloud: resources.Cloud{VIMs: cloud, Deployments: activitytest.FixedDeployment{}, Output: &activitytest.Output{}},
	}
	for _, to := range []lcm.VnfState{lcm.VnfStopped, lcm.VnfStarted} {
		for range 2 {
			activitytest.Must(
				t,
				infra.OperateContainers,
				resources.OperateContainersInput{OpOccID: activitytest.OpOcc, To: to},
			)
			require.Equal(t, to == lcm.VnfStopped, cloud.halted)
		}
	}
	require.Equal(t, time.Minute, cloud.grace)

	infra.Cloud.VIMs = &activitytest.ChangingCloud{}
	_, err := activitytest.Do(
		t,
		infra.OperateContainers,
		resources.OperateContainersInput{OpOccID: activitytest.OpOcc, To: lcm.VnfStopped},
	)
	require.ErrorContains(t, err, "cannot stop and start deployments as a whole")
}
