package testbed

import (
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

// Scale begins a scaling by one step, or by so many steps.
func (b *Bed) Scale(t testing.TB, vnf, direction, aspect string, steps ...int) (op string) {
	t.Helper()
	body := map[string]any{"type": direction, "aspectId": aspect}
	if len(steps) > 0 {
		body["numberOfSteps"] = steps[0]
	}
	return b.Begin(t, vnf, "scale", body)
}

// ScaleToLevel begins a scaling to an instantiation level.
func (b *Bed) ScaleToLevel(t testing.TB, vnf, level string) (op string) {
	t.Helper()
	return b.Begin(t, vnf, "scale_to_level", map[string]any{"instantiationLevelId": level})
}

// ScaleTo begins a scaling to these sizes, which must be those of levels.
func (b *Bed) ScaleTo(t testing.TB, vnf string, want Sizes) (op string) {
	t.Helper()
	return b.Begin(t, vnf, "scale_to_level", map[string]any{"scaleInfo": []any{
		map[string]any{
			"aspectId":   "master_instance",
			"scaleLevel": (want.ControlPlanes - leastControlPlanes) / controlPlanesOfAStep,
		},
		map[string]any{"aspectId": "worker_instance", "scaleLevel": want.Workers - leastWorkers},
	}})
}

// Heal begins a heal of these VNFCs, or of the entire VNF if there are none.
func (b *Bed) Heal(t testing.TB, vnf string, vnfcs ...string) (op string) {
	t.Helper()
	return b.Begin(t, vnf, "heal", of(vnfcs, map[string]any{}))
}

// Operate begins to stop or start these VNFCs, or the entire VNF if there are none.
func (b *Bed) Operate(t testing.TB, vnf, to string, vnfcs ...string) (op string) {
	t.Helper()
	return b.Begin(t, vnf, "operate", of(vnfcs, map[string]any{"changeStateTo": to}))
}

// of adds VNFCs, if there are any, to a request.
func of(vnfcs []string, body map[string]any) map[string]any {
	if len(vnfcs) > 0 {
		body["vnfcInstanceId"] = vnfcs
	}
	return body
}

// ChangePackage begins to change the VNF to a package. Only v2 of the API can do this.
func (b *Bed) ChangePackage(t testing.TB, vnf string, request map[string]any) (op string) {
	t.Helper()
	return b.BeginV2(t, vnf, "change_vnfpkg", request)
}

// Terminate begins a forceful termination.
func (b *Bed) Terminate(t testing.TB, vnf string) (op string) {
	t.Helper()
	return b.Begin(t, vnf, "terminate", map[string]any{"terminationType": "FORCEFUL"})
}

// Impatient shortens timeouts, because nodes in a lab do not answer late.
func Impatient(_, cluster map[string]any) {
	cluster["timeouts"] = map[string]any{
		"ssh": 30, "login": 5, "command": 60, "virtual_ip": 30, "join": 60, "node_ready": 30, "drain": 30, "stack": 300,
	}
}
