package kubernetes

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

// runsOnce reports whether objects of a kind end when their work is done.
func runsOnce(kind string) bool { return kind == "Job" || kind == "Pod" }

// endsByItself reports whether an object works and ends: a Job, or a Pod that is not restarted when it has succeeded. A
// Pod of a VDU serves, and so does a Pod with a readiness probe.
func (w *waiting) endsByItself(o *unstructured.Unstructured) bool {
	switch o.GetKind() {
	case "Job":
		return true
	case "Pod":
		policy, _, _ := unstructured.NestedString(o.Object, "spec", "restartPolicy")
		return (policy == "Never" || policy == "OnFailure") && !hasProbe(o) &&
			!slices.Contains(w.serving, Workload{o.GetKind(), o.GetName()})
	}
	return false
}

func hasProbe(pod *unstructured.Unstructured) bool {
	containers, _, _ := unstructured.NestedSlice(pod.Object, "spec", "containers")
	return slices.ContainsFunc(containers, func(c any) bool {
		container, _ := c.(map[string]any)
		return container["readinessProbe"] != nil
	})
}

// rests reports whether an object is as its author wants it although it does nothing: only a person ends that.
func rests(o *unstructured.Unstructured) bool {
	switch o.GetKind() {
	case "Deployment":
		paused, _, _ := unstructured.NestedBool(o.Object, "spec", "paused")
		return paused
	case "Job":
		suspended, _, _ := unstructured.NestedBool(o.Object, "spec", "suspend")
		return suspended
	}
	return false
}

// judgeOnce reports whether the work of an object is done.
func (w *waiting) judgeOnce(have *unstructured.Unstructured) (ready bool, why string, err error) {
	switch done, failed := outcome(have); {
	case failed != "":
		return false, "", hasFailed(have, failed)
	case !done:
		return false, "it runs", nil
	}
	w.noteEnd(have)
	return true, "", nil
}

func hasFailed(o *unstructured.Unstructured, why string) error {
	return lcm.Errorf(lcm.KindBroken, "%s has failed: %s", title(o), strings.TrimSuffix(why, "."))
}

// judgeGone judges an object that is not there: a Job with ttlSecondsAfterFinished removes itself.
func (w *waiting) judgeGone(p prepared) (ready bool, why string, err error) {
	switch failed, seen := w.endOf(p); {
	case !seen:
		return false, "it does not exist yet", nil
	case failed != "":
		return false, "", hasFailed(&p.Unstructured, failed)
	}
	return true, "", nil
}

// noteEnd notes how a Job that removes itself has ended: it may be gone when it is looked at the next time. Other Jobs
// are gone only if somebody has deleted them; Windlass makes those again, as other objects.
func (w *waiting) noteEnd(item any) {
	o, ok := item.(*unstructured.Unstructured)
	if !ok || o.GetKind() != "Job" {
		return
	}
	if _, removes, _ := unstructured.NestedFieldNoCopy(o.Object, "spec", "ttlSecondsAfterFinished"); !removes {
		return
	}
	if done, failed := outcome(o); done {
		w.setEnd(o, failed)
	}
}

func (w *waiting) setEnd(o *unstructured.Unstructured, failed string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Contains(w.former, o.GetUID()) {
		w.ends[key(o)] = failed
	}
}

// renewFailed removes Jobs and Pods that failed in an earlier attempt, so that they are made again: Kubernetes itself
// does not run them any more.
func (c *Connection) renewFailed(ctx context.Context, objects []prepared, w *waiting) error {
	var failed []unstructured.Unstructured
	for _, p := range objects {
		if !runsOnce(p.GetKind()) || p.mapping == nil {
			continue
		}
		have, err := c.at(p.mapping, p.GetNamespace()).Get(ctx, p.GetName(), metav1.GetOptions{})
		if errors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return translate("read "+title(&p.Unstructured), err)
		}
		if _, why := outcome(have); why != "" && have.GetLabels()[ownerLabel] == w.owner {
			w.show(fmt.Sprintf("%s has failed before (%s): Windlass makes it anew.", title(have), why))
			w.former = append(w.former, have.GetUID())
			failed = append(failed, p.Unstructured)
		}
	}
	return c.removeLayer(ctx, failed, w)
}

// endOf returns how an object has ended, if that was seen; "" for a success.
func (w *waiting) endOf(p prepared) (failed string, seen bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	failed, seen = w.ends[key(&p.Unstructured)]
	return failed, seen
}

// watchEnds follows the Jobs among the objects from before they are made, so that none ends and goes unseen.
func (w *waiting) watchEnds(ctx context.Context, objects []prepared) error {
	var jobs []prepared
	for _, p := range objects {
		if p.GetKind() == "Job" {
			jobs = append(jobs, p)
		}
	}
	if len(jobs) == 0 {
		return nil
	}
	return w.follow(ctx, jobs)
}

// digestOf identifies the definition of an object.
func digestOf(o *unstructured.Unstructured) string {
	doc, _ := json.Marshal(o.Object) // came from JSON or YAML
	sum := sha256.Sum256(doc)
	return hex.EncodeToString(sum[:8])
}

// isOver reports whether the work of an object was done once, by the same definition, and the object has removed itself.
// It must not be made again: a migration of a database must not run twice.
func (r *record) isOver(p prepared) bool {
	digest := r.Over[key(&p.Unstructured)]
	return digest != "" && digest == digestOf(&p.Unstructured)
}

// unended leaves out the objects whose work is over and that are gone.
func (c *Connection) unended(ctx context.Context, objects []prepared, r *record, w *waiting) (out []prepared, err error) {
	for _, p := range objects {
		if r.isOver(p) && p.mapping != nil {
			there, err := c.ownerOf(ctx, p)
			if err != nil {
				return nil, err
			}
			if !there.is {
				w.setEnd(&p.Unstructured, "")
				w.show(title(&p.Unstructured) + " has done its work before, and was removed: it does not run again.")
				continue
			}
		}
		out = append(out, p)
	}
	return out, nil
}

// noteOver notes in the record which Jobs have done their work, also when something else has failed.
func (c *Connection) noteOver(ctx context.Context, objects []prepared, r *record, w *waiting) error {
	now := map[string]string{}
	for _, p := range objects {
		if failed, seen := w.endOf(p); seen && failed == "" {
			now[key(&p.Unstructured)] = digestOf(&p.Unstructured)
		}
	}
	if maps.Equal(r.Over, now) {
		return nil
	}
	r.Over = now
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
	defer done()
	return c.keep(ctx, r.name, r)
}
