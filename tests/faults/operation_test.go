package faults

import (
	"slices"
	"testing"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/tests/kubespray"
	"github.com/windlass-nfv/windlass/tests/kubetest"
	"github.com/windlass-nfv/windlass/tests/testbed"
)

// state is what the VNF is: a cluster of some size, which runs or is stopped, or a lone server on one of two networks,
// or a cluster with a storage server, or a registry of images, or a VNF of containers, or one of servers and
// containers.
type state struct {
	testbed.Sizes
	stopped   bool
	server    bool
	elsewhere bool // on the other network
	storage   bool
	registry  bool
	connected bool // a cluster, to one of the site's registries of images
	pods      int  // of a VNF of containers
	renewed   bool // such a VNF that got a later package
	chart     bool // one that a chart makes
	ansible   bool // a cluster that an Ansible server makes
	gateways  int  // servers of a hybrid VNF, which has pods, too
	servers   int  // of a VNF with scripts at hooks
	playbooks bool // such a VNF whose scripts are playbooks
}

// The states between which operations change.
var (
	small  = state{Sizes: testbed.Smallest}
	wide   = state{Sizes: testbed.Sizes{ControlPlanes: 3, Workers: 3}}
	tall   = state{Sizes: testbed.Sizes{ControlPlanes: 5, Workers: 2}}
	asleep = state{Sizes: testbed.Smallest, stopped: true}
	lone   = state{server: true}
	moved  = state{server: true, elsewhere: true}
	linked = state{Sizes: testbed.Smallest, connected: true}
	files  = state{storage: true}
	images = state{registry: true}
	none   = state{}
)

// operation is a row of the matrix: what is done to a VNF in one state, and in which it is afterwards.
type operation struct {
	name          string
	before, after state
	begin         func(t testing.TB, s *site) (op string)
}

// operations are the rows of the matrix.
var operations = []operation{
	{"instantiate", none, small, func(t testing.TB, s *site) string {
		s.name = "vnf-" + s.unique()
		var op string
		edit := testbed.Impatient
		if onRealMachines() {
			edit = nil
		}
		s.vnf, op = s.bed.Instantiate(t, s.name, edit)
		return op
	}},
	{"scale out", small, wide, scale("SCALE_OUT", "worker_instance")},
	{"scale in", wide, small, scale("SCALE_IN", "worker_instance")},
	{"heal worker", small, small, heal("workerNode")},
	{"heal control plane", small, small, heal("masterNode")},
	{"heal several", small, small, heal("masterNode", "workerNode")},
	{"modify", small, small, func(t testing.TB, s *site) string {
		connection := map[string]any{"id": "openstack", "vimId": s.bed.Vim, "vimType": "openstack"}
		return s.bed.Modify(t, s.vnf, map[string]any{
			"vnfInstanceName":   "vnf-" + s.unique(),
			"vimConnectionInfo": []any{connection},
		})
	}},
	{"stop", small, asleep, operate("STOPPED")},
	{"start", asleep, small, operate("STARTED")},
	{"scale out control planes", small, tall, scale("SCALE_OUT", "master_instance")},
	{"scale in control planes", tall, small, scale("SCALE_IN", "master_instance")},
	{"scale to level", wide, tall, func(t testing.TB, s *site) string { return s.bed.ScaleTo(t, s.vnf, tall.Sizes) }},
	{"heal all", small, small, heal()},
	{"terminate", small, none, func(t testing.TB, s *site) string {
		return s.bed.Begin(t, s.vnf, "terminate", map[string]any{"terminationType": "FORCEFUL"})
	}},
	{"change ext conn", lone, moved, func(t testing.TB, s *site) string {
		return s.bed.Begin(t, s.vnf, "change_ext_conn", linkTo(s.other.ID))
	}},
	{"modify registries", linked, linked, func(t testing.TB, s *site) string { return s.connectOther(t) }},
	{"heal storage server", files, files, func(t testing.TB, s *site) string { return s.healStorage(t) }},
	{"instantiate registry", none, images, func(t testing.TB, s *site) string { return s.instantiateRegistry(t) }},
}

func operate(to string) func(testing.TB, *site) string {
	return func(t testing.TB, s *site) string {
		return s.bed.Begin(t, s.vnf, "operate", map[string]any{"changeStateTo": to})
	}
}

func scale(direction, aspect string) func(testing.TB, *site) string {
	return func(t testing.TB, s *site) string { return s.bed.Scale(t, s.vnf, direction, aspect) }
}

// heal heals one VNFC of each VDU, or the entire VNF.
func heal(vdus ...string) func(testing.TB, *site) string {
	return func(t testing.TB, s *site) string {
		var ids []string
		for _, vdu := range vdus {
			ids = append(ids, s.bed.VnfcOf(t, s.vnf, vdu))
		}
		return s.bed.Heal(t, s.vnf, "the fault matrix", ids...)
	}
}

// site is a Windlass and a lab, with one VNF at most.
type site struct {
	bed  *testbed.Bed
	vnf  string // "" while there is none
	name string // the VNF's
	now  state  // of the VNF
	// other is the network to which a lone server can be moved; it is there as long as the server is.
	other testbed.Network
	// volume is that of a storage server, "" while nobody has looked.
	volume string
	// registries are those that a cluster is connected to in turn, and wanted the one that it has been asked to take last.
	registries [2]string
	wanted     int
	// cluster is the VIM of VNFs of containers, and clusterVim its id; nil where it cannot run. life is the test that it
	// lives as long as.
	cluster    *kubetest.ControlPlane
	clusterVim string
	life       testing.TB
	// ansible is the Ansible server of clusters by kubespray, as long as there is one.
	ansible kubespray.Machine
}

// patience is the limit for an operation that nothing disturbs any more, on a machine that is busy.
const patience = 15 * time.Minute

// prepare brings the VNF into a state, undisturbed, on a way of one operation after the other.
func (s *site) prepare(t testing.TB, want state) {
	t.Helper()
	for s.now != want {
		s.now = s.approach(t, want)
	}
}

// approach carries out the first operation on the way to a state.
func (s *site) approach(t testing.TB, want state) (now state) {
	t.Helper()
	switch {
	case s.now.gateways > 0 || want.gateways > 0:
		return s.approachHybrid(t, want)
	case s.now.pods > 0 || want.pods > 0:
		return s.approachContainers(t, want)
	case s.now.servers > 0 || want.servers > 0:
		return s.approachScripted(t, want)
	case s.now.ansible || want.ansible:
		return s.approachKubespray(t, want)
	case s.now == none && want.server:
		s.await(t, s.instantiateServer(t))
		return lone
	case s.now == none && want.storage:
		s.await(t, s.instantiateStorage(t))
		return files
	case s.now == none:
		s.await(t, operations[0].begin(t, s))
		return small
	case want == none, s.now.server, s.now.storage, s.now.registry: // a lone server stays where it is as long as it exists
		s.bed.Terminate(t, s.vnf)
		s.removeNetwork(t)
		s.bed.RequireNothingLeft(t)
		s.vnf, s.volume = "", ""
		return none
	case want.server, want.storage:
		return s.approach(t, none)
	case s.now.connected:
		s.await(t, s.connect(t))
		return state{Sizes: s.now.Sizes}
	case s.now.stopped:
		s.await(t, operate("STARTED")(t, s))
		return state{Sizes: s.now.Sizes}
	case s.now.Sizes != want.Sizes:
		s.await(t, s.bed.ScaleTo(t, s.vnf, want.Sizes))
		return state{Sizes: want.Sizes}
	case want.connected:
		s.await(t, s.connectOther(t))
		return want
	}
	s.await(t, operate("STOPPED")(t, s))
	return state{Sizes: s.now.Sizes, stopped: true}
}

func (s *site) await(t testing.TB, op string) {
	t.Helper()
	s.bed.Await(t, op, patience, "COMPLETED")
}

// check wants the VNF to be in that state, and the same everywhere; without one, nothing is left.
func (s *site) check(t testing.TB, op string, want state) {
	t.Helper()
	s.bed.RequireStepsEnded(t, op)
	switch {
	case want == none:
		s.removeAnsible(t)
		s.bed.RequireNothingLeft(t)
		s.requireNoContainers(t)
		return
	case want.gateways > 0:
		s.requireHybrid(t, want)
		return
	case want.pods > 0:
		s.requireContainers(t, want)
		return
	case want.servers > 0:
		s.requireScripted(t, want)
		return
	case want.ansible:
		s.requirePlayed(t, want)
		return
	case want.server:
		s.requireConnected(t, want)
		return
	case want.storage:
		s.requireStored(t)
		return
	case want.registry:
		s.requireRegistry(t)
		return
	case want.stopped:
		s.bed.RequireStopped(t, s.vnf)
		return
	}
	if onRealMachines() {
		s.bed.RequireNodes(t, "cluster-"+s.name, want.Sizes)
		s.bed.RequireRecorded(t, s.vnf)
		s.bed.CheckDriftUntil(t, s.vnf, func(r lcm.DriftReport) bool { return len(r.Findings) == 0 })
		return
	}
	s.bed.RequireConsistent(t, s.vnf)
	s.bed.RequireMembers(t, want.ControlPlanes, want.Workers)
	s.requireRegistries(t, want.connected)
}

// titles are the steps of an operation, in order.
func titles(steps []testbed.Step) (list []string) {
	for _, step := range steps {
		if step.Node == "" && !slices.Contains(list, step.Title) {
			list = append(list, step.Title)
		}
	}
	return list
}

// endsStopped tells that the operation has ended and left the VNF stopped: nobody starts its machines then.
func (c *cell) endsStopped(t testing.TB) bool {
	t.Helper()
	switch c.state(t) {
	case "COMPLETED":
		return c.operation.after.stopped
	case "ROLLED_BACK":
		return c.operation.before.stopped
	}
	return false
}
