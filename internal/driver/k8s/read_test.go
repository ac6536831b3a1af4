package k8s_test

import (
	"encoding/json"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// parsed reads parameters whose types are right.
func parsed(additionalParams json.RawMessage) (k8s.Params, error) {
	p, wrong := k8s.Read(additionalParams)
	return p, lcm.InvalidAll("The cluster's parameters are not of the right types.", wrong.Types)
}

// checked reads the parameters of a cluster with so many nodes, and lists all mistakes.
func checked(additionalParams json.RawMessage, controlPlanes, workers int) (k8s.Params, []lcm.Problem) {
	p, wrong := k8s.Read(additionalParams)
	return p, wrong.With(p.Problems(controlPlanes, workers))
}
