package openstack_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stacks"
	"github.com/stretchr/testify/require"
)

// restarts restarts the lab several times, each time a little later after the last restart.
func (b *bench) restarts(times int) {
	b.t.Helper()
	for i := range times {
		<-time.After(time.Duration(i*i) * time.Millisecond)
		b.restart()
	}
}

func TestNothingIsLostOrDoubledWheneverTheLabEnds(t *testing.T) {
	for _, times := range []int{1, 3, 6} {
		t.Run(fmt.Sprint(times), func(t *testing.T) {
			b := newBench(t)
			sc := b.heat()
			id := b.create(sc, "c1", cluster(t), nil)
			b.restarts(times)
			st := b.await(sc, id, "CREATE_COMPLETE")
			require.Len(t, b.machines.names(), 4)

			b.patch(sc, st, map[string]any{"workers": 4})
			b.restarts(times)
			b.await(sc, id, "UPDATE_COMPLETE")
			require.Len(t, b.machines.names(), 6)
			require.Len(t, ofType(b.resources(sc, st, 3), "OS::Nova::Server"), 6)

			b.patch(sc, st, map[string]any{"workers": 1})
			b.restarts(times)
			b.await(sc, id, "UPDATE_COMPLETE")
			require.Len(t, b.machines.names(), 3)

			require.NoError(t, stacks.Delete(t.Context(), sc, st.Name, st.ID).ExtractErr())
			b.restarts(times)
			b.await(sc, id, "DELETE_COMPLETE")
			b.requireEmpty()
			for server, boots := range b.machines.boots {
				require.Equal(t, 1, boots, "server %s", server)
			}
		})
	}
}
