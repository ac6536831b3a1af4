package ui

import (
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// layers returns what a page shows of a topology, as "LAYER: PART HEALTH".
const layers = `[...document.querySelectorAll(".layer")].map((layer) => layer.querySelector("h3").firstChild.textContent + ": "
	+ [...layer.querySelectorAll("li")].map((part) => [...part.querySelectorAll(".part-name, .pill, .tag, .finding")]
		.map((e) => e.innerText.trim()).join(" ")).join(", "))`

// server adds a VNFC with a server, and a node of this role on it unless the role is "".
func server(info *lcm.InstantiatedVnfInfo, role lcm.Role, id string) *lcm.VnfcResourceInfo {
	info.VnfcResources = append(info.VnfcResources, lcm.VnfcResourceInfo{ID: id, VduID: "vdu", ComputeResource: lcm.ResourceHandle{
		ResourceID: id, VimLevelResourceType: "OS::Nova::Server",
	}})
	if role != "" {
		info.Nodes = append(info.Nodes, lcm.Node{Name: nodeName(role, id), Role: role, ServerID: id, Address: "10.0.0.1"})
	}
	return &info.VnfcResources[len(info.VnfcResources)-1]
}

func nodeName(role lcm.Role, id string) string {
	if role == "another" {
		return "another-" + id[:8]
	}
	return lcm.NodeName(role, id)
}

// topologies shows VNFs of all kinds. The page must show new findings of checks without a reload.
func (p *page) topologies() {
	p.Helper()
	p.clusterWithAll()
	p.registry()
	p.containers()
}

// clusterWithAll shows a cluster with everything that a cluster may have.
func (p *page) clusterWithAll() {
	p.Helper()
	info := &lcm.InstantiatedVnfInfo{FlavourID: "storage", VnfState: lcm.VnfStarted}
	server(info, lcm.Worker, "22222222-x")
	server(info, lcm.ControlPlane, "11111111-x")
	server(info, lcm.ControlPlane, "11111112-x")
	server(info, "", "33333333-x")
	info.Storage = &lcm.StorageServer{Node: lcm.Node{Name: "storage-33333333", Role: lcm.Storage, ServerID: "33333333-x"}}
	info.VirtualStorages = []lcm.VirtualStorageResourceInfo{{ID: "s", VirtualStorageDescID: "storage_server_volume"}}
	server(info, "", "44444444-x").CpInfo = []lcm.VnfcCpInfo{{CpdID: "lb_CP"}}
	info.AdditionalParams = []byte(`{"k8s_cluster_installation_param":{"external_lb_param":{"ssh_cp_name":"lb_CP"}}}`)
	server(info, "", "55555555-x")
	server(info, "another", "66666666-x") // a role that the page does not know
	p.instance("cluster", info, func(i *lcm.VnfInstance) {
		i.ConfigurableProperties = map[string]any{lcm.RegistriesKey: []any{map[string]any{"server": "registry.example:5000"}}}
	})
	p.goTo("instances/" + idOf("cluster"))
	p.shows(layers, "Load balancer: lb-44444444 Not checked", "Control planes: cp-11111111 Not checked, cp-11111112 Not checked",
		"Workers: worker-22222222 Not checked", "Storage server: storage-33333333 Not checked",
		"Servers: another-66666666 Not checked, vdu-55555555-x Not checked",
		"Volumes: storage_server_volume", "Pulls images from: registry.example:5000")
	p.says(".facts", "Not checked yet")

	p.checked("cluster", "1", "cp-11111112",
		lcm.DriftFinding{Kind: lcm.DriftNodeNotReady, VnfcInstanceID: "22222222-x", Detail: "It is not Ready.", Remedy: lcm.RemedyVnfc},
		lcm.DriftFinding{Kind: lcm.DriftScaleLevel, Detail: "There is one more.", Remedy: lcm.RemedyNone})
	p.says(".facts", "2 found")
	p.shows(layers, "Load balancer: lb-44444444 In order",
		"Control planes: cp-11111111 In order, cp-11111112 In order Holds the virtual IP",
		"Workers: worker-22222222 Drifted Node not ready It is not Ready. A heal of the VNFC repairs it.",
		"Storage server: storage-33333333 In order",
		"Servers: another-66666666 In order, vdu-55555555-x In order",
		"Volumes: storage_server_volume", "Pulls images from: registry.example:5000")
	p.shows(`[...document.querySelectorAll("h2 ~ .finding")].map((e) => e.innerText)`,
		"Scale level differs There is one more. A person must check it.")

	// The virtual IP moves, and the next check finds nothing.
	p.checked("cluster", "2", "cp-11111111")
	p.says(".facts", "In order")
	p.says(".part.ok:has(.tag)", "cp-11111111")

	// The list of instances updates itself, too.
	p.goTo("instances?search=cluster")
	p.says("table", "In order")
	p.checked("cluster", "3", "cp-11111111", lcm.DriftFinding{Kind: lcm.DriftScaleLevel, Remedy: lcm.RemedyNone})
	p.says("table", "1 finding")

	// A continuous series of events must not delay the update.
	p.checked("cluster", "4", "")
	var shown string
	for end := time.Now().Add(patience); !strings.Contains(shown, "In order"); {
		require.True(p, time.Now().Before(end), "the list is not read while events come: %s", shown)
		p.operation("slow", "scales", lcm.OpHeal, lcm.Completed, false, "")
		p.look(`document.querySelector("table").innerText`, &shown)
	}
}

func (p *page) registry() {
	p.Helper()
	info := &lcm.InstantiatedVnfInfo{FlavourID: "simple", VnfState: lcm.VnfStarted}
	server(info, "", "77777777-x").Metadata = map[string]any{lcm.RegistriesKey: []any{}}
	p.instance("images", info, nil)
	p.goTo("instances/" + idOf("images"))
	p.shows(layers, "Registry: "+lcm.NodeName(lcm.RegistryServer, "77777777-x")+" Not checked")
}

// containers shows a VNF of Kubernetes objects, one of which is stopped.
func (p *page) containers() {
	p.Helper()
	info := &lcm.InstantiatedVnfInfo{FlavourID: "simple", VnfState: lcm.VnfStarted, Stopped: []lcm.StoppedVnfc{{VnfcID: "web-2"}}}
	for _, pod := range []string{"web-0", "web-1", "web-2"} {
		info.VnfcResources = append(info.VnfcResources, lcm.VnfcResourceInfo{ID: pod, VduID: "web", ComputeResource: lcm.ResourceHandle{
			ResourceID: pod, VimLevelResourceType: "Deployment", VimConnectionID: "k8s",
		}})
	}
	p.instance("web", info, func(i *lcm.VnfInstance) {
		i.VimConnections = append(i.VimConnections, lcm.VimConnectionInfo{ID: "k8s", VimType: "kubernetes"})
	})
	p.goTo("instances/" + idOf("web"))
	p.shows(layers, "Kubernetes objects: web-0 Not checked, web-1 Not checked, web-2 Stopped")
	p.says(".part", "Deployment")
	p.checked("web", "1", "", lcm.DriftFinding{
		Kind: lcm.DriftDeploymentMemberMissing, VnfcInstanceID: "web-1", Detail: "It is gone.", Remedy: lcm.RemedyVnfc,
	})
	p.shows(layers, "Kubernetes objects: web-0 In order, "+
		"web-1 Drifted Stack member missing It is gone. A heal of the VNFC repairs it., web-2 Stopped")
}
