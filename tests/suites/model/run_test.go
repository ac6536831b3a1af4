package model

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/windlass-nfv/windlass/tests/support/environment"
	"github.com/windlass-nfv/windlass/tests/support/kubetest"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

var (
	seed      = flag.Uint64("seed", 1, "the seed of all choices")
	sequences = flag.Int("sequences", inCI, "so many instances, each of which meets a random sequence of actions")
	walkers   = flag.Int("walkers", 8, "so many at a time")
	longest   = flag.Int("actions", 12, "so many actions at most in a sequence")
)

// inCI is the number of sequences unless a flag gives another one.
const inCI = 100

// patience is the limit for anything that must happen sometime, on a busy machine.
const patience = 5 * time.Minute

// TestMain lets all walkers run in parallel, even with few processors: they wait most of the time.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", strconv.Itoa(*walkers)); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// TestModel walks with VNFs of servers. It fails with the story of the instance at the first answer or transition that
// the model does not allow.
func TestModel(t *testing.T) {
	t.Setenv("WINDLASS_WORKER_ATTEMPTS", "2")
	bed := testbed.NewIn(t, &environment.Lab{
		Machines: environment.Fake, Listen: "127.0.0.1:0", Args: []string{"--image-alias", "tiny"},
	})
	bed.Onboard(t, serverPackage)
	network := bed.AddNetwork(t, networks[1])

	stop := harass(t, bed, refuse(t, bed))
	counts := walk(t, bed, *sequences, kind{
		vnfdIDs: []string{vnfdID}, servers: true, flavours: true, cps: serverCps, vims: map[string]string{"openstack": bed.Vim},
	})
	stop()
	if !t.Failed() {
		network.Remove(t)
		bed.RequireNothingLeft(t)
	}
	report(t, counts)
}

// TestModel_ofContainers walks with VNFs of containers on a control plane whose API server is killed as well. Their
// operations take longer, so there are fewer sequences.
func TestModel_ofContainers(t *testing.T) {
	t.Setenv("WINDLASS_WORKER_ATTEMPTS", "2")
	cluster := kubetest.Start(t)
	bed := testbed.NewIn(t, &environment.Lab{Machines: environment.Fake, Listen: "127.0.0.1:0"})
	onboard(t, bed, containersPackage, podsVnfdID, laterVnfdID)
	vim := register(t, bed, cluster)
	stop := harass(t, bed, restart(t, cluster))
	counts := walk(t, bed, max(*sequences/5, 1), kind{
		vnfdIDs: []string{podsVnfdID, laterVnfdID}, containers: true, flavours: true,
		vims: map[string]string{"kubernetes": vim},
	})
	stop()
	if !t.Failed() {
		requireNoPods(t, cluster)
	}
	report(t, counts)
}

// TestModel_ofHybrids walks with VNFs that have one VDU of servers and one of containers, while the test disturbs both
// VIMs.
func TestModel_ofHybrids(t *testing.T) {
	if *sequences <= inCI {
		t.Skip("not run with so few sequences: CI walks with servers and with containers only")
	}
	t.Setenv("WINDLASS_WORKER_ATTEMPTS", "2")
	cluster := kubetest.Start(t)
	bed := testbed.NewIn(t, &environment.Lab{
		Machines: environment.Fake, Listen: "127.0.0.1:0", Args: []string{"--image-alias", "tiny"},
	})
	onboard(t, bed, hybridPackage, hybridVnfdID, laterHybridVnfdID)
	vim := register(t, bed, cluster)
	network := bed.AddNetwork(t, networks[1])
	disturb, refuse := restart(t, cluster), refuse(t, bed)
	stop := harass(t, bed, func(random *rand.Rand, tick int) {
		disturb(random, tick)
		refuse(random, tick)
	})
	counts := walk(t, bed, max(*sequences/5, 1), kind{
		vnfdIDs: []string{hybridVnfdID, laterHybridVnfdID}, servers: true, containers: true, cps: serverCps,
		vims: map[string]string{"openstack": bed.Vim, "kubernetes": vim},
	})
	stop()
	if !t.Failed() {
		requireNoPods(t, cluster)
		network.Remove(t)
		bed.RequireNothingLeft(t)
	}
	report(t, counts)
}

// register registers a cluster as a VIM, and makes a namespace for each walker.
func register(t *testing.T, bed *testbed.Bed, cluster *kubetest.ControlPlane) (vim string) {
	t.Helper()
	for i := range *walkers {
		_, err := cluster.Client.CoreV1().Namespaces().Create(t.Context(), kubetest.Namespace(namespaceOf(i)),
			metav1.CreateOptions{})
		require.NoError(t, err)
	}
	return bed.RegisterCluster(t, "cluster", cluster.URL, cluster.CA, kubetest.Token)
}

// between is the least time between two restarts of a cluster's API server. After each failure, clients that watch the
// cluster wait longer before they connect again, at last more than half a minute, and they start with short waits again
// only after two minutes without a failure. With more frequent restarts, controllers and kubelet would miss changes
// most of the time, and no operation would end.
const between = 150 * time.Second

// restart restarts the cluster's API server from time to time, and makes its kubelet slow at random.
func restart(t *testing.T, cluster *kubetest.ControlPlane) func(*rand.Rand, int) {
	var last time.Time
	return func(random *rand.Rand, tick int) {
		if tick%60 == 0 && time.Since(last) > between {
			assert.NoError(t, cluster.Restart(t.Context()))
			last = time.Now()
		}
		cluster.Kubelet.Pace.Store(int64(random.IntN(3)) * int64(200*time.Millisecond))
	}
}

func requireNoPods(t *testing.T, cluster *kubetest.ControlPlane) {
	t.Helper()
	pods, err := cluster.Client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Empty(t, pods.Items)
}

// walk runs this many sequences, one VNF each. The walkers share the sequences, and each walker has one of the kinds.
// walk returns, for each walker, how often each action got each answer.
func walk(t *testing.T, bed *testbed.Bed, sequences int, kinds ...kind) []map[string]int {
	t.Helper()
	counts := make([]map[string]int, *walkers)
	names := make(chan string)
	t.Run("walk", func(t *testing.T) {
		for i := range *walkers {
			counts[i] = map[string]int{}
			w := newWalker(bed, kinds[i%len(kinds)], i, counts[i])
			t.Run(strings.TrimSpace(fmt.Sprintf("walker %d %s", i, w.kind.name)), func(t *testing.T) {
				t.Parallel()
				for name := range names {
					w.sequence(t, name, 1+w.random.IntN(*longest))
				}
			})
		}
		go func() {
			defer close(names)
			for i := range sequences {
				select {
				case names <- fmt.Sprintf("model-%d", i):
				case <-t.Context().Done():
					return
				}
			}
		}()
	})
	return counts
}

// report logs how often each action got each answer.
func report(t *testing.T, counts []map[string]int) {
	t.Helper()
	all, sum := map[string]int{}, 0
	for _, c := range counts {
		for answer, n := range c {
			all[answer] += n
			sum += n
		}
	}
	t.Logf("%d actions: %v", sum, all)
}

// harass calls disturb at random intervals, and kills the worker and the API server from time to time, until stop is
// called.
func harass(t *testing.T, bed *testbed.Bed, disturb func(random *rand.Rand, tick int)) (stop func()) {
	t.Helper()
	done := make(chan struct{})
	var running sync.WaitGroup
	random := rand.New(rand.NewPCG(*seed, 1<<32))
	running.Go(func() {
		for tick := 1; ; tick++ {
			select {
			case <-done:
				bed.ClearFaults(t)
				return
			case <-time.After(time.Duration(200+random.IntN(400)) * time.Millisecond):
			}
			switch {
			case tick%40 == 0:
				bed.KillWorker(t)
			case tick%90 == 0:
				bed.Kill(t, "apiserver")
			default:
				disturb(random, tick)
			}
		}
	})
	return func() {
		close(done)
		running.Wait()
	}
}

// refuse makes the cloud refuse requests.
func refuse(t *testing.T, bed *testbed.Bed) func(*rand.Rand, int) {
	refusals := []map[string]any{
		{"service": "heat", "method": "POST", "status": http.StatusForbidden, "message": "not now"},
		{"service": "heat", "method": "DELETE", "status": http.StatusForbidden, "message": "not now"},
		{"service": "heat", "method": "GET", "status": http.StatusForbidden, "message": "not now"},
		{"service": "heat", "status": http.StatusInternalServerError, "count": 5},
		{"resource": "VDU1", "action": "CREATE"},
		{"service": "heat", "delay_ms": 400, "count": 5},
	}
	return func(random *rand.Rand, _ int) {
		bed.ClearFaults(t) // on a busy machine, faults would be added faster than requests use them up
		bed.Fault(t, refusals[random.IntN(len(refusals))])
	}
}
