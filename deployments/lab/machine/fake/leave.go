package fake

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
)

func (h *Hypervisor) clusterHealth(ctx context.Context, m *Machine, p ScriptParams) Result {
	if h.leaderless(p, m) {
		p.Print("etcd has no leader: too few of its members work")
		p.Result("quorum", "lost")
		return Result{}
	}
	return h.onCluster(ctx, m, p, func(c *cluster) Result {
		line := func(key, format string, args ...any) {
			p.Result(key, base64.StdEncoding.EncodeToString(fmt.Appendf(nil, format, args...)))
		}
		for _, name := range slices.Sorted(maps.Keys(c.members)) {
			status, reason := "True", `KubeletReady|"kubelet is posting ready status"`
			if !c.ready(name) {
				status, reason = "Unknown", `NodeStatusUnknown|"Kubelet stopped posting node status."`
			}
			line("node", "%s|%s|%s|%s", name, status, yesNo(c.members[name].cordoned), reason)
		}
		for i, url := range slices.Sorted(maps.Keys(c.etcd)) {
			e, name := c.etcd[url], ""
			if e.started {
				name = e.node
			}
			line("member", "%x|%s|%s|%s|%s|%s", i, name, url, yesNo(e.started), yesNo(!e.started), yesNo(e.works()))
		}
		return Result{}
	})
}

// leaderless reports whether etcd runs on this machine but has no majority.
func (h *Hypervisor) leaderless(p ScriptParams, m *Machine) bool {
	w := h.locked()
	defer w.mu.Unlock()
	c := w.clusters[p.Get("CLUSTER")]
	if c == nil || c.quorum() {
		return false
	}
	e := c.memberOf(p.Get("NODE_NAME"))
	return e != nil && e.works() && e.host == m
}

func (h *Hypervisor) removeMembers(ctx context.Context, m *Machine, p ScriptParams) Result {
	if h.leaderless(p, m) {
		p.Print("etcd has no leader: too few of its members work")
		p.Result("quorum", "lost")
		return Result{}
	}
	return h.onCluster(ctx, m, p, func(c *cluster) Result {
		leaving := map[string]string{}
		for entry := range strings.FieldsSeq(p.Get("LEAVING")) {
			name, url, _ := strings.Cut(entry, "=")
			leaving[name] = url
		}
		for {
			url, staying := c.nextToGo(leaving)
			down := strings.Join(c.down(staying), ", ")
			if url == "" {
				p.Result("down", cmp.Or(down, "none"))
				return Result{}
			}
			if sentence := c.refusal(url, len(staying)); sentence != "" {
				if strings.HasSuffix(sentence, "must") {
					sentence += ". Bring " + cmp.Or(down, "the others") + " back first"
				}
				return p.Fail(65, "%s", sentence)
			}
			p.Print("removing the member of etcd, %s", c.etcd[url].node)
			delete(c.etcd, url)
		}
	})
}

// nextToGo picks a member of the leaving nodes as remove-members does, "" when none is left. It also returns the peer
// URLs of the members that stay.
func (c *cluster) nextToGo(leaving map[string]string) (picked string, staying []string) {
	best := 9
	for _, url := range slices.Sorted(maps.Keys(c.etcd)) {
		e := c.etcd[url]
		_, named := leaving[e.node]
		if e.started && !named || !e.started && !slices.Contains(slices.Collect(maps.Values(leaving)), url) {
			staying = append(staying, url)
			continue
		}
		rank := 3
		if !e.works() {
			rank = 2
		}
		if !e.started {
			rank = 0
		}
		if rank < best {
			picked, best = url, rank
		}
	}
	return picked, staying
}

// down returns the members among urls that do not work: by name or, before they have started, by peer URL.
func (c *cluster) down(urls []string) (names []string) {
	for _, url := range urls {
		switch e := c.etcd[url]; {
		case !e.started:
			names = append(names, url)
		case !e.works():
			names = append(names, e.node)
		}
	}
	return names
}

// refusal returns why a member must not be removed, "" when it may.
func (c *cluster) refusal(url string, staying int) string {
	going := c.etcd[url]
	if !going.started {
		return ""
	}
	voters, working := 0, 0
	for other, e := range c.etcd {
		if !e.started || other == url {
			continue
		}
		voters++
		if e.works() {
			working++
		}
	}
	switch {
	case staying == 0 || voters == 0:
		return going.node + " is the last member of etcd: the cluster would end with it"
	case working < voters/2+1:
		return fmt.Sprintf("etcd would lose its quorum without %s: %d of the other %d members work and %d must", going.node,
			working, voters, voters/2+1)
	}
	return ""
}

func (h *Hypervisor) retireNode(ctx context.Context, m *Machine, p ScriptParams) Result {
	w := h.locked()
	for _, balancers := range w.balancers {
		if b, there := balancers[m]; there {
			b.alone = true
			balancers[m] = b
		}
		if p.Get("WHOLE") == "yes" {
			delete(balancers, m)
		}
	}
	w.mu.Unlock()
	if p.Get("WHOLE") != "yes" {
		return Result{}
	}
	m.stopKubeadms(ctx, p)
	if !p.Work(ctx) {
		return interrupted
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.clusters {
		c.giveUp(m, m.Name()+" was reset")
	}
	m.files.remove("/etc/kubernetes")
	m.files.remove(memberFile)
	return Result{}
}

// giveUp records that the etcd member on a machine is lost; how says how the cluster's quorum is lost.
func (c *cluster) giveUp(m *Machine, how string) {
	had := c.quorum()
	for _, e := range c.etcd {
		if e.host == m {
			e.lost = true
		}
	}
	if had && !c.quorum() {
		c.violate("etcd lost its quorum when %s", how)
	}
}

// lose records that a machine was deleted.
func (c *cluster) lose(m *Machine) {
	for _, e := range c.etcd {
		if e.host == m {
			c.violate("%s was deleted while it was a member of etcd", e.node)
			e.lost = true
		}
	}
	for name, node := range c.members {
		if node.machine == m && !node.cordoned {
			c.violate("%s was deleted without having been drained", name)
		}
	}
}

// etcdData maps each etcd member to the machine with its data.
func (c *cluster) etcdData() map[string]string {
	data := map[string]string{}
	for url, e := range c.etcd {
		if e.host != nil && !e.lost {
			data[url] = e.host.id
		}
	}
	return data
}

// isMember reports whether the machine has the files of a member of that cluster.
func (m *Machine) isMember(cluster string) bool {
	content, _ := m.ReadFile(memberFile)
	id, _, _ := strings.Cut(string(content), " ")
	return id == cluster
}

// Balancer is HAProxy on one control plane.
type Balancer struct {
	MachineID string `json:"machineId"`
	VirtualIP string `json:"virtualIp"`
	// Servers are its backends, "name address".
	Servers []string `json:"servers"`
}

// balancersOf returns the balancers on the machines of a cluster.
func (w *world) balancersOf(c *cluster) (all []Balancer) {
	for _, ip := range slices.Sorted(maps.Keys(w.balancers)) {
		for m, b := range w.balancers[ip] {
			if m.isMember(c.id) {
				all = append(all, Balancer{m.id, ip, b.servers})
			}
		}
	}
	slices.SortFunc(all, func(a, b Balancer) int {
		return strings.Compare(a.VirtualIP+a.MachineID,
			b.VirtualIP+b.MachineID)
	})
	return all
}

func (h *Hypervisor) tellHosts(_ context.Context, m *Machine, p ScriptParams) Result {
	m.writeHosts(p)
	return Result{}
}

// hosts returns the entries of /etc/hosts.
func (m *Machine) hosts() (entries []string) {
	others, _ := m.splitHosts()
	for _, line := range others {
		if line != "127.0.0.1 localhost" {
			entries = append(entries, line)
		}
	}
	return entries
}

func (m *Machine) writeHosts(p ScriptParams) {
	_, registries := m.splitHosts()
	m.WriteFile("/etc/hosts", []byte("127.0.0.1 localhost\n"+strings.ReplaceAll(p.Get("HOSTS"), ",", "\n")+"\n"), 0o644)
	m.writeRegistryHosts(strings.Join(registries, ","))
}
