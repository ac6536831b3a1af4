package model

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/testbed"
)

// kind is what the VNFs of the walkers are made of, and where.
type kind struct {
	vnfdIDs    []string // the first is what they begin with; the others are packages that they may get
	containers bool
	vim        string // the id of the VIM
	vimType    string
}

const (
	vnfdID        = "0c9d3b52-6f0e-4d43-9d0b-5a1f6c0f7e31"
	serverPackage = "tests/model/servers"

	podsVnfdID        = "0c9d3b52-6f0e-4d43-9d0b-5a1f6c0f7e32"
	laterVnfdID       = "0c9d3b52-6f0e-4d43-9d0b-5a1f6c0f7e33"
	containersPackage = "tests/model/containers"
)

// actions are those that a VNF of the kind meets. One whose manifests name no network has no link to change.
func (k kind) actions() []action {
	if k.containers {
		return slices.DeleteFunc(slices.Clone(actions), func(a action) bool { return a == connect })
	}
	return actions
}

// connections is vimConnectionInfo: a list in v1, a map in v2.
func (k kind) connections(v2 bool) any {
	connection := map[string]any{"vimId": k.vim, "vimType": k.vimType}
	if v2 {
		return map[string]any{"vim": connection}
	}
	connection["id"] = "vim"
	return []any{connection}
}

func (k kind) instantiateRequest(w *walker, v2 bool) map[string]any {
	request := map[string]any{"flavourId": "simple", "vimConnectionInfo": k.connections(v2)}
	if k.containers {
		request["additionalParams"] = w.manifests()
		request["additionalParams"].(map[string]any)["namespace"] = w.namespace
	} else {
		request["extVirtualLinks"] = linksTo(networks[0], v2)
	}
	return request
}

func (k kind) changeRequest(w *walker) map[string]any {
	request := map[string]any{"vnfdId": k.vnfdIDs[w.random.IntN(len(k.vnfdIDs))]}
	if k.containers {
		request["additionalParams"] = w.manifests()
	}
	return request
}

// manifests are parameters of a VNF of containers. Now and then its image cannot be pulled.
func (w *walker) manifests() map[string]any {
	file := "Files/kubernetes/web.yaml"
	if w.random.IntN(6) == 0 {
		file = "Files/kubernetes/broken.yaml"
	}
	return map[string]any{"lcm-kubernetes-def-files": []string{file}}
}

// onboardContainers takes the package of containers and a later one, which differs in its VNFD's id.
func onboardContainers(t *testing.T, bed *testbed.Bed) {
	t.Helper()
	later := t.TempDir()
	require.NoError(t, os.CopyFS(later, os.DirFS(filepath.Join(bed.Root, containersPackage))))
	vnfd := filepath.Join(later, "Definitions/containers.vnfd.yaml")
	text, err := os.ReadFile(vnfd)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(vnfd, []byte(strings.ReplaceAll(string(text), podsVnfdID, laterVnfdID)), 0o600))
	for _, dir := range []string{containersPackage, later} {
		out, err := bed.Windlass(t.Context(), "package", "create", dir).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}

// newWalker is one of a kind, whose VNFs of containers are in a namespace of its own.
func newWalker(bed *testbed.Bed, of kind, number int, counts map[string]int) *walker {
	return &walker{
		bed: bed, kind: of, random: rand.New(rand.NewPCG(*seed, uint64(number))), counts: counts,
		namespace: namespaceOf(number),
	}
}

func namespaceOf(walker int) string { return fmt.Sprintf("walker-%d", walker) }
