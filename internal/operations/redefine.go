package operations

import (
	"context"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// redefining is the operation's request if the VNF becomes another one of its package; nil for any other operation, and
// after its end.
func (o *Operation) redefining() lcm.Redefining {
	own, ok := o.Own.(lcm.Redefining)
	if !ok || o.OpOcc.State.Terminal() || o.Instance.Instantiated == nil {
		return nil
	}
	return own
}

// takeFormer keeps the VNF as it is before it becomes another one.
func (r *Resolver) takeFormer(ctx context.Context, o *Operation) (err error) {
	if o.redefining() != nil {
		o.Before, err = r.asItIs(ctx, o.OpOcc)
	}
	return err
}

// redefine changes the request that would instantiate the VNF to what the operation's own request says.
func (o *Operation) redefine() error {
	own := o.redefining()
	if own == nil {
		return nil
	}
	linked, err := withoutCps(o.Request.AdditionalParams, own.Redefined(lcm.InstantiateRequest{}).ExtVirtualLinks)
	if err != nil {
		return err
	}
	o.Request.AdditionalParams = linked
	o.Request = own.Redefined(o.Request)
	if patch := own.ParamsPatch(); len(patch) > 0 {
		params, err := merged(orObject(o.Request.AdditionalParams), patch)
		if err != nil {
			return err
		}
		o.Request.AdditionalParams = params
	}
	o.Request.ExtVirtualLinks = lcm.WithNfvPorts(o.Request.ExtVirtualLinks, o.Request.AdditionalParams,
		o.SeparateResources())
	return nil
}

// dropFormer takes connection points and internal virtual links that the VNF does not have any more out of its links.
func (o *Operation) dropFormer() {
	if o.redefining() == nil {
		return
	}
	o.Request.ExtManagedVirtualLinks = slices.DeleteFunc(slices.Clone(o.Request.ExtManagedVirtualLinks),
		func(l lcm.ExtManagedVirtualLink) bool {
			_, had := o.Before.Flavour.VirtualLink(l.VnfVirtualLinkDescID)
			_, has := o.Flavour.VirtualLink(l.VnfVirtualLinkDescID)
			return had && !has
		})
	var links []lcm.ExtVirtualLink
	for _, link := range o.Request.ExtVirtualLinks {
		link.ExtCps = slices.DeleteFunc(slices.Clone(link.ExtCps), func(cp lcm.ExtCp) bool {
			_, had := o.Before.Flavour.Cp(cp.CpdID)
			_, has := o.Flavour.Cp(cp.CpdID)
			return had && !has
		})
		if len(link.ExtCps) > 0 {
			links = append(links, link)
		}
	}
	o.Request.ExtVirtualLinks = links
}

// FlavourOf is the flavour of a VDU: that of the VNF, or else that of the VNF before the operation.
func (o *Operation) FlavourOf(vdu string) *descriptor.Flavour {
	if o.Before != nil && o.Flavour != nil {
		if _, has := o.Flavour.Vdu(vdu); !has {
			return o.Before.Flavour
		}
	}
	return o.Flavour
}
