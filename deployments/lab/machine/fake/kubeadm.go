package fake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Scripts read a node's progress from these files.
const (
	memberFile  = "/var/lib/windlass/member"
	kubeletConf = "/etc/kubernetes/kubelet.conf"
	adminConf   = "/etc/kubernetes/admin.conf"
	manifest    = "/etc/kubernetes/manifests/kube-apiserver.yaml"
)

// kubeadmConfig has the relevant fields of kubeadm's configuration file.
type kubeadmConfig struct {
	CertificateKey   string `yaml:"certificateKey"`
	Endpoint         string `yaml:"controlPlaneEndpoint"`
	NodeRegistration struct {
		Name string `yaml:"name"`
	} `yaml:"nodeRegistration"`
	Discovery struct {
		BootstrapToken struct {
			Endpoint string   `yaml:"apiServerEndpoint"`
			Token    string   `yaml:"token"`
			Hashes   []string `yaml:"caCertHashes"`
		} `yaml:"bootstrapToken"`
	} `yaml:"discovery"`
	ControlPlane *struct {
		CertificateKey string `yaml:"certificateKey"`
	} `yaml:"controlPlane"`
}

// readConfig merges the documents: their keys do not overlap.
func readConfig(text string) (c kubeadmConfig, err error) {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for {
		if err := decoder.Decode(&c); errors.Is(err, io.EOF) {
			return c, nil
		} else if err != nil {
			return c, fmt.Errorf("read kubeadm's configuration: %w", err)
		}
	}
}

// memberState returns the output of lib-kube's member_state.
func (m *Machine) memberState(p ScriptParams) string {
	content, _ := m.ReadFile(memberFile)
	_, kubelet := m.ReadFile(kubeletConf)
	switch {
	case kubelet && strings.TrimSpace(string(content)) == p.Get("CLUSTER")+" "+p.Get("NODE_NAME"):
		return "member"
	case m.hasLeftovers():
		return "half"
	}
	return "new"
}

func (m *Machine) hasLeftovers() bool {
	for _, path := range []string{manifest, kubeletConf, adminConf} {
		if _, ok := m.ReadFile(path); ok {
			return true
		}
	}
	return false
}

func (h *Hypervisor) checkMember(_ context.Context, m *Machine, p ScriptParams) Result {
	state := m.memberState(p)
	if state != "member" && len(m.kubeadms(p.run)) > 0 {
		p.Print("kubeadm is at work on this node")
		state = "busy"
	}
	if state == "member" {
		p.Print("already a member of the cluster")
	}
	p.Result("state", state)
	p.Result("kubeadm", KubernetesVersion)
	return Result{}
}

// begin is the common start of init and join; done means that nothing remains to do.
func (h *Hypervisor) begin(
	ctx context.Context, m *Machine, p ScriptParams,
) (config kubeadmConfig, done bool, failed *Result) {
	if failed = p.lacks("config"); failed != nil {
		return config, true, failed
	}
	config, err := readConfig(p.Input("config"))
	if err != nil {
		r := p.Fail(1, "%s failed: the configuration cannot be read", strings.Replace(p.Script, "-", " ", 1))
		return config, true, &r
	}
	if m.stopKubeadms(ctx, p) && p.Get("ROLE") == "control-plane" && p.Script == "kubeadm-join" &&
		m.memberState(p) != "member" {
		r := p.Fail(75, "the kubeadm of an earlier try was still running and has been stopped")
		return config, true, &r
	}
	switch m.memberState(p) {
	case "member":
		p.Print("already a member of the cluster")
		return config, true, nil
	case "half":
		p.Print("an interrupted kubeadm left its files here: kubeadm reset")
		w := h.locked()
		if c := w.clusters[p.Get("CLUSTER")]; c != nil {
			c.leave(p.Get("NODE_NAME"), p.Get("ADDRESS"))
		}
		w.mu.Unlock()
		m.files.remove("/etc/kubernetes")
	}
	return config, false, nil
}

func (h *Hypervisor) kubeadmInit(ctx context.Context, m *Machine, p ScriptParams) Result {
	config, done, failed := h.begin(ctx, m, p)
	if failed != nil {
		return *failed
	}
	if done {
		return Result{}
	}
	if !h.reachable(m, config.Endpoint, true) {
		return p.Fail(1, "kubeadm init failed: %s does not answer", config.Endpoint)
	}
	m.WriteFile(manifest, nil, 0o600)
	p.Print("[init] Using Kubernetes version: %s", KubernetesVersion)
	if !p.Work(ctx) {
		return interrupted
	}
	id, node := p.Get("CLUSTER"), p.Get("NODE_NAME")
	ca, err := newCA("kubernetes")
	if err != nil {
		return p.Fail(1, "kubeadm init failed: %s", err)
	}
	w := h.locked()
	defer w.mu.Unlock()
	c := w.clusters[id]
	if c != nil && c.controlPlanes() > 0 {
		c.violate("%s initialised a cluster that had members", node)
	}
	violations := violationsOf(c)
	c = newCluster(id, ca)
	c.certificateKey, c.violations = config.CertificateKey, violations
	w.clusters[id] = c
	c.join(node, p.Get("ADDRESS"), m, true)
	m.becomeMember(p, ca)
	p.Print("Your Kubernetes control-plane has initialized successfully!")
	return Result{}
}

func newCluster(id, ca string) *cluster {
	return &cluster{
		id: id, ca: ca, members: map[string]*member{}, etcd: map[string]*etcdMember{}, tokens: map[string]string{},
		pods: map[string]*Pod{}, volumes: map[string]*PersistentVolume{}, classes: map[string]*StorageClass{},
	}
}

func violationsOf(c *cluster) []string {
	if c == nil {
		return nil
	}
	return c.violations
}

func (m *Machine) becomeMember(p ScriptParams, ca string) {
	m.WriteFile(kubeletConf, nil, 0o600)
	m.WriteFile("/etc/kubernetes/pki/ca.crt", []byte(ca), 0o644)
	if p.Get("ROLE") == "control-plane" {
		m.WriteFile(adminConf, nil, 0o600)
	}
	m.WriteFile(memberFile, []byte(p.Get("CLUSTER")+" "+p.Get("NODE_NAME")+"\n"), 0o644)
}

func (h *Hypervisor) kubeadmJoin(ctx context.Context, m *Machine, p ScriptParams) Result {
	config, done, failed := h.begin(ctx, m, p)
	if failed != nil {
		return *failed
	}
	if done {
		return Result{}
	}
	target := config.Discovery.BootstrapToken.Endpoint
	if !h.reachable(m, target, false) {
		return p.Fail(75, "kubeadm join failed: couldn't validate the identity of the API Server: %s: i/o timeout", target)
	}
	node, address, w := p.Get("NODE_NAME"), p.Get("ADDRESS"), h.state()
	if sentence, code := w.admits(m, p, config); sentence != "" {
		return p.Fail(code, "kubeadm join failed: %s", sentence)
	}
	m.WriteFile(manifest, nil, 0o600)
	p.Print("[preflight] Running pre-flight checks")
	if !p.Work(ctx) {
		return interrupted // and leaves an etcd member that has not started
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.clusters[p.Get("CLUSTER")]
	if c == nil || !c.quorum() {
		return p.Fail(75, "kubeadm join failed: etcdserver: request timed out")
	}
	c.join(node, address, m, config.ControlPlane != nil)
	m.becomeMember(p, c.ca)
	p.Print("This node has joined the cluster")
	return Result{}
}

// admits does the API server's and etcd's part of a join; a new control plane becomes a learner.
func (w *world) admits(m *Machine, p ScriptParams, config kubeadmConfig) (sentence string, code int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.clusters[p.Get("CLUSTER")]
	if c == nil || !c.quorum() {
		return "the API server does not answer: connection refused", 75
	}
	if _, known := c.tokens[config.Discovery.BootstrapToken.Token]; !known {
		return "the token is not known to the cluster: Unauthorized", 1
	}
	if config.ControlPlane == nil {
		return "", 0
	}
	if c.certificateKey == "" || config.ControlPlane.CertificateKey != c.certificateKey {
		return "error downloading the secret kubeadm-certs: wrong certificate key", 1
	}
	for _, e := range c.etcd {
		if !e.started {
			if e.node != p.Get("NODE_NAME") {
				c.violate("%s joined etcd while %s had not started", p.Get("NODE_NAME"), e.node)
			}
			return "etcdserver: too many learner members in cluster", 75
		}
	}
	if old := c.etcd[peerURL(p.Get("ADDRESS"))]; old != nil && old.started {
		c.violate("%s joined etcd at the address of %s, which is a member", p.Get("NODE_NAME"), old.node)
	}
	c.etcd[peerURL(p.Get("ADDRESS"))] = &etcdMember{node: p.Get("NODE_NAME"), machine: m, host: m}
	return "", 0
}

// reachable reports whether host:port answers from m: a machine's own address, or a virtual IP. During an init there is
// no API server yet, but the address must exist.
func (h *Hypervisor) reachable(m *Machine, hostPort string, initialising bool) bool {
	host, _, err := net.SplitHostPort(hostPort)
	if err != nil {
		return false
	}
	if initialising && m.hasAddress(host) {
		return true
	}
	if other := h.machineAt(host); other != nil {
		return other.servesAPI() || h.leadsTo(other, m, initialising)
	}
	w := h.locked()
	answers, holder := w.answers(m, host), w.holder(host)
	w.mu.Unlock()
	if h.answersInCloud(m, hostPort, initialising) {
		return true
	}
	return answers && (len(holder.balanced()) == 0 || h.leadsTo(holder, m, initialising))
}

// servesAPI reports whether the machine's own API server answers.
func (m *Machine) servesAPI() bool {
	_, serves := m.ReadFile(adminConf)
	return m.works() && serves
}

func (h *Hypervisor) machineAt(address string) *Machine {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range h.machines {
		if m.hasAddress(address) {
			return m
		}
	}
	return nil
}
