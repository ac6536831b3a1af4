package balancer

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/activities/reach"
	"github.com/windlass-nfv/windlass/internal/driver/nodeport"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/scripts"
)

// ExposeServicesInput names a load balancer and the Services that it serves. No Services means: remove the VNF's
// Services.
type ExposeServicesInput struct {
	reach.NodeInput
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
func (n *Activities) ExposeServices(ctx context.Context, in ExposeServicesInput) (out ExposeServicesOutput, err error) {
	defer func() { err = activities.Boundary(ctx, "expose the Services on "+in.Node.Address, err) }()
	defer activities.Heartbeat(ctx)()
	vnf, err := n.Reach.Vnfs.Vnf(ctx, in.OpOccID)
	if err != nil {
		return out, err
	}
	exposure := nodeport.In(vnf.Drivers)
	if exposure == nil {
		return out, lcm.Errorf(lcm.KindBug, "Windlass ran a step that exposes Services, but the VNF exposes none.")
	}
	err = n.expose(ctx, vnf, exposure, in)
	if n.Reach.PassOver(ctx, in.NodeInput, in.PassOver, err) ||
		in.Former && passStranger(ctx, n.Reach, in.NodeInput, err) {
		return out, nil
	}
	return out, err
}

// expose runs Windlass's own script. If Windlass did not set up the load balancer, it then runs the package's script.
func (n *Activities) expose(
	ctx context.Context, vnf activities.VnfContext, exposure *nodeport.Exposure, in ExposeServicesInput,
) error {
	runner := n.Reach
	if in.OfCluster {
		runner.Hosts = n.Before
	}
	found, err := runner.RunOn(ctx, in.NodeInput, reach.Task{
		Script: scripts.ExposeServices{Owner: string(vnf.Instance.ID), Ports: in.ports(), Timeout: exposureWait},
		Limit:  exposureLimit,
	})
	if err != nil || found.Get("ours") != "no" || in.OfCluster && !names(exposure, in.Node) {
		return err // only load balancers in the request use the package's script
	}
	path := exposure.Params.ScriptPath
	if path == "" {
		return lcm.Errorf(lcm.KindInvalid, "Windlass has not set up the load balancer at %s: name a script of the VNF "+
			"package that exposes Services there (lcm-kubernetes-external-lb.script_path), or another load balancer.", in.Node.Address)
	}
	text, err := vnf.OptionalFile(ctx, path)
	if err != nil || len(in.Services) == 0 {
		return err
	}
	_, err = runner.RunOn(ctx, in.NodeInput, reach.Task{
		Script: scripts.RunExposureScript{Services: in.arguments(), Add: !in.Hide}, Limit: exposureLimit, Foreign: true,
		Stdin: scripts.Stdin(scripts.Input{Name: "script", Value: strings.ReplaceAll(string(text), "\r\n", "\n")}),
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
