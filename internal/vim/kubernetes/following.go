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

// place is the resource and the namespace of objects of one kind.
type place struct {
	resource  schema.GroupVersionResource
	namespace string
}

var (
	pods   = corev1.SchemeGroupVersion.WithResource("pods")
	claims = corev1.SchemeGroupVersion.WithResource("persistentvolumeclaims")
	events = corev1.SchemeGroupVersion.WithResource("events")
)

// follow begins to watch the places of the objects, and the Pods and events there. It makes one request first, to learn
// at once which rights the credentials lack. Later, a lost connection is made again.
func (w *waiting) follow(ctx context.Context, objects []prepared) error {
	var began []cache.InformerSynced
	w.informers = map[place]cache.SharedIndexInformer{}
	for _, at := range places(objects) {
		if _, err := w.cluster.objects.Resource(at.resource).Namespace(at.namespace).
			List(ctx, metav1.ListOptions{LabelSelector: ownerLabel + "=" + w.owner, Limit: 1}); err != nil {
			if at.resource == events {
				continue // events only explain, and are optional
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
			AddFunc:    func(now any) { w.noteEnd(now); changed() },
			UpdateFunc: func(_, now any) { w.noteEnd(now); changed() },
			DeleteFunc: func(last any) { w.noteEnd(last); changed() },
		})
		if err != nil {
			return lcm.Wrap(lcm.KindBug, err, "Windlass cannot follow the changes of %s.", at.resource.Resource)
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

// expectedEvents excludes frequent events that tell of no trouble. It cannot select warnings only: the event about a
// claim without a volume is not a warning.
var expectedEvents = func() string {
	var out []string
	for _, reason := range []string{"Scheduled", "Pulling", "Pulled", "Created", "Started", "SuccessfulCreate"} {
		out = append(out, "reason!="+reason)
	}
	return strings.Join(out, ",")
}()

// informer follows the selected objects of one place.
func (c *Cluster) informer(at place, selected func(*metav1.ListOptions)) cache.SharedIndexInformer {
	resource := c.objects.Resource(at.resource).Namespace(at.namespace)
	return cache.NewSharedIndexInformer(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			selected(&o)
			if o.ResourceVersion == "0" { // an old state is allowed, such as that before the last write
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

// have returns the cluster's version of an object, nil when there is none.
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

// listed returns all followed objects of a resource.
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
