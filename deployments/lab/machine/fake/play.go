package fake

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// play applies the playbook's effect to the model of the cluster. It skips nodes that are members already, so a second
// run continues an interrupted run.
func (r *playRun) play(ctx context.Context) Result {
	r.p.Print("PLAY [%s]", r.record.Playbook)
	if failed := r.lacksPassword(); failed != nil {
		return *failed
	}
	limit := r.inventory.named(r.record.Limit)
	nodes := named(r.inventory.in("k8s_cluster", "k8s-cluster", "etcd"), limit)
	workers := named(r.inventory.in("kube_node", "kube-node"), limit)
	switch r.record.Playbook {
	case "facts":
		return r.install(ctx, nodes, nil, nil)
	case "cluster":
		return r.installAll(ctx, nodes, named(r.inventory.in("kube_control_plane"), limit), workers)
	case "reset":
		return r.reset(ctx, nodes)
	case "scale":
		return r.install(ctx, nodes, nil, workers)
	case "remove-node":
		return r.removeNodes(ctx)
	case "recover-control-plane":
		if away := r.silent(); away != "" {
			r.begin("recover_control_plane/control-plane : Wait for apiserver")
			return r.failed(r.inventory.in("kube_control_plane")[0].name, "FAILED", "The connection to the server "+away+
				":6443 was refused - did you specify the right host or port?")
		}
		for _, host := range r.inventory.in("broken_kube_control_plane", "broken_etcd") {
			r.forget(host)
		}
		return r.installAll(ctx, nodes, r.inventory.in("kube_control_plane"), nil)
	}
	return r.p.Fail(78, "%s has no playbook %s.yml; this release of kubespray cannot do what the step needs",
		r.p.Get("ROOT"), r.record.Playbook)
}

// silent returns the address that kubespray asks if no control plane of the cluster answers there.
func (r *playRun) silent() string {
	w := r.d.locked()
	defer w.mu.Unlock()
	c := w.clusters[r.cluster()]
	if c == nil || c.asked == "" {
		return ""
	}
	for name, m := range c.members {
		if m.controlPlane && m.address == c.asked && c.ready(name) {
			return ""
		}
	}
	return c.asked
}

// lacksPassword fails for a host of the inventory whose password the run does not have: kubespray looks at the variables
// of all hosts, also of those that it does not log in to.
func (r *playRun) lacksPassword() *Result {
	passwords := r.passwords()
	for _, host := range r.inventory.hosts {
		if _, known := passwords[host.name]; !known && host.vars["ansible_password"] != "" {
			r.begin("validate_inventory : Stop if unsupported version of Kubernetes")
			failed := r.failed(host.name, "FAILED", "The field 'password' has an invalid value, which includes an undefined "+
				"variable.. 'dict object' has no attribute '"+host.name+"'")
			return &failed
		}
	}
	return nil
}

// installAll also installs the pod network, as the last thing. Like kubespray, it waits for control planes first that it
// finds, so a cluster without a pod network stops it.
func (r *playRun) installAll(ctx context.Context, reached, controlPlanes, workers []inventoryHost) Result {
	if waits := r.withoutNetwork(); waits != "" {
		if failed := r.logIn(reached); failed != nil {
			return *failed
		}
		r.begin("kubernetes/control-plane : Wait for new control plane nodes to be Ready")
		return r.failed(waits, "FAILED", "non-zero return code")
	}
	result := r.install(ctx, reached, controlPlanes, workers)
	w := r.d.locked()
	defer w.mu.Unlock()
	if c := w.clusters[r.cluster()]; c != nil && result.ExitCode == 0 {
		c.manifests = []string{"kubespray"}
	}
	return result
}

// withoutNetwork returns a node of the cluster if it has no pod network.
func (r *playRun) withoutNetwork() (node string) {
	w := r.d.locked()
	defer w.mu.Unlock()
	c := w.clusters[r.cluster()]
	if c == nil || len(c.manifests) > 0 || len(c.members) == 0 {
		return ""
	}
	return slices.Min(slices.Collect(maps.Keys(c.members)))
}

// reset removes from hosts what makes them nodes. A cluster whose nodes are all reset is gone.
func (r *playRun) reset(ctx context.Context, hosts []inventoryHost) Result {
	if failed := r.logIn(hosts); failed != nil {
		return *failed
	}
	r.begin("Check confirmation")
	if !isTrue(r.variable("reset_confirmation")) {
		return r.failed(hosts[0].name, "FAILED", "Reset confirmation failed")
	}
	if !r.p.Work(ctx) {
		return interrupted
	}
	w := r.d.locked()
	defer w.mu.Unlock()
	c := w.clusters[r.cluster()]
	for _, host := range hosts {
		if c != nil && c.ready(host.name) {
			c.violate("the node %s was reset while it was ready", host.name)
		}
		r.machines[host.name].files.remove("/etc/kubernetes")
		r.machines[host.name].files.remove(memberFile)
		if c != nil {
			c.leave(host.name, host.vars["ip"])
		}
		r.p.Print("%s: changed", host.name)
	}
	if c != nil && len(c.members) == 0 {
		delete(w.clusters, c.id)
	}
	return Result{}
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
		c.asked = host.vars["ip"]
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
	m.writeHosts(ScriptParams{Values: map[string]string{"HOSTS": strings.Join(entries, ",")}})
	role := "worker"
	if controlPlane {
		role = "control-plane"
		m.WriteFile(manifest, nil, 0o600)
	}
	m.becomeMember(ScriptParams{Values: map[string]string{"CLUSTER": r.cluster(), "NODE_NAME": name, "ROLE": role}}, ca)
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
