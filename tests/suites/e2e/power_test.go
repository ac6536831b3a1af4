package e2e

import (
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// TestPowerOnRealMachines stops and starts a real cluster, in part and entirely, and moves a real server to another
// network and back. It takes minutes more than CI has: go tool task test:power.
func TestPowerOnRealMachines(t *testing.T) {
	if os.Getenv("WINDLASS_TEST_POWER") == "" || os.Geteuid() != 0 {
		t.Skip("Run by go tool task test:power, as root; the scenarios on fake machines have run.")
	}
	b := newBed(t, "nspawn", "--image-alias", "tiny")
	vnf, op := b.Instantiate(t, "power", nil)
	b.Await(t, op, 15*time.Minute, "COMPLETED")
	day := dayTwo{bed: b, vnf: vnf, cluster: "cluster-power", controlPlanes: 3, workers: 2, limit: 15 * time.Minute}
	day.requireNodes(t)
	before := b.Vnfcs(t, vnf)

	var masters []string
	for id, vdu := range before {
		if vdu == "masterNode" {
			masters = append(masters, id)
		}
	}
	silence := b.watchVirtualIP(t, day.cluster)
	day.operate(t, "operate", map[string]any{
		"changeStateTo": "STOPPED", "stopType": "GRACEFUL", "gracefulStopTimeout": 60, "vnfcInstanceId": masters[:1],
	})
	b.RequireStopped(t, vnf, masters[0])
	a := b.Call(t, http.MethodPost, "/vnflcm/v1/vnf_instances/"+vnf+"/operate",
		map[string]any{"changeStateTo": "STOPPED", "vnfcInstanceId": masters[1]})
	require.Equal(t, http.StatusConflict, a.Status, "%s", a.Body)
	require.Contains(t, testbed.Problem(t, a), "quorum")
	require.True(t, sound(b.CheckDriftUntil(t, vnf, sound)), "what was stopped on purpose is in order")
	day.operate(t, "operate", map[string]any{"changeStateTo": "STARTED"})
	day.requireNodes(t)
	longest := silence()
	t.Logf("The API server on the virtual IP was silent for %s at the longest.", longest)
	require.Less(t, longest, time.Minute, "the cluster stays in use")

	day.operate(t, "operate", map[string]any{"changeStateTo": "STOPPED"})
	b.RequireStopped(t, vnf)
	day.operate(t, "operate", map[string]any{"changeStateTo": "STARTED"})
	require.Equal(t, before, b.Vnfcs(t, vnf), "the same VMs")
	day.requireNodes(t)
	b.terminate(t, vnf)
	b.RequireNothingLeft(t)

	r := newReconnection(t, b, 1)
	for _, network := range []string{r.networks[0], "net0"} {
		op = b.Begin(t, r.vnf, "change_ext_conn", testbed.LinksTo(network))
		b.Await(t, op, day.limit, "COMPLETED")
		t.Log("change_ext_conn", b.Timings(t, op))
		r.requireOn(t, network, "link-"+network)
	}
	b.terminate(t, r.vnf)
	r.clear(t)
	b.RequireNothingLeft(t)
}
