package k8s

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/params"
)

// Problems lists every mistake in p for a cluster with these numbers of nodes, each with its JSON path.
func (p Params) Problems(controlPlanes, workers int) []lcm.Problem {
	c := &clusterChecks{Manner.Check(paramsPath, p)}
	c.group("master_node", p.MasterNode, controlPlanes)
	c.group("worker_node", p.WorkerNode, workers)
	if workers == 0 {
		c.drop("worker_node")
	}
	if p.Ansible == nil && p.ExternalLB == nil { // with kubespray each node has a balancer of its own
		c.controlPlanes(p.MasterNode, controlPlanes)
	} else {
		c.quorum(controlPlanes)
	}
	c.networks(p, controlPlanes+workers)
	if a := p.AptRepository; a != nil && a.KeyPath == "" && !a.Trusted && a.URL != "" {
		c.add("apt_repository.key_path", "is missing: give the repository's key, or say trusted.")
	}
	c.found = append(c.found, registriesTogether(paramsPath+"."+lcm.RegistriesKey, p.PrivateRegistries)...)
	c.volumes(p)
	return c.found
}

// clusterChecks are the checks of a cluster's parameters beside those in their tags: of several parameters together,
// and of their number.
type clusterChecks struct{ found []lcm.Problem }

func (c *clusterChecks) add(key, format string, args ...any) {
	c.found = append(c.found, lcm.Problem{Path: paramsPath + "." + key, Detail: fmt.Sprintf(format, args...)})
}

// drop forgets the mistakes found in a member and below it.
func (c *clusterChecks) drop(key string) {
	below := paramsPath + "." + key
	c.found = slices.DeleteFunc(c.found, func(p lcm.Problem) bool {
		rest, ok := strings.CutPrefix(p.Path, below)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// group requires the name of a role's group when the role has several VMs.
func (c *clusterChecks) group(key string, n NodeParams, count int) {
	if count > 1 && n.AspectID == "" && n.VduID == "" {
		c.add(key+".aspect_id", "is missing: it names the group of the %d VMs in the template; or give their VDU, as vdu_id.", count)
	}
}

// CheckMembers implements params.Checker.
func (n NodeParams) CheckMembers(wrong params.Wrong) {
	if n.AspectID != "" && n.VduID != "" {
		wrong("vdu_id", "must not be given together with aspect_id: each says which VMs these nodes are")
	}
	if n.Password.IsZero() && n.PrivateKey.IsZero() {
		wrong("password", "is missing: give password or private_key")
	}
}

// controlPlanes checks the rules of etcd's quorum, and of the virtual IP that several control planes share.
func (c *clusterChecks) controlPlanes(n NodeParams, count int) {
	if n.ClusterCpName == "" {
		c.add("master_node.cluster_cp_name", "is missing: it names the port with the cluster's address.")
		return
	}
	ownPort := n.ClusterCpName == n.SSHCpName || n.ClusterCpName == n.NicCpName
	switch {
	case count == 1 && !ownPort:
		c.add("master_node.cluster_cp_name",
			"%q is a virtual IP, which needs at least three control planes, and the VNF has one; "+
				"name the control plane's own port.", n.ClusterCpName)
	case count > 1 && ownPort:
		c.add("master_node.cluster_cp_name", "%q is the port of one node; %d control planes need the port of a virtual IP.",
			n.ClusterCpName, count)
	case count == 2:
		c.add("master_node", "the VNF has 2 control planes; a cluster with a virtual IP needs at least three.")
	default:
		c.quorum(count)
	}
}

// quorum requires an odd number of control planes, because each is a member of etcd.
func (c *clusterChecks) quorum(count int) {
	switch {
	case count < 1:
		c.add("master_node", "the VNF has no control-plane VM at this flavour and level.")
	case count%2 == 0:
		c.add("master_node", "the VNF has %d control planes; etcd needs an odd number.", count)
	}
}

// CheckMembers implements params.Checker.
func (lb LoadBalancerParam) CheckMembers(wrong params.Wrong) {
	if lb.EtcdPort != 0 && lb.EtcdPort == lb.Port {
		wrong("etcd_port", "must differ from port (%d)", lb.Port)
	}
}

// LocalPath reports whether p is a relative, slash-separated path that stays below its root.
func LocalPath(p string) bool {
	clean := path.Clean(p)
	return p != "" && !path.IsAbs(p) && !strings.ContainsAny(p, "\\\x00\n") && clean != ".." && clean != "." &&
		!strings.HasPrefix(clean, "../")
}
