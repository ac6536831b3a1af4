package kubernetes

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"github.com/windlass-nfv/windlass/internal/vim"
)

// usualPatience is how long trouble that can end by itself may last, such as a failed pull or a container that ends.
// Kubelets wait longer than that before they try again.
const usualPatience = 5 * time.Second

// waiting follows a deployment's objects and Pods as the API server tells of changes.
type waiting struct {
	cluster  *Connection
	owner    string
	patience time.Duration
	show     func(string)

	informers map[place]cache.SharedIndexInformer
	watching  context.Context // ends, with the cause, when there is too much to follow
	changed   chan struct{}
	told      map[string]string // the last that was shown of each object
	troubles  map[string]*trouble
	began     time.Time
	nodes     map[string]seenNode
	late      map[string]bool // Pods that were shown not to end in time
	// over is the end of the time for ending Pods. Zero gives them their own grace periods.
	over time.Time

	// serving are the workloads of VDUs. ends says how Jobs have ended, "" for a success; those of former attempts do not
	// count.
	serving []Workload
	mu      sync.Mutex
	ends    map[string]string
	former  []types.UID

	// For a removal: the fate of volumes, the namespaces that must stay, and the remaining objects by title with what
	// holds them.
	volumes   vim.VolumeFate
	inhabited map[string]string
	left      map[string]string
	// claimed are the PersistentVolumes that stay because of their claims.
	claimed []unstructured.Unstructured
}

func (c *Connection) wait(owner string, patience time.Duration, show func(string)) *waiting {
	if patience == 0 {
		patience = usualPatience
	}
	var showing sync.Mutex // objects are applied side by side
	return &waiting{
		cluster: c, owner: owner, patience: patience,
		show: func(line string) {
			showing.Lock()
			defer showing.Unlock()
			show(line)
		},
		informers: map[place]cache.SharedIndexInformer{}, changed: make(chan struct{}, 1), told: map[string]string{},
		troubles: map[string]*trouble{}, began: time.Now(), inhabited: map[string]string{},
		nodes: map[string]seenNode{}, ends: map[string]string{},
	}
}

// condition tells whether what is waited for is so. An error ends the waiting.
type condition func(ctx context.Context, objects []prepared) (done bool, err error)

// until waits until the condition holds of the objects. When ctx ends it says what is missing still.
func (w *waiting) until(ctx context.Context, objects []prepared, is condition) error {
	watching, stop := context.WithCancel(ctx)
	defer stop()
	if err := w.follow(watching, objects); err != nil {
		return err
	}
	// Patience ends also when nothing changes.
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		if ctx.Err() == nil && w.watching.Err() != nil { // what is known is not all
			return context.Cause(w.watching)
		}
		done, err := is(ctx, objects)
		if done || err != nil {
			return err
		}
		select {
		case <-w.watching.Done(): // with ctx, too
			return context.Cause(w.watching)
		case <-w.changed:
		case <-tick.C:
		}
	}
}
