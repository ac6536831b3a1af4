package faults

import (
	"slices"
	"testing"
	"time"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/tests/support/kubespray"
	"github.com/windlass-nfv/windlass/tests/support/kubetest"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// state is the state of the site's VNF. The VNF is a cluster of some size, a single server on one of two networks, a
// cluster with a storage server, an image registry, a containerised or hybrid VNF, or a VNF with scripts. Some VNFs can
// be stopped.
type state struct {
	testbed.Sizes
	stopped   bool
	server    bool
	elsewhere bool // on the other network
	storage   bool
	registry  bool
	connected bool   // a cluster, with one of the site's image registries
	pods      int    // of a containerised or hybrid VNF
	renewed   bool   // such a VNF has a later package
	chart     bool   // a chart makes the VNF
	ansible   bool   // a cluster that an Ansible server makes
	gateways  int    // servers of a hybrid VNF
	servers   int    // of a VNF with scripts for hooks
	playbooks bool   // the scripts of such a VNF are playbooks
	flavour   string // of a VNF whose flavour changes
}

// The operations change the VNF between these states.
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

// operation is a row of the matrix: an operation, and the states of the VNF before and after it.
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
		return s.bed.Modify(t, s.vnf, map[string]any{
			"vnfInstanceName":   "vnf-" + s.unique(),
			"vimConnectionInfo": s.bed.OnOpenStack(),
		})
	}},
	{"stop", small, asleep, operate("STOPPED")},
	{"start", asleep, small, operate("STARTED")},
	{"scale out control planes", small, tall, scale("SCALE_OUT", "master_instance")},
	{"scale in control planes", tall, small, scale("SCALE_IN", "master_instance")},
	{"scale to level", wide, tall, func(t testing.TB, s *site) string { return s.bed.ScaleTo(t, s.vnf, tall.Sizes) }},
	{"heal all", small, small, heal()},
	{"terminate", small, none, terminate},
	{"change ext conn", lone, moved, func(t testing.TB, s *site) string {
		return s.bed.Begin(t, s.vnf, "change_ext_conn", testbed.LinksTo(s.other.ID))
	}},
	{"modify registries", linked, linked, func(t testing.TB, s *site) string { return s.connectOther(t) }},
	{"heal storage server", files, files, func(t testing.TB, s *site) string { return s.healStorage(t) }},
	{"instantiate registry", none, images, func(t testing.TB, s *site) string { return s.instantiateRegistry(t) }},
}

func terminate(t testing.TB, s *site) string { return s.bed.Terminate(t, s.vnf) }

func operate(to string) func(testing.TB, *site) string {
	return func(t testing.TB, s *site) string {
		return s.bed.Operate(t, s.vnf, to)
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
		return s.bed.Heal(t, s.vnf, ids...)
	}
}

// site is a Windlass and a lab with at most one VNF.
type site struct {
	bed  *testbed.Bed
	vnf  string // "" if there is none
	name string // of the VNF
	now  state  // of the VNF
	// other is the network to which a single server can be moved. It exists as long as the server.
	other testbed.Network
	// twoFlavours is set once the package of containers with two flavours is on board.
	twoFlavours bool
	// database is the server of a VNF that stays when the flavour changes.
	database string
	// volume is the id of a storage server's volume, or "" before the first check.
	volume string
	// registries are the registries with which a cluster is connected in turn. wanted is the last requested one.
	registries [2]string
	wanted     int
	// cluster is the VIM of containerised VNFs, and clusterVim its id. It is nil if it cannot run here. It ends with
	// the test life.
	cluster    *kubetest.ControlPlane
	clusterVim string
	life       testing.TB
	// ansible is the Ansible server of clusters by kubespray and of playbooks, as long as there is one.
	ansible kubespray.Machine
}

// patience is the limit for an operation without further faults on a busy machine.
const patience = 15 * time.Minute

// prepare brings the VNF into a state with operations without a fault.
func (s *site) prepare(t testing.TB, want state) {
	t.Helper()
	for s.now != want {
		s.now = s.approach(t, want)
	}
}

// approach runs the first operation on the way to a state.
func (s *site) approach(t testing.TB, want state) (now state) {
	t.Helper()
	switch {
	case s.now.flavour != "" || want.flavour != "":
		return s.approachFlavour(t, want)
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
	case want == none, s.now.server, s.now.storage, s.now.registry: // a single server never moves back
		s.bed.Remove(t, s.vnf)
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

// check checks that the VNF is in that state everywhere. For the state none, nothing may be left.
func (s *site) check(t testing.TB, op string, want state) {
	t.Helper()
	s.bed.RequireStepsEnded(t, op)
	switch {
	case want == none:
		s.removeAnsible(t)
		s.bed.RequireNothingLeft(t)
		s.requireNoContainers(t)
		return
	case want.flavour != "":
		s.requireFlavour(t, want)
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

// titles returns the titles of an operation's steps in their order.
func titles(steps []testbed.Step) (list []string) {
	for _, step := range steps {
		if step.Node == "" && !slices.Contains(list, step.Title) {
			list = append(list, step.Title)
		}
	}
	return list
}

// endsStopped says whether the operation has ended with a stopped VNF, whose machines nothing starts.
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
