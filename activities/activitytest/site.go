package activitytest

import (
	"context"
	"fmt"
	"time"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/driver/kubeadm"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// NewSite returns a site without connections to its nodes, with a cluster's parameters; change changes these.
func NewSite(controlPlanes, workers int, change func(*k8s.Params)) (Site, *Secrets, *Output) {
	s := Site{Nodes: Nodes(controlPlanes, workers)}
	p := k8s.Params{
		MasterNode: k8s.NodeParams{
			SSHCpName: "cp", NicCpName: "cp", ClusterCpName: "cp", PodCIDR: "192.168.0.0/16", ServiceCIDR: "10.96.0.0/12",
		},
		CniManifestPath: "Files/cni.yaml", LoadBalancer: k8s.LoadBalancerParam{Port: 16443},
		Timeouts: k8s.TimeoutParams{
			SSH: 600, Login: 30, Command: 180, Install: 2700, VirtualIP: 60, Join: 900, NodeReady: 600,
		},
	}
	if controlPlanes > 1 {
		s.VirtualIP, p.MasterNode.ClusterCpName = "10.0.0.10", "vip_CP"
	}
	if change != nil {
		change(&p)
	}
	secrets, output := NewSecrets(), &Output{}
	s.Reach = reach.Runner{
		Secrets: secrets, Output: output, Poll: time.Nanosecond,
		Vnfs: &FixedVnf{Params: p, Context: activities.VnfContext{
			Instance: lcm.VnfInstance{ID: "11112222-3333-4444-8555-666677778888"},
			PackageFile: func(_ context.Context, path string) ([]byte, error) {
				content, ok := map[string]string{
					"Files/cni.yaml": "kind: DaemonSet", "Files/bad.yaml": "kind: Pod", "Files/key.asc": "KEY",
				}[path]
				if !ok {
					return nil, lcm.Errorf(lcm.KindNotFound, "The package has no file %s.", path)
				}
				return []byte(content), nil
			},
		}},
	}
	return s, secrets, output
}

// Nodes returns the nodes of a cluster.
func Nodes(controlPlanes, workers int) (nodes lcm.Nodes) {
	add := func(role lcm.Role, host int) {
		id := fmt.Sprintf("%08x-0000-4000-8000-000000000000", host)
		nodes = append(nodes, lcm.Node{
			Name: lcm.NodeName(role, id), Role: role, ServerID: id, ComputeHost: "compute-1", Zone: "az 1",
			Address: fmt.Sprintf("10.0.0.%d", host), SSHAddress: fmt.Sprintf("198.51.100.%d", host),
		})
	}
	for i := range controlPlanes {
		add(lcm.ControlPlane, 11+i)
	}
	for i := range workers {
		add(lcm.Worker, 21+i)
	}
	return nodes
}

// FixedVnf returns the same VNF for every operation: a cluster with these parameters, unless Context has other drivers.
type FixedVnf struct {
	Context activities.VnfContext
	Params  k8s.Params
}

// Vnf implements activities.Vnfs.
func (f *FixedVnf) Vnf(context.Context, lcm.OpOccID) (activities.VnfContext, error) {
	v := f.Context
	if v.Drivers == nil {
		v.Drivers = []lifecycle.VnfDriver{kubeadm.New(f.Params)}
	}
	return v, nil
}
