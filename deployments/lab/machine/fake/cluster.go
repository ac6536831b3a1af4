package fake

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"slices"
	"strings"
	"time"
)

// onCluster runs f on the cluster of p when this machine's API server answers. Like scripts that use kubectl, it waits
// briefly for the API server.
func (h *Hypervisor) onCluster(ctx context.Context, m *Machine, p ScriptParams, f func(c *cluster) Result) Result {
	if !p.Work(ctx) {
		return interrupted
	}
	w := h.locked()
	defer w.mu.Unlock()
	c := w.clusters[p.Get("CLUSTER")]
	if c == nil || !c.serves(p.Get("NODE_NAME"), m) {
		return p.Fail(75, "the API server of this control plane is not ready")
	}
	return f(c)
}

// serves reports whether the API server of node answers: its etcd member runs on the same machine, and etcd has a
// majority.
func (c *cluster) serves(node string, m *Machine) bool {
	e := c.memberOf(node)
	return e != nil && e.works() && e.host == m && c.quorum()
}

// memberOf returns the node's etcd member.
func (c *cluster) memberOf(node string) *etcdMember {
	for _, e := range c.etcd {
		if e.node == node {
			return e
		}
	}
	return nil
}

func (h *Hypervisor) admitMember(ctx context.Context, m *Machine, p ScriptParams) Result {
	removed := h.onCluster(ctx, m, p, func(c *cluster) Result {
		if stale := c.etcd[p.Get("PEER_URL")]; stale != nil {
			if stale.machine != nil && len(stale.machine.kubeadms(nil)) > 0 {
				c.violate("%s removed the etcd member of %s while its join runs", p.Get("NODE_NAME"), stale.node)
			}
			p.Print("removing the stale etcd member of %s", p.Get("JOINING"))
			delete(c.etcd, p.Get("PEER_URL"))
		}
		delete(c.members, p.Get("JOINING"))
		return Result{}
	})
	if removed.ExitCode != 0 {
		return removed
	}
	w, sick, members := h.state(), "", 0
	healthy := p.until(ctx, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		sick, members = w.clusters[p.Get("CLUSTER")].sick()
		return sick == ""
	})
	if !healthy {
		return p.Fail(1, "etcd is not healthy after %s s, so %s cannot join it: %s is unhealthy", p.Get("TIMEOUT"),
			p.Get("JOINING"), sick)
	}
	p.Print("etcd is healthy with %d members", members)
	return Result{}
}

// sick returns the node of an etcd member that does not work, "" when all work; c may be nil.
func (c *cluster) sick() (node string, members int) {
	if c == nil {
		return "the only member", 0
	}
	for _, e := range c.etcd {
		if !e.works() {
			return e.node, len(c.etcd)
		}
	}
	return "", len(c.etcd)
}

func (h *Hypervisor) mintJoin(ctx context.Context, m *Machine, p ScriptParams) Result {
	token := p.Input("token")
	return h.onCluster(ctx, m, p, func(c *cluster) Result {
		c.revoke(p.Get("OPERATION"))
		c.tokens[token] = p.Get("OPERATION")
		p.Print("made the token %s, good for %s s", strings.Split(token, ".")[0], p.Get("TTL"))
		if key := p.Input("certificate_key"); key != "" {
			c.certificateKey = key
		}
		p.Result("ca", base64.StdEncoding.EncodeToString([]byte(c.ca)))
		return Result{}
	})
}

func (h *Hypervisor) revokeJoin(ctx context.Context, m *Machine, p ScriptParams) Result {
	return h.onCluster(ctx, m, p, func(c *cluster) Result {
		c.revoke(p.Get("OPERATION"))
		c.certificateKey = ""
		return Result{}
	})
}

func (c *cluster) revoke(operation string) {
	for token, owner := range c.tokens {
		if owner == operation {
			delete(c.tokens, token)
		}
	}
}

func (h *Hypervisor) applyManifest(ctx context.Context, m *Machine, p ScriptParams) Result {
	return h.onCluster(ctx, m, p, func(c *cluster) Result {
		if !slices.Contains(c.manifests, p.Get("MANIFEST")) {
			c.manifests = append(c.manifests, p.Get("MANIFEST"))
		}
		p.Print("%s serverside-applied", p.Get("MANIFEST"))
		return Result{}
	})
}

// pointToSelf has kubespray ask this machine.
func (h *Hypervisor) pointToSelf(ctx context.Context, m *Machine, p ScriptParams) Result {
	return h.onCluster(ctx, m, p, func(c *cluster) Result {
		if slices.Contains(strings.Fields(p.Get("GONE")), c.asked) {
			p.Print("/etc/kubernetes/admin.conf names this control plane now")
			c.asked = p.Get("ADDRESS")
		}
		return Result{}
	})
}

func (h *Hypervisor) labelNodes(ctx context.Context, m *Machine, p ScriptParams) Result {
	return h.onCluster(ctx, m, p, func(c *cluster) Result {
		for entry := range strings.SplitSeq(p.Get("LABELS"), ",") {
			words := strings.Fields(entry)
			if len(words) == 0 {
				continue
			}
			node := c.members[words[0]]
			if node == nil {
				return p.Fail(75, "the cluster does not know the node %s yet", words[0])
			}
			for _, label := range words[1:] {
				key, value, _ := strings.Cut(label, "=")
				node.labels[key] = value
			}
			p.Print("node/%s labeled", words[0])
		}
		return Result{}
	})
}

func (h *Hypervisor) waitForNodes(ctx context.Context, m *Machine, p ScriptParams) Result {
	if asked := h.onCluster(ctx, m, p, func(*cluster) Result { return Result{} }); asked.ExitCode != 0 {
		return asked
	}
	nodes := strings.Fields(p.Get("NODES"))
	var waiting []string
	said := ""
	reached := p.until(ctx, func() bool {
		w := h.locked()
		defer w.mu.Unlock()
		waiting = w.clusters[p.Get("CLUSTER")].notReady(nodes)
		if sentence := strings.Join(waiting, "; "); sentence != "" && sentence != said {
			p.Print("%d of %d nodes are ready; waiting for %s", len(nodes)-len(waiting), len(nodes), sentence)
			said = sentence
		}
		return len(waiting) == 0
	})
	if !reached {
		return p.Fail(1, "after %s s %d of %d nodes are ready; waiting for %s; look at 'journalctl -u kubelet' there",
			p.Get("TIMEOUT"), len(nodes)-len(waiting), len(nodes), strings.Join(waiting, "; "))
	}
	if len(nodes) == 1 {
		p.Print("the node is ready and CoreDNS is available")
	} else {
		p.Print("all %d nodes are ready and CoreDNS is available", len(nodes))
	}
	return Result{}
}

// notReady gives the reason for each node that is not ready; c may be nil.
func (c *cluster) notReady(nodes []string) []string {
	var waiting []string
	for _, node := range nodes {
		switch {
		case c == nil || c.members[node] == nil:
			waiting = append(waiting, node+": the cluster does not know it")
		case !c.ready(node):
			waiting = append(waiting, node+": KubeletNotReady: container runtime network not ready")
		}
	}
	return waiting
}

func (h *Hypervisor) createVimAccount(ctx context.Context, m *Machine, p ScriptParams) Result {
	return h.onCluster(ctx, m, p, func(c *cluster) Result {
		if c.vimToken == "" {
			c.vimToken = "fake." + strings.ToLower(rand.Text())
		}
		m.WriteFile(p.Get("TOKEN_FILE"), []byte(c.vimToken), 0o600)
		p.Result("ca", base64.StdEncoding.EncodeToString([]byte(c.ca)))
		return Result{}
	})
}

// Lifelike is a pace that a person can follow: about four times as fast as real machines.
func Lifelike(script string) time.Duration {
	switch script {
	case "prepare-node":
		return 3 * time.Second
	case "kubeadm-init":
		return 4 * time.Second
	case "kubeadm-join":
		return 3 * time.Second
	case "apply-manifest", "configure-load-balancer", "wait-for-nodes":
		return time.Second
	}
	return 200 * time.Millisecond
}
