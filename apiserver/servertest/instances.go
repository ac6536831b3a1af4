package servertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
)

// Create makes a VNF instance and returns its path.
func (b *Bench) Create(root, vnfdID string) string {
	b.Helper()
	a := b.Do("POST", root+"/vnf_instances", map[string]any{"vnfdId": vnfdID, "vnfInstanceName": "edge-1"})
	a.Want(http.StatusCreated)
	return a.Path()
}

// Ready creates an instance, and returns it with the request to instantiate it.
func (b *Bench) Ready(root string) (instance string, request map[string]any) {
	b.Helper()
	_, vnfdID := b.Onboard()
	return b.Create(root, vnfdID), ClusterRequest(b.RegisterVim("lab", true))
}

// Running creates an instance of the sample package with five control planes and four workers.
func (b *Bench) Running(root string) (instance string) {
	b.Helper()
	_, vnfdID := b.Onboard()
	return b.Runs(root, vnfdID, "ha", 5, 4)
}

// Runs creates an instance of a package for a cluster, with so many control planes and workers.
func (b *Bench) Runs(root, vnfdID, flavour string, controlPlanes, workers int) (instance string) {
	b.Helper()
	instance = b.Create(root, vnfdID)
	inst := b.Instance(instance)
	additional, err := json.Marshal(ClusterRequest("")["additionalParams"])
	require.NoError(b, err)
	prefix := lcm.SecretRef("vnf/" + inst.ID + "/request/first")
	additional, err = secrets.SealDocument(b.Context(), b.Vault, prefix, additional)
	require.NoError(b, err)
	info := &lcm.InstantiatedVnfInfo{FlavourID: flavour, VnfState: "STARTED", AdditionalParams: additional}
	add := func(vdu, name string, role lcm.Role, n int) {
		for i := range n {
			server := fmt.Sprintf("%s-%d", name, i)
			info.VnfcResources = append(info.VnfcResources, lcm.VnfcResourceInfo{
				ID: server, VduID: vdu, Metadata: map[string]any{lcm.CreationTime: fmt.Sprintf("2026-01-01T00:00:%02dZ", i)},
				ComputeResource: lcm.ResourceHandle{VimConnectionID: "vim1", ResourceID: server},
			})
			info.Nodes = append(info.Nodes, lcm.Node{Name: "node-" + server, Role: role, ServerID: server, VduID: vdu})
		}
	}
	add("masterNode", "cp", lcm.ControlPlane, controlPlanes)
	add("workerNode", "worker", lcm.Worker, workers)
	info.ScaleStatus = []lcm.ScaleInfo{{AspectID: "worker_instance", ScaleLevel: workers - 1}}
	if flavour == "ha" {
		info.ScaleStatus = []lcm.ScaleInfo{
			{AspectID: "master_instance", ScaleLevel: (controlPlanes - 3) / 2},
			{AspectID: "worker_instance", ScaleLevel: workers - 2},
		}
	}
	inst.InstantiationState, inst.Instantiated = lcm.Instantiated, info
	require.NoError(b, b.Store.UpdateInstance(b.Context(), inst))
	return instance
}

// Instance reads the stored instance at path.
func (b *Bench) Instance(path string) lcm.VnfInstance {
	b.Helper()
	inst, err := b.Store.Instance(b.Context(), lcm.VnfInstanceID(path[strings.LastIndexByte(path, '/')+1:]))
	require.NoError(b, err)
	return inst
}

// Change changes the stored instance at path.
func (b *Bench) Change(path string, how func(*lcm.VnfInstance)) {
	b.Helper()
	inst := b.Instance(path)
	how(&inst)
	require.NoError(b, b.Store.UpdateInstance(b.Context(), inst))
}

// PlainServer creates an instance of a package with one server, which is not a cluster.
func (b *Bench) PlainServer(root string) (instance string) {
	b.Helper()
	instance = b.Create(root, b.OnboardDir(b.inRepository(plainPackage)))
	inst := b.Instance(instance)
	inst.InstantiationState = lcm.Instantiated
	inst.Instantiated = &lcm.InstantiatedVnfInfo{
		FlavourID: "simple", VnfState: lcm.VnfStarted,
		VnfcResources: []lcm.VnfcResourceInfo{{
			ID: "s", VduID: "VDU1", ComputeResource: lcm.ResourceHandle{VimConnectionID: "vim1", ResourceID: "s"},
		}},
		ExtVirtualLinks: []lcm.ExtVirtualLink{{ID: "a", ResourceID: "net-a", ExtCps: []lcm.ExtCp{
			{CpdID: "VDU1_CP1"},
		}}},
	}
	require.NoError(b, b.Store.UpdateInstance(b.Context(), inst))
	return instance
}

// Named creates an instance whose workers are separate resources. All except the last two have names in its metadata.
func (b *Bench) Named(root string) (instance string) {
	b.Helper()
	instance = b.Running(root)
	inst := b.Instance(instance)
	inst.Metadata = map[string]any{lcm.VduVnfcMapping: map[string]any{"workerNode": []any{"w-010", "w-020"}}}
	for i := range inst.Instantiated.VnfcResources {
		v := &inst.Instantiated.VnfcResources[i]
		var at int
		_, err := fmt.Sscanf(v.ID[len(v.ID)-1:], "%d", &at)
		require.NoError(b, err)
		v.Metadata["parent_resource_name"] = fmt.Sprintf("%s-%d", v.VduID, at)
	}
	require.NoError(b, b.Store.UpdateInstance(b.Context(), inst))
	return instance
}
