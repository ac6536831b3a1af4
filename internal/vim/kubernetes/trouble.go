package kubernetes

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// trouble is a problem that keeps an object from becoming ready. It may end by itself.
type trouble struct {
	object    string // its title
	reason    string // the cluster's word, such as ImagePullBackOff
	message   string
	namespace string
	pod       string // "" when the object is not a Pod
	container string
	since     time.Time
}

// waitingReasons maps the reasons of waiting containers that need help to their common causes. A failing pull, for
// example, alternates between two reasons.
var waitingReasons = map[string]string{
	"ImagePullBackOff": "image", "ErrImagePull": "image", "ErrImageNeverPull": "image", "InvalidImageName": "image",
	"CrashLoopBackOff": "crash", "CreateContainerConfigError": "configuration", "CreateContainerError": "container",
	"RunContainerError": "container",
}

// trouble records the present troubles. It returns an error when the oldest has lasted for the whole patience.
func (w *waiting) trouble(ctx context.Context, objects []prepared) error {
	now := time.Now()
	seen := map[string]bool{}
	note := func(cause string, t trouble) {
		id := t.object + "/" + t.container + "/" + cause
		seen[id] = true
		if known := w.troubles[id]; known != nil {
			known.reason, known.message = t.reason, t.message
			return
		}
		t.since = now
		w.troubles[id] = &t
		w.show(t.sentence())
	}
	for _, pod := range w.listed(pods) {
		podTroubles(pod, func(cause string, t trouble) {
			if !w.volumesCome(pod, t) {
				note(cause, t)
			}
		})
	}
	w.refusals(objects, note)
	var worst *trouble
	for id, t := range w.troubles {
		switch {
		case !seen[id]:
			delete(w.troubles, id) // the trouble has ended
		case now.Sub(t.since) >= w.patience && (worst == nil || t.since.Before(worst.since)):
			worst = t
		}
	}
	if worst == nil {
		return nil
	}
	if cause := w.causeOf(*worst); cause != nil {
		worst = cause
	}
	return w.failure(ctx, *worst)
}

func (t trouble) sentence() string {
	where := t.object
	if t.container != "" {
		where += ", container " + t.container
	}
	return strings.TrimSuffix(fmt.Sprintf("%s: %s: %s", where, t.reason, strings.TrimSpace(t.message)), ": ")
}

// podTroubles reads a Pod's conditions and the states of its containers.
func podTroubles(o *unstructured.Unstructured, note func(cause string, t trouble)) {
	var pod corev1.Pod
	if runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &pod) != nil || pod.DeletionTimestamp != nil {
		return
	}
	of := trouble{object: title(o), namespace: pod.Namespace, pod: pod.Name}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && c.Reason == corev1.PodReasonUnschedulable {
			t := of
			t.reason, t.message = c.Reason, c.Message
			note("schedule", t)
		}
	}
	for _, s := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if s.State.Waiting == nil || waitingReasons[s.State.Waiting.Reason] == "" {
			continue
		}
		t := of
		t.container, t.reason, t.message = s.Name, s.State.Waiting.Reason, s.State.Waiting.Message
		note(waitingReasons[t.reason], t)
	}
}

// refusals notes refused Pods, for example by a quota or an admission webhook, and claims that cannot be bound. For
// some kinds, only events report that.
func (w *waiting) refusals(objects []prepared, note func(cause string, t trouble)) {
	for _, p := range objects {
		if p.mapping == nil {
			continue
		}
		have := w.have(p)
		if have == nil {
			continue
		}
		conditions, _, _ := unstructured.NestedSlice(have.Object, "status", "conditions")
		for _, c := range conditions {
			c, _ := c.(map[string]any)
			if c["type"] == "ReplicaFailure" && c["status"] == "True" {
				reason, _ := c["reason"].(string)
				message, _ := c["message"].(string)
				note("refused", trouble{object: title(have), namespace: have.GetNamespace(), reason: reason, message: message})
			}
		}
	}
	w.lostClaims(note)
	for _, e := range w.warnings() {
		if !slices.Contains([]string{"FailedCreate", "ProvisioningFailed", failedBinding}, e.Reason) ||
			!w.isNew(e) || !w.ours(e, objects) {
			continue
		}
		note("refused", trouble{
			object:    e.InvolvedObject.Kind + " " + e.InvolvedObject.Namespace + "/" + e.InvolvedObject.Name,
			namespace: e.InvolvedObject.Namespace, reason: e.Reason, message: e.Message,
		})
	}
}

const (
	lastEvents = 3
	lastLines  = 10
	// logPatience bounds the wait for the lines of a container.
	logPatience = 3 * time.Second
)

// failure returns the error for lasting trouble: what, where, the last events and the container's last lines.
func (w *waiting) failure(ctx context.Context, t trouble) error {
	kind := lcm.KindBroken
	if t.reason == corev1.PodReasonUnschedulable || strings.Contains(t.message, "exceeded quota") {
		kind = lcm.KindExhausted
	}
	return lcm.Errorf(kind, "%s.%s", strings.TrimSuffix(t.sentence(), "."), w.evidence(ctx, t))
}

// explain adds the last events to an object's own failure.
func (w *waiting) explain(ctx context.Context, p prepared, err error) error {
	failed, ok := err.(*lcm.Error) //nolint:errorlint // judge has made it
	if !ok {
		return err
	}
	t := trouble{object: title(&p.Unstructured), namespace: p.GetNamespace()}
	if p.GetKind() == "Pod" {
		t.pod = p.GetName()
	}
	return lcm.Errorf(failed.Kind, "%s.%s", strings.TrimSuffix(failed.Detail, "."), w.evidence(ctx, t))
}

func (w *waiting) evidence(ctx context.Context, t trouble) string {
	var out strings.Builder
	var said []string
	for _, e := range w.warnings() {
		name := e.InvolvedObject.Kind + " " + e.InvolvedObject.Namespace + "/" + e.InvolvedObject.Name
		if name == t.object && !slices.Contains(said, e.Message) && e.Message != t.message {
			said = append(said, e.Message)
		}
	}
	if len(said) > 0 {
		fmt.Fprintf(&out, " Last events: %s", strings.Join(said[max(0, len(said)-lastEvents):], "; "))
	}
	if lines := w.log(ctx, t); lines != "" {
		fmt.Fprintf(&out, " Last lines of the container: %s", lines)
	}
	return out.String()
}

// log reads the last lines of a crashing container. If the present run has none, it reads the previous run's lines.
func (w *waiting) log(ctx context.Context, t trouble) string {
	if t.pod == "" || t.container == "" || waitingReasons[t.reason] != "crash" {
		return ""
	}
	ctx, done := context.WithTimeout(ctx, logPatience)
	defer done()
	lines := int64(lastLines)
	for _, before := range []bool{false, true} {
		text, err := w.cluster.core.Pods(t.namespace).GetLogs(t.pod, &corev1.PodLogOptions{
			Container: t.container, TailLines: &lines, Previous: before,
		}).Do(ctx).Raw()
		if line := strings.Join(strings.Split(strings.TrimSpace(string(text)), "\n"), " | "); err == nil && line != "" {
			return line
		}
	}
	return ""
}

// listOptions selects the objects of a deployment.
func listOptions(owner string) metav1.ListOptions {
	return metav1.ListOptions{LabelSelector: ownerLabel + "=" + owner}
}
