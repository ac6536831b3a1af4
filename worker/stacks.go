package worker

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/internal/vim"
	"github.com/windlass-nfv/windlass/internal/vim/openstack"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// defaultStackTimeout is Heat's time for a stack; Tacker's is 10 to 20 minutes, too short for a slow cloud.
const defaultStackTimeout = 30 * time.Minute

// StackName implements activities.Stacks. The name and the owner depend on the instance only, so that every
// operation, retry and rollback finds the same stack.
func (o *resolver) StackName(ctx context.Context, id lcm.OpOccID) (name, owner string, err error) {
	opOcc, err := o.Store.Operation(ctx, id)
	if err != nil {
		return "", "", err
	}
	return stackName(opOcc.VnfInstanceID), "windlass-vnf-" + string(opOcc.VnfInstanceID), nil
}

func stackName(id lcm.VnfInstanceID) string { return "vnf-" + string(id) }

// GracePeriod implements activities.Stacks.
func (o *resolver) GracePeriod(ctx context.Context, id lcm.OpOccID) (time.Duration, error) {
	opOcc, err := o.Store.Operation(ctx, id)
	if err != nil {
		return 0, err
	}
	request, err := lcm.ParseTerminate(opOcc.Params)
	if err != nil || request.GracefulTerminationTimeout != nil {
		return request.GracePeriod(), err
	}
	j, err := o.loadOf(ctx, opOcc)
	if err != nil || j.Flavour == nil {
		return request.GracePeriod(), err
	}
	return max(request.GracePeriod(), j.Flavour.LeastGrace()), nil
}

// Stack implements activities.Stacks.
func (o *resolver) Stack(ctx context.Context, id lcm.OpOccID) (vim.Deployment, error) {
	j, err := o.load(ctx, id)
	if err != nil {
		return vim.Deployment{}, err
	}
	name, owner, err := o.StackName(ctx, id)
	if err != nil {
		return vim.Deployment{}, err
	}
	whole, err := j.whole()
	if err != nil {
		return vim.Deployment{}, err
	}
	template, parameters, opened, err := o.heat(ctx, j, whole)
	if err != nil {
		return vim.Deployment{}, err
	}
	return vim.Deployment{
		Name: name, Definition: definition(template, parameters),
		Owner: owner, Operation: stackTag(id), Timeout: o.stackTimeout(j), Secrets: opened,
	}, nil
}

// Change implements activities.Stacks.
func (o *resolver) Change(
	ctx context.Context, id lcm.OpOccID, sizes activities.Sizes,
) (vim.Change, []string, error) {
	j, err := o.load(ctx, id)
	if err != nil {
		return vim.Change{}, nil, err
	}
	name, owner, err := o.StackName(ctx, id)
	if err != nil {
		return vim.Change{}, nil, err
	}
	if sizes == activities.SizesRecorded { // also the parameters
		j.Request.ExtVirtualLinks, j.Request.AdditionalParams = j.Instance.Instantiated.ExtVirtualLinks,
			j.Instance.Instantiated.AdditionalParams
	}
	sized, err := j.sized(sizes)
	if err != nil {
		return vim.Change{}, nil, err
	}
	template, parameters, opened, err := o.heat(ctx, j, sized)
	change := vim.Change{
		Name: name, Owner: owner, Operation: stackTag(id), Timeout: o.stackTimeout(j), Secrets: opened,
	}
	if sized.members == nil { // else the size is in the template
		template = vnfpkg.Template{}
	}
	change.Definition = definition(template, parameters)
	return change, j.Servers(), err
}

// sizes are how many VMs of each VDU a VNF that is there has, or gets.
func (j *job) sizes(sizes activities.Sizes) map[string]int {
	capacity := j.Recorded()
	if p := j.OpOcc.Plan; p != nil && sizes != activities.SizesRecorded {
		for _, g := range p.Groups {
			if sizes == activities.SizesPlanned || g.To > g.From {
				capacity[g.VduID] = g.To
			}
		}
	}
	return capacity
}

// Reconnection implements activities.Stacks.
func (o *resolver) Reconnection(ctx context.Context, id lcm.OpOccID, asBefore bool) (vim.Change, error) {
	j, err := o.load(ctx, id)
	if err != nil {
		return vim.Change{}, err
	}
	if asBefore {
		j.Request.ExtVirtualLinks, j.Request.AdditionalParams = j.Instance.Instantiated.ExtVirtualLinks,
			j.Instance.Instantiated.AdditionalParams
	}
	name, owner, err := o.StackName(ctx, id)
	if err != nil {
		return vim.Change{}, err
	}
	present, err := j.present()
	if err != nil {
		return vim.Change{}, err
	}
	template, parameters, opened, err := o.heat(ctx, j, present)
	if err != nil {
		return vim.Change{}, err
	}
	direction := map[bool]string{false: "", true: " taken back"}[asBefore]
	if template, err = template.Renewed(j.Flavour, string(id)+direction); err != nil {
		return vim.Change{}, err
	}
	return vim.Change{
		Name: name, Owner: owner, Operation: stackTag(id), Timeout: o.stackTimeout(j), Secrets: opened,
		Definition: definition(template, parameters),
	}, nil
}

// definition is what Heat is told. Without a template it leaves the stack's as it is.
func definition(t vnfpkg.Template, parameters map[string]any) openstack.Definition {
	return openstack.Definition{Template: t.Top, Files: t.Files, Parameters: parameters}
}

func stackTag(id lcm.OpOccID) string { return "windlass-op-" + string(id) }

// unusablePorts is what errors begin with that name given ports which the stack cannot have.
const unusablePorts = "The ports of the request cannot be used"

// heat makes the template and the parameters of the VNF's stack of that shape; opened are the parameters' secrets.
func (o *resolver) heat(ctx context.Context, j *job, s shape) (vnfpkg.Template, map[string]any, []string, error) {
	template, err := vnfpkg.StackTemplate(j.Flavour, func(path string) ([]byte, error) {
		return o.Store.PackageFile(ctx, j.Instance.VnfPkgID, path)
	})
	if err == nil {
		template, err = template.Managed(j.Flavour, j.Request.ExtManagedVirtualLinks)
	}
	if err != nil {
		return template, nil, nil, err
	}
	class := lcm.ParseUserData(j.Request.AdditionalParams)
	ports, err := template.PortsProblems(j.Flavour, j.Request.ExtVirtualLinks, s.capacity, s.members)
	if err == nil && class.BuiltIn(o.userData != nil) {
		err = lcm.InvalidAll(unusablePorts, ports)
	}
	if err == nil && s.members != nil {
		template, err = template.Separate(j.Flavour, s.members)
	}
	if err != nil {
		return template, nil, nil, err
	}
	additional, opened, err := o.additionalParams(ctx, j)
	if err != nil {
		return template, nil, nil, err
	}
	request := vnfpkg.HeatRequest{
		Capacity: s.capacity, Members: s.members, Bitrates: s.bitrates, AdditionalParams: additional,
		ExtVirtualLinks: j.Request.ExtVirtualLinks, ExtManagedVirtualLinks: j.Request.ExtManagedVirtualLinks,
		Images: j.Choices.Images, ComputeFlavours: j.Choices.ComputeFlavours, Zones: j.Choices.Zones,
		KeptImages: j.Choices.KeptImages,
	}
	if !class.BuiltIn(o.userData != nil) {
		template, parameters, err := o.scripted(ctx, j, class, template, request, opened)
		if err == nil {
			err = lcm.InvalidAll(unusablePorts, vnfpkg.MadePortsProblems(j.Flavour, j.Request.ExtVirtualLinks, s.capacity,
				parameters))
		}
		return template, parameters, opened, err
	}
	parameters, err := vnfpkg.HeatParameters(j.Flavour, template, request)
	return template, parameters, opened, err
}

// additionalParams opens the request's parameters: a HOT parameter of the same name gets the value of each, also
// of a sealed one. opened are those that were sealed.
func (o *resolver) additionalParams(ctx context.Context, j *job) (params map[string]any, opened []string, err error) {
	if len(j.Request.AdditionalParams) == 0 {
		return nil, nil, nil
	}
	doc, err := secrets.OpenDocument(ctx, o.vault, j.Request.AdditionalParams)
	if err != nil {
		return nil, nil, err
	}
	var sealed map[string]any
	if err := errors.Join(json.Unmarshal(doc, &params), json.Unmarshal(j.Request.AdditionalParams, &sealed)); err != nil {
		return nil, nil, lcm.Wrap(lcm.KindInvalid, err, "additionalParams must be a JSON object.")
	}
	return params, differing(params, sealed), nil
}

// differing collects the strings of clear that stand for something else in sealed.
func differing(clear, sealed any) (out []string) {
	switch c := clear.(type) {
	case map[string]any:
		s, _ := sealed.(map[string]any)
		for key, value := range c {
			out = append(out, differing(value, s[key])...)
		}
	case []any:
		s, _ := sealed.([]any)
		for i, value := range c {
			if i < len(s) {
				out = append(out, differing(value, s[i])...)
			}
		}
	case string:
		if sealed != clear {
			out = append(out, c)
		}
	}
	return out
}

func (o *resolver) stackTimeout(j *job) time.Duration {
	if j.IsCluster() || j.IsRegistryServer() {
		if params, _, err := j.Access(); err == nil && params.Timeouts.Stack > 0 {
			return time.Duration(params.Timeouts.Stack) * time.Second
		}
	}
	return defaultStackTimeout
}
