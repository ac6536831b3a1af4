package balancer_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/balancer"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/driver/nodeport"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// balancerSite returns a cluster with three control planes and two workers behind a load balancer.
func balancerSite(
	t *testing.T, lb k8s.ExternalLBParams,
) (activitytest.Site, *activitytest.FakeSite, balancer.ExternalLoadBalancerInput) {
	t.Helper()
	s, fake, _, _ := activitytest.NewFake(t, 3, 2, func(p *k8s.Params) { p.ExternalLB = &lb })
	server := lcm.Node{Name: "lb-00000031", Role: lcm.LoadBalancer, ServerID: "31", Address: "10.0.0.31"}
	fake.Nodes[server.Name] = &activitytest.FakeNode{Site: fake, Node: server, Files: map[string]string{}}
	return s, fake, balancer.ExternalLoadBalancerInput{NodeInput: s.Tracked(server), Nodes: s.Nodes, Serving: true}
}

func TestConfigureExternalLoadBalancer_sendsTrafficToTheseNodesOnly(t *testing.T) {
	s, fake, in := balancerSite(t, k8s.ExternalLBParams{Port: 8383, NodePorts: []int{30080}})
	nodes := &balancer.Activities{Reach: s.Reach}
	for range 2 {
		activitytest.Must(t, nodes.ConfigureExternalLoadBalancer, in)
	}
	conf := activitytest.ReadStdin(fake.Ran[0].Stdin)["haproxy"]
	assert.Equal(t, conf, activitytest.ReadStdin(fake.Ran[1].Stdin)["haproxy"])
	assert.Contains(t, conf, "bind *:8383")
	assert.Equal(t, 3, strings.Count(conf, ":6443"))
	assert.Equal(t, 5, strings.Count(conf, ":30080\n")-strings.Count(conf, "bind *:30080\n"))
	_, params := activitytest.ReadScript(fake.Ran[0].Script)
	assert.Equal(t, "yes", params["SERVES"])

	in.Nodes = s.Nodes[:4]
	activitytest.Must(t, nodes.ConfigureExternalLoadBalancer, in)
	assert.NotContains(t, activitytest.ReadStdin(fake.Ran[2].Stdin)["haproxy"], s.Nodes[4].Name)
}

func TestConfigureExternalLoadBalancer_installsThroughTheProxy(t *testing.T) {
	s, fake, in := balancerSite(t, k8s.ExternalLBParams{Port: 8383})
	const url = "http://u:hunter2-of-the-proxy@proxy.example:3128"
	s.Reach.Vnfs.(*activitytest.FixedVnf).Params.Proxy = &k8s.ProxyParams{
		HTTPProxy: lcm.Secret{Clear: url},
		NoProxy:   "10.0.0.0/8",
	}
	nodes := &balancer.Activities{Reach: s.Reach}
	for range 2 {
		activitytest.Must(t, nodes.ConfigureExternalLoadBalancer, in)
	}
	assert.Equal(t, url, activitytest.ReadStdin(fake.Ran[1].Stdin)["http_proxy"])
	_, params := activitytest.ReadScript(fake.Ran[1].Script)
	assert.Contains(t, params["NO_PROXY_LIST"], "10.0.0.0/8")
	assert.NotContains(t, fake.Ran[1].Script, "hunter2")
}

func TestConfigureExternalLoadBalancer_passesOverOneThatIsDeadAndLeaves(t *testing.T) {
	s, fake, in := balancerSite(t, k8s.ExternalLBParams{Port: 8383})
	nodes := &balancer.Activities{Reach: s.Reach}
	gone := lcm.Errorf(lcm.KindUnavailable, "No route to host.")
	for range 2 {
		fake.Fail["dial "+in.Node.Name] = []error{gone, gone}
		in.PassOver = false
		_, err := activitytest.Do(t, nodes.ConfigureExternalLoadBalancer, in)
		activitytest.AssertKind(t, err, lcm.KindUnavailable, "No route to host")
		in.PassOver = true
		activitytest.Must(t, nodes.ConfigureExternalLoadBalancer, in)
	}
	assert.Empty(t, fake.Ran)
}

func TestConfigureExternalLoadBalancer_runsThePackagesScript(t *testing.T) {
	s, fake, in := balancerSite(t, k8s.ExternalLBParams{Port: 8383, ScriptPath: "Scripts/lb.sh"})
	s.Reach.Vnfs.(*activitytest.FixedVnf).Context.PackageFile = func(context.Context, string) ([]byte, error) {
		return []byte("#!/bin/bash\r\necho \"$@\"\r\n"), nil
	}
	nodes := &balancer.Activities{Reach: s.Reach}
	for range 2 {
		activitytest.Must(t, nodes.ConfigureExternalLoadBalancer, in)
	}
	require.Len(t, fake.Ran, 1, "its end is found again")
	assert.Equal(t, "#!/bin/bash\necho \"$@\"\n", activitytest.ReadStdin(fake.Ran[0].Stdin)["script"])
	_, params := activitytest.ReadScript(fake.Ran[0].Script)
	assert.Equal(t, "10.0.0.11,10.0.0.12,10.0.0.13", params["CONTROL_PLANES"])
	assert.Equal(t, "10.0.0.21,10.0.0.22", params["WORKERS"])
}

func TestConfigureExternalLoadBalancer_takesThePlaceOfTackersScript(t *testing.T) {
	s, fake, in := balancerSite(t, k8s.ExternalLBParams{Port: 8383, ScriptPath: "Scripts/install_external_lb.sh"})
	s.Reach.Vnfs.(*activitytest.FixedVnf).Context.PackageFile = func(context.Context, string) ([]byte, error) {
		return []byte("function install_haproxy {\nfunction modify_haproxy_conf {\n" +
			"  echo of Tacker | sudo tee -a /etc/haproxy/haproxy.cfg\nfunction start_haproxy {\n"), nil
	}
	nodes := &balancer.Activities{Reach: s.Reach}
	for range 2 {
		activitytest.Must(t, nodes.ConfigureExternalLoadBalancer, in)
	}
	assert.Contains(t, activitytest.ReadStdin(fake.Ran[1].Stdin)["haproxy"], "bind *:8383")
	assert.NotContains(t, fake.Ran[1].Stdin, "of Tacker")
}

func TestConfigureExternalLoadBalancer_ofSeveralShareTheAddress(t *testing.T) {
	s, fake, in := balancerSite(t, k8s.ExternalLBParams{Port: 8383, ClusterCpName: "vip"})
	in.VirtualIP = "10.0.0.30"
	in.Balancers = lcm.Nodes{in.Node, {Name: "lb-00000032", Role: lcm.LoadBalancer, ServerID: "32", Address: "10.0.0.32"}}
	in.Exposed = []lcm.ExposedPorts{{Owner: "web", Ports: []int{30443, 30080}}}
	nodes := &balancer.Activities{Reach: s.Reach}
	for range 2 {
		activitytest.Must(t, nodes.ConfigureExternalLoadBalancer, in)
	}
	last := fake.Ran[len(fake.Ran)-1]
	_, params := activitytest.ReadScript(last.Script)
	assert.Equal(t, "yes", params["SHARED"])
	stdin := activitytest.ReadStdin(last.Stdin)
	assert.Equal(t, "web 30443 30080\n", stdin["exposed"])
	assert.Contains(t, stdin["nodes"], s.Nodes[0].Name+" "+s.Nodes[0].Address+"\n")
	for _, line := range []string{"state BACKUP", "nopreempt", "10.0.0.32", "10.0.0.30/"} {
		assert.Contains(t, stdin["keepalived"], line)
	}
	assert.NotEmpty(t, last.Mask, "the password of VRRP is masked")
}

// exposedSite returns a VNF on a cluster with a load balancer at 10.0.0.31.
func exposedSite(
	t *testing.T, script string,
) (*activitytest.FakeSite, *balancer.Activities, balancer.ExposeServicesInput) {
	t.Helper()
	s, fake, _ := balancerSite(t, k8s.ExternalLBParams{Port: 8383})
	exposure := &nodeport.Exposure{Params: nodeport.Params{
		ScriptPath: script, Balancer: nodeport.Balancer{Address: "10.0.0.31", Username: "debian", Port: 22},
	}}
	vnf := s.Reach.Vnfs.(*activitytest.FixedVnf)
	vnf.Context.Drivers = []lifecycle.VnfDriver{exposure}
	vnf.Context.PackageFile = func(context.Context, string) ([]byte, error) { return []byte("echo \"$@\"\n"), nil }
	server := exposure.Balancers()[0]
	fake.Nodes[server.Name] = &activitytest.FakeNode{Site: fake, Node: server, Files: map[string]string{}}
	return fake, &balancer.Activities{Reach: s.Reach}, balancer.ExposeServicesInput{
		NodeInput: s.Tracked(server),
		Services:  []lcm.ExposedService{{Namespace: "default", Name: "web", NodePorts: []int{30443, 30080}}},
	}
}

func TestExposeServices_leavesLoadBalancersOfWindlassToItsOwnScript(t *testing.T) {
	fake, nodes, in := exposedSite(t, "Scripts/configure_lb.sh")
	for range 2 {
		activitytest.Must(t, nodes.ExposeServices, in)
	}
	require.Len(t, fake.Ran, 2, "the package's script is not run")
	_, params := activitytest.ReadScript(fake.Ran[0].Script)
	assert.Equal(t, "30080 30443", params["PORTS"])
	in.Hide = true
	activitytest.Must(t, nodes.ExposeServices, in)
	_, params = activitytest.ReadScript(fake.Ran[2].Script)
	assert.Empty(t, params["PORTS"])
}

func TestExposeServices_runsThePackagesScriptElsewhere(t *testing.T) {
	fake, nodes, in := exposedSite(t, "Scripts/configure_lb.sh")
	fake.Replies["expose-services"] = activitytest.Results("ours", "no")
	for range 2 {
		activitytest.Must(t, nodes.ExposeServices, in)
	}
	_, params := activitytest.ReadScript(fake.Ran[1].Script)
	assert.Equal(t, "default,web,30443,30080", params["SERVICES"])
	assert.Equal(t, "True", params["ADD"])
	in.Hide = true
	clear(fake.Nodes[in.Node.Name].Ended) // as for another activity
	activitytest.Must(t, nodes.ExposeServices, in)
	require.Len(t, fake.Ran, 5, "the package's script has run once each time, Windlass's own three times")
	_, params = activitytest.ReadScript(fake.Ran[4].Script)
	assert.Equal(t, "default,web", params["SERVICES"], "as Tacker takes them away")
	assert.Equal(t, "False", params["ADD"])

	fake, nodes, in = exposedSite(t, "")
	fake.Replies["expose-services"] = activitytest.Results("ours", "no")
	_, err := activitytest.Do(t, nodes.ExposeServices, in)
	require.ErrorContains(t, err, "script_path")
}
