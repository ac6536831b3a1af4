// Package nodeport is the driver mgmt-drivers-cnf-nodeport. It exposes Services of type NodePort of a containerised VNF
// on the load balancer before its cluster.
package nodeport

import (
	"context"
	"encoding/json"
	"net"
	"strconv"
	"time"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/params"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// Driver exposes Services.
type Driver struct{}

// An optional interface that this driver implements.
var _ lifecycle.Reacher = (*Exposure)(nil)

// Name implements driver.Driver.
func (Driver) Name() string { return descriptor.DriverNodePort }

// Describe implements driver.Driver.
func (Driver) Describe() driver.Description {
	return driver.Description{Member: Member, Params: Params{}}
}

// Bind implements driver.Driver.
func (Driver) Bind(additionalParams json.RawMessage) (driver.Binding, params.Mistakes) {
	p, wrong := Read(additionalParams)
	return &Exposure{Params: p}, wrong
}

// Exposure is the driver of one VNF.
type Exposure struct{ Params Params }

// CheckRequest implements driver.Binding.
func (e *Exposure) CheckRequest(_ context.Context, r driver.Request, wrong params.Mistakes) error {
	p := e.Params
	r.Found.Mistake(wrong.With(k8s.Manner.Check(paramsPath, p))...)
	if !r.Flavour.Containers {
		r.Found.Mistake(lcm.Problem{
			Path:   paramsPath,
			Detail: "is for VNFs on Kubernetes: it exposes Services of Kubernetes",
		})
	}
	if p.ScriptPath != "" {
		if _, there := r.Package.Artifact(p.ScriptPath); !there {
			r.Found.Names(paramsPath+".script_path", "the VNF package has no file %q", p.ScriptPath)
		}
	}
	return nil
}

// In is the driver among a VNF's drivers that exposes Services, nil when none does.
func In(drivers []lifecycle.VnfDriver) *Exposure {
	for _, d := range drivers {
		if e, ok := d.(*Exposure); ok {
			return e
		}
	}
	return nil
}

// Name implements lifecycle.VnfDriver.
func (*Exposure) Name() string { return descriptor.DriverNodePort }

// Steps implements lifecycle.VnfDriver. Services keep their ports as long as the VNF exists.
func (*Exposure) Steps(at lifecycle.Hook, _ lifecycle.Facts, _ lcm.Plan) []lifecycle.Step {
	switch at {
	case lifecycle.InstantiateEnd:
		return []lifecycle.Step{{
			ID: StepExposeServices, Title: "Expose the Services on the load balancer",
			Undo: "the load balancer does not serve them any more",
		}}
	case lifecycle.TerminateStart:
		return []lifecycle.Step{{ID: StepHideServices, Title: "Take the Services from the load balancer", Final: true}}
	default:
		return nil
	}
}

// Check implements lifecycle.VnfDriver.
func (*Exposure) Check(lifecycle.Facts, lcm.Plan) error { return nil }

// The limits of logging in: the same as the defaults of clusters.
const (
	login = 30 * time.Second
	ssh   = 10 * time.Minute
)

// Access implements lifecycle.Reacher.
func (e *Exposure) Access(role lcm.Role) (lifecycle.Access, bool) {
	b := e.Params.Balancer
	return lifecycle.Access{
		User: b.Username, Password: b.Password, PrivateKey: b.PrivateKey, Login: login, SSH: ssh,
	}, role == lcm.LoadBalancer
}

// Balancers are the load balancers in the form of nodes, for logging in. Their host keys are pinned for the VNF
// instance.
func (e *Exposure) Balancers() (out lcm.Nodes) {
	b := e.Params.Balancer
	for i, address := range b.All() {
		name := lcm.BalancerID(i)
		out = append(out, lcm.Node{
			Name: name, Role: lcm.LoadBalancer, ServerID: name, Address: address, SSHAddress: net.JoinHostPort(address, strconv.Itoa(b.Port)),
		})
	}
	return out
}
