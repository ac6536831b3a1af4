package kubernetes

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	kube "github.com/windlass-nfv/windlass/internal/vim/kubernetes"
)

const wanting = `apiVersion: apps/v1
kind: Deployment
metadata: {name: %s}
spec:
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata: {labels: {app: %[1]s}}
    spec:
      nodeSelector: {%s}
      containers: [{name: main, image: httpd, resources: {requests: {memory: 64Mi}, limits: {memory: 64Mi, %s}}}]
`

// TestDeploy_onNodesThatHaveIt requires resources and labels of nodes. The connector must soon report what no node has.
func TestDeploy_onNodesThatHaveIt(t *testing.T) {
	t.Parallel()
	p := start(t)
	c := p.Connect(t, "default")
	for i, o := range []struct{ labels, limits, says string }{
		{"", "hugepages-2Mi: 32Mi, example.com/gpu: 2", ""},
		{"", "hugepages-2Mi: 128Mi", "Insufficient hugepages-2Mi"},
		{"", "example.com/gpu: 3", "Insufficient example.com/gpu"},
		{"", "example.com/fpga: 1", "Insufficient example.com/fpga"},
		{"feature.node.kubernetes.io/cpu-cpuid.AVX512F: 'true'", "", "didn't match Pod's node affinity/selector"},
	} {
		name := fmt.Sprintf("wanting-%d", i)
		d := kube.Definition{
			Objects:   manifests(t, fmt.Sprintf(wanting, name, o.labels, o.limits)),
			Workloads: map[string]kube.Workload{"W": {Kind: "Deployment", Name: name}},
		}
		began := time.Now()
		_, err := deploy(t, c, name, owner+name, d)
		if o.says == "" {
			require.NoError(t, err)
		} else {
			require.True(t, lcm.Is(err, lcm.KindExhausted), "%v", err)
			require.ErrorContains(t, err, "Unschedulable")
			require.ErrorContains(t, err, o.says)
		}
		require.Less(t, time.Since(began), 10*time.Second)
		require.NoError(t, c.Remove(t.Context(), name, owner+name, func(string) {}))
	}
}
