package kubernetes

import (
	"context"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"

	"github.com/windlass-nfv/windlass/internal/vim"
)

// groups returns the workloads of VDUs, each with its present level on the cluster. A running workload has all of its
// wanted Pods.
func (c *Connection) groups(ctx context.Context, r *record) (out []vim.Resource, err error) {
	for _, of := range r.Workloads {
		g := vim.Resource{
			Kind: vim.Group, Name: of.Name, ID: of.Kind + "/" + of.Name, VimType: of.Kind, Part: r.id, Level: vim.Stopped,
			Status: "Halted",
		}
		if !r.Halted {
			if g.Level, g.Status, err = c.workloadLevel(ctx, r, of); err != nil {
				return nil, err
			}
		}
		out = append(out, g)
	}
	slices.SortFunc(out, func(a, b vim.Resource) int { return strings.Compare(a.ID, b.ID) })
	return out, nil
}

func (c *Connection) workloadLevel(ctx context.Context, r *record, w Workload) (vim.Level, string, error) {
	at := slices.IndexFunc(r.Objects, func(o unstructured.Unstructured) bool {
		return o.GetKind() == w.Kind && o.GetName() == w.Name
	})
	if at < 0 {
		return vim.Removed, "Missing", nil
	}
	o := r.Objects[at]
	mapping, _, err := c.kindOf(ctx, o.GroupVersionKind(), time.Now())
	if meta.IsNoMatchError(err) {
		return vim.Removed, "Missing", nil
	}
	if err != nil {
		return "", "", translate("list the kinds of its objects", err)
	}
	live, err := c.at(mapping, o.GetNamespace()).Get(ctx, o.GetName(), metav1.GetOptions{})
	switch {
	case errors.IsNotFound(err):
		return vim.Removed, "Missing", nil
	case err != nil:
		return "", "", translate("read "+title(&o), err)
	}
	is, err := status.Compute(live)
	switch {
	case err != nil || is.Status == status.FailedStatus:
		return vim.Failed, string(status.FailedStatus), nil //nolint:nilerr // an unreadable object is out of order
	case is.Status == status.TerminatingStatus:
		return vim.Removed, string(is.Status), nil
	case is.Status != status.CurrentStatus:
		return vim.Changing, string(is.Status), nil
	}
	return vim.Running, string(is.Status), nil
}
