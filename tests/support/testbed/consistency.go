package testbed

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// RequireConsistent requires that all places agree about an instantiated VNF: Windlass's records, Heat, Nova, the nodes
// of Kubernetes, the members of etcd, HAProxy's servers and /etc/hosts. Nothing may be there twice, and nothing may
// have happened that would harm a real cluster. The VNF must be the only one of the lab. RequireConsistent waits for
// changes that only need time, such as the start of a kubelet.
func (b *Bed) RequireConsistent(t testing.TB, vnf string) {
	t.Helper()
	var wrong []string
	for end := time.Now().Add(time.Minute); ; Pause(t) {
		if wrong = b.differences(t, vnf); len(wrong) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("The VNF is not the same everywhere:\n  %s", strings.Join(wrong, "\n  "))
		}
	}
}

// RequireRecorded requires that a VNF records the servers that exist in the cloud, in any state of its cluster, for
// example after an operation became FAILED.
func (b *Bed) RequireRecorded(t testing.TB, vnf string) {
	t.Helper()
	var servers, existing []string
	for id := range b.Vnfcs(t, vnf) {
		servers = append(servers, id)
	}
	for _, m := range b.machines(t) {
		existing = append(existing, m.ID)
	}
	require.ElementsMatch(t, servers, existing, "the VNFCs that are recorded, and Nova's servers")
}

// RequireStopped requires that the servers of these VNFCs are off, and that all recorded servers exist once. Without
// ids the entire VNF must be stopped.
func (b *Bed) RequireStopped(t testing.TB, vnf string, vnfcs ...string) {
	t.Helper()
	b.RequireRecorded(t, vnf)
	if len(vnfcs) == 0 {
		info := b.Get(t, "/vnflcm/v1/vnf_instances/"+vnf)["instantiatedVnfInfo"].(map[string]any)
		require.Equal(t, "STOPPED", info["vnfState"])
		vnfcs = slices.Collect(maps.Keys(b.Vnfcs(t, vnf)))
	}
	for _, m := range b.machines(t) {
		if slices.Contains(vnfcs, m.ID) {
			require.Equal(t, "SHUTOFF", m.Status, "the server %s", m.ID)
		}
	}
}

// comparison collects differences.
type comparison struct{ wrong []string }

func (c *comparison) equal(what string, want, got []string) {
	want, got = slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(got))
	if !slices.Equal(want, got) {
		c.wrong = append(c.wrong, fmt.Sprintf("%s: %v, and should be %v", what, got, want))
	}
}

func (c *comparison) holds(so bool, format string, args ...any) {
	if !so {
		c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
	}
}

func (b *Bed) differences(t testing.TB, vnf string) []string {
	t.Helper()
	var c comparison
	var servers, controlPlanes []string // as the VNF records them
	for id, vdu := range b.Vnfcs(t, vnf) {
		servers = append(servers, id)
		if vdu == "masterNode" {
			controlPlanes = append(controlPlanes, id)
		}
	}
	b.compareCloud(t, &c, servers)
	all := b.Clusters(t)
	if len(all) != 1 || all[0].ID != vnf {
		return append(c.wrong, fmt.Sprintf("there are %d clusters, and should be that of %s", len(all), vnf))
	}
	compareCluster(&c, all[0], servers, controlPlanes)
	return c.wrong
}

// labMachine is a server as the lab has it.
type labMachine struct {
	ID      string `json:"id"`
	Status  string `json:"status"`
	Machine string `json:"machine"`
}

func (b *Bed) machines(t testing.TB) []labMachine {
	t.Helper()
	var all struct {
		Machines []labMachine `json:"machines"`
	}
	require.NoError(t, json.Unmarshal(b.Lab(t, http.MethodGet, "/machines", nil).Body, &all))
	return all.Machines
}

// compareCloud compares the records with Heat and Nova.
func (b *Bed) compareCloud(t testing.TB, c *comparison, servers []string) {
	t.Helper()
	var running []string
	for _, m := range b.machines(t) {
		running = append(running, m.ID)
		c.holds(m.Status == "ACTIVE" && m.Machine == "RUNNING", "the server %s is %s and its machine %s", m.ID, m.Status,
			m.Machine)
	}
	c.equal("Nova's servers", servers, running)
	var heat struct {
		Stacks []struct {
			Name   string `json:"name"`
			Status string `json:"status"`
		} `json:"stacks"`
		Ports []any `json:"ports"`
	}
	require.NoError(t, json.Unmarshal(b.Lab(t, http.MethodGet, "/resources", nil).Body, &heat))
	const top, groups = 1, 2
	c.holds(len(heat.Stacks) == top+groups+len(servers), "Heat has %d stacks, and should have %d", len(heat.Stacks),
		top+groups+len(servers))
	// And the port of the virtual IP.
	c.holds(len(heat.Ports) == 1+len(servers), "Neutron has %d ports, and should have %d", len(heat.Ports), 1+len(servers))
	for _, s := range heat.Stacks {
		c.holds(strings.HasSuffix(s.Status, "_COMPLETE"), "the stack %s is %s", s.Name, s.Status)
	}
}

func compareCluster(c *comparison, cluster Cluster, servers, controlPlanes []string) {
	var machines, names, backends, hosts, leaders []string
	for _, m := range cluster.Members {
		machines = append(machines, m.MachineID)
		hosts = append(hosts, m.Address+" "+m.Node)
		c.holds(m.Ready, "the node %s is not Ready", m.Node)
		c.holds(!m.Cordoned, "the node %s is cordoned", m.Node)
		if m.ControlPlane {
			leaders = append(leaders, m.MachineID)
			names = append(names, m.Node)
			backends = append(backends, m.Node+" "+m.Address)
		}
	}
	c.equal("Kubernetes's nodes", servers, machines)
	c.equal("its control planes", controlPlanes, leaders)
	for _, m := range cluster.Members {
		c.equal("/etc/hosts of "+m.Node, hosts, slices.DeleteFunc(slices.Clone(m.Hosts), func(line string) bool {
			return !strings.Contains(line, " cp-") && !strings.Contains(line, " worker-")
		}))
	}
	var members, balancers []string
	for _, e := range cluster.EtcdMembers {
		members = append(members, e.Node)
		c.holds(e.Started, "the member of etcd of %s has not started", e.Node)
	}
	c.equal("etcd's members", names, members)
	for _, h := range cluster.Balancers {
		balancers = append(balancers, h.MachineID)
		c.equal("HAProxy's servers on "+h.MachineID, backends, h.Servers)
	}
	c.equal("HAProxys", controlPlanes, balancers)
	c.holds(cluster.TokenCount == 0, "%d join tokens are left", cluster.TokenCount)
	c.holds(len(cluster.Violations) == 0, "a real cluster would suffer: %s", strings.Join(cluster.Violations, "; "))
}

// RequireStepsEnded requires that no step of an operation that has ended is still under way, on no node either.
func (b *Bed) RequireStepsEnded(t testing.TB, op string) {
	t.Helper()
	for _, s := range b.Steps(t, op) {
		require.NotEqual(t, "RUNNING", s.State, "%q of %s (step %d) runs for ever", s.Title, s.Node, s.Index)
	}
}
