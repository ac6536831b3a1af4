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

// Scale begins a scaling by one step.
func (b *Bed) Scale(t testing.TB, vnf, direction, aspect string) (op string) {
	t.Helper()
	return b.Begin(t, vnf, "scale", map[string]any{"type": direction, "aspectId": aspect})
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
func (b *Bed) Heal(t testing.TB, vnf, cause string, vnfcs ...string) (op string) {
	t.Helper()
	body := map[string]any{"cause": cause}
	if len(vnfcs) > 0 {
		body["vnfcInstanceId"] = vnfcs
	}
	return b.Begin(t, vnf, "heal", body)
}

// Impatient shortens timeouts, because nodes in a lab do not answer late.
func Impatient(_, cluster map[string]any) {
	cluster["timeouts"] = map[string]any{
		"ssh": 30, "login": 5, "command": 60, "virtual_ip": 30, "join": 60, "node_ready": 30, "drain": 30, "stack": 300,
	}
}
