package operations

import (
	"context"
	"encoding/json"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/requests"
)

// granted applies the NFVOs' grants to the operation: its own grant, and those of earlier operations.
func (r *Resolver) granted(ctx context.Context, o *Operation) error {
	if i := o.Instance.Instantiated; i != nil && i.Granted != nil {
		o.Choices = *i.Granted
		if o.makesAllAnew() {
			o.Choices.KeptImages = nil
		}
		if o.Before != nil {
			o.Choices = lifecycle.KeptChoices(o.Choices, o.Before.Flavour, o.Flavour)
		}
	}
	if o.OpOcc.GrantID == "" || o.OpOcc.GrantID == lifecycle.BuiltInGrant(o.OpOcc.ID) {
		return nil
	}
	grant, err := r.Store.Grant(ctx, o.OpOcc.ID)
	if err != nil {
		return err
	}
	return o.ApplyGrant(grant)
}

// makesAllAnew tells whether the operation replaces all servers of the VNF.
func (o *Operation) makesAllAnew() bool { return o.OpOcc.Plan != nil && o.OpOcc.Plan.Whole }

// ApplyGrant applies a grant to the operation.
func (o *Operation) ApplyGrant(g lcm.Grant) error {
	facts, p, err := o.Planned()
	if err != nil {
		return err
	}
	if o.Choices, err = lifecycle.Chosen(facts, g, p.Whole); err != nil {
		return err
	}
	managed, err := lifecycle.Managed(facts, o.OpOcc.Operation, g, grantedOn(g))
	if err != nil {
		return err
	}
	links, _, err := requests.GrantedLinks(g.ExtVirtualLinks, g.AdditionalParams)
	if err != nil {
		return err
	}
	connects := o.OpOcc.Operation.Makes() || o.redefining() != nil
	switch links = lcm.Overridden(o.Request.ExtVirtualLinks, links); {
	case o.ChangesLinks(): // they are in the plan
		return nil
	case !connects && !lcm.SameLinks(links, o.Request.ExtVirtualLinks):
		return Unhonourable("$.extVirtualLinks",
			"the VNF has other links, and "+string(o.OpOcc.Operation)+" does not change them")
	case !connects:
		return nil
	}
	o.Request.ExtVirtualLinks, o.Request.ExtManagedVirtualLinks = links, managed
	if o.OpOcc.Operation.Makes() {
		o.Targets = g.VimConnections
	}
	if o.Request.AdditionalParams, err = withNfv(o.Request.AdditionalParams, g.AdditionalParams); err != nil {
		return err
	}
	o.Request.ExtVirtualLinks = lcm.WithNfvPorts(links, o.Request.AdditionalParams, o.SeparateResources())
	o.bound = nil // the parameters are others now
	return nil
}

// grantedOn returns the VIM connection of an accepted or stored grant.
func grantedOn(g lcm.Grant) lcm.VimConnectionInfo {
	if len(g.VimConnections) == 0 {
		return lcm.VimConnectionInfo{}
	}
	return g.VimConnections[0]
}

// Relink makes the plan of a CHANGE_EXT_CONN again with the links of its grant, before the grant is stored.
func (o *Operation) Relink(facts lifecycle.Facts, g lcm.Grant) error {
	request, ok := o.Own.(lcm.ChangeExtConnRequest)
	if !ok || len(g.ExtVirtualLinks) == 0 {
		return nil
	}
	links, _, err := requests.GrantedLinks(g.ExtVirtualLinks, g.AdditionalParams)
	if err != nil {
		return err
	}
	p, err := lifecycle.ReconnectedAsGranted(facts, request, links)
	if err != nil {
		return err
	}
	o.Regranted, o.Request.ExtVirtualLinks = &p, p.Links
	return nil
}

// withNfv merges the member nfv of a grant's additionalParams into the request's additionalParams, as Tacker does (RFC
// 7396). It ignores the grant's other members.
func withNfv(params, granted json.RawMessage) (json.RawMessage, error) {
	if len(granted) == 0 {
		return params, nil
	}
	var of struct {
		Nfv json.RawMessage `json:"nfv"`
	}
	if err := json.Unmarshal(granted, &of); err != nil {
		return params, Unhonourable("$.additionalParams", "is not an object")
	}
	if len(of.Nfv) == 0 {
		return params, nil
	}
	patch, err := json.Marshal(of)
	if err != nil {
		return params, err
	}
	if len(params) == 0 {
		params = json.RawMessage(`{}`)
	}
	out, err := jsonpatch.MergePatch(params, patch)
	if err != nil {
		return params, Unhonourable("$.additionalParams.nfv", "cannot be merged into the request's")
	}
	return out, nil
}

// Chosen returns the choices that the VNF keeps, nil for none.
func (o *Operation) Chosen() *lcm.GrantedChoices {
	if len(o.Choices.Images)+len(o.Choices.ComputeFlavours)+len(o.Choices.Zones)+len(o.Choices.KeptImages) == 0 {
		return nil
	}
	return &o.Choices
}
