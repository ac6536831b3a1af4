package kubernetes

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/charts"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/vim"
)

const (
	claimKind  = "PersistentVolumeClaim"
	volumeKind = "PersistentVolume"
)

// mayHaveClaims reports whether a deployment can have claims, its own or those of StatefulSets. Without claims, the
// credentials need no right to list them.
func mayHaveClaims(objects []unstructured.Unstructured) bool {
	return slices.ContainsFunc(objects, func(o unstructured.Unstructured) bool {
		return o.GetKind() == claimKind || len(claimTemplates(&o)) > 0
	})
}

// claimTemplates returns the names of a StatefulSet's claim templates.
func claimTemplates(o *unstructured.Unstructured) (names []string) {
	if o.GetKind() != "StatefulSet" {
		return nil
	}
	templates, _, _ := unstructured.NestedSlice(o.Object, "spec", "volumeClaimTemplates")
	for _, t := range templates {
		t, _ := t.(map[string]any)
		if name, _, _ := unstructured.NestedString(t, "metadata", "name"); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// claims returns the owner's claims in the namespaces of the objects.
func (c *Connection) claims(
	ctx context.Context, objects []unstructured.Unstructured, owner string,
) (out []prepared, err error) {
	if !mayHaveClaims(objects) {
		return nil, nil
	}
	mapping, verbs, err := c.kindOf(ctx, corev1.SchemeGroupVersion.WithKind(claimKind), time.Time{})
	if err != nil {
		return nil, translate("list the kinds of its objects", err)
	}
	for _, namespace := range namespacesOfAll(objects) {
		list, err := c.at(mapping, namespace).List(ctx, listOptions(owner))
		if err != nil {
			return nil, translate("list the claims of volumes", err)
		}
		for _, o := range list.Items {
			out = append(out, prepared{Unstructured: o, mapping: mapping, verbs: verbs})
		}
	}
	return out, nil
}

// removeClaims deletes the claims that StatefulSets leave behind, and waits until they are gone. It keeps claims that
// the operation or the package wants to keep.
func (c *Connection) removeClaims(ctx context.Context, r *record, w *waiting) error {
	all, err := c.claims(ctx, slices.Concat(r.Objects, r.Dropped, r.Hooks, r.ClaimMakers), w.owner)
	if err != nil {
		return err
	}
	var going []prepared
	for _, claim := range all {
		if why := r.keepsClaim(&claim.Unstructured, w.volumes); why != "" {
			w.stays(&claim.Unstructured, why)
			continue
		}
		going = append(going, claim)
	}
	var g errgroup.Group
	g.SetLimit(atOnce)
	for _, claim := range going {
		g.Go(func() error { return c.remove(ctx, claim, w.owner) })
	}
	if err := g.Wait(); err != nil || len(going) == 0 {
		return err
	}
	return w.until(ctx, going, w.gone)
}

// keepsClaim returns the reason why a claim stays, "" when it goes.
func (r *record) keepsClaim(claim *unstructured.Unstructured, fate vim.VolumeFate) string {
	switch {
	case charts.Kept(claim):
		return "the chart keeps it (helm.sh/resource-policy)"
	case slices.ContainsFunc(slices.Concat(r.Objects, r.Dropped, r.ClaimMakers), func(o unstructured.Unstructured) bool {
		return retains(&o, claim)
	}):
		return "its StatefulSet retains it (persistentVolumeClaimRetentionPolicy)"
	case fate == vim.VolumesStay:
		return "the claims of the VNF are kept"
	case fate == vim.FormerVolumesStay && slices.Contains(r.FormerClaims, string(claim.GetUID())):
		return "it was there before the VNF was made"
	}
	return ""
}

// retains reports whether a StatefulSet itself keeps a claim that it made when the StatefulSet is deleted.
func retains(o, claim *unstructured.Unstructured) bool {
	policy, _, _ := unstructured.NestedString(o.Object, "spec", "persistentVolumeClaimRetentionPolicy", "whenDeleted")
	if policy != "Retain" || o.GetNamespace() != claim.GetNamespace() {
		return false
	}
	_, is := claimNumber(o, claim.GetName())
	return is
}

// claimNumber returns the number of the StatefulSet's Pod that mounts the claim of that name, if one does.
func claimNumber(set *unstructured.Unstructured, name string) (n int, is bool) {
	for _, template := range claimTemplates(set) {
		number, is := strings.CutPrefix(name, template+"-"+set.GetName()+"-")
		if n, err := strconv.Atoi(number); is && err == nil && n >= 0 {
			return n, true
		}
	}
	return 0, false
}

// claimsAreFree refuses other owners' claims that a StatefulSet would mount because of their names. Claims that its
// Pods mount already are its own.
func (c *Connection) claimsAreFree(ctx context.Context, p prepared, owner string) error {
	if len(claimTemplates(&p.Unstructured)) == 0 {
		return nil
	}
	mapping, _, err := c.kindOf(ctx, corev1.SchemeGroupVersion.WithKind(claimKind), time.Time{})
	if err != nil {
		return translate("list the kinds of its objects", err)
	}
	list, err := c.at(mapping, p.GetNamespace()).List(ctx, metav1.ListOptions{LabelSelector: ownerLabel + "!=" + owner})
	if err != nil {
		return translate("list the claims of volumes", err)
	}
	var foreign []unstructured.Unstructured
	first, end := numbers(&p.Unstructured)
	for _, claim := range list.Items {
		if n, is := claimNumber(&p.Unstructured, claim.GetName()); is && n >= first && n < end {
			foreign = append(foreign, claim)
		}
	}
	if len(foreign) == 0 {
		return nil
	}
	live, err := c.at(p.mapping, p.GetNamespace()).Get(ctx, p.GetName(), metav1.GetOptions{})
	switch {
	case err == nil:
		first, end := numbers(live)
		foreign = slices.DeleteFunc(foreign, func(claim unstructured.Unstructured) bool {
			n, _ := claimNumber(live, claim.GetName())
			return n >= first && n < end
		})
	case !errors.IsNotFound(err):
		return translate("read "+title(&p.Unstructured), err)
	}
	var names []string
	for _, claim := range foreign {
		names = append(names, claim.GetName())
	}
	if len(names) == 0 {
		return nil
	}
	return lcm.Errorf(lcm.KindConflict, "would mount claims that exist already and do not belong to this VNF: %s. "+
		"Rename the StatefulSet in the package, choose another namespace, or remove the claims",
		strings.Join(names, ", "))
}

// numbers returns the number of a StatefulSet's first Pod, and the number after its last. With an autoscaler, there is
// no last one.
func numbers(set *unstructured.Unstructured) (first, end int) {
	start, _, _ := unstructured.NestedInt64(set.Object, "spec", "ordinals", "start")
	replicas, is, _ := unstructured.NestedInt64(set.Object, "spec", "replicas")
	if !is {
		return int(start), math.MaxInt
	}
	return int(start), int(start + replicas)
}

// claimMakersAmong returns the StatefulSets that made claims, reduced to what identifies the claims. The StatefulSets
// themselves are gone.
func claimMakersAmong(objects []unstructured.Unstructured) (out []unstructured.Unstructured) {
	for _, o := range objects {
		if len(claimTemplates(&o)) == 0 {
			continue
		}
		made := unstructured.Unstructured{Object: map[string]any{}}
		made.SetGroupVersionKind(o.GroupVersionKind())
		made.SetNamespace(o.GetNamespace())
		made.SetName(o.GetName())
		for _, field := range []string{"volumeClaimTemplates", "persistentVolumeClaimRetentionPolicy"} {
			if value, is, _ := unstructured.NestedFieldCopy(o.Object, "spec", field); is {
				_ = unstructured.SetNestedField(made.Object, value, "spec", field)
			}
		}
		out = append(out, made)
	}
	return out
}

// formerClaims returns the UIDs of claims that an earlier deployment left for this one.
func (c *Connection) formerClaims(ctx context.Context, p *plan, owner string) (uids []string, err error) {
	all, err := c.claims(ctx, unprepared(p.objects), owner)
	for _, claim := range all {
		uids = append(uids, string(claim.GetUID()))
	}
	return uids, err
}

// stays records that an object stays, and so its namespace.
func (w *waiting) stays(o *unstructured.Unstructured, why string) {
	w.show(title(o) + " stays: " + why + ".")
	if o.GetNamespace() != "" {
		w.inhabited[o.GetNamespace()] = title(o)
	}
}
