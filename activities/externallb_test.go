package activities_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/balancer"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/driver/nodeport"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// balancerSite returns a cluster with three control planes and two workers behind a load balancer.
func balancerSite(t *testing.T, lb k8s.ExternalLBParams) (site, *fakeSite, balancer.ExternalLoadBalancerInput) {
	t.Helper()
	s, fake, _, _ := newSite(t, 3, 2, func(p *k8s.Params) { p.ExternalLB = &lb })
	server := lcm.Node{Name: "lb-00000031", Role: lcm.LoadBalancer, ServerID: "31", Address: "10.0.0.31"}
	fake.nodes[server.Name] = &fakeNode{site: fake, node: server, files: map[string]string{}}
	return s, fake, balancer.ExternalLoadBalancerInput{NodeInput: s.Tracked(server), Nodes: s.Nodes, Serving: true}
}

func TestConfigureExternalLoadBalancer_sendsTrafficToTheseNodesOnly(t *testing.T) {
	s, fake, in := balancerSite(t, k8s.ExternalLBParams{Port: 8383, NodePorts: []int{30080}})
	nodes := &balancer.Activities{Reach: s.Reach}
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

func TestConfigureExternalLoadBalancer_installsThroughTheProxy(t *testing.T) {
	s, fake, in := balancerSite(t, k8s.ExternalLBParams{Port: 8383})
	const url = "http://u:hunter2-of-the-proxy@proxy.example:3128"
	s.Reach.Vnfs.(*fixedVnf).Params.Proxy = &k8s.ProxyParams{HTTPProxy: lcm.Secret{Clear: url}, NoProxy: "10.0.0.0/8"}
	nodes := &balancer.Activities{Reach: s.Reach}
	for range 2 {
		must(t, nodes.ConfigureExternalLoadBalancer, in)
	}
	assert.Equal(t, url, readStdin(fake.ran[1].Stdin)["http_proxy"])
	_, params := readScript(fake.ran[1].Script)
	assert.Contains(t, params["NO_PROXY_LIST"], "10.0.0.0/8")
	assert.NotContains(t, fake.ran[1].Script, "hunter2")
}

func TestConfigureExternalLoadBalancer_passesOverOneThatIsDeadAndLeaves(t *testing.T) {
	s, fake, in := balancerSite(t, k8s.ExternalLBParams{Port: 8383})
	nodes := &balancer.Activities{Reach: s.Reach}
	gone := lcm.Errorf(lcm.KindUnavailable, "No route to host.")
	for range 2 {
		fake.fail["dial "+in.Node.Name] = []error{gone, gone}
		in.PassOver = false
		_, err := do(t, nodes.ConfigureExternalLoadBalancer, in)
		assertKind(t, err, lcm.KindUnavailable, "No route to host")
		in.PassOver = true
		must(t, nodes.ConfigureExternalLoadBalancer, in)
	}
	assert.Empty(t, fake.ran)
}

func TestConfigureExternalLoadBalancer_runsThePackagesScript(t *testing.T) {
	s, fake, in := balancerSite(t, k8s.ExternalLBParams{Port: 8383, ScriptPath: "Scripts/lb.sh"})
	s.Reach.Vnfs.(*fixedVnf).Context.PackageFile = func(context.Context, string) ([]byte, error) {
		return []byte("#!/bin/bash\r\necho \"$@\"\r\n"), nil
	}
	nodes := &balancer.Activities{Reach: s.Reach}
	for range 2 {
		must(t, nodes.ConfigureExternalLoadBalancer, in)
	}
	require.Len(t, fake.ran, 1, "its end is found again")
	assert.Equal(t, "#!/bin/bash\necho \"$@\"\n", readStdin(fake.ran[0].Stdin)["script"])
	_, params := readScript(fake.ran[0].Script)
	assert.Equal(t, "10.0.0.11,10.0.0.12,10.0.0.13", params["CONTROL_PLANES"])
	assert.Equal(t, "10.0.0.21,10.0.0.22", params["WORKERS"])
}

func TestConfigureExternalLoadBalancer_takesThePlaceOfTackersScript(t *testing.T) {
	s, fake, in := balancerSite(t, k8s.ExternalLBParams{Port: 8383, ScriptPath: "Scripts/install_external_lb.sh"})
	s.Reach.Vnfs.(*fixedVnf).Context.PackageFile = func(context.Context, string) ([]byte, error) {
		return []byte("function install_haproxy {\nfunction modify_haproxy_conf {\n" +
			"  echo of Tacker | sudo tee -a /etc/haproxy/haproxy.cfg\nfunction start_haproxy {\n"), nil
	}
	nodes := &balancer.Activities{Reach: s.Reach}
	for range 2 {
		must(t, nodes.ConfigureExternalLoadBalancer, in)
	}
	assert.Contains(t, readStdin(fake.ran[1].Stdin)["haproxy"], "bind *:8383")
	assert.NotContains(t, fake.ran[1].Stdin, "of Tacker")
}

func TestConfigureExternalLoadBalancer_ofSeveralShareTheAddress(t *testing.T) {
	s, fake, in := balancerSite(t, k8s.ExternalLBParams{Port: 8383, ClusterCpName: "vip"})
	in.VirtualIP = "10.0.0.30"
	in.Balancers = lcm.Nodes{in.Node, {Name: "lb-00000032", Role: lcm.LoadBalancer, ServerID: "32", Address: "10.0.0.32"}}
	in.Exposed = []lcm.ExposedPorts{{Owner: "web", Ports: []int{30443, 30080}}}
	nodes := &balancer.Activities{Reach: s.Reach}
	for range 2 {
		must(t, nodes.ConfigureExternalLoadBalancer, in)
	}
	last := fake.ran[len(fake.ran)-1]
	_, params := readScript(last.Script)
	assert.Equal(t, "yes", params["SHARED"])
	stdin := readStdin(last.Stdin)
	assert.Equal(t, "web 30443 30080\n", stdin["exposed"])
	assert.Contains(t, stdin["nodes"], s.Nodes[0].Name+" "+s.Nodes[0].Address+"\n")
	for _, line := range []string{"state BACKUP", "nopreempt", "10.0.0.32", "10.0.0.30/"} {
		assert.Contains(t, stdin["keepalived"], line)
	}
	assert.NotEmpty(t, last.Mask, "the password of VRRP is masked")
}

// exposedSite returns a VNF on a cluster with a load balancer at 10.0.0.31.
func exposedSite(t *testing.T, script string) (*fakeSite, *balancer.Activities, balancer.ExposeServicesInput) {
	t.Helper()
	s, fake, _ := balancerSite(t, k8s.ExternalLBParams{Port: 8383})
	exposure := &nodeport.Exposure{Params: nodeport.Params{
		ScriptPath: script, Balancer: nodeport.Balancer{Address: "10.0.0.31", Username: "debian", Port: 22},
	}}
	vnf := s.Reach.Vnfs.(*fixedVnf)
	vnf.Context.Drivers = []lifecycle.Driver{exposure}
	vnf.Context.PackageFile = func(context.Context, string) ([]byte, error) { return []byte("echo \"$@\"\n"), nil }
	server := exposure.Balancers()[0]
	fake.nodes[server.Name] = &fakeNode{site: fake, node: server, files: map[string]string{}}
	return fake, &balancer.Activities{Reach: s.Reach}, balancer.ExposeServicesInput{
		NodeInput: s.Tracked(server),
		Services:  []lcm.ExposedService{{Namespace: "default", Name: "web", NodePorts: []int{30443, 30080}}},
	}
}

func TestExposeServices_leavesLoadBalancersOfWindlassToItsOwnScript(t *testing.T) {
	fake, nodes, in := exposedSite(t, "Scripts/configure_lb.sh")
	for range 2 {
		must(t, nodes.ExposeServices, in)
	}
	require.Len(t, fake.ran, 2, "the package's script is not run")
	_, params := readScript(fake.ran[0].Script)
	assert.Equal(t, "30080 30443", params["PORTS"])
	in.Hide = true
	must(t, nodes.ExposeServices, in)
	_, params = readScript(fake.ran[2].Script)
	assert.Empty(t, params["PORTS"])
}

func TestExposeServices_runsThePackagesScriptElsewhere(t *testing.T) {
	fake, nodes, in := exposedSite(t, "Scripts/configure_lb.sh")
	fake.replies["expose-services"] = results("ours", "no")
	for range 2 {
		must(t, nodes.ExposeServices, in)
	}
	_, params := readScript(fake.ran[1].Script)
	assert.Equal(t, "default,web,30443,30080", params["SERVICES"])
	assert.Equal(t, "True", params["ADD"])
	in.Hide = true
	clear(fake.nodes[in.Node.Name].ended) // as for another activity
	must(t, nodes.ExposeServices, in)
	require.Len(t, fake.ran, 5, "the package's script has run once each time, Windlass's own three times")
	_, params = readScript(fake.ran[4].Script)
	assert.Equal(t, "default,web", params["SERVICES"], "as Tacker takes them away")
	assert.Equal(t, "False", params["ADD"])

	fake, nodes, in = exposedSite(t, "")
	fake.replies["expose-services"] = results("ours", "no")
	_, err := do(t, nodes.ExposeServices, in)
	require.ErrorContains(t, err, "script_path")
}
