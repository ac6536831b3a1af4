package activities_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// balancerSite is a cluster with three control planes and two workers behind a load balancer.
func balancerSite(t *testing.T, lb k8s.ExternalLBParams) (site, *fakeSite, activities.ExternalLoadBalancerInput) {
	t.Helper()
	s, fake, _, _ := newSite(t, 3, 2, func(p *k8s.Params) { p.ExternalLB = &lb })
	server := lcm.Node{Name: "lb-00000031", Role: lcm.LoadBalancer, ServerID: "31", Address: "10.0.0.31"}
	fake.nodes[server.Name] = &fakeNode{site: fake, node: server, files: map[string]string{}}
	return s, fake, activities.ExternalLoadBalancerInput{NodeInput: s.Tracked(server), Nodes: s.Nodes, Serving: true}
}

func TestConfigureExternalLoadBalancer_sendsTrafficToTheseNodesOnly(t *testing.T) {
	s, fake, in := balancerSite(t, k8s.ExternalLBParams{Port: 8383, NodePorts: []int{30080}})
	nodes := &activities.Nodes{Reach: s.Reach}
	for range 2 {
		must(t, nodes.ConfigureExternalLoadBalancer, in)
	}
	conf := readStdin(fake.ran[0].Stdin)["haproxy"]
	assert.Equal(t, conf, readStdin(fake.ran[1].Stdin)["haproxy"])
	assert.Contains(t, conf, "bind *:8383")
	assert.Equal(t, 3, strings.Count(conf, ":6443"))
	assert.Equal(t, 5, strings.Count(conf, ":30080\n")-strings.Count(conf, "bind *:30080\n"))
	_, params := readScript(fake.ran[0].Script)
	assert.Equal(t, "yes", params["SERVES"])

	in.Nodes = s.Nodes[:4]
	must(t, nodes.ConfigureExternalLoadBalancer, in)
	assert.NotContains(t, readStdin(fake.ran[2].Stdin)["haproxy"], s.Nodes[4].Name)
}

func TestConfigureExternalLoadBalancer_runsThePackagesScript(t *testing.T) {
	s, fake, in := balancerSite(t, k8s.ExternalLBParams{Port: 8383, ScriptPath: "Scripts/lb.sh"})
	s.Reach.Vnfs.(*fixedVnf).Context.PackageFile = func(context.Context, string) ([]byte, error) {
		return []byte("#!/bin/bash\r\necho \"$@\"\r\n"), nil
	}
	nodes := &activities.Nodes{Reach: s.Reach}
	for range 2 {
		must(t, nodes.ConfigureExternalLoadBalancer, in)
	}
	assert.Equal(t, "#!/bin/bash\necho \"$@\"\n", readStdin(fake.ran[0].Stdin)["script"])
	_, params := readScript(fake.ran[0].Script)
	assert.Equal(t, "10.0.0.11,10.0.0.12,10.0.0.13", params["CONTROL_PLANES"])
	assert.Equal(t, "10.0.0.21,10.0.0.22", params["WORKERS"])
}
