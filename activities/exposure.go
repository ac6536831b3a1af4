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

// FindServicesOutput lists the exposed Services, and the load balancers that expose them.
type FindServicesOutput struct {
	Services []lcm.ExposedService `json:"services,omitempty"`
	// Balancers are load balancers as the request names them. OfCluster are load balancers that Windlass knows from the
	// cluster. Former were named at the instantiation, but are not in front of the cluster any more.
	Balancers lcm.Nodes `json:"balancers,omitempty"`
	OfCluster lcm.Nodes `json:"ofCluster,omitempty"`
	Former    lcm.Nodes `json:"former,omitempty"`
}

// Ports returns the ports of all Services, sorted.
func (o FindServicesOutput) Ports() (ports []int) {
	for _, s := range o.Services {
		ports = append(ports, s.NodePorts...)
	}
	slices.Sort(ports)
	return slices.Compact(ports)
}

// FindServices reads the VNF's Services to expose, and their ports.
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
		return out, lcm.Errorf(lcm.KindBug, "Windlass ran a step that exposes Services, but the VNF exposes none.")
	}
	if err := i.findBalancers(ctx, vnf, exposure, &out); err != nil {
		return out, err
	}
	deployment, err := i.deploymentOf(ctx, in.OpOccID, in.Step)
	if err != nil {
		return out, err
	}
	cluster, err := vim.As[vim.Exposer](deployment.cloud, "show the ports of Services")
	if err != nil {
		return out, err
	}
	out.Services, err = cluster.NodePorts(ctx, deployment.name)
	for _, s := range out.Services {
		deployment.show(fmt.Sprintf("Service %s/%s: %v", s.Namespace, s.Name, s.NodePorts))
	}
	return out, err
}

// ExposeServicesInput names a load balancer and the Services that it serves. No Services means: remove the VNF's
// Services.
type ExposeServicesInput struct {
	NodeInput
	Services []lcm.ExposedService `json:"services,omitempty"`
	// Hide removes the Services. PassOver skips a load balancer that does not answer.
	Hide     bool `json:"hide,omitempty"`
	PassOver bool `json:"passOver,omitempty"`
	// OfCluster is set for a load balancer of a cluster that Windlass made: its operations know how to reach it.
	OfCluster bool `json:"ofCluster,omitempty"`
	// Former is set for a load balancer that is no longer in front of the cluster. The present owner of its address may
	// refuse the login.
	Former bool `json:"former,omitempty"`
}

// ExposeServicesOutput is empty: the load balancer serves the Services, or serves them no longer.
type ExposeServicesOutput struct{}

// ExposeServices makes a load balancer in front of a cluster serve the Services of a VNF, or stop serving them. On a
// load balancer that Windlass set up, it writes the whole HAProxy file again, checks it and reloads HAProxy. Elsewhere
// the package's script does this, with Tacker's arguments.
//
// Idempotent on load balancers of Windlass. For a script of the package, a later attempt finds the script's result.
// Takes seconds.
func (n *Nodes) ExposeServices(ctx context.Context, in ExposeServicesInput) (out ExposeServicesOutput, err error) {
	defer func() { err = boundary(ctx, "expose the Services on "+in.Node.Address, err) }()
	defer heartbeat(ctx)()
	vnf, err := n.Vnfs.Vnf(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	exposure := nodeport.In(vnf.Drivers)
	if exposure == nil {
		return out, lcm.Errorf(lcm.KindBug, "Windlass ran a step that exposes Services, but the VNF exposes none.")
	}
	err = n.expose(ctx, vnf, exposure, in)
	if n.passOver(ctx, in.NodeInput, in.PassOver, err) || in.Former && n.passStranger(ctx, in.NodeInput, err) {
		return out, nil
	}
	return out, err
}

// expose runs Windlass's own script. If Windlass did not set up the load balancer, it then runs the package's script.
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
		return err // only load balancers in the request use the package's script
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

// The limits for work on a load balancer, equal to the default limits for a cluster's commands.
const (
	exposureWait  = 60 // seconds
	exposureLimit = 180 * time.Second
)

// ports returns the ports that the load balancer must serve for the VNF.
func (in ExposeServicesInput) ports() []int {
	if in.Hide {
		return nil
	}
	return FindServicesOutput{Services: in.Services}.Ports()
}

// arguments returns the Services as arguments of Tacker's script: without ports when the Services are removed.
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
