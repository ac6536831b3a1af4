package kubernetes

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	release "helm.sh/helm/v4/pkg/release/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/charts"
	"github.com/windlass-nfv/windlass/internal/lcm"
)

// runHooks runs the hooks of an event as Helm does: by weight, each until it is done. It deletes hooks before and
// afterwards as their policies say. Another attempt runs all hooks again.
func (c *Connection) runHooks(ctx context.Context, of *release.Release, event release.HookEvent, w *waiting) error {
	var run []*release.Hook
	for _, h := range of.Hooks {
		if slices.Contains(h.Events, event) {
			run = append(run, h)
		}
	}
	slices.SortStableFunc(run, func(a, b *release.Hook) int { return a.Weight - b.Weight })
	for i, h := range run {
		err := c.runHook(ctx, of, h, w)
		if err == nil {
			continue
		}
		if deletes(h, release.HookFailed) {
			_ = c.deleteHook(context.WithoutCancel(ctx), of, h, w) // the failure itself is reported
		}
		for _, done := range run[:i] {
			if deletes(done, release.HookSucceeded) {
				_ = c.deleteHook(context.WithoutCancel(ctx), of, done, w)
			}
		}
		return hookFailed(of, h, event, err)
	}
	for _, h := range slices.Backward(run) { // later ones may need what earlier ones have made
		if !deletes(h, release.HookSucceeded) {
			continue
		}
		if err := c.deleteHook(ctx, of, h, w); err != nil {
			return err
		}
	}
	return nil
}

func hookFailed(of *release.Release, h *release.Hook, event release.HookEvent, err error) error {
	failed, ok := err.(*lcm.Error) //nolint:errorlint // only the error itself is shown
	if !ok {
		return err
	}
	return lcm.Wrap(failed.Kind, err, "The %s hook %s of the release %s has failed: %s", event, h.Name, of.Name, failed.Detail)
}

func deletes(h *release.Hook, when release.HookDeletePolicy) bool {
	if len(h.DeletePolicies) == 0 {
		return when == release.HookBeforeHookCreation
	}
	return slices.Contains(h.DeletePolicies, when)
}

func (c *Connection) hookObjects(ctx context.Context, of *release.Release, h *release.Hook, owner string) ([]prepared, error) {
	objects, err := charts.Objects(h.Manifest)
	if err != nil {
		return nil, lcm.Wrap(lcm.KindBroken, err, "The hook %s of the release %s cannot be read.", h.Name, of.Name)
	}
	return c.prepare(ctx, Definition{Objects: inNamespace(objects, of.Namespace)}, owner, nil)
}

func (c *Connection) runHook(ctx context.Context, of *release.Release, h *release.Hook, w *waiting) error {
	if deletes(h, release.HookBeforeHookCreation) {
		if err := c.deleteHook(ctx, of, h, w); err != nil {
			return err
		}
	}
	objects, err := c.hookObjects(ctx, of, h, w.owner)
	if err != nil {
		return err
	}
	w.show(fmt.Sprintf("The hook %s of the release %s begins.", h.Name, of.Name))
	h.LastRun = release.HookExecution{StartedAt: time.Now(), Phase: release.HookPhaseRunning}
	err = c.apply(ctx, objects, w.owner, w)
	if err == nil {
		err = w.until(ctx, objects, w.ended)
	}
	h.LastRun.CompletedAt, h.LastRun.Phase = time.Now(), release.HookPhaseSucceeded
	if err != nil {
		h.LastRun.Phase = release.HookPhaseFailed
	}
	return timedOut(ctx, err, w)
}

func (c *Connection) deleteHook(ctx context.Context, of *release.Release, h *release.Hook, w *waiting) error {
	objects, err := c.hookObjects(ctx, of, h, w.owner)
	if err != nil {
		return err
	}
	var plain []unstructured.Unstructured
	for _, o := range objects {
		plain = append(plain, o.Unstructured)
	}
	return c.removeLayer(ctx, plain, w)
}

// ended is the condition that Jobs and Pods have done their work. It does not wait for other objects.
func (w *waiting) ended(ctx context.Context, objects []prepared) (bool, error) {
	for _, p := range objects {
		have := w.have(p)
		if p.GetKind() != "Job" && p.GetKind() != "Pod" {
			continue
		}
		done, failed := outcome(have)
		w.tell(title(&p.Unstructured), done && failed == "", "it runs")
		switch {
		case failed != "":
			return false, w.explain(ctx, p, lcm.Errorf(lcm.KindBroken, "%s has failed: %s", title(&p.Unstructured), failed))
		case !done:
			return false, w.trouble(ctx, objects)
		}
	}
	return true, nil
}

// outcome reports whether and how a Job or a Pod has ended.
func outcome(o *unstructured.Unstructured) (done bool, failed string) {
	if o == nil {
		return false, ""
	}
	if o.GetKind() == "Pod" {
		phase, _, _ := unstructured.NestedString(o.Object, "status", "phase")
		message, _, _ := unstructured.NestedString(o.Object, "status", "message")
		if phase == "Failed" {
			return true, strings.TrimSuffix("its containers have ended with an error: "+message, ": ")
		}
		return phase == "Succeeded", ""
	}
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, c := range conditions {
		c, _ := c.(map[string]any)
		if c["status"] != string(metav1.ConditionTrue) {
			continue
		}
		switch c["type"] {
		case "Complete":
			return true, ""
		case "Failed":
			return true, fmt.Sprintf("%v: %v", c["reason"], c["message"])
		}
	}
	return false, ""
}
