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
	"github.com/windlass-nfv/windlass/internal/outbound"
)

// place is the resource and the namespace of objects of one kind.
type place struct {
	resource  schema.GroupVersionResource
	namespace string
}

var (
	pods    = corev1.SchemeGroupVersion.WithResource("pods")
	claims  = corev1.SchemeGroupVersion.WithResource("persistentvolumeclaims")
	events  = corev1.SchemeGroupVersion.WithResource("events")
	secrets = corev1.SchemeGroupVersion.WithResource("secrets")
)

// follow begins to watch the places of the objects, and the Pods and events there. It makes one request first, to learn
// at once which rights the credentials lack. Later, a lost connection is made again. w.watching ends when the cluster
// tells of more than Windlass keeps.
func (w *waiting) follow(ctx context.Context, objects []prepared) (err error) {
	var began []cache.InformerSynced
	w.informers = map[place]cache.SharedIndexInformer{}
	watching, tooMuch := context.WithCancelCause(ctx)
	defer func() {
		if err != nil {
			tooMuch(err)
		}
	}()
	w.watching = watching
	all := &sizes{}
	for _, at := range places(objects) {
		if _, err := w.cluster.objects.Resource(at.resource).Namespace(at.namespace).
			List(ctx, metav1.ListOptions{LabelSelector: ownerLabel + "=" + w.owner, Limit: 1}); err != nil {
			if at.resource == events {
				continue // events only explain, and are optional
			}
			return translate("list "+at.resource.Resource, err)
		}
		here, full := watching, tooMuch
		kept := &followed{all: all, each: map[string]int{}}
		if at.resource == events { // those of others are among them
			here, full = context.WithCancelCause(watching)
			kept.all = &sizes{}
		}
		synced, err := w.followPlace(here, at, kept, full)
		if err != nil {
			return err
		}
		began = append(began, synced)
	}
	if !cache.WaitForCacheSync(watching.Done(), began...) || watching.Err() != nil {
		return context.Cause(watching)
	}
	return nil
}

// followPlace follows the objects of one place until there are too many.
func (w *waiting) followPlace(
	ctx context.Context, at place, kept *followed, full context.CancelCauseFunc,
) (cache.InformerSynced, error) {
	informer := w.cluster.informer(at, full, func(o *metav1.ListOptions) {
		switch at.resource {
		case events:
			o.FieldSelector = expectedEvents
		case secrets: // not the revisions of releases, which are as large as all other objects together
			o.LabelSelector = ownerLabel + "=" + w.owner + ",owner!=helm"
		default:
			o.LabelSelector = ownerLabel + "=" + w.owner
		}
	})
	changed := func(now any) {
		w.noteEnd(now)
		select {
		case w.changed <- struct{}{}:
		default:
		}
	}
	keep := func(now any) {
		if err := kept.keep(now); err != nil {
			full(err)
		}
		changed(now)
	}
	synced, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    keep,
		UpdateFunc: func(_, now any) { keep(now) },
		DeleteFunc: func(last any) { kept.forget(last); changed(last) },
	})
	if err != nil {
		return nil, lcm.Wrap(lcm.KindBug, err, "Windlass cannot follow the changes of %s.", at.resource.Resource)
	}
	w.informers[at] = informer
	go informer.RunWithContext(ctx)
	if at.resource == events { // too many of them are no reason to wait
		return func() bool { return synced.HasSynced() || ctx.Err() != nil }, nil
	}
	return synced.HasSynced, nil
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

// informer follows the selected objects of one place. It calls full if the list of them does not end.
func (c *Connection) informer(
	at place, full context.CancelCauseFunc, selected func(*metav1.ListOptions),
) cache.SharedIndexInformer {
	resource := c.objects.Resource(at.resource).Namespace(at.namespace)
	var budget *outbound.Budget // of all pages of a list; a reflector lists again, but not at the same time
	return cache.NewSharedIndexInformer(pages{&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			selected(&o)
			if o.ResourceVersion == "0" { // an old state is allowed, such as that before the last write
				o.ResourceVersion = ""
			}
			if o.Continue == "" {
				budget = outbound.NewBudget(mostFollowed, outbound.MaxPages)
			}
			list, err := resource.List(budget.In(ctx), o)
			if lcm.Is(err, lcm.KindInvalid) {
				full(err)
			}
			return list, err
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			selected(&o)
			return resource.Watch(ctx, o)
		},
	}}, &unstructured.Unstructured{}, 0, cache.Indexers{})
}

// pages has an informer begin with a list. It comes in pages, each of which is an answer of its own. The other way is one
// watch with all objects, which is too large an answer for a VNF of some thousand Pods.
type pages struct{ *cache.ListWatch }

// IsWatchListSemanticsUnSupported is what client-go asks.
func (pages) IsWatchListSemanticsUnSupported() bool { return true }

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
