package driftcheck

import (
	"context"
	"errors"
	"sync"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/balancer"
	"github.com/windlass-nfv/windlass/activities/kubecluster"
	"github.com/windlass-nfv/windlass/activities/locate"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/activities/storageserver"
	"github.com/windlass-nfv/windlass/internal/drift"
	"github.com/windlass-nfv/windlass/internal/driver/cluster"
	"github.com/windlass-nfv/windlass/internal/driver/kubeadm"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/scripts"
)

// sighting holds both sides of the comparison, and the health of the cluster.
type sighting struct {
	want      drift.Expected
	have      drift.Seen
	parts     []drift.Part
	balancers kubeadm.Balancers
	health    kubecluster.ClusterHealthOutput
}

// look gathers both sides of the comparison.
func look(ctx context.Context, site Site, inv *vim.Inventory, unseen error) (s sighting) {
	info := site.Instance.Instantiated
	s.want = drift.Expected{
		Vnfcs: info.VnfcResources, Nodes: site.nodes(), Capacity: site.Capacity,
		Stopped: info.StoppedServers(), HealGivenUp: site.HealGivenUp, Manual: storageserver.HealedByPeople(info),
	}
	virtualIP := ""
	s.have.Deployment, virtualIP = lookAtDeployment(site, inv, unseen)
	if unseen == nil {
		s.have.Deployment.Balancer = lookAtBalancer(ctx, site)
	}
	if site.cluster() != nil && !drift.HalfMade(s.want, s.have.Deployment) {
		s.cluster(ctx, site, virtualIP)
	}
	return s
}

// cluster looks at the cluster's nodes, except nodes that were stopped on purpose, and asks the cluster for its health.
func (s *sighting) cluster(ctx context.Context, site Site, virtualIP string) {
	controlPlanes := s.want.Nodes.With(lcm.ControlPlane)
	s.balancers = kubeadm.Balancers{Seen: map[string]kubeadm.Balancer{}}
	if len(controlPlanes) > 1 && virtualIP != "" {
		if conf, err := balancer.HAProxyConf(site.cluster().Params.LoadBalancer, controlPlanes).Render(); err == nil {
			s.balancers.HAProxy = conf
		}
	}
	trust := cluster.Trust{CAs: map[string]string{}, Registers: site.Instance.Instantiated.ClusterVimID != ""}
	trust.RegisteredCA, trust.Registered = registeredCA(ctx, site)
	running := s.want.Running()
	if len(running) == 0 {
		return
	}
	var told *cluster.Told
	var all sync.WaitGroup
	all.Go(func() {
		told, s.health = lookAtCluster(ctx, site, running.With(lcm.ControlPlane))
	})
	s.have.Unreachable = map[string]string{}
	var mu sync.Mutex
	for _, node := range running {
		all.Go(func() {
			ca, balancer, err := lookAtNode(ctx, site, node, virtualIP)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				s.have.Unreachable[node.Name] = activities.Classify(err).Sentence()
				return
			}
			trust.CAs[node.Name], s.balancers.Seen[node.Name] = ca, balancer
		})
	}
	all.Wait()
	s.parts = []drift.Part{told.Compare, s.balancers.Compare, trust.Compare}
}

// inventoryOf reads the VIM's inventory.
func inventoryOf(ctx context.Context, site Site) (*vim.Inventory, error) {
	ctx, cancel := context.WithTimeout(ctx, lookCloud)
	defer cancel()
	on, err := site.On(ctx)
	if err != nil {
		return nil, err
	}
	return on.Inventory(ctx, site.DeploymentName)
}

// lookAtDeployment returns the state at the VIM, and the address in front of the control planes, "" when there is none.
func lookAtDeployment(site Site, inv *vim.Inventory, unseen error) (s drift.Deployment, virtualIP string) {
	if unseen != nil {
		if lcm.Is(unseen, lcm.KindNotFound) {
			return drift.Deployment{Missing: true}, ""
		}
		return drift.Deployment{Unreachable: activities.Classify(unseen).Sentence()}, ""
	}
	s.Level, s.Status = inv.Level, inv.Status
	for _, r := range inv.OfKind(vim.Compute) {
		s.Members = append(s.Members, drift.Member{
			ServerID: r.ID, VduID: r.Name, Level: inv.Servers[r.ID].Level, Status: inv.Servers[r.ID].Status,
		})
	}
	if c := site.cluster(); c != nil && virtualIPWanted(site) {
		if port, err := locate.PortNamed(inv, inv.ID, c.Params.MasterNode.ClusterCpName); err == nil {
			virtualIP = port.Address
		}
	}
	return s, virtualIP
}

// lookAtBalancer reads the state of the cloud's load balancer in front of a cluster; nil if there is none.
func lookAtBalancer(ctx context.Context, site Site) *drift.Balancer {
	c := site.cluster()
	if c == nil || c.Params.ExternalLB == nil || c.Params.ExternalLB.Octavia == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookCloud)
	defer cancel()
	b := &drift.Balancer{Name: site.DeploymentName}
	on, err := site.On(ctx)
	if err == nil {
		var cloud vim.Balancer
		if cloud, err = vim.As[vim.Balancer](on, "make a load balancer for a cluster"); err == nil {
			b.Level, b.Status, err = cloud.BalancerState(ctx, site.DeploymentName, site.Owner)
		}
	}
	if err != nil {
		b.Unreachable = activities.Classify(err).Sentence()
	}
	return b
}

func virtualIPWanted(site Site) bool {
	d := cluster.In(site.Drivers)
	return d != nil && d.Balances() && len(site.nodes().With(lcm.ControlPlane)) > 1
}

// registeredCA returns the CA certificate in the cluster's registration as a VIM.
func registeredCA(ctx context.Context, site Site) (ca string, registered bool) {
	vim, err := site.Vim(ctx, site.Instance.Instantiated.ClusterVimID)
	if err != nil {
		return "", !lcm.Is(err, lcm.KindNotFound)
	}
	ca, _ = vim.AuthCred["ssl_ca_cert"].(string)
	return ca, true
}

// lookAtNode reads what only the node can tell: its trusted CA certificate and, on a control plane behind a virtual IP,
// the state of the load balancing.
func lookAtNode(
	ctx context.Context, site Site, node lcm.Node, virtualIP string,
) (ca string, b kubeadm.Balancer, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookNode)
	defer cancel()
	script := scripts.LookAtNode{Node: node.Name, Port: site.cluster().Params.LoadBalancer.Port}
	if node.Role == lcm.ControlPlane {
		script.VirtualIP = virtualIP
	}
	host, err := patiently(site.Dial)(ctx, node)
	if err != nil {
		return "", b, err
	}
	defer host.Close()
	found, err := reachOf(site).Run(ctx, host, lcm.StepRef{}, reach.Task{Script: script, Limit: lookCommand})
	if err != nil {
		return "", b, err
	}
	return found.Text("ca"), kubeadm.Balancer{
		HAProxy:     found.Text("haproxy"),
		HAProxyRuns: found.Get("haproxy_runs") == "yes", KeepalivedRuns: found.Get("keepalived_runs") == "yes",
		HoldsVirtualIP: found.Get("held") == "yes", ReachesVirtualIP: found.Get("answers") == "yes",
	}, nil
}

// lookAtCluster asks the first working control plane.
func lookAtCluster(
	ctx context.Context, site Site, controlPlanes lcm.Nodes,
) (told *cluster.Told, health kubecluster.ClusterHealthOutput) {
	ctx, cancel := context.WithTimeout(ctx, lookCluster)
	defer cancel()
	c := &kubecluster.Activities{Reach: reachOf(site)}
	results, lost, err := kubecluster.AskEtcd(ctx, c.Reach, reach.ClusterInput{ControlPlanes: controlPlanes},
		func(_ reach.ClusterContext, m scripts.Member) reach.Task {
			return reach.Task{
				Script: scripts.ClusterHealth{Member: m, Timeout: int(lookCommand.Seconds()) / 3}, Limit: lookCommand,
			}
		})
	told = &cluster.Told{}
	switch {
	case lost != "":
		told.QuorumLost = kubecluster.LostQuorum(lost)
		health.Reason = told.QuorumLost
		return told, health
	case err != nil:
		told.Unreachable = activities.Classify(err).Sentence()
		health.Reason = told.Unreachable
		return told, health
	}
	for _, line := range results.Texts("node") {
		n := kubecluster.ParseNode(line)
		health.Nodes = append(health.Nodes, n)
		told.Nodes = append(told.Nodes,
			cluster.NodeObject{Name: n.Name, Ready: n.Ready, Cordoned: !n.Schedulable, Reason: n.Reason})
	}
	for _, line := range results.Texts("member") {
		m := kubecluster.ParseMember(line)
		health.Members = append(health.Members, m)
		told.Members = append(told.Members, cluster.EtcdMember{
			Name: m.Name, Address: m.PeerAddress, Started: m.Started, Healthy: m.Healthy, Learner: m.Learner,
		})
	}
	health.Reason = health.Unwell()
	return told, health
}

// reachOf returns the access to nodes for a look: without an operation, and without output, because nobody follows it.
func reachOf(site Site) reach.Runner {
	return reach.Runner{Hosts: siteHosts(patiently(site.Dial)), Vnfs: siteVnf(site), Output: silence{}}
}

// patiently limits the time for a login.
func patiently(
	dial func(context.Context, lcm.Node) (reach.Host, error),
) func(context.Context, lcm.Node) (reach.Host, error) {
	return func(ctx context.Context, node lcm.Node) (reach.Host, error) {
		limited, cancel := context.WithTimeout(ctx, lookDial)
		defer cancel()
		host, err := dial(limited, node)
		if err != nil && ctx.Err() == nil && errors.Is(limited.Err(), context.DeadlineExceeded) {
			return nil, lcm.Wrap(lcm.KindUnavailable, err, "Windlass could not log in to %s within %s.",
				node.Name, lookDial)
		}
		return host, err
	}
}

type siteHosts func(ctx context.Context, node lcm.Node) (reach.Host, error)

// Dial implements Hosts.
func (s siteHosts) Dial(ctx context.Context, _ lcm.OpOccID, node lcm.Node) (reach.Host, error) {
	return s(ctx, node)
}

type siteVnf Site

// Vnf implements Vnfs.
func (s siteVnf) Vnf(context.Context, lcm.OpOccID) (activities.VnfContext, error) {
	return activities.VnfContext{Instance: s.Instance, Drivers: s.Drivers}, nil
}

type silence struct{}

// Lines implements Output.
func (silence) Lines(context.Context, lcm.StepRef) func(string) { return func(string) {} }
