// Package definitions makes the definition of a containerised VNF for a Kubernetes. The package of the VNF has
// manifests and charts, or its VNFD describes containers. The definition has these, their namespace, the workloads of
// the VDUs and their numbers of Pods.
package definitions

import (
	"cmp"
	"context"
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/windlass-nfv/windlass/internal/charts"
	"github.com/windlass-nfv/windlass/internal/cnf"
	"github.com/windlass-nfv/windlass/internal/deployments"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/internal/vim/kubernetes"
)

// Definer makes definitions. With each, it returns the secrets in it, which must not be shown.
type Definer struct{ *operations.Resolver }

// Whole defines the VNF as it is, or as it is instantiated.
func (o *Definer) Whole(ctx context.Context, of *operations.Operation) (vim.Definition, []string, error) {
	j, secret, err := o.read(ctx, of)
	if err != nil {
		return nil, nil, err
	}
	capacity, err := j.capacity()
	if err != nil {
		return nil, nil, err
	}
	d, err := j.whole(ctx, capacity)
	return d, secret, err
}

// Redefined defines the change of the VNF to what its operation makes of it.
func (o *Definer) Redefined(
	ctx context.Context, of *operations.Operation, sizes vim.Sizes,
) (vim.Definition, []string, error) {
	if sizes == vim.SizesRecorded {
		return o.Whole(ctx, of.Before)
	}
	j, secret, err := o.read(ctx, of)
	if err != nil {
		return nil, nil, err
	}
	d, err := j.whole(ctx, deployments.Capacity(of, sizes))
	if err != nil || sizes == vim.SizesPlanned {
		return d, secret, err
	}
	was, its, err := o.read(ctx, of.Before)
	if err != nil {
		return nil, nil, err
	}
	former, err := was.whole(ctx, was.Recorded())
	if err != nil {
		return nil, nil, err
	}
	d, err = d.Keeping(former)
	return d, append(secret, its...), err
}

// whole defines the VNF with so many Pods of each VDU.
func (j *job) whole(ctx context.Context, capacity map[string]int) (d kubernetes.Definition, err error) {
	releases, err := j.Releases(ctx, capacity)
	if err != nil {
		return d, err
	}
	attachments, err := j.attachments(capacity)
	if err != nil {
		return d, err
	}
	choices, err := j.choices()
	if err != nil {
		return d, err
	}
	place := cnf.PlaceOf(j.Params, j.Manifests.Objects)
	return kubernetes.Definition{
		// An empty slice, because in a change nil would keep the former objects.
		Objects: append([]unstructured.Unstructured{}, j.Manifests.Objects...),
		Charts:  append([]charts.Release{}, releases...), Namespace: place.Namespace, Override: place.Override,
		Workloads: j.named(), Replicas: j.replicas(capacity), Attachments: attachments,
		Choices: choices, Patience: seconds(lcm.WaitsOf(j.Own).Patience, j.Params.Patience),
		ReadyTimeout: seconds(lcm.WaitsOf(j.Own).ReadyTimeout, j.Params.ReadyTimeout),
	}, nil
}

// Sized defines a change of the VNF to those sizes. Its manifests stay except for the numbers of Pods; charts get other
// values.
func (o *Definer) Sized(
	ctx context.Context, of *operations.Operation, sizes vim.Sizes,
) (vim.Definition, []string, error) {
	j, secret, err := o.read(ctx, of)
	if err == nil {
		err = j.checkGroups()
	}
	if err != nil {
		return nil, nil, err
	}
	d, err := j.changed(ctx, deployments.Capacity(j.Operation, sizes))
	d.Scaled = j.scaled(sizes)
	return d, secret, err
}

// Renewed defines a change of the VNF's connections: its Pods get other networks. It needs no mark, because a repeated
// change does nothing on Kubernetes.
func (o *Definer) Renewed(ctx context.Context, of *operations.Operation, _ string) (vim.Definition, []string, error) {
	j, secret, err := o.read(ctx, of)
	if err != nil {
		return nil, nil, err
	}
	d, err := j.changed(ctx, j.Recorded())
	return d, secret, err
}

// job is an operation whose VNF is made of manifests and charts.
type job struct {
	*operations.Operation
	*cnf.VNF
}

// read reads the manifests and charts of the operation's request. secret holds the values that must not be shown.
func (o *Definer) read(ctx context.Context, of *operations.Operation) (j *job, secret []string, err error) {
	v, opened, err := o.Containers(ctx, of)
	if err != nil {
		return nil, nil, err
	}
	return &job{of, v}, append(opened, kubernetes.SecretsOf(v.Objects)...),
		lcm.InvalidAll("The manifests of the VNF cannot be used", v.Problems())
}

// changed defines a change of a VNF whose manifests stay. It renders charts anew, so it includes the networks again.
func (j *job) changed(ctx context.Context, capacity map[string]int) (kubernetes.Definition, error) {
	releases, err := j.Releases(ctx, capacity)
	if err != nil {
		return kubernetes.Definition{}, err
	}
	attachments, err := j.attachments(capacity)
	if err != nil {
		return kubernetes.Definition{}, err
	}
	choices, err := j.choices()
	return kubernetes.Definition{
		Charts: releases, Replicas: j.replicas(capacity), Attachments: attachments, Choices: choices,
		Patience:     seconds(lcm.WaitsOf(j.Own).Patience, j.Params.Patience),
		ReadyTimeout: seconds(lcm.WaitsOf(j.Own).ReadyTimeout, j.Params.ReadyTimeout),
	}, err
}

// seconds is a time of this operation's request, or else of the request that made the VNF.
func seconds(own, ofVNF int) time.Duration { return time.Duration(cmp.Or(own, ofVNF)) * time.Second }

// scaled returns the VDUs whose number of Pods the operation changes.
func (j *job) scaled(sizes vim.Sizes) (vdus []string) {
	if j.OpOcc.Plan == nil || sizes == vim.SizesRecorded {
		return nil
	}
	for _, g := range j.OpOcc.Plan.Groups {
		vdus = append(vdus, g.VduID)
	}
	return vdus
}

// attachments returns the networks of the request's external links, an empty slice for none.
func (j *job) attachments(capacity map[string]int) ([]kubernetes.Attachment, error) {
	wanted, problems := j.Attachments(j.Flavour, j.Request.ExtVirtualLinks, capacity)
	out := make([]kubernetes.Attachment, 0, len(wanted))
	for _, a := range wanted {
		out = append(out, kubernetes.Attachment(a))
	}
	return out, lcm.InvalidAll("The external links of the VNF cannot be made", problems)
}

// choices returns the choices of grants for the VNF's Pods.
func (j *job) choices() ([]kubernetes.Choice, error) {
	chosen, problems := j.VNF.Choices(j.Flavour, j.Operation.Choices)
	var out []kubernetes.Choice
	for _, c := range chosen {
		out = append(out, kubernetes.Choice(c))
	}
	return out, lcm.InvalidAll(lcm.UnhonouredGrant, problems)
}

// capacity returns the number of Pods of each VDU. It is nil for a VNF that is instantiated through /vnflcm/v1 without
// a level: then the manifests decide.
func (j *job) capacity() (map[string]int, error) {
	switch {
	case j.Instance.Instantiated != nil:
		return j.Capacity()
	case j.OpOcc.APIVersion == 1 && j.Request.InstantiationLevelID == "":
		return nil, nil
	default:
		return j.Flavour.Capacity(j.Request.InstantiationLevelID)
	}
}

// checkGroups refuses a plan that resizes a workload without a settable size.
func (j *job) checkGroups() error {
	if j.OpOcc.Plan == nil {
		return nil
	}
	for _, g := range j.OpOcc.Plan.Groups {
		if why, ok := j.VNF.Sized(g.VduID); !ok && g.To != g.From {
			return lcm.Errorf(lcm.KindInvalid, "The VDU %s cannot be scaled: %s.", g.VduID, why)
		}
	}
	return nil
}

// replicas returns the sizes of the VDUs whose manifests have a settable size.
func (j *job) replicas(capacity map[string]int) map[string]int {
	out := maps.Clone(capacity)
	maps.DeleteFunc(out, func(vdu string, _ int) bool { return !j.Workloads[vdu].Scalable() || j.OfChart(vdu) })
	return out
}

// named returns the workloads in the form for the VIM.
func (j *job) named() map[string]kubernetes.Workload {
	out := make(map[string]kubernetes.Workload, len(j.Workloads))
	for vdu, w := range j.Workloads {
		out[vdu] = kubernetes.Workload(w)
	}
	return out
}
