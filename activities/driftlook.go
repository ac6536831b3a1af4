package activities

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/windlass-nfv/windlass/internal/drift"
	"github.com/windlass-nfv/windlass/internal/driver/cluster"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/scripts"
)

// Sites opens what a VNF instance consists of while no operation works on it.
type Sites interface {
	Site(ctx context.Context, id lcm.VnfInstanceID) (Site, error)
}

// Site is a VNF instance and the ways to what it consists of. It stays in the worker.
type Site struct {
	Instance       lcm.VnfInstance
	Drivers        []lifecycle.Driver
	DeploymentName string
	// Capacity is how many VMs of each VDU the VNF has at its scale levels; none when the VNFD does not tell.
	Capacity []drift.Count
	// PlanHeal is the error with which a heal of these VNFCs would be refused.
	PlanHeal func(vnfcs []string, unhealthy map[string]string) error
	// HealGivenUp is the heal of the entire VNF that was given up last, "" when there is none or it was made good since.
	HealGivenUp lcm.OpOccID
	On          func(ctx context.Context) (vim.VIM, error)
	Dial        func(ctx context.Context, node lcm.Node) (Host, error)
	// Follow is what the instance is with what its cluster has made of itself, nil for a VNF of servers.
	Follow func(made record.Outcome) lcm.InstantiatedVnfInfo
	// FollowedOn is the type of the VIM that the cluster is, and Followed tells whether VNFCs of a VDU are there.
	FollowedOn string
	Followed   func(vdu string) bool
	// Vim reads a registered VIM; NotFound when there is none.
	Vim func(ctx context.Context, id lcm.VimID) (lcm.Vim, error)
}

// cluster is the driver of a VNF that is a Kubernetes cluster, nil for others.
func (s Site) cluster() *cluster.Cluster {
	if d := cluster.In(s.Drivers); d != nil {
		return d.Shared()
	}
	return nil
}

func (s Site) nodes() lcm.Nodes {
	if s.cluster() == nil || s.Instance.Instantiated == nil {
		return nil
	}
	return s.Instance.Instantiated.Nodes
}

func (s Site) serversOf(vnfcs []string) (servers []string) {
	for _, v := range orEmpty(s.Instance.Instantiated).VnfcResources {
		if slices.Contains(vnfcs, v.ID) {
			servers = append(servers, v.ComputeResource.ResourceID)
		}
	}
	return servers
}

// title is what Temporal's Web UI shows for the heal, in one line of at most 200 bytes.
func (s Site) title() string {
	name := s.Instance.Name
	if name == "" || len(name) > 150 {
		name = string(s.Instance.ID)
	}
	return "HEAL " + name + " (automatic)"
}

// The limits of a look. A node that does not answer must not hold the check up.
const (
	lookDial    = 20 * time.Second
	lookCommand = 30 * time.Second
	lookNode    = time.Minute
	lookCloud   = 2 * time.Minute
	lookCluster = 3 * time.Minute
)

// LookForDriftInput names the VNF instance to look at.
type LookForDriftInput struct {
	VnfInstanceID lcm.VnfInstanceID `json:"vnfInstanceId"`
	Trigger       lcm.DriftTrigger  `json:"trigger"`
}

// LookForDriftOutput is what was found. It holds nothing that was read on a node but what parseNode takes.
type LookForDriftOutput struct {
	// Gone is set when there is nothing to look at: the VNF is not instantiated, or deleted.
	Gone bool `json:"gone,omitempty"`
	// Busy says which operation is under way; what is seen meanwhile means nothing.
	Busy     string              `json:"busy,omitempty"`
	Findings []lcm.DriftFinding  `json:"findings,omitempty"`
	Health   ClusterHealthOutput `json:"health"`
	// VirtualIPHolder is the control plane that holds the virtual IP, "" when there is none, or not exactly one.
	VirtualIPHolder string `json:"virtualIpHolder,omitempty"`
}

// LookForDrift compares what a VNF should be with what its VIM, its nodes and its cluster say.
//
// Idempotent: it only looks. What cannot be seen is a finding and no failure. Takes seconds, minutes when nodes or the
// VIM do not answer; all nodes are looked at together.
func (d *Drift) LookForDrift(ctx context.Context, in LookForDriftInput) (out LookForDriftOutput, err error) {
	defer func() { err = boundary(ctx, "check for drift", err) }()
	defer func() {
		if err != nil {
			d.count(in.Trigger, "failed")
		}
	}()
	defer heartbeat(ctx)()
	version, busy, err := d.ready(ctx, in.VnfInstanceID)
	if err != nil || version == 0 || busy != "" {
		return d.notNow(in.Trigger, busy, version == 0 && busy == "" && err == nil), err
	}
	if err := d.Records.ForgetNotified(ctx, in.VnfInstanceID); err != nil {
		return out, err
	}
	site, err := d.Sites.Site(ctx, in.VnfInstanceID)
	if err != nil {
		return out, err
	}
	var want drift.Expected
	var have drift.Seen
	inv, unseen := inventoryOf(ctx, site)
	want, have, out.Health = look(ctx, site, inv, unseen)
	if ctx.Err() != nil {
		return out, ctx.Err()
	}
	after, busy, err := d.ready(ctx, in.VnfInstanceID)
	if err != nil || after != version || busy != "" { // an operation has been at work: the two do not fit together
		if busy == "" {
			busy = "An operation has changed the VNF instance meanwhile."
		}
		return d.notNow(in.Trigger, busy, false), err
	}
	if err := d.follow(ctx, &site, inv); lcm.Is(err, lcm.KindConflict) {
		return d.notNow(in.Trigger, lcm.Sentence(err), false), nil
	} else if err != nil {
		return out, err
	}
	want.Vnfcs, want.Manual = site.Instance.Instantiated.VnfcResources, healedByPeople(site.Instance.Instantiated)
	out.Findings, out.VirtualIPHolder = drift.Compare(want, have), drift.VirtualIPHolder(want, have)
	return out, nil
}

func (d *Drift) notNow(trigger lcm.DriftTrigger, busy string, gone bool) LookForDriftOutput {
	if busy != "" {
		d.count(trigger, "busy")
	}
	return LookForDriftOutput{Busy: busy, Gone: gone}
}

// ready tells the version of an instance that can be looked at, 0 when there is nothing to look at, and which operation
// is under way.
func (d *Drift) ready(ctx context.Context, id lcm.VnfInstanceID) (version int64, busy string, err error) {
	inst, err := d.Records.Instance(ctx, id)
	if lcm.Is(err, lcm.KindNotFound) {
		return 0, "", nil
	}
	if err != nil {
		return 0, "", err
	}
	if err := d.Records.CheckIdle(ctx, id); err != nil {
		if lcm.Is(err, lcm.KindConflict) {
			return inst.Version, lcm.Sentence(err), nil
		}
		return 0, "", err
	}
	if inst.InstantiationState != lcm.Instantiated || inst.Instantiated == nil {
		return 0, "", nil
	}
	return inst.Version, "", nil
}

// look gathers both sides of the comparison.
func look(
	ctx context.Context, site Site, inv *vim.Inventory, unseen error,
) (want drift.Expected, have drift.Seen, health ClusterHealthOutput) {
	info := site.Instance.Instantiated
	want = drift.Expected{
		Vnfcs: info.VnfcResources, Nodes: site.nodes(), Capacity: site.Capacity,
		Stopped: info.StoppedServers(), HealGivenUp: site.HealGivenUp,
	}
	want.Manual = healedByPeople(info)
	have.Sights = map[string]drift.Sight{}
	virtualIP := ""
	have.Deployment, virtualIP = lookAtDeployment(site, inv, unseen)
	cluster := site.cluster()
	if cluster == nil || drift.HalfMade(want, have.Deployment) {
		return want, have, health
	}
	controlPlanes := want.Nodes.With(lcm.ControlPlane)
	if len(controlPlanes) > 1 && virtualIP != "" {
		if conf, err := haproxyConf(cluster.Params.LoadBalancer, controlPlanes).Render(); err == nil {
			want.HAProxy = conf
		}
	}
	want.ClusterVim = info.ClusterVimID != ""
	have.RegisteredCA, have.VimRegistered = registeredCA(ctx, site)
	running := want.Nodes.Without(want.Nodes.On(want.Stopped)) // the others were stopped on purpose
	if len(running) == 0 {
		return want, have, health
	}
	var all sync.WaitGroup
	all.Go(func() {
		health = lookAtCluster(ctx, site, running.With(lcm.ControlPlane), &have)
	})
	var mu sync.Mutex
	for _, node := range running {
		all.Go(func() {
			seen := lookAtNode(ctx, site, node, virtualIP)
			mu.Lock()
			defer mu.Unlock()
			have.Sights[node.Name] = seen
		})
	}
	all.Wait()
	return want, have, health
}

// inventoryOf reads what the VIM has.
func inventoryOf(ctx context.Context, site Site) (*vim.Inventory, error) {
	ctx, cancel := context.WithTimeout(ctx, lookCloud)
	defer cancel()
	on, err := site.On(ctx)
	if err != nil {
		return nil, err
	}
	return on.Inventory(ctx, site.DeploymentName)
}

// lookAtDeployment tells what the VIM has, and the address in front of the control planes, "" when there is none.
func lookAtDeployment(site Site, inv *vim.Inventory, unseen error) (s drift.Deployment, virtualIP string) {
	if unseen != nil {
		if lcm.Is(unseen, lcm.KindNotFound) {
			return drift.Deployment{Missing: true}, ""
		}
		return drift.Deployment{Unreachable: classify(unseen).Sentence()}, ""
	}
	s.Level, s.Status = inv.Level, inv.Status
	for _, r := range inv.OfKind(vim.Compute) {
		s.Members = append(s.Members, drift.Member{
			ServerID: r.ID, VduID: r.Name,
			Level: inv.Servers[r.ID].Level, Status: inv.Servers[r.ID].Status,
		})
	}
	if cluster := site.cluster(); cluster != nil && virtualIPWanted(site) {
		if port, err := portNamed(inv, inv.ID, cluster.Params.MasterNode.ClusterCpName); err == nil {
			virtualIP = port.Address
		}
	}
	return s, virtualIP
}

func virtualIPWanted(site Site) bool {
	d := cluster.In(site.Drivers)
	return d != nil && d.Balances() && len(site.nodes().With(lcm.ControlPlane)) > 1
}

// registeredCA is the CA certificate with which the cluster is registered as a VIM.
func registeredCA(ctx context.Context, site Site) (ca string, registered bool) {
	vim, err := site.Vim(ctx, site.Instance.Instantiated.ClusterVimID)
	if err != nil {
		return "", !lcm.Is(err, lcm.KindNotFound)
	}
	ca, _ = vim.AuthCred["ssl_ca_cert"].(string)
	return ca, true
}

// lookAtNode reads what a node itself tells.
func lookAtNode(ctx context.Context, site Site, node lcm.Node, virtualIP string) (s drift.Sight) {
	ctx, cancel := context.WithTimeout(ctx, lookNode)
	defer cancel()
	script := scripts.LookAtNode{Node: node.Name, Port: site.cluster().Params.LoadBalancer.Port}
	if node.Role == lcm.ControlPlane {
		script.VirtualIP = virtualIP
	}
	host, err := patiently(site.Dial)(ctx, node)
	var found scripts.Results
	if err == nil {
		found, err = reachOf(site).run(ctx, host, lcm.StepRef{}, task{script: script, limit: lookCommand})
		_ = host.Close()
	}
	if err != nil {
		return drift.Sight{Unreachable: classify(err).Sentence()}
	}
	return drift.Sight{
		CA: found.Text("ca"), HAProxy: found.Text("haproxy"),
		HAProxyRuns: found.Get("haproxy_runs") == "yes", KeepalivedRuns: found.Get("keepalived_runs") == "yes",
		HoldsVirtualIP: found.Get("held") == "yes", ReachesVirtualIP: found.Get("answers") == "yes",
	}
}

// lookAtCluster asks the first control plane that works.
func lookAtCluster(
	ctx context.Context, site Site, controlPlanes lcm.Nodes, have *drift.Seen,
) (health ClusterHealthOutput) {
	ctx, cancel := context.WithTimeout(ctx, lookCluster)
	defer cancel()
	c := &Cluster{Reach: reachOf(site)}
	results, lost, err := c.askEtcd(ctx, ClusterInput{ControlPlanes: controlPlanes},
		func(_ clusterContext, m scripts.Member) task {
			return task{script: scripts.ClusterHealth{Member: m, Timeout: int(lookCommand.Seconds()) / 3}, limit: lookCommand}
		})
	have.Cluster = &drift.Cluster{}
	switch {
	case lost != "":
		have.Cluster.QuorumLost = lostQuorum(lost)
		health.Reason = have.Cluster.QuorumLost
		return health
	case err != nil:
		have.Cluster.Unreachable = classify(err).Sentence()
		health.Reason = have.Cluster.Unreachable
		return health
	}
	for _, line := range results.Texts("node") {
		n := parseNode(line)
		health.Nodes = append(health.Nodes, n)
		have.Cluster.Nodes = append(have.Cluster.Nodes,
			drift.Node{Name: n.Name, Ready: n.Ready, Cordoned: !n.Schedulable, Reason: n.Reason})
	}
	for _, line := range results.Texts("member") {
		m := parseMember(line)
		health.Members = append(health.Members, m)
		have.Cluster.Members = append(have.Cluster.Members, drift.EtcdMember{
			Name: m.Name, Address: m.PeerAddress, Started: m.Started, Healthy: m.Healthy, Learner: m.Learner,
		})
	}
	health.Reason = health.unwell()
	return health
}

// reachOf is how a look gets at nodes: without an operation, and without output, for nobody follows it.
func reachOf(site Site) Reach {
	return Reach{Hosts: siteHosts(patiently(site.Dial)), Vnfs: siteVnf(site), Output: silence{}}
}

// patiently bounds how long a login may take.
func patiently(dial func(context.Context, lcm.Node) (Host, error)) func(context.Context, lcm.Node) (Host, error) {
	return func(ctx context.Context, node lcm.Node) (Host, error) {
		limited, cancel := context.WithTimeout(ctx, lookDial)
		defer cancel()
		host, err := dial(limited, node)
		if err != nil && ctx.Err() == nil && errors.Is(limited.Err(), context.DeadlineExceeded) {
			return nil, lcm.Wrap(lcm.KindUnavailable, err, "%s did not let Windlass in within %s.", node.Name, lookDial)
		}
		return host, err
	}
}

type siteHosts func(ctx context.Context, node lcm.Node) (Host, error)

// Dial implements Hosts.
func (s siteHosts) Dial(ctx context.Context, _ lcm.OpOccID, node lcm.Node) (Host, error) {
	return s(ctx, node)
}

type siteVnf Site

// Vnf implements Vnfs.
func (s siteVnf) Vnf(context.Context, lcm.OpOccID) (VnfContext, error) {
	return VnfContext{Instance: s.Instance, Drivers: s.Drivers}, nil
}

type silence struct{}

// Lines implements Output.
func (silence) Lines(context.Context, lcm.StepRef) func(string) { return func(string) {} }
