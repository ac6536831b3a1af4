package kubernetes

import (
	"cmp"
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/windlass-nfv/windlass/internal/vim"
)

// stoppedPod is a Pod of a halted deployment. The record keeps it to know how many Pods there were.
type stoppedPod struct {
	Namespace string    `json:"namespace"`
	Name      string    `json:"name"`
	UID       types.UID `json:"uid"`
	Workload  Workload  `json:"workload"`
	Vdu       string    `json:"vdu,omitempty"`
	Created   time.Time `json:"created"`
}

func (p stoppedPod) asItWas() workloadPod {
	return workloadPod{
		pod: corev1.Pod{ObjectMeta: metav1.ObjectMeta{
			Namespace: p.Namespace, Name: p.Name, UID: p.UID, CreationTimestamp: metav1.NewTime(p.Created),
		}},
		workload: p.Workload, vdu: p.Vdu, halted: true,
	}
}

// Halt implements vim.Halter: it scales workloads to no Pods, and deletes objects that cannot exist without Pods until
// Resume. Pods that still exist after grace are ended at once.
func (c *Connection) Halt(ctx context.Context, ch vim.Change, grace time.Duration, progress func(string)) error {
	ctx, done := limited(ctx, ch.Timeout)
	defer done()
	have, err := c.owned(ctx, ch)
	if err != nil {
		return err
	}
	if !have.Halted {
		if have.Stopped, err = c.stopping(ctx, have); err != nil {
			return err
		}
		if have.Standing, err = c.standing(ctx, have); err != nil {
			return err
		}
		have.Halted, have.Operation = true, ch.Operation
		if err := c.keep(ctx, ch.Name, have); err != nil {
			return err
		}
	}
	w := c.wait(ch.Owner, 0, maskedLines(progress, ch.Secrets))
	objects, err := c.prepare(ctx, Definition{Objects: slices.Concat(have.Objects, have.runs())}, ch.Owner, have.Workloads)
	if err == nil {
		err = c.withoutPods(ctx, objects, w)
	}
	if err != nil {
		return masked(err, ch.Secrets)
	}
	return masked(timedOut(ctx, c.awaitEnd(ctx, objects, grace, w), w), ch.Secrets)
}

// stopping returns the present Pods.
func (c *Connection) stopping(ctx context.Context, r *record) (out []stoppedPod, err error) {
	all, err := c.podsOf(ctx, r)
	for _, p := range all {
		out = append(out, stoppedPod{
			p.pod.Namespace, p.pod.Name, p.pod.UID, p.workload, p.vdu, p.pod.CreationTimestamp.Time,
		})
	}
	return out, err
}

// standing returns the existing workloads that hooks of charts made. Resume brings them back.
func (c *Connection) standing(ctx context.Context, r *record) (out []unstructured.Unstructured, err error) {
	hooks, err := c.prepare(ctx, Definition{Objects: r.Hooks}, r.Owner, nil)
	if err != nil {
		return nil, err
	}
	for _, p := range hooks {
		if runsOnce(p.GetKind()) || !hasPods(p.GetKind()) && !scalable(p.GetKind()) {
			continue
		}
		there, err := c.ownerOf(ctx, p)
		if err != nil {
			return nil, err
		}
		if there.is && !there.foreign(r.Owner) {
			out = append(out, p.Unstructured)
		}
	}
	return out, nil
}

// runs returns the objects of hooks that have Pods. It leaves others alone, such as a Secret: nobody would make them
// again.
func (r *record) runs() []unstructured.Unstructured {
	jobs := slices.DeleteFunc(slices.Clone(r.Hooks), func(o unstructured.Unstructured) bool { return !runsOnce(o.GetKind()) })
	return slices.Concat(jobs, r.Standing)
}

// withoutPods removes the Pods of every workload. It keeps finished Jobs and Pods: otherwise they would run again.
func (c *Connection) withoutPods(ctx context.Context, objects []prepared, w *waiting) error {
	var going []unstructured.Unstructured
	for _, p := range objects {
		switch {
		case scalable(p.GetKind()) && p.GroupVersionKind().Group == "apps":
			_ = unstructured.SetNestedField(p.Object, int64(0), "spec", "replicas")
			if err := c.applyOne(ctx, p, w.owner, time.Now(), w.show); err != nil {
				return err
			}
		case hasPods(p.GetKind()):
			done, err := c.isDone(ctx, p)
			if err != nil {
				return err
			}
			if !done {
				going = append(going, p.Unstructured)
			}
		}
	}
	return c.removeAll(ctx, going, w)
}

// isDone reports whether an object is a Job or a Pod that has ended successfully.
func (c *Connection) isDone(ctx context.Context, p prepared) (bool, error) {
	if !runsOnce(p.GetKind()) || p.mapping == nil {
		return false, nil
	}
	have, err := c.at(p.mapping, p.GetNamespace()).Get(ctx, p.GetName(), metav1.GetOptions{})
	switch {
	case errors.IsNotFound(err):
		return false, nil
	case err != nil:
		return false, translate("read "+title(&p.Unstructured), err)
	}
	done, failed := outcome(have)
	return done && failed == "", nil
}

// hasPods tells whether objects of a kind have Pods, or are one.
func hasPods(kind string) bool {
	switch kind {
	case "Pod", "DaemonSet", "Job", "CronJob":
		return true
	}
	return false
}

// awaitEnd waits until no Pod runs any more.
func (c *Connection) awaitEnd(ctx context.Context, objects []prepared, grace time.Duration, w *waiting) error {
	over, asked := time.Now().Add(grace), false
	return w.until(ctx, objects, func(ctx context.Context, _ []prepared) (bool, error) {
		left := slices.DeleteFunc(w.listed(pods), func(pod *unstructured.Unstructured) bool {
			done, failed := outcome(pod)
			return done && failed == ""
		})
		if len(left) == 0 {
			return true, nil
		}
		w.end(ctx, left)
		if time.Now().Before(over) {
			return false, nil
		}
		if asked {
			left = slices.DeleteFunc(left, func(pod *unstructured.Unstructured) bool { return !w.isLost(ctx, pod) })
		}
		asked = true
		return false, w.endPods(ctx, left)
	})
}

// moment is the grace period, in seconds, of Pods that must end at once: with 0, nobody waits until their containers
// have ended.
const moment = int64(1)

// endPods ends Pods at once. It does not wait for Pods on a dead node, whose kubelet reports nothing.
func (w *waiting) endPods(ctx context.Context, pods []*unstructured.Unstructured) error {
	for _, pod := range pods {
		grace := moment
		if w.isLost(ctx, pod) {
			grace = 0
		}
		err := w.cluster.core.Pods(pod.GetNamespace()).Delete(ctx, pod.GetName(), metav1.DeleteOptions{
			GracePeriodSeconds: &grace, Preconditions: metav1.NewUIDPreconditions(string(pod.GetUID())),
		})
		if err != nil && !gone(err) {
			return translate("delete the Pod "+pod.GetName(), err)
		}
	}
	return nil
}

// Resume implements vim.Halter: workloads get their former number of Pods, or the number of their autoscalers.
func (c *Connection) Resume(ctx context.Context, ch vim.Change, progress func(string)) error {
	of, err := definitionOf(ch.Definition)
	if err != nil {
		return err
	}
	ctx, done := limited(ctx, cmp.Or(of.ReadyTimeout, ch.Timeout))
	defer done()
	have, err := c.owned(ctx, ch)
	if err != nil {
		return err
	}
	all := slices.Concat(have.Objects, have.Standing)
	objects, err := c.prepare(ctx, Definition{Objects: all}, ch.Owner, have.Workloads)
	if err != nil {
		return err
	}
	w := c.wait(ch.Owner, of.Patience, maskedLines(progress, ch.Secrets))
	if err := c.carryOut(ctx, objects, have, w); err != nil {
		return masked(err, ch.Secrets)
	}
	have.Halted, have.Stopped, have.Standing, have.Operation = false, nil, nil, ch.Operation
	return c.keep(ctx, ch.Name, have)
}
