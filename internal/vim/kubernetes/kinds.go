package kubernetes

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	goerrors "errors"
	"maps"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/restmapper"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/outbound"
)

const (
	// longestKnown limits the age of discovery data, as clusters are upgraded now and then.
	longestKnown = 10 * time.Minute
	// mostKnown limits the cached pairs of cluster and credentials: some 100 KiB each.
	mostKnown = 100
	// largestDiscovery limits the answers of one cluster, in bytes. With a thousand kinds they are some 2 MiB. In memory
	// they take about five times as much.
	largestDiscovery = 8 << 20
	// mostCached limits the answers of all clusters.
	mostCached = 64 << 20
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
	budget *outbound.Budget
}

// notBefore returns discovery data from that time or later.
func (k *kinds) notBefore(t time.Time) *kindsThen {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.have == nil || k.have.asked.Before(t) {
		client := memory.NewMemCacheClientWithContext(k.client)
		k.have = &kindsThen{
			time.Now(), client, restmapper.NewDeferredDiscoveryRESTMapperWithContext(client),
			outbound.NewBudget(largestDiscovery, 0),
		}
	}
	return k.have
}

func (k *kinds) known() *kindsThen { return k.notBefore(time.Now().Add(-longestKnown)) }

// kindOf returns the cluster's data about a kind. It believes that a kind is missing only if the data is newer than the
// given time, as somebody may have defined the kind since. A caller that asks for many kinds gives its own start time,
// so that the cluster is asked again only once.
func (c *Connection) kindOf(
	ctx context.Context, kind schema.GroupVersionKind, since time.Time,
) (*meta.RESTMapping, []string, error) {
	have := c.kinds.known()
	mapping, err := have.mapping(ctx, kind)
	if meta.IsNoMatchError(err) && have.asked.Before(since) {
		have = c.kinds.notBefore(since)
		mapping, err = have.mapping(ctx, kind)
	}
	if err != nil {
		return nil, nil, err
	}
	list, err := have.resources(ctx, mapping.GroupVersionKind.GroupVersion())
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

// mapping finds a kind. A kind of a group whose server does not answer, such as that of an APIService, is not missing:
// that server's error is returned.
func (k *kindsThen) mapping(ctx context.Context, kind schema.GroupVersionKind) (*meta.RESTMapping, error) {
	mapping, err := k.mapper.RESTMappingWithContext(k.budget.In(ctx), kind.GroupKind(), kind.Version)
	if !meta.IsNoMatchError(err) {
		return mapping, err
	}
	if _, asked := k.resources(ctx, kind.GroupVersion()); asked != nil && !isUnserved(asked) {
		return nil, asked
	}
	return nil, err
}

// isUnserved reports whether an error says that a cluster has no such group, or nothing in it. Any other error, such as
// that of a discovery that is too large, says nothing about the kinds: whoever took them for missing would forget their
// objects.
func isUnserved(err error) bool {
	return goerrors.Is(err, memory.ErrCacheNotFound) || errors.IsNotFound(err) ||
		strings.HasPrefix(err.Error(), "received empty response for") // client-go has no exported type for it
}

func (k *kindsThen) resources(ctx context.Context, of schema.GroupVersion) (*metav1.APIResourceList, error) {
	return k.client.ServerResourcesForGroupVersionWithContext(k.budget.In(ctx), of.String())
}

// namespaced are the kinds whose objects are in namespaces, each once. It is an error if the server of a group does not
// answer.
func (c *Connection) namespaced(ctx context.Context) ([]*metav1.APIResourceList, error) {
	have := c.kinds.known()
	lists, err := have.client.ServerPreferredNamespacedResourcesWithContext(have.budget.In(ctx))
	if err != nil {
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
		c.makeRoom(mostKnown - 1)
		c.kinds[key] = k
	}
	c.makeRoom(mostKnown)
	k.used = time.Now()
	return k, nil
}

// makeRoom forgets the clusters to which nobody has connected for the longest time, while there are more than so many or
// their answers are too large.
func (c *Connector) makeRoom(most int) {
	for len(c.kinds) > most || c.cached() > mostCached {
		var oldest *kinds
		for k := range maps.Values(c.kinds) {
			if oldest == nil || k.used.Before(oldest.used) {
				oldest = k
			}
		}
		maps.DeleteFunc(c.kinds, func(_ [sha256.Size]byte, k *kinds) bool { return k == oldest })
	}
}

// cached returns the size of the clusters' answers, in bytes.
func (c *Connector) cached() (bytes int64) {
	for k := range maps.Values(c.kinds) {
		bytes += k.size()
	}
	return bytes
}

func (k *kinds) size() int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.have == nil {
		return 0
	}
	return k.have.budget.Read()
}
