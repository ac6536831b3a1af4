package kubernetes

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// usualPatience is how long trouble may last that may heal itself: a pull that fails, a container that ends. Kubelets
// wait longer than that before they try again.
const usualPatience = 5 * time.Second

// waiting follows a deployment's objects and Pods as the API server tells of changes.
type waiting struct {
	cluster  *Cluster
	owner    string
	patience time.Duration
	show     func(string)

	informers map[place]cache.SharedIndexInformer
	changed   chan struct{}
	told      map[string]string // the last that was shown of each object
	troubles  map[string]*trouble
	began     time.Time
	// over is when Pods that end have had their time; zero lets them take the time that they are given.
	over time.Time

	// Of a removal: what becomes of volumes, the namespaces in which something stays, and what is there still, by its
	// title, with what keeps it.
	volumes   vim.VolumeFate
	inhabited map[string]string
	left      map[string]string
}

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

func (c *Cluster) wait(owner string, patience time.Duration, show func(string)) *waiting {
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
		done, err := is(ctx, objects)
		if done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-w.changed:
		case <-tick.C:
		}
	}
}

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

// ready is the condition that all objects are as they are to be. Trouble that lasts ends the waiting.
func (w *waiting) ready(ctx context.Context, objects []prepared) (bool, error) {
	var missing []string
	for _, p := range objects {
		if p.mapping == nil || !p.remembered() || !slices.Contains(p.verbs, "watch") {
			continue
		}
		is, why, err := w.judge(p)
		if err != nil {
			return false, w.explain(ctx, p, err)
		}
		w.tell(title(&p.Unstructured), is, why)
		if !is {
			missing = append(missing, title(&p.Unstructured)+": "+why)
		}
	}
	for _, pod := range w.listed(pods) {
		if pod.GetDeletionTimestamp() != nil {
			missing = append(missing, title(pod)+" ends")
		}
	}
	if len(missing) == 0 {
		return true, nil
	}
	if err := w.trouble(ctx, objects); err != nil {
		return false, err
	}
	return false, nil
}

// judge tells what an object's status is, by the rules of kstatus.
func (w *waiting) judge(p prepared) (ready bool, why string, err error) {
	have := w.have(p)
	if have == nil {
		return false, "it is not there yet", nil
	}
	result, err := status.Compute(have)
	switch {
	case err != nil:
		return false, "", lcm.Wrap(lcm.KindBroken, err, "%s has a status that cannot be read.", title(have))
	case result.Status == status.FailedStatus:
		return false, "", lcm.Errorf(lcm.KindBroken, "%s has failed: %s", title(have), strings.TrimSuffix(result.Message, "."))
	}
	if result.Status != status.CurrentStatus {
		return w.waitsForPod(have), result.Message, nil
	}
	switch there, ready, want := w.podsOf(have); {
	case there != want:
		return false, fmt.Sprintf("%d Pods are there, and %d are to be", there, want), nil
	case ready < want:
		return false, fmt.Sprintf("%d of %d Pods are ready", ready, want), nil
	}
	return true, result.Message, nil
}

// podsOf counts the Pods of a workload that have not ended and do not end, and those of them that are ready, and says how
// many there are to be; all are 0 for what has no number of them. Controllers that have just lost the API server believe
// for a while what was so before: the status of a workload is what they believe. And a workload that is done with an
// update may be seen before the last Pod of its former ones is seen to end.
func (w *waiting) podsOf(o *unstructured.Unstructured) (there, ready, want int) {
	if !scalable(o.GetKind()) || o.GroupVersionKind().Group != "apps" {
		return 0, 0, 0
	}
	replicas, is, _ := unstructured.NestedInt64(o.Object, "spec", "replicas")
	if !is {
		replicas = 1
	}
	var spec struct {
		Selector metav1.LabelSelector `json:"selector"`
	}
	of, _, _ := unstructured.NestedMap(o.Object, "spec")
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(of, &spec); err != nil {
		return 0, 0, 0 // the API server has taken it
	}
	selector, err := metav1.LabelSelectorAsSelector(&spec.Selector)
	if err != nil {
		return 0, 0, 0
	}
	for _, pod := range w.listed(pods) {
		phase, _, _ := unstructured.NestedString(pod.Object, "status", "phase")
		ended := phase == string(corev1.PodFailed) || phase == string(corev1.PodSucceeded)
		if pod.GetNamespace() == o.GetNamespace() && pod.GetDeletionTimestamp() == nil && !ended &&
			selector.Matches(labels.Set(pod.GetLabels())) && controls(o, pod) {
			there++
			if is, err := status.Compute(pod); err == nil && is.Status == status.CurrentStatus {
				ready++
			}
		}
	}
	return there, ready, int(replicas)
}

// controls tells whether a Pod is of that workload: another one may have the same selector. A Deployment's Pods are those
// of its ReplicaSets, whose names have the hash of their template.
func controls(o, pod *unstructured.Unstructured) bool {
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return false
	}
	name := o.GetName()
	if o.GetKind() == "Deployment" {
		return owner.Kind == "ReplicaSet" && owner.Name == name+"-"+pod.GetLabels()["pod-template-hash"]
	}
	return owner.Kind == o.GetKind() && owner.Name == name
}

// tell shows what is new of an object.
func (w *waiting) tell(what string, ready bool, why string) {
	if ready {
		why = "ready"
	}
	if why != "" && w.told[what] != why {
		w.told[what] = why
		w.show(fmt.Sprintf("%s: %s", what, why))
	}
}
