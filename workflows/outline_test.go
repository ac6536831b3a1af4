package workflows

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/plan"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// What the API promises of an operation is what its workflow does: plan.Outline has the titles a second time, because
// the API server may not know workflows.
func TestOutline_isWhatTheWorkflowsDo(t *testing.T) {
	requests := map[lcm.Operation][]string{
		lcm.OpScale: {
			`{"type":"SCALE_OUT","aspectId":"worker_instance"}`, `{"type":"SCALE_IN","aspectId":"worker_instance"}`,
			`{"type":"SCALE_OUT","aspectId":"master_instance"}`, `{"type":"SCALE_IN","aspectId":"master_instance"}`,
		},
		lcm.OpScaleToLevel: {
			`{"scaleInfo":[{"aspectId":"master_instance","scaleLevel":2},{"aspectId":"worker_instance","scaleLevel":0}]}`,
			`{"scaleInfo":[{"aspectId":"worker_instance","scaleLevel":2}]}`,
		},
		lcm.OpHeal: {
			`{}`, `{"vnfcInstanceId":["worker-0"]}`, `{"vnfcInstanceId":["cp-0","worker-1"]}`,
			`{"vnfcInstanceId":["storage"]}`, `{"vnfcInstanceId":["storage","worker-0"],"additionalParams":{"keep_volumes":true}}`,
		},
		lcm.OpOperate: {
			`{"changeStateTo":"STOPPED"}`, `{"changeStateTo":"STARTED"}`, `{"changeStateTo":"STARTED","vnfcInstanceId":["worker-0"]}`,
			`{"changeStateTo":"STOPPED","stopType":"GRACEFUL","gracefulStopTimeout":9,"vnfcInstanceId":["worker-0","cp-1"]}`,
			`{"changeStateTo":"STOPPED","stopType":"GRACEFUL","gracefulStopTimeout":9}`,
		},
		lcm.OpChangeExtConn: {`{"extVirtualLinks":[]}`},
		lcm.OpInstantiate:   {`{}`},
		lcm.OpTerminate:     {`{"terminationType":"FORCEFUL"}`, `{"terminationType":"GRACEFUL"}`},
	}
	for op, bodies := range requests {
		for _, body := range bodies {
			for _, flavour := range []string{"ha", "simple", "storage"} {
				for _, isCluster := range []bool{true, false} {
					t.Run(fmt.Sprintf("%s %s, flavour %s, cluster %t", op, body, flavour, isCluster), func(t *testing.T) {
						f := someFacts(t, flavour, isCluster)
						if f.Cluster != nil && len(body)%2 == 0 { // every other one pulls from registries
							f.Cluster.PrivateRegistries = []lcm.PrivateRegistry{{Server: "registry.example.com"}}
						}
						if f.Cluster != nil && flavour == "storage" && len(body)%4 > 1 { // and half of those with a storage server have classes on it
							f.Cluster.StorageClasses = []lcm.StorageClassParams{{Name: "files", ExportDir: "/volume/files"}}
						}
						f.Graceful = strings.Contains(body, "GRACEFUL")
						p, err := planOf(f, op, body)
						if err != nil {
							// Refused there: one control plane neither scales nor heals, and only one flavour has a
							// storage server.
							require.True(t, flavour != "ha" || strings.Contains(body, "storage"), err)
							return
						}
						requireSameSteps(t, p, f)
					})
				}
			}
		}
	}
}

func TestOutline_ofAScalingOfBitratesAlone(t *testing.T) {
	f := someFacts(t, "simple", false)
	flavour := *f.Flavour
	flavour.VirtualLinks = []vnfpkg.VirtualLink{{ID: "inner", Rated: true, InitialBitrate: &vnfpkg.Bitrate{Root: 1000}}}
	flavour.Aspects = append(slices.Clone(flavour.Aspects), vnfpkg.ScalingAspect{
		ID: "bandwidth", MaxScaleLevel: 1, StepDeltas: []string{"more"}, Bitrates: map[string]map[string]vnfpkg.Bitrate{"inner": {"more": {Root: 500}}},
	})
	f.Flavour = &flavour
	p, err := planOf(f, lcm.OpScale, `{"type":"SCALE_OUT","aspectId":"bandwidth"}`)
	require.NoError(t, err)
	require.True(t, p.OnlyBitrates())
	requireSameSteps(t, p, f)
}

func TestOutline_ofAChangeOfLinksAndOfTheVimConnection(t *testing.T) {
	f := someFacts(t, "simple", false)
	f.ChangesVim = true
	p, err := planOf(f, lcm.OpChangeExtConn, `{"extVirtualLinks":[]}`)
	require.NoError(t, err)
	requireSameSteps(t, p, f)
}

// Ports that are given are looked at before anything is deleted, in both kinds of VNF; who replaces servers alone needs
// no such step.
func TestOutline_ofAHealOnGivenPorts(t *testing.T) {
	for _, isCluster := range []bool{true, false} {
		f := someFacts(t, "simple", isCluster)
		f.Instance.Instantiated.ExtVirtualLinks = []lcm.ExtVirtualLink{{ID: "l", ResourceID: "n", ExtCps: []lcm.ExtCp{{CpdID: "cp", LinkPort: &lcm.LinkPort{ID: "p", ResourceID: "port"}}}}}
		for f.APIVersion = 1; f.APIVersion <= 2; f.APIVersion++ {
			p, err := planOf(f, lcm.OpHeal, `{}`)
			require.NoError(t, err)
			require.Equal(t, isCluster || f.APIVersion == 1, p.Whole)
			requireSameSteps(t, p, f)
			require.Equal(t, p.Whole, plan.Outline(p, f)[2].Title == "Check the ports that are given")
		}
	}
}

func planOf(f plan.Facts, op lcm.Operation, body string) (lcm.Plan, error) {
	switch op {
	case lcm.OpInstantiate:
		return plan.Instantiation(f, "")
	case lcm.OpTerminate:
		return plan.Termination(f)
	default:
		return plan.For(f, op, json.RawMessage(body))
	}
}

func requireSameSteps(t *testing.T, p lcm.Plan, f plan.Facts) {
	what := activities.Description{
		Cluster: f.Cluster != nil, Nodes: f.Instance.Instantiated.Nodes, Grows: p.Grows(), Shrinks: p.Shrinks(), Whole: p.Whole, Graceful: f.Graceful,
		OnlyBitrates: p.OnlyBitrates(), VimChanges: f.ChangesVim,
	}
	what.GivenPorts = p.Operation == lcm.OpHeal && p.Whole && lcm.HaveGivenPorts(f.Instance.Instantiated.ExtVirtualLinks)
	driver, _ := f.Flavour.Driver("instantiate_end")
	what.RegistryServer = driver == vnfpkg.DriverPrivateRegistry
	what.Revocable = !what.Cluster && p.Operation == lcm.OpHeal && p.Revocable()
	what.RegistryVolume = f.RegistryServer.HasVolume()
	what.Registries = what.Cluster && len(f.Cluster.PrivateRegistries) > 0
	what.Storage = what.Cluster && f.Cluster.StorageServer != nil
	what.PersistentVolumes = what.Storage && len(f.Cluster.PersistentVolumes) > 0
	what.StorageClasses = what.Storage && len(f.Cluster.StorageClasses) > 0
	what.StorageLeaves = what.Storage && !p.Whole && f.ReplacesStorage(p)
	what.OnlyStorage = what.StorageLeaves && len(what.Nodes.On(p.LeavingServers())) == 0
	what.HighlyAvailable, what.PodNetwork = what.Cluster && len(what.Nodes.With(lcm.ControlPlane)) > 1, what.Cluster
	isControlPlane := func(vdu string) bool { return vdu == "masterNode" }
	what.ControlPlanes = slices.ContainsFunc(p.Groups, func(g lcm.GroupChange) bool { return isControlPlane(g.VduID) }) ||
		slices.ContainsFunc(p.Leaving, func(l lcm.LeavingVnfc) bool { return isControlPlane(l.VduID) })

	what.ChangeStateTo, what.Partial = p.ChangeStateTo, !p.Whole
	for _, v := range p.Operated {
		what.Workers = what.Workers || what.Cluster && v.VduID == "workerNode"
		what.ControlPlanes = what.ControlPlanes || what.Cluster && v.VduID == "masterNode"
		what.Others = what.Others || !what.Cluster || v.VduID == "storage_server"
		what.Cordoned = what.Cordoned || f.Instance.Instantiated.Cordoned(v.VnfcID)
	}
	choose := map[lcm.Operation]func(*build, activities.Description) ([]step, []step){
		lcm.OpInstantiate: (*build).plan, lcm.OpTerminate: (*build).planTermination, lcm.OpHeal: (*build).planHealing,
		lcm.OpScale: (*build).planScaling, lcm.OpScaleToLevel: (*build).planScaling,
		lcm.OpChangeExtConn: (*build).planReconnection,
		lcm.OpOperate: func(b *build, what activities.Description) ([]step, []step) {
			return (&power{build: *b}).planOperating(what)
		},
	}[p.Operation]
	starting, processing := choose(&build{}, what)

	type line struct {
		title           string
		undoable, final bool
	}
	var want, got []line
	forwardOnly := !p.Operation.CanRollBack()
	for _, s := range append(starting, processing...) {
		forwardOnly = forwardOnly || s.final
		want = append(want, line{s.title, s.undo != nil && !forwardOnly, s.final})
	}
	for _, s := range plan.Outline(p, f) {
		// A termination has no rollback at all, so its workflow need not say from where on.
		got = append(got, line{s.Title, s.Undo != "", s.Final && p.Operation.CanRollBack()})
	}
	require.Equal(t, want, got)
}

// someFacts is an instance of the sample package, as it is instantiated.
func someFacts(t *testing.T, flavour string, isCluster bool) plan.Facts {
	b, err := os.ReadFile("../vnfpkg/testdata/k8s-ha.vnfd.json")
	require.NoError(t, err)
	var vnfd vnfpkg.Vnfd
	require.NoError(t, json.Unmarshal(b, &vnfd))
	f := plan.Facts{}
	f.Flavour, err = vnfd.Flavour(flavour)
	require.NoError(t, err)
	capacity, err := f.Flavour.CapacityAt(map[string]int{"worker_instance": 1})
	require.NoError(t, err)
	info := &lcm.InstantiatedVnfInfo{FlavourID: flavour, ScaleStatus: []lcm.ScaleInfo{{AspectID: "worker_instance", ScaleLevel: 1}}}
	if flavour == "ha" {
		capacity["masterNode"] = 5
		info.ScaleStatus = append(info.ScaleStatus, lcm.ScaleInfo{AspectID: "master_instance", ScaleLevel: 1})
	}
	for _, kind := range []struct {
		vdu, name string
		role      lcm.Role
	}{{"masterNode", "cp", lcm.ControlPlane}, {"workerNode", "worker", lcm.Worker}} {
		for i := range capacity[kind.vdu] {
			id := fmt.Sprintf("%s-%d", kind.name, i)
			info.VnfcResources = append(info.VnfcResources, lcm.VnfcResourceInfo{ID: id, VduID: kind.vdu, ComputeResource: lcm.ResourceHandle{ResourceID: id}})
			if isCluster {
				info.Nodes = append(info.Nodes, lcm.Node{Name: id, Role: kind.role, ServerID: id, VduID: kind.vdu})
			}
		}
	}
	if flavour == "storage" {
		info.VnfcResources = append(info.VnfcResources, lcm.VnfcResourceInfo{
			ID: "storage", VduID: "storage_server", ComputeResource: lcm.ResourceHandle{ResourceID: "storage"}, StorageIDs: []string{"volume"},
		})
	}
	f.Instance.Instantiated = info
	info.Switch(lcm.VnfStopped, []string{"worker-0"}, []string{"worker-0"})
	if isCluster {
		f.Cluster = &lcm.ClusterParams{
			CniManifestPath: "cni.yaml", MasterNode: lcm.NodeParams{AspectID: "master_instance", SSHCpName: "masterNode_CP1"},
		}
	}
	if isCluster && flavour == "storage" {
		f.Cluster.StorageServer = &lcm.StorageServerParams{SSHCpName: "storage_server_CP", NicCpName: "storage_server_CP"}
		f.Cluster.PersistentVolumes = []lcm.PVRegistrationParams{{PVManifestFilePath: "pv.yaml", NFSServerCp: "storage_server_CP"}}
	}
	return f
}
