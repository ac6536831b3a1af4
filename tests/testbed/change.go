package testbed

import (
	"testing"
)

// The sample package's levels: at level 0 an aspect has so many VMs; a step brings one worker, or two control planes.
const (
	leastControlPlanes, leastWorkers = 3, 2
	controlPlanesOfAStep             = 2
)

// Sizes are how many nodes a cluster has; none is no cluster.
type Sizes struct{ ControlPlanes, Workers int }

// Smallest is what the sample's request instantiates.
var Smallest = Sizes{leastControlPlanes, leastWorkers}

// Count is the sizes of a VNF as it is recorded.
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

// ScaleTo begins a scaling to those sizes, which must be those of levels.
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

// Heal begins a healing of these VNFCs, or of the entire VNF when there are none.
func (b *Bed) Heal(t testing.TB, vnf, cause string, vnfcs ...string) (op string) {
	t.Helper()
	body := map[string]any{"cause": cause}
	if len(vnfcs) > 0 {
		body["vnfcInstanceId"] = vnfcs
	}
	return b.Begin(t, vnf, "heal", body)
}

// Impatient shortens the limits for what nodes in a lab do not do: answer late.
func Impatient(_, cluster map[string]any) {
	cluster["timeouts"] = map[string]any{
		"ssh": 30, "login": 5, "command": 60, "virtual_ip": 30, "join": 60, "node_ready": 30, "drain": 30, "stack": 300,
	}
}
