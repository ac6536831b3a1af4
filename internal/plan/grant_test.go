package plan_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/plan"
)

// zoned puts every control plane into a zone of its own and the workers into one.
func zoned(t *testing.T) plan.Facts {
	f := cluster(t, 3, 4)
	list := f.Instance.Instantiated.VnfcResources
	for i := range list {
		list[i].ZoneID = "west"
		if list[i].VduID == "masterNode" {
			list[i].ZoneID = []string{"north", "south", "west"}[i]
		}
	}
	return f
}

func TestGranted_namesTheVeryServers(t *testing.T) {
	type want struct{ add, remove []string } // VDU, zone, and what it replaces; server, zone, and why
	for name, c := range map[string]struct {
		op   lcm.Operation
		body string
		want want
	}{
		"out, where the zone is clear": {
			lcm.OpScale, `{"type":"SCALE_OUT","aspectId":"worker_instance","numberOfSteps":2}`,
			want{add: []string{"add-workerNode-1 zone-west ", "add-workerNode-2 zone-west "}},
		},
		"out, where the VIM chooses": {
			lcm.OpScale, `{"type":"SCALE_OUT","aspectId":"master_instance"}`,
			want{add: []string{"add-masterNode-1  ", "add-masterNode-2  "}},
		},
		"in": {
			lcm.OpScale, `{"type":"SCALE_IN","aspectId":"worker_instance","numberOfSteps":1}`,
			want{remove: []string{"server-worker-3 zone-west it is among the newest"}},
		},
		"heal": {
			lcm.OpHeal, `{"vnfcInstanceId":"cp-1"}`,
			want{add: []string{"add-masterNode-1 zone-south cp-1"}, remove: []string{"server-cp-1 zone-south the request names it"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := zoned(t)
			p, err := plan.For(f, c.op, json.RawMessage(c.body))
			require.NoError(t, err)
			g := plan.Granted(f, p, lcm.VimConnectionInfo{
				ID: "openstack", VimID: "vim-1", VimType: "openstack", AccessInfo: map[string]any{"password": "secret"},
			})
			require.Equal(t, []lcm.VimConnectionInfo{{ID: "openstack", VimID: "vim-1", VimType: "openstack"}}, g.VimConnections, "no credentials")
			var got want
			for _, r := range g.AddResources {
				require.Nil(t, r.Resource)
				got.add = append(got.add, r.ResourceDefinitionID+" "+r.ZoneID+" "+r.Replaces)
			}
			for _, r := range g.RemoveResources {
				got.remove = append(got.remove, r.Resource.ResourceID+" "+r.ZoneID+" "+r.Why)
			}
			require.Equal(t, c.want, got)
			for _, r := range append(g.AddResources, g.RemoveResources...) {
				if r.ZoneID != "" {
					require.Contains(t, g.Zones, lcm.GrantZone{ID: r.ZoneID, ZoneID: r.ZoneID[len("zone-"):], VimConnectionID: "openstack"})
				}
			}
		})
	}
}

func TestGranted_ofAnInstantiationAndATermination(t *testing.T) {
	f := cluster(t, 3, 2)
	f.Instance.Instantiated = nil
	p, err := plan.Instantiation(f, "")
	require.NoError(t, err)
	g := plan.Granted(f, p, lcm.VimConnectionInfo{ID: "openstack"})
	require.Len(t, g.AddResources, 5)
	require.Empty(t, g.RemoveResources)

	f = zoned(t)
	p, err = plan.Termination(f)
	require.NoError(t, err)
	g = plan.Granted(f, p, lcm.VimConnectionInfo{ID: "openstack"})
	require.Empty(t, g.AddResources)
	require.Len(t, g.RemoveResources, 7)
	require.Len(t, g.Zones, 3)
}
