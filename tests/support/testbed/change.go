package testbed

import (
	"maps"
	"slices"
	"testing"
)

// The levels of the sample package: the number of VMs of each aspect at level 0. A step adds one worker, or two control
// planes.
const (
	leastControlPlanes, leastWorkers = 3, 2
	controlPlanesOfAStep             = 2
)

// Sizes are the numbers of nodes of a cluster; both are 0 without a cluster.
type Sizes struct{ ControlPlanes, Workers int }

// Smallest is the size that the sample's request instantiates.
var Smallest = Sizes{leastControlPlanes, leastWorkers}

// Count returns the sizes that a VNF records.
func (b *Bed) Count(t testing.TB, vnf string) (s Sizes) {
	t.Helper()
	for _, vdu := range b.Vnfcs(t, vnf) {
		if vdu == "masterNode" {
			s.ControlPlanes++
		} else {
			s.Workers++
		}
	}
	return s
}

// Order is what an NFVO asks of a VNF instance: a task and its request. It has no server, so that suites which send
// requests in their own way ask for the same.
type Order struct {
	Task string
	Body map[string]any
}

// Scaling scales by one step, or by so many steps.
func Scaling(direction, aspect string, steps ...int) Order {
	body := map[string]any{"type": direction, "aspectId": aspect}
	if len(steps) > 0 {
		body["numberOfSteps"] = steps[0]
	}
	return Order{"scale", body}
}

// ScalingTo scales aspects to levels.
func ScalingTo(levels map[string]int) Order {
	info := []any{}
	for _, aspect := range slices.Sorted(maps.Keys(levels)) {
		info = append(info, map[string]any{"aspectId": aspect, "scaleLevel": levels[aspect]})
	}
	return Order{"scale_to_level", map[string]any{"scaleInfo": info}}
}

// Healing heals these VNFCs, or the entire VNF if there are none.
func Healing(vnfcs ...string) Order { return Order{"heal", of(vnfcs, map[string]any{})} }

// Operating stops or starts these VNFCs, or the entire VNF if there are none.
func Operating(to string, vnfcs ...string) Order {
	return Order{"operate", of(vnfcs, map[string]any{"changeStateTo": to})}
}

// Termination is forceful.
func Termination() Order { return Order{"terminate", map[string]any{"terminationType": "FORCEFUL"}} }

// of adds VNFCs, if there are any, to a request.
func of(vnfcs []string, body map[string]any) map[string]any {
	if len(vnfcs) > 0 {
		body["vnfcInstanceId"] = vnfcs
	}
	return body
}

// With sets a member of the order's request.
func (o Order) With(member string, value any) Order {
	o.Body = maps.Clone(o.Body)
	o.Body[member] = value
	return o
}

func (b *Bed) order(t testing.TB, vnf string, o Order) (op string) {
	t.Helper()
	return b.Begin(t, vnf, o.Task, o.Body)
}

// Scale begins a Scaling.
func (b *Bed) Scale(t testing.TB, vnf, direction, aspect string, steps ...int) (op string) {
	t.Helper()
	return b.order(t, vnf, Scaling(direction, aspect, steps...))
}

// ScaleToLevel begins a scaling to an instantiation level.
func (b *Bed) ScaleToLevel(t testing.TB, vnf, level string) (op string) {
	t.Helper()
	return b.Begin(t, vnf, "scale_to_level", map[string]any{"instantiationLevelId": level})
}

// ScaleTo begins a scaling to these sizes, which must be those of levels.
func (b *Bed) ScaleTo(t testing.TB, vnf string, want Sizes) (op string) {
	t.Helper()
	return b.order(t, vnf, ScalingTo(map[string]int{
		"master_instance": (want.ControlPlanes - leastControlPlanes) / controlPlanesOfAStep,
		"worker_instance": want.Workers - leastWorkers,
	}))
}

// Heal begins a Healing.
func (b *Bed) Heal(t testing.TB, vnf string, vnfcs ...string) (op string) {
	t.Helper()
	return b.order(t, vnf, Healing(vnfcs...))
}

// Operate begins an Operating.
func (b *Bed) Operate(t testing.TB, vnf, to string, vnfcs ...string) (op string) {
	t.Helper()
	return b.order(t, vnf, Operating(to, vnfcs...))
}

// ChangePackage begins to change the VNF to a package. Only v2 of the API can do this.
func (b *Bed) ChangePackage(t testing.TB, vnf string, request map[string]any) (op string) {
	t.Helper()
	return b.BeginV2(t, vnf, "change_vnfpkg", request)
}

// Terminate begins a Termination.
func (b *Bed) Terminate(t testing.TB, vnf string) (op string) {
	t.Helper()
	return b.order(t, vnf, Termination())
}

// Impatient shortens timeouts, because nodes in a lab do not answer late.
func Impatient(_, cluster map[string]any) {
	cluster["timeouts"] = map[string]any{
		"ssh": 30, "login": 5, "command": 60, "virtual_ip": 30, "join": 60, "node_ready": 30, "drain": 30, "stack": 300,
	}
}
