package workflows

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/internal/driver/k8s"
	"github.com/windlass-nfv/windlass/internal/driver/kubeadm"
	"github.com/windlass-nfv/windlass/internal/driver/kubespray"
	"github.com/windlass-nfv/windlass/internal/driver/nodeport"
	"github.com/windlass-nfv/windlass/internal/driver/registry"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lcm/lcmtest"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// TestTable_hasTheWorkOfEveryStep checks that every step of any operation has its work, and that all work belongs to a
// step.
func TestTable_hasTheWorkOfEveryStep(t *testing.T) {
	v := newVnf(lcm.OperationInput{})
	all := table{}
	for _, steps := range append(v.op.tables, (&power{clusterWork: &clusterWork{vnf: v}}).operateWork()) {
		for id, w := range steps {
			require.Nil(t, all[id].do, "%s stands in two tables", id)
			all[id] = w
		}
	}
	used := map[lifecycle.StepID]bool{}
	for name, c := range everyList(t) {
		forwardOnly := !c.op.CanRollBack()
		for _, s := range c.list {
			w := all[s.ID]
			require.NotNil(t, w.do, "%s: %s", name, s.ID)
			forwardOnly = forwardOnly || s.Final
			if forwardOnly {
				require.Empty(t, s.Undo, "%s: %s", name, s.ID)
			} else {
				require.Equal(t, s.Undo != "", w.undo != nil, "%s: %s", name, s.ID)
			}
			used[s.ID] = true
		}
	}
	for id := range all {
		require.True(t, used[id], "no operation has the step %s", id)
	}
}

// TestTable_tellsAStepThatItDoesNotKnow uses the list of steps of an operation that a later release has begun.
func TestTable_tellsAStepThatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	w := &world{what: lifecycle.Description{Steps: append(threeLines(),
		lifecycle.Step{ID: "dance", Title: "Dance", Final: true})}}
	env := newRun(t, w)
	decide(env, time.Hour, lcm.Rollback)
	run(env, false)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []lcm.OperationState{
		lcm.Starting, lcm.Processing, lcm.FailedTemp, lcm.RollingBack, lcm.RolledBack,
	}, w.states)
	require.Contains(t, w.last.Status.Error.Detail,
		`does not know the step "Dance" (dance) of the operation: let workers of the release run`)
	require.Equal(t, []string{"grant", "a", "b", "c", "undo c", "undo b", "undo a"}, w.done)
}

type anyList struct {
	op   lcm.Operation
	list []lifecycle.Step
}

// everyList returns the lists of steps of every operation on VNFs of every kind, by descriptions.
func everyList(t *testing.T) map[string]anyList {
	all := map[string]anyList{}
	add := func(name string, f lifecycle.Facts, op lcm.Operation, body string) lcm.Plan {
		p, err := planOf(f, op, body)
		require.NoError(t, err, "%s %s of %s", op, body, name)
		all[fmt.Sprintf("%s: %s %s", name, op, body)] = anyList{op, lifecycle.Steps(f, p)}
		return p
	}
	for op, bodies := range requests() {
		for i, body := range bodies {
			for _, flavour := range []string{"ha", "simple", "storage"} {
				for _, isCluster := range []bool{true, false} {
					f := someFacts(t, flavour, isCluster)
					if isCluster && i%2 == 0 { // some have registries, and some of these have storage classes
						k := f.Drivers[0].(*kubeadm.Installer)
						k.Params.PrivateRegistries = []k8s.PrivateRegistry{{Server: "registry.example.com"}}
						k.Params.StorageClasses = []k8s.StorageClassParams{{Name: "files", ExportDir: "/volume/files"}}
					}
					f.Graceful = strings.Contains(body, "GRACEFUL")
					f.TerminatesVnfs = f.Graceful
					if _, err := planOf(f, op, body); err != nil {
						// One control plane can be neither scaled nor healed, and only one flavour has a storage
						// server.
						require.True(t, flavour != "ha" || strings.Contains(body, "storage"), err)
						continue
					}
					add(fmt.Sprintf("%s, cluster %t", flavour, isCluster), f, op, body)
				}
			}
		}
	}
	require.True(t, add("bit rates", ratedFacts(t), lcm.OpScale,
		`{"type":"SCALE_OUT","aspectId":"bandwidth"}`).OnlyBitrates())
	f := someFacts(t, "ha", true)
	f.ChangesVim, f.ChangesRegistries = true, true
	add("VIM connection", f, lcm.OpChangeExtConn, `{"extVirtualLinks":[]}`)
	f.Flavour = &descriptor.Flavour{Containers: true}
	for _, to := range []lcm.VnfState{lcm.VnfStarted, lcm.VnfStopped} {
		all["containers "+string(to)] = anyList{lcm.OpOperate, lifecycle.Steps(f, lcm.Plan{Operation: lcm.OpOperate, ChangeStateTo: to})}
	}
	all["containers healed"] = anyList{lcm.OpHeal, lifecycle.Steps(f, lcm.Plan{Operation: lcm.OpHeal, Within: true})}
	withImage := lifecycle.Facts{Flavour: &descriptor.Flavour{Vdus: []descriptor.Vdu{
		{ID: "server", Image: &descriptor.SwImage{Name: "debian", File: "Files/images/debian.img"}},
	}}}
	for _, op := range []lcm.Operation{lcm.OpInstantiate, lcm.OpTerminate} {
		all["image "+string(op)] = anyList{op, lifecycle.Steps(withImage, lcm.Plan{Operation: op, Whole: true})}
	}
	all["package"] = anyList{lcm.OpChangeVnfPkg, lifecycle.Steps(f, lcm.Plan{Operation: lcm.OpChangeVnfPkg})}
	all["modification"] = anyList{lcm.OpModifyInfo, lifecycle.Steps(f, lcm.Plan{Operation: lcm.OpModifyInfo})}
	for op, body := range map[lcm.Operation]string{
		lcm.OpOperate: `{"changeStateTo":"STARTED"}`, lcm.OpHeal: `{"vnfcInstanceId":["server","pod"]}`,
	} {
		add("hybrid", mixedFacts(), op, body)
	}
	for op, bodies := range requests() {
		for _, body := range bodies {
			f := kubesprayFacts(t)
			f.Graceful = strings.Contains(body, "GRACEFUL")
			if _, err := planOf(f, op, body); err == nil { // the VNF has no storage server
				add("kubespray", f, op, body)
				f.Drivers[0].(*kubespray.Installer).Params.ExternalLB = nil
				add("kubespray alone", f, op, body)
			}
		}
	}
	addBalanced(t, add)
	for _, f := range scriptFacts(t) {
		for op, bodies := range requests() {
			for _, body := range bodies {
				if _, err := planOf(f, op, body); err == nil {
					add(fmt.Sprintf("scripts, policy %s, %d hooks", f.Scripts, len(f.Flavour.Hooks)), f, op, body)
				}
			}
		}
	}
	for _, isCluster := range []bool{true, false} {
		f := someFacts(t, "simple", isCluster)
		f.Instance.Instantiated.ExtVirtualLinks = []lcm.ExtVirtualLink{
			{ID: "l", ResourceID: "n", ExtCps: []lcm.ExtCp{{CpdID: "cp", LinkPort: &lcm.LinkPort{ID: "p", ResourceID: "port"}}}},
		}
		for f.APIVersion = 1; f.APIVersion <= 2; f.APIVersion++ {
			name := fmt.Sprintf("given ports, cluster %t, version %d", isCluster, f.APIVersion)
			p := add(name, f, lcm.OpHeal, `{}`)
			// A heal of the entire VNF checks given ports before it deletes anything. A heal that only replaces servers
			// need not.
			require.Equal(t, isCluster || f.APIVersion == 1, p.Whole)
			require.Equal(t, p.Whole, all[name+": HEAL {}"].list[2].ID == "check-given-ports")
		}
	}
	for body, volume := range map[string]*k8s.CinderVolumeParams{
		`{}`: nil, `{"vnfcInstanceId":["registry-0"]}`: {}, `{"additionalParams":{"keep_volumes":false}}`: {},
	} {
		add("registry", registryFacts(volume), lcm.OpHeal, body)
	}
	return all
}

// addBalanced adds clusters behind load balancers that are not nodes, and VNFs that are exposed there. The VDU of
// workers is used as that of load balancers.
func addBalanced(t *testing.T, add func(string, lifecycle.Facts, lcm.Operation, string) lcm.Plan) {
	t.Helper()
	f := someFacts(t, "ha", true)
	f.Drivers[0].(*kubeadm.Installer).Params.ExternalLB = &k8s.ExternalLBParams{VduID: "workerNode", ClusterCpName: "vip"}
	add("load balancers come", f, lcm.OpScale, `{"type":"SCALE_OUT","aspectId":"worker_instance"}`)
	add("load balancers go", f, lcm.OpScale, `{"type":"SCALE_IN","aspectId":"worker_instance"}`)
	add("a load balancer is healed", f, lcm.OpHeal, `{"vnfcInstanceId":["worker-0"]}`)
	f = someFacts(t, "ha", true)
	f.Drivers[0].(*kubeadm.Installer).Params.ExternalLB = &k8s.ExternalLBParams{Octavia: &k8s.OctaviaParams{}, ClusterCpName: "vip"}
	for _, exposed := range []bool{false, true} {
		if exposed {
			f.Drivers = []lifecycle.VnfDriver{&nodeport.Exposure{}}
		}
		name := fmt.Sprintf("balanced by the cloud, exposed %t", exposed)
		add(name, f, lcm.OpInstantiate, `{}`)
		add(name, f, lcm.OpTerminate, `{"terminationType":"FORCEFUL"}`)
	}
}

func requests() map[lcm.Operation][]string {
	return map[lcm.Operation][]string{
		lcm.OpScale: {
			`{"type":"SCALE_OUT","aspectId":"worker_instance"}`, `{"type":"SCALE_IN","aspectId":"worker_instance"}`,
			`{"type":"SCALE_OUT","aspectId":"master_instance"}`, `{"type":"SCALE_IN","aspectId":"master_instance"}`,
		},
		lcm.OpScaleToLevel: {
			`{"scaleInfo":[{"aspectId":"master_instance","scaleLevel":2},{"aspectId":"worker_instance","scaleLevel":0}]}`,
			`{"scaleInfo":[{"aspectId":"worker_instance","scaleLevel":2}]}`,
		},
		lcm.OpHeal: {
			`{}`, `{"vnfcInstanceId":["worker-0"]}`, `{"vnfcInstanceId":["storage"]}`, `{"vnfcInstanceId":["cp-0","worker-1"]}`,
			`{"vnfcInstanceId":["storage","worker-0"],"additionalParams":{"keep_volumes":true}}`,
		},
		lcm.OpOperate: {
			`{"changeStateTo":"STOPPED"}`, `{"changeStateTo":"STARTED"}`,
			`{"changeStateTo":"STARTED","vnfcInstanceId":["worker-0"]}`,
			`{"changeStateTo":"STOPPED","stopType":"GRACEFUL","gracefulStopTimeout":9,"vnfcInstanceId":["worker-0","cp-1"]}`,
			`{"changeStateTo":"STOPPED","stopType":"GRACEFUL","gracefulStopTimeout":9}`,
		},
		lcm.OpChangeExtConn: {`{"extVirtualLinks":[]}`},
		lcm.OpInstantiate:   {`{}`},
		lcm.OpTerminate:     {`{"terminationType":"FORCEFUL"}`, `{"terminationType":"GRACEFUL"}`},
	}
}

func planOf(f lifecycle.Facts, op lcm.Operation, body string) (lcm.Plan, error) {
	r, err := lcmtest.Any(op, json.RawMessage(body))
	if err != nil {
		return lcm.Plan{}, err
	}
	return lifecycle.For(f, r)
}

// stepsOf returns the steps of an operation without any special change.
func stepsOf(op lcm.Operation, f lifecycle.Facts) []lifecycle.Step {
	f.Flavour = &descriptor.Flavour{}
	return lifecycle.Steps(f, lcm.Plan{Operation: op})
}

// ratedFacts returns the facts of an instance with a virtual link whose bit rate scales.
func ratedFacts(t *testing.T) lifecycle.Facts {
	f := someFacts(t, "simple", false)
	flavour := *f.Flavour
	flavour.VirtualLinks = []descriptor.VirtualLink{
		{ID: "inner", Rated: true, InitialBitrate: &descriptor.Bitrate{Root: 1000}},
	}
	flavour.Aspects = append(slices.Clone(flavour.Aspects), descriptor.ScalingAspect{
		ID: "bandwidth", MaxScaleLevel: 1, StepDeltas: []string{"more"},
		Bitrates: map[string]map[string]descriptor.Bitrate{"inner": {"more": {Root: 500}}},
	})
	f.Flavour = &flavour
	return f
}

// registryFacts returns the facts of a registry of images.
func registryFacts(volume *k8s.CinderVolumeParams) lifecycle.Facts {
	return lifecycle.Facts{
		Drivers: []lifecycle.VnfDriver{&registry.Server{Params: registry.Params{Volume: volume}}},
		Flavour: &descriptor.Flavour{Vdus: []descriptor.Vdu{{ID: "registry"}}},
		Instance: lcm.VnfInstance{Instantiated: &lcm.InstantiatedVnfInfo{VnfcResources: []lcm.VnfcResourceInfo{
			{ID: "registry-0", VduID: "registry", ComputeResource: lcm.ResourceHandle{ResourceID: "registry-0"}},
		}}},
	}
}

// someFacts returns the facts of an instance of the sample package, as it is after the instantiation.
func someFacts(t *testing.T, flavour string, isCluster bool) lifecycle.Facts {
	b, err := os.ReadFile("../vnfpkg/testdata/k8s-ha.vnfd.json")
	require.NoError(t, err)
	var vnfd descriptor.Vnfd
	require.NoError(t, json.Unmarshal(b, &vnfd))
	f := lifecycle.Facts{}
	f.Flavour, err = vnfd.Flavour(flavour)
	require.NoError(t, err)
	capacity, err := f.Flavour.CapacityAt(map[string]int{"worker_instance": 1})
	require.NoError(t, err)
	info := &lcm.InstantiatedVnfInfo{
		FlavourID:   flavour,
		ScaleStatus: []lcm.ScaleInfo{{AspectID: "worker_instance", ScaleLevel: 1}},
	}
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
			info.VnfcResources = append(info.VnfcResources,
				lcm.VnfcResourceInfo{ID: id, VduID: kind.vdu, ComputeResource: lcm.ResourceHandle{ResourceID: id}})
			if isCluster {
				info.Nodes = append(info.Nodes, lcm.Node{Name: id, Role: kind.role, ServerID: id, VduID: kind.vdu})
			}
		}
	}
	if flavour == "storage" {
		info.VnfcResources = append(info.VnfcResources, lcm.VnfcResourceInfo{
			ID: "storage", VduID: "storage_server", ComputeResource: lcm.ResourceHandle{ResourceID: "storage"},
			StorageIDs: []string{"volume"},
		})
	}
	f.Instance.Instantiated = info
	info.Switch(lcm.VnfStopped, []string{"worker-0"}, []string{"worker-0"})
	if isCluster {
		f.Drivers = []lifecycle.VnfDriver{kubeadm.New(k8s.Params{
			CniManifestPath: "cni.yaml", MasterNode: k8s.NodeParams{AspectID: "master_instance", SSHCpName: "masterNode_CP1"},
		})}
	}
	if isCluster && flavour == "storage" {
		f.Drivers[0].(*kubeadm.Installer).Params.StorageServer = &k8s.StorageServerParams{
			SSHCpName: "storage_server_CP",
			NicCpName: "storage_server_CP",
		}
		f.Drivers[0].(*kubeadm.Installer).Params.PersistentVolumes = []k8s.PVRegistrationParams{{
			PVManifestFilePath: "pv.yaml",
			NFSServerCp:        "storage_server_CP",
		}}
	}
	return f
}

// kubesprayFacts returns the facts of a cluster with three control planes that kubespray has installed.
func kubesprayFacts(t *testing.T) lifecycle.Facts {
	f := someFacts(t, "ha", true)
	f.Drivers = []lifecycle.VnfDriver{kubespray.New(k8s.Params{
		ExternalLB:        &k8s.ExternalLBParams{SSHCpName: "externalLB_CP1", NicCpName: "externalLB_CP1"},
		Ansible:           &k8s.AnsibleParams{Address: "192.0.2.1", InventoryPath: "/srv/inventories"},
		MasterNode:        k8s.NodeParams{AspectID: "master_instance", SSHCpName: "masterNode_CP1"},
		PrivateRegistries: []k8s.PrivateRegistry{{Server: "registry.example.com"}},
	})}
	return f
}
