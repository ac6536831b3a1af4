package activities

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/internal/driver/nodeport"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/scripts"
)

// FindServicesOutput is what is exposed, and where.
type FindServicesOutput struct {
	Services []lcm.ExposedService `json:"services,omitempty"`
	// Balancers are load balancers as the request names them. OfCluster are those that Windlass knows as the cluster's, and
	// Former were named when the VNF was instantiated, and are before the cluster no more.
	Balancers lcm.Nodes `json:"balancers,omitempty"`
	OfCluster lcm.Nodes `json:"ofCluster,omitempty"`
	Former    lcm.Nodes `json:"former,omitempty"`
}

// Ports are those of all Services, in order.
func (o FindServicesOutput) Ports() (ports []int) {
	for _, s := range o.Services {
		ports = append(ports, s.NodePorts...)
	}
	slices.Sort(ports)
	return slices.Compact(ports)
}

// FindServices reads the Services of the VNF that are to be exposed, and their ports.
// Idempotent: it only reads.
func (i *Infrastructure) FindServices(ctx context.Context, in DeploymentInput) (out FindServicesOutput, err error) {
	defer func() { err = boundary(ctx, "find the Services of the VNF", err) }()
	defer heartbeat(ctx)()
	vnf, err := i.Vnfs.Vnf(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	exposure := nodeport.In(vnf.Drivers)
	if exposure == nil {
		return out, lcm.Errorf(lcm.KindBug, "The VNF exposes no Services, but a step that does was run.")
	}
	if err := i.findBalancers(ctx, vnf, exposure, &out); err != nil {
		return out, err
	}
	deployment, err := i.deploymentOf(ctx, in.OpOccID, in.Step)
	if err != nil {
		return out, err
	}
	cluster, err := vim.As[vim.Exposer](deployment.cloud, "tell the ports of Services")
	if err != nil {
		return out, err
	}
	out.Services, err = cluster.NodePorts(ctx, deployment.name)
	for _, s := range out.Services {
		deployment.show(fmt.Sprintf("Service %s/%s: %v", s.Namespace, s.Name, s.NodePorts))
	}
	return out, err
}

// ExposeServicesInput names a load balancer, and the Services that it serves: none takes those of the VNF away.
type ExposeServicesInput struct {
	NodeInput
	Services []lcm.ExposedService `json:"services,omitempty"`
	// Hide takes the Services away. PassOver leaves a load balancer as it is that does not answer.
	Hide     bool `json:"hide,omitempty"`
	PassOver bool `json:"passOver,omitempty"`
	// OfCluster is set for one that operations of the cluster know: it is reached as they do.
	OfCluster bool `json:"ofCluster,omitempty"`
	// Former is set for one that is before the cluster no more: whoever has its address now need not let Windlass in.
	Former bool `json:"former,omitempty"`
}

// ExposeServicesOutput is empty: the load balancer serves the Services, or does not any more.
type ExposeServicesOutput struct{}

// ExposeServices lets a load balancer before a cluster serve the Services of a VNF on it, or serve them no more. On one
// that Windlass has set up HAProxy's file is made anew as a whole, checked and reloaded; elsewhere the script of the
// VNF's package does it, with Tacker's arguments.
//
// Idempotent on load balancers of Windlass; of a script of the package, the end is found again. Takes seconds.
func (n *Nodes) ExposeServices(ctx context.Context, in ExposeServicesInput) (out ExposeServicesOutput, err error) {
	defer func() { err = boundary(ctx, "expose the Services on "+in.Node.Address, err) }()
	defer heartbeat(ctx)()
	vnf, err := n.Vnfs.Vnf(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	exposure := nodeport.In(vnf.Drivers)
	if exposure == nil {
		return out, lcm.Errorf(lcm.KindBug, "The VNF exposes no Services, but a step that does was run.")
	}
	err = n.expose(ctx, vnf, exposure, in)
	if n.passOver(ctx, in.NodeInput, in.PassOver, err) || in.Former && n.passStranger(ctx, in.NodeInput, err) {
		return out, nil
	}
	return out, err
}

// expose runs Windlass's own script and, where that says so, the package's.
func (n *Nodes) expose(ctx context.Context, vnf VnfContext, exposure *nodeport.Exposure, in ExposeServicesInput) error {
	reach := n.Reach
	if in.OfCluster {
		reach.Hosts = n.Before
	}
	found, err := reach.runOn(ctx, in.NodeInput, task{
		script: scripts.ExposeServices{Owner: string(vnf.Instance.ID), Ports: in.ports(), Timeout: exposureWait},
		limit:  exposureLimit,
	})
	if err != nil || found.Get("ours") != "no" || in.OfCluster && !names(exposure, in.Node) {
		return err // the package's script is for those that the request names
	}
	path := exposure.Params.ScriptPath
	if path == "" {
		return lcm.Errorf(lcm.KindInvalid, "Windlass has not set up the load balancer at %s: name a script of the VNF "+
			"package that exposes Services there (lcm-kubernetes-external-lb.script_path), or another load balancer.", in.Node.Address)
	}
	text, err := vnf.packageFile(ctx, path)
	if err != nil || len(in.Services) == 0 {
		return err
	}
	_, err = reach.runOn(ctx, in.NodeInput, task{
		script: scripts.RunExposureScript{Services: in.arguments(), Add: !in.Hide}, limit: exposureLimit, foreign: true,
		stdin: scripts.Stdin(scripts.Input{Name: "script", Value: strings.ReplaceAll(string(text), "\r\n", "\n")}),
	})
	return err
}

// The limits of what is done on a load balancer, as those of a cluster's commands are by default.
const (
	exposureWait  = 60 // seconds
	exposureLimit = 180 * time.Second
)

// ports are those that the load balancer is to serve for the VNF.
func (in ExposeServicesInput) ports() []int {
	if in.Hide {
		return nil
	}
	return FindServicesOutput{Services: in.Services}.Ports()
}

// arguments are the Services as Tacker's script takes them: without ports where they are taken away.
func (in ExposeServicesInput) arguments() (out []string) {
	for _, s := range in.Services {
		words := []string{s.Namespace, s.Name}
		for _, port := range s.NodePorts {
			if !in.Hide {
				words = append(words, fmt.Sprint(port))
			}
		}
		out = append(out, strings.Join(words, ","))
	}
	return out
}
