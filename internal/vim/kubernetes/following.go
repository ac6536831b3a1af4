package kubernetes

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// place is where objects of one kind are.
type place struct {
	resource  schema.GroupVersionResource
	namespace string
}

var (
	pods   = corev1.SchemeGroupVersion.WithResource("pods")
	claims = corev1.SchemeGroupVersion.WithResource("persistentvolumeclaims")
	events = corev1.SchemeGroupVersion.WithResource("events")
)

// follow begins to watch where objects are, and the Pods and events beside them. It asks once, to be told at once what
// the credentials may not see; from then on a connection that is lost is made anew.
func (w *waiting) follow(ctx context.Context, objects []prepared) error {
	var began []cache.InformerSynced
	w.informers = map[place]cache.SharedIndexInformer{}
	for _, at := range places(objects) {
		if _, err := w.cluster.objects.Resource(at.resource).Namespace(at.namespace).
			List(ctx, metav1.ListOptions{LabelSelector: ownerLabel + "=" + w.owner, Limit: 1}); err != nil {
			if at.resource == events {
				continue // events explain, and are not needed
			}
			return translate("list "+at.resource.Resource, err)
		}
		informer := w.cluster.informer(at, func(o *metav1.ListOptions) {
			if at.resource == events {
				o.FieldSelector = expectedEvents
			} else {
				o.LabelSelector = ownerLabel + "=" + w.owner
			}
		})
		changed := func() {
			select {
			case w.changed <- struct{}{}:
			default:
			}
		}
		synced, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: func(any) { changed() }, UpdateFunc: func(any, any) { changed() }, DeleteFunc: func(any) { changed() },
		})
		if err != nil {
			return lcm.Wrap(lcm.KindBug, err, "The changes of %s cannot be followed.", at.resource.Resource)
		}
		began = append(began, synced.HasSynced)
		w.informers[at] = informer
		go informer.RunWithContext(ctx)
	}
	if !cache.WaitForCacheSync(ctx.Done(), began...) {
		return context.Cause(ctx)
	}
	return nil
}

// expectedEvents leaves out those of which there are many, and which tell of no trouble. Not all that tell of some are
// warnings: that a claim has no volume is not.
var expectedEvents = func() string {
	var out []string
	for _, reason := range []string{"Scheduled", "Pulling", "Pulled", "Created", "Started", "SuccessfulCreate"} {
		out = append(out, "reason!="+reason)
	}
	return strings.Join(out, ",")
}()

// informer follows the objects of one place that are selected.
func (c *Cluster) informer(at place, selected func(*metav1.ListOptions)) cache.SharedIndexInformer {
	resource := c.objects.Resource(at.resource).Namespace(at.namespace)
	return cache.NewSharedIndexInformer(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			selected(&o)
			if o.ResourceVersion == "0" { // any state of the past, such as that before what was just written
				o.ResourceVersion = ""
			}
			return resource.List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			selected(&o)
			return resource.Watch(ctx, o)
		},
	}, &unstructured.Unstructured{}, 0, cache.Indexers{})
}

func places(objects []prepared) (out []place) {
	add := func(at place) {
		if !slices.Contains(out, at) {
			out = append(out, at)
		}
	}
	for _, p := range objects {
		if p.mapping == nil || !p.remembered() || !slices.Contains(p.verbs, "watch") {
			continue
		}
		add(place{p.mapping.Resource, p.GetNamespace()})
		if len(claimTemplates(&p.Unstructured)) > 0 {
			add(place{claims, p.GetNamespace()})
		}
		if p.mapping.Scope.Name() == meta.RESTScopeNameNamespace {
			add(place{pods, p.GetNamespace()})
			add(place{events, p.GetNamespace()})
		}
	}
	return out
}

// have is an object as the cluster has it, nil when it does not.
func (w *waiting) have(p prepared) *unstructured.Unstructured {
	informer := w.informers[place{p.mapping.Resource, p.GetNamespace()}]
	if informer == nil {
		return nil
	}
	name := p.GetName()
	if p.GetNamespace() != "" {
		name = p.GetNamespace() + "/" + name
	}
	item, is, _ := informer.GetStore().GetByKey(name)
	if !is {
		return nil
	}
	o, _ := item.(*unstructured.Unstructured)
	return o
}

// listed are all objects of a resource that are followed.
func (w *waiting) listed(resource schema.GroupVersionResource) (out []*unstructured.Unstructured) {
	for at, informer := range w.informers {
		if at.resource != resource {
			continue
		}
		for _, item := range informer.GetStore().List() {
			if o, ok := item.(*unstructured.Unstructured); ok {
				out = append(out, o)
			}
		}
	}
	return out
}
