package kubenode_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/kubenode"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

func TestPrepareNode_takesTheConfigurationsKeyAndPinsTheClustersVersion(t *testing.T) {
	s, fake, _, _ := activitytest.NewFake(t, 1, 0, func(p *k8s.Params) {
		p.KubernetesVersion = "1.34.4"
	})
	s.Reach.Defaults = k8s.Defaults{
		AptRepository: &k8s.AptRepository{URL: "http://packages.example.com/k8s", Suite: "stable", Component: "main"},
		AptKey:        []byte("CONFIGURED"),
	}
	activitytest.Must(t, (&kubenode.Activities{Reach: s.Reach}).PrepareNode,
		kubenode.PrepareNodeInput{NodeInput: s.Tracked(s.Nodes[0]), Hosts: reach.HostEntries(s.Nodes)})
	assert.Contains(t, fake.Ran[0].Script, "SOURCE='http://packages.example.com/k8s stable main'")
	assert.Contains(t, fake.Ran[0].Script, "VERSION='1.34.4-*'")
	assert.Equal(t, "CONFIGURED", activitytest.ReadStdin(fake.Ran[0].Stdin)["apt_key"])
}

func TestPrepareNode_masksThePartsOfAProxysURL(t *testing.T) {
	s, fake, _, _ := activitytest.NewFake(t, 1, 0, func(p *k8s.Params) {
		p.Proxy = &k8s.ProxyParams{HTTPSProxy: lcm.Secret{Clear: "http://user:p%40ss@proxy.example:3128"}}
	})
	activitytest.Must(t, (&kubenode.Activities{Reach: s.Reach}).PrepareNode,
		kubenode.PrepareNodeInput{NodeInput: s.Tracked(s.Nodes[0]), Hosts: reach.HostEntries(s.Nodes)})
	assert.Equal(t, []string{"http://user:p%40ss@proxy.example:3128", "user:p%40ss", "p%40ss", "p@ss"}, fake.Ran[0].Mask)
}

func TestPrepareNode_refusesAProxyThatWouldBecomeConfiguration(t *testing.T) {
	s, fake, _, _ := activitytest.NewFake(t, 1, 0, func(p *k8s.Params) {
		p.Proxy = &k8s.ProxyParams{HTTPProxy: lcm.Secret{Clear: "http://hunter2@p\";\nAPT::x \"y"}}
	})
	_, err := activitytest.Do(t, (&kubenode.Activities{Reach: s.Reach}).PrepareNode,
		kubenode.PrepareNodeInput{NodeInput: s.Tracked(s.Nodes[0]), Hosts: reach.HostEntries(s.Nodes)})
	activitytest.AssertKind(t, err, lcm.KindInvalid, "proxy.http_proxy is not a URL")
	assert.NotContains(t, err.Error(), "hunter2")
	assert.Empty(t, fake.Ran)
}

func TestPrepareNode_masksAProxysURLAlsoWithoutItsLastSlash(t *testing.T) {
	s, fake, _, _ := activitytest.NewFake(t, 1, 0, func(p *k8s.Params) {
		p.Proxy = &k8s.ProxyParams{HTTPProxy: lcm.Secret{Clear: "http://user:hunter2@proxy.example:3128/"}}
	})
	activitytest.Must(t, (&kubenode.Activities{Reach: s.Reach}).PrepareNode,
		kubenode.PrepareNodeInput{NodeInput: s.Tracked(s.Nodes[0]), Hosts: reach.HostEntries(s.Nodes)})
	assert.Contains(t, fake.Ran[0].Mask, "http://user:hunter2@proxy.example:3128")
	assert.Contains(t, fake.Ran[0].Mask, "http://user:hunter2@proxy.example:3128/")
	assert.Contains(t, fake.Ran[0].Mask, "hunter2")
}
