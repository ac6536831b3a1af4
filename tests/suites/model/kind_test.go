package model

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// kind says what the VNFs of a walker are made of, and where. A hybrid VNF has containers and servers.
type kind struct {
	name       string
	vnfdIDs    []string // instances are created with the first one; CHANGE_VNFPKG may change to any of them
	servers    bool
	containers bool
	vims       map[string]string // the ids of the VIMs, by their types
	// flavours is set if the package has the flavours simple and large.
	flavours bool
	// cps are the connection points of a VNF of servers.
	cps []string
	// work says what a driver does with the VNF's servers, and is nil without a driver.
	work work
}

func (k kind) hybrid() bool { return k.servers && k.containers }

// serverCps are the connection points of VNFs of one VDU.
var serverCps = []string{"VDU1_CP1"}

const (
	vnfdID        = "0c9d3b52-6f0e-4d43-9d0b-5a1f6c0f7e31"
	serverPackage = "tests/suites/model/servers"

	podsVnfdID        = "0c9d3b52-6f0e-4d43-9d0b-5a1f6c0f7e32"
	laterVnfdID       = "0c9d3b52-6f0e-4d43-9d0b-5a1f6c0f7e33"
	containersPackage = "tests/suites/model/containers"

	hybridVnfdID      = "0c9d3b52-6f0e-4d43-9d0b-5a1f6c0f7e34"
	laterHybridVnfdID = "0c9d3b52-6f0e-4d43-9d0b-5a1f6c0f7e35"
	hybridPackage     = "tests/suites/model/hybrid"
)

// actions returns the actions that make sense for a VNF of the kind. A VNF of containers has no external link to
// change, and the nodes of a cluster use their link to reach each other, so neither is connected to another network.
func (k kind) actions() []action {
	fixed := !k.servers || k.work != nil && !k.work.connects()
	return slices.DeleteFunc(slices.Clone(actions), func(a action) bool {
		return a == connect && fixed || flavours[a] != "" && !k.flavours
	})
}

// connections returns vimConnectionInfo: a list in v1, a map in v2.
func (k kind) connections(v2 bool) any {
	list, byID := []any{}, map[string]any{}
	for _, vimType := range slices.Sorted(maps.Keys(k.vims)) {
		connection := map[string]any{"vimId": k.vims[vimType], "vimType": vimType}
		byID[vimType] = connection
		list = append(list, connection)
	}
	if v2 {
		return byID
	}
	for id, connection := range byID {
		connection.(map[string]any)["id"] = id
	}
	return list
}

func (k kind) instantiateRequest(w *walker, v2 bool) map[string]any {
	request := map[string]any{"flavourId": "simple", "vimConnectionInfo": k.connections(v2)}
	if k.servers {
		request["extVirtualLinks"] = k.linksTo(networks[0], v2)
	}
	if k.containers {
		params := map[string]any{"namespace": w.namespace}
		maps.Copy(params, w.manifests())
		request["additionalParams"] = params
	}
	if k.work != nil {
		request["additionalParams"] = k.work.params(w)
	}
	return request
}

func (k kind) changeRequest(w *walker) map[string]any {
	request := map[string]any{"vnfdId": k.vnfdIDs[w.random.IntN(len(k.vnfdIDs))]}
	if manifests := w.manifests(); manifests != nil {
		request["additionalParams"] = manifests
	}
	return request
}

// flavourRequest returns a request for a flavour. The cache of the flavour large has a manifest of its own.
func (w *walker) flavourRequest(flavour string) map[string]any {
	request := map[string]any{"newFlavourId": flavour}
	manifests := w.manifests()
	if manifests == nil || !w.kind.containers {
		return request
	}
	if flavour == "large" {
		manifests[filesParam] = append(manifests[filesParam].([]string), "Files/kubernetes/cache.yaml")
	}
	request["additionalParams"] = manifests
	return request
}

// filesParam is the parameter with the manifests of a VNF.
const filesParam = "lcm-kubernetes-def-files"

// manifests returns additionalParams for a VNF of containers; in one of six requests they name an image that cannot be
// pulled. A hybrid VNF needs none: its VNFD names the manifests.
func (w *walker) manifests() map[string]any {
	if w.kind.hybrid() {
		return nil
	}
	file := "Files/kubernetes/web.yaml"
	if w.random.IntN(6) == 0 {
		file = "Files/kubernetes/broken.yaml"
	}
	return map[string]any{filesParam: []string{file}}
}

// onboard creates the package and a second one that differs only in the id of its VNFD.
func onboard(t *testing.T, bed *testbed.Bed, dir, vnfdID, laterID string) {
	t.Helper()
	bed.Onboard(t, dir)
	bed.Onboard(t, bed.ChangedPackage(t, dir, strings.NewReplacer(vnfdID, laterID)))
}

// newWalker returns a walker for VNFs of a kind. VNFs of containers get a namespace for each walker.
func newWalker(bed *testbed.Bed, of kind, number int, counts map[string]int) *walker {
	return &walker{
		bed: bed, kind: of, random: rand.New(rand.NewPCG(*seed, uint64(number))), counts: counts,
		namespace: namespaceOf(number),
	}
}

func namespaceOf(walker int) string { return fmt.Sprintf("walker-%d", walker) }
