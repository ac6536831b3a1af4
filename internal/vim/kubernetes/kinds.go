package kubernetes

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/restmapper"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

const (
	// longestKnown limits the age of discovery data, as clusters are upgraded now and then.
	longestKnown = 10 * time.Minute
	// mostKnown limits the cached pairs of cluster and credentials: some 100 KiB each.
	mostKnown = 100
)

// kinds is what a cluster says of the kinds of its objects, for all connections with the same credentials.
type kinds struct {
	client discovery.DiscoveryInterfaceWithContext
	used   time.Time

	mu   sync.Mutex
	have *kindsThen
}

// kindsThen is the discovery data of one time. The first caller that needs it fetches it; others wait.
type kindsThen struct {
	asked  time.Time
	client discovery.CachedDiscoveryInterfaceWithContext
	mapper *restmapper.DeferredDiscoveryRESTMapper
}

// notBefore returns discovery data from that time or later.
func (k *kinds) notBefore(t time.Time) *kindsThen {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.have == nil || k.have.asked.Before(t) {
		client := memory.NewMemCacheClientWithContext(k.client)
		k.have = &kindsThen{time.Now(), client, restmapper.NewDeferredDiscoveryRESTMapperWithContext(client)}
	}
	return k.have
}

func (k *kinds) known() *kindsThen { return k.notBefore(time.Now().Add(-longestKnown)) }

// kindOf returns the cluster's data about a kind. It believes that a kind is missing only if the data is newer than the
// given time, as somebody may have defined the kind since. A caller that asks for many kinds gives its own start time,
// so that the cluster is asked again only once.
func (c *Cluster) kindOf(
	ctx context.Context, kind schema.GroupVersionKind, since time.Time,
) (*meta.RESTMapping, []string, error) {
	have := c.kinds.known()
	mapping, err := have.mapper.RESTMappingWithContext(ctx, kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) && have.asked.Before(since) {
		have = c.kinds.notBefore(since)
		mapping, err = have.mapper.RESTMappingWithContext(ctx, kind.GroupKind(), kind.Version)
	}
	if err != nil {
		return nil, nil, err
	}
	list, err := have.client.ServerResourcesForGroupVersionWithContext(ctx, mapping.GroupVersionKind.GroupVersion().String())
	if err != nil {
		return nil, nil, err
	}
	for _, r := range list.APIResources {
		if r.Name == mapping.Resource.Resource {
			return mapping, r.Verbs, nil
		}
	}
	return mapping, nil, nil
}

// namespaced are the kinds whose objects are in namespaces, each once.
func (c *Cluster) namespaced(ctx context.Context) ([]*metav1.APIResourceList, error) {
	lists, err := c.kinds.known().client.ServerPreferredNamespacedResourcesWithContext(ctx)
	if err != nil && len(lists) == 0 {
		return nil, translate("list the kinds of its objects", err)
	}
	return lists, nil
}

// kindsOf finds what is known of a cluster with these credentials.
func (c *Connector) kindsOf(
	to lcm.Vim, cred map[string]any, client discovery.DiscoveryInterfaceWithContext,
) (*kinds, error) {
	text, err := json.Marshal([]any{to.AuthURL, cred})
	if err != nil {
		return nil, err
	}
	key := sha256.Sum256(text) // secrets are not kept for longer than connections
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.kinds[key]
	if k == nil {
		k = &kinds{client: client}
		if c.kinds == nil {
			c.kinds = map[[sha256.Size]byte]*kinds{}
		}
		c.makeRoom()
		c.kinds[key] = k
	}
	k.used = time.Now()
	return k, nil
}

// makeRoom forgets the cluster to which nobody has connected for the longest time, when there are too many.
func (c *Connector) makeRoom() {
	if len(c.kinds) < mostKnown {
		return
	}
	var oldest *kinds
	for k := range maps.Values(c.kinds) {
		if oldest == nil || k.used.Before(oldest.used) {
			oldest = k
		}
	}
	maps.DeleteFunc(c.kinds, func(_ [sha256.Size]byte, k *kinds) bool { return k == oldest })
}
