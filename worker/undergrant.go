package worker

import (
	"context"
	"encoding/json"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
)

// granted puts the job under what NFVOs have granted: this operation, and those before it.
func (o *operations) granted(ctx context.Context, j *job) error {
	if i := j.inst.Instantiated; i != nil && i.Granted != nil {
		j.choices = *i.Granted
		if j.makesAllAnew() {
			j.choices.KeptImages = nil
		}
	}
	if j.opOcc.GrantID == "" || j.opOcc.GrantID == activities.BuiltInGrant(j.opOcc.ID) {
		return nil
	}
	grant, err := o.store.Grant(ctx, j.opOcc.ID)
	if err != nil {
		return err
	}
	return j.under(grant)
}

// makesAllAnew tells whether no server of the VNF stays.
func (j *job) makesAllAnew() bool { return j.opOcc.Plan != nil && j.opOcc.Plan.Whole }

// under makes of the job what a grant allows.
func (j *job) under(g lcm.Grant) error {
	facts, p, err := j.planned()
	if err != nil {
		return err
	}
	if j.choices, err = lifecycle.Chosen(facts, g, p.Whole); err != nil {
		return err
	}
	managed, err := lifecycle.Managed(facts, j.opOcc.Operation, g, grantedOn(g))
	if err != nil {
		return err
	}
	links, err := lcm.ParseExtVirtualLinks(g.ExtVirtualLinks)
	if err != nil {
		return err
	}
	switch links = lcm.Overridden(j.request.ExtVirtualLinks, links); {
	case j.opOcc.Operation == lcm.OpChangeExtConn:
		return nil // the plan has them
	case j.opOcc.Operation != lcm.OpInstantiate && !lcm.SameLinks(links, j.request.ExtVirtualLinks):
		return unhonourable("$.extVirtualLinks", "the VNF's links are others, and "+string(j.opOcc.Operation)+" does not change them")
	case j.opOcc.Operation != lcm.OpInstantiate:
		return nil
	}
	j.request.ExtVirtualLinks, j.request.ExtManagedVirtualLinks = links, managed
	if len(g.VimConnections) > 0 {
		j.target = &g.VimConnections[0]
	}
	if j.request.AdditionalParams, err = withNfv(j.request.AdditionalParams, g.AdditionalParams); err != nil {
		return err
	}
	j.request.ExtVirtualLinks = lcm.WithNfvPorts(links, j.request.AdditionalParams, j.apart())
	return nil
}

// grantedOn is the VIM connection of a grant that is accepted, or kept.
func grantedOn(g lcm.Grant) lcm.VimConnectionInfo {
	if len(g.VimConnections) == 0 {
		return lcm.VimConnectionInfo{}
	}
	return g.VimConnections[0]
}

// relink makes the plan of a CHANGE_EXT_CONN anew with the links of its grant, before the grant is kept.
func (j *job) relink(facts lifecycle.Facts, g lcm.Grant) error {
	if j.opOcc.Operation != lcm.OpChangeExtConn || len(g.ExtVirtualLinks) == 0 {
		return nil
	}
	links, err := lcm.ParseExtVirtualLinks(g.ExtVirtualLinks)
	if err != nil {
		return err
	}
	p, err := lifecycle.ReconnectedAsGranted(facts, j.opOcc.Params, links)
	if err != nil {
		return err
	}
	j.regranted, j.request.ExtVirtualLinks = &p, p.Links
	return nil
}

// withNfv merges the member nfv of a grant's additionalParams into those of the request, as Tacker does (RFC 7396).
// Nothing else of them is looked at.
func withNfv(params, granted json.RawMessage) (json.RawMessage, error) {
	if len(granted) == 0 {
		return params, nil
	}
	var of struct {
		Nfv json.RawMessage `json:"nfv"`
	}
	if err := json.Unmarshal(granted, &of); err != nil {
		return params, unhonourable("$.additionalParams", "is not an object")
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
		return params, unhonourable("$.additionalParams.nfv", "cannot be merged into the request's")
	}
	return out, nil
}

// chosen are the choices that a VNF keeps, nil for none.
func (j *job) chosen() *lcm.GrantedChoices {
	if len(j.choices.Images)+len(j.choices.ComputeFlavours)+len(j.choices.Zones)+len(j.choices.KeptImages) == 0 {
		return nil
	}
	return &j.choices
}
