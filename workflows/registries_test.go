package workflows

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// twoNodes is a cluster that is in use.
func twoNodes() activities.Description {
	return activities.Description{Registries: true, Nodes: lcm.Nodes{{Name: "a", ServerID: "1"}, {Name: "b", ServerID: "2"}}}
}

func TestModifyInfo_givesEveryNodeTheNewRegistries(t *testing.T) {
	t.Parallel()
	w := &world{what: twoNodes()}
	env := newModification(t, w)
	runModification(env, false)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, "check", w.done[0])
	require.ElementsMatch(t, []string{"connect a", "connect b"}, w.done[1:])
}

func TestModifyInfo_givesThemTheFormerOnesBack(t *testing.T) {
	t.Parallel()
	w := &world{what: twoNodes(), fail: map[string][]error{"connect b": {broken("x509")}}}
	env := newModification(t, w)
	decide(env, time.Hour, lcm.Rollback)
	runModification(env, false)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []lcm.OperationState{lcm.Processing, lcm.FailedTemp, lcm.RollingBack, lcm.RolledBack}, w.states)
	require.Equal(t, []string{"check", "connect a"}, w.done[:2])
	require.ElementsMatch(t, []string{"disconnect a", "disconnect b"}, w.done[2:])
}
