package resources_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// switchedCloud has servers that are on or off. Other servers are not found.
type switchedCloud struct {
	activitytest.Unused

	on      map[string]bool
	changes int
	refuse  error
}

func (c *switchedCloud) VIM(context.Context, lcm.OpOccID) (vim.VIM, error) { return c, nil }

func (c *switchedCloud) StartServer(_ context.Context, id string) error { return c.turn(id, true) }
func (c *switchedCloud) StopServer(_ context.Context, id string) error  { return c.turn(id, false) }

func (c *switchedCloud) turn(id string, on bool) error {
	is, known := c.on[id]
	switch {
	case !known:
		return lcm.Errorf(lcm.KindNotFound, "There is no server %s.", id)
	case c.refuse != nil:
		return c.refuse
	case is != on:
		c.on[id] = on
		c.changes++
	}
	return nil
}

func switching(id string, to lcm.VnfState) resources.SwitchServerInput {
	return resources.SwitchServerInput{
		Tracked: activities.Tracked{
			Step: lcm.StepRef{OpOccID: activitytest.OpOcc},
		}, OpOccID: activitytest.OpOcc, ServerID: id, To: to,
	}
}

func TestSwitchServer_changesNothingTwice(t *testing.T) {
	c := &switchedCloud{on: map[string]bool{"a": true}}
	infra := &resources.Activities{Cloud: resources.Cloud{VIMs: c, Output: &activitytest.Output{}}}
	for i, to := range []lcm.VnfState{lcm.VnfStopped, lcm.VnfStarted} {
		for range 2 {
			require.False(t, activitytest.Must(t, infra.SwitchServer, switching("a", to)).Gone)
			require.Equal(t, to == lcm.VnfStarted, c.on["a"])
			require.Equal(t, i+1, c.changes)
		}
	}
}

func TestSwitchServer_takesAServerThatIsGoneForStoppedOnly(t *testing.T) {
	c := &switchedCloud{on: map[string]bool{}}
	infra := &resources.Activities{Cloud: resources.Cloud{VIMs: c, Output: &activitytest.Output{}}}
	for range 2 {
		require.True(t, activitytest.Must(t, infra.SwitchServer, switching("a", lcm.VnfStopped)).Gone)
		_, err := activitytest.Do(t, infra.SwitchServer, switching("a", lcm.VnfStarted))
		activitytest.AssertKind(t, err, lcm.KindBroken, "heal the VNFC")
	}
	c.on["a"], c.refuse = true, lcm.Errorf(lcm.KindConflict, "Cannot 'stop' instance a while it is in vm_state paused.")
	_, err := activitytest.Do(t, infra.SwitchServer, switching("a", lcm.VnfStopped))
	activitytest.AssertKind(t, err, lcm.KindConflict, "vm_state paused")
}
