package fake

import (
	"context"
	"slices"
	"strings"
)

// play applies the playbook's effect to the model of the cluster. It skips nodes that are members already, so a second
// run continues an interrupted run.
func (r *playRun) play(ctx context.Context) Result {
	r.p.Print("PLAY [%s]", r.record.Playbook)
	limit := r.inventory.named(r.record.Limit)
	nodes := named(r.inventory.in("k8s_cluster", "k8s-cluster", "etcd"), limit)
	workers := named(r.inventory.in("kube_node", "kube-node"), limit)
	switch r.record.Playbook {
	case "facts":
		return r.install(ctx, nodes, nil, nil)
	case "cluster":
		return r.install(ctx, nodes, named(r.inventory.in("kube_control_plane"), limit), workers)
	case "scale":
		return r.install(ctx, nodes, nil, workers)
	case "remove-node":
		return r.removeNodes(ctx)
	case "recover-control-plane":
		for _, host := range r.inventory.in("broken_kube_control_plane", "broken_etcd") {
			r.forget(host)
		}
		return r.install(ctx, nodes, r.inventory.in("kube_control_plane"), nil)
	}
	return r.p.Fail(78, "%s has no playbook %s.yml; this release of kubespray cannot do what the step needs",
		r.p.Get("ROOT"), r.record.Playbook)
}

func (r *playRun) install(ctx context.Context, reached, controlPlanes, workers []inventoryHost) Result {
	if failed := r.logIn(reached); failed != nil {
		return *failed
	}
	if !r.p.Work(ctx) {
		return interrupted
	}
	for _, host := range controlPlanes {
		r.begin("Install the control plane")
		if result := r.join(ctx, host, true); result.ExitCode != 0 {
			return result
		}
	}
	for _, host := range workers {
		r.begin("Join the cluster")
		if result := r.join(ctx, host, false); result.ExitCode != 0 {
			return result
		}
	}
	for _, host := range reached {
		r.p.Print("RECAP %s: failures=0", host.name)
	}
	return Result{}
}

// join makes a host a member; the first control plane creates the cluster.
func (r *playRun) join(ctx context.Context, host inventoryHost, controlPlane bool) Result {
	m, id, w := r.machines[host.name], r.cluster(), r.d.state()
	if m == nil {
		return r.failed(host.name, "FAILED", "the play does not know this host")
	}
	if !r.p.Work(ctx) {
		return interrupted
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.clusters[id]
	if c != nil && c.members[host.name] != nil && c.members[host.name].machine == m && m.isMember(id) {
		r.p.Print("%s: ok", host.name)
		return Result{}
	}
	switch {
	case c == nil && !controlPlane:
		return r.failed(host.name, "FAILED", "no control plane has been installed")
	case c == nil:
		ca, err := newCA("kubernetes")
		if err != nil {
			return r.failed(host.name, "FAILED", err.Error())
		}
		c = newCluster(id, ca)
		c.manifests = []string{"kubespray"} // its pod network
		w.clusters[id] = c
	case !c.quorum():
		return r.failed(host.name, "FAILED", "etcdserver: request timed out")
	}
	c.join(host.name, host.vars["ip"], m, controlPlane)
	r.settle(m, host.name, c.ca, controlPlane)
	r.p.Print("%s: changed", host.name)
	return Result{}
}

// settle writes a member's files to the machine, with the names of all nodes.
func (r *playRun) settle(m *Machine, name, ca string, controlPlane bool) {
	m.mu.Lock()
	m.hostname = name
	m.mu.Unlock()
	m.WriteFile("/etc/hostname", []byte(name+"\n"), 0o644)
	var entries []string
	for _, host := range r.inventory.hosts {
		entries = append(entries, host.vars["ip"]+" "+host.name)
	}
	m.writeHosts(Params{Values: map[string]string{"HOSTS": strings.Join(entries, ",")}})
	role := "worker"
	if controlPlane {
		role = "control-plane"
		m.WriteFile(manifest, nil, 0o600)
	}
	m.becomeMember(Params{Values: map[string]string{"CLUSTER": r.cluster(), "NODE_NAME": name, "ROLE": role}}, ca)
}

const confirmation = "Are you sure you want to delete nodes state? Type 'yes' to delete nodes."

func (r *playRun) removeNodes(ctx context.Context) Result {
	leaving := fieldsOf(r.variable("node"), ",")
	if len(leaving) == 0 { // without a list, kubespray would remove all workers
		return r.p.Fail(1, "remove-node.yml failed: it was not told which nodes")
	}
	if !isTrue(r.variable("skip_confirmation")) {
		r.p.Print("QUESTION [Confirm Execution]: %s", confirmation)
		r.begin("Fail if user does not confirm deletion")
		return r.failed(leaving[0], "FAILED", "Delete nodes confirmation failed")
	}
	hosts := named(r.inventory.hosts, leaving)
	if reset := r.variable("reset_nodes"); reset == "" || isTrue(reset) {
		if failed := r.logIn(hosts); failed != nil {
			return *failed
		}
	}
	if !r.p.Work(ctx) {
		return interrupted
	}
	for _, host := range hosts {
		r.begin("remove-node/pre-remove : Drain node")
		if held := r.drain(host); held != "" {
			return r.failed(host.name, "FAILED", "cannot evict "+held)
		}
		r.forget(host)
		if m := r.machines[host.name]; m != nil {
			m.files.remove("/etc/kubernetes")
			m.files.remove(memberFile)
		}
	}
	return Result{}
}

func isTrue(value string) bool { return slices.Contains([]string{"yes", "true", "True"}, value) }

// drain moves the pods of a node. If pods that stay are an error, it returns their names.
func (r *playRun) drain(host inventoryHost) (held string) {
	w := r.d.locked()
	defer w.mu.Unlock()
	c := w.clusters[r.cluster()]
	if c == nil || c.members[host.name] == nil {
		return ""
	}
	c.members[host.name].cordoned = true
	if held = c.evict(host.name); isTrue(r.variable("allow_ungraceful_removal")) {
		return ""
	}
	return held
}

// forget removes a node from the cluster and from etcd.
func (r *playRun) forget(host inventoryHost) {
	w := r.d.locked()
	defer w.mu.Unlock()
	c := w.clusters[r.cluster()]
	if c == nil || c.members[host.name] == nil {
		r.p.Print("%s: ok", host.name)
		return
	}
	for _, pod := range c.podsOn(host.name) {
		c.violate("the node %s was deleted with the pod %s on it", host.name, pod.key())
		delete(c.pods, pod.key())
	}
	c.leave(host.name, host.vars["ip"])
	r.p.Print("%s: changed", host.name)
}
