// Package kubernetes checks the connector for Kubernetes with a real control plane, and partly with an API server in
// memory.
package kubernetes

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/cnf"
	"github.com/windlass-nfv/windlass/internal/vim"
	kube "github.com/windlass-nfv/windlass/internal/vim/kubernetes"
	"github.com/windlass-nfv/windlass/internal/vim/vimtest"
)

func TestContract(t *testing.T) {
	p := start(t)
	workers := map[string]kube.Workload{"vdu": {Kind: "Deployment", Name: "workers"}}
	vimtest.Run(t, vimtest.Bed{
		VIM: p.Connect(t, "default"), Name: "vnf-of-the-test", Patience: time.Minute, WithoutPorts: true,
		Define: func(n int) vim.Definition {
			return kube.Definition{Objects: manifests(t, deployment("workers", "httpd", n)), Workloads: workers}
		},
		Resize: func(n int) vim.Definition { return kube.Definition{Replicas: map[string]int{"vdu": n}} },
	})
}

func manifests(t *testing.T, text string) []unstructured.Unstructured {
	t.Helper()
	from := cnf.Files{One: func(string) ([]byte, error) { return []byte(text), nil }}
	read, err := cnf.Read(cnf.Params{Files: []string{"test.yaml"}}, from)
	require.NoError(t, err)
	require.Empty(t, read.Problems())
	return read.Objects
}

func deployment(name, image string, replicas int) string {
	return fmt.Sprintf(`---
apiVersion: apps/v1
kind: Deployment
metadata: {name: %[1]s}
spec:
  replicas: %[3]d
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata: {labels: {app: %[1]s}}
    spec:
      containers: [{name: main, image: %[2]s}]
`, name, image, replicas)
}
