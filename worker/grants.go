package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"github.com/windlass-nfv/windlass/activities"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/nfvo"
	"github.com/windlass-nfv/windlass/internal/plan"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/vnfpkg"
)

// KeptGrant implements activities.GrantFacts.
func (o *operations) KeptGrant(ctx context.Context, id lcm.OpOccID) (string, error) {
	opOcc, err := o.store.Operation(ctx, id)
	return opOcc.GrantID, err
}

// GrantRequest implements activities.GrantFacts.
func (o *operations) GrantRequest(ctx context.Context, id lcm.OpOccID) (nfvo.GrantRequest, error) {
	j, err := o.load(ctx, id)
	if err != nil {
		return nfvo.GrantRequest{}, err
	}
	facts, p, err := j.planned()
	if err != nil {
		return nfvo.GrantRequest{}, err
	}
	asked, err := o.asked(ctx, j, facts, p)
	if err != nil {
		return nfvo.GrantRequest{}, err
	}
	r := nfvo.GrantRequest{
		VnfInstanceID: j.inst.ID, OpOccID: id, VnfdID: j.inst.VnfdID, FlavourID: j.flavour.ID, Operation: j.opOcc.Operation,
		IsAutomaticInvocation: j.opOcc.IsAutomaticInvocation, Resources: asked, Placement: plan.Placement(facts, p, asked),
		OneVim:     plan.OneVim(facts, p, asked),
		APIVersion: j.opOcc.APIVersion, Endpoint: o.endpoint,
	}
	if j.opOcc.Operation == lcm.OpInstantiate || j.opOcc.Operation == lcm.OpScaleToLevel {
		r.InstantiationLevelID = p.InstantiationLevelID
	}
	return r, nil
}

// planned is what an operation does, as far as an NFVO is asked for it.
func (j *job) planned() (plan.Facts, lcm.Plan, error) {
	facts, err := j.facts(nil)
	if err != nil {
		return facts, lcm.Plan{}, err
	}
	switch {
	case changes(j.opOcc.Operation), j.opOcc.Operation == lcm.OpOperate, j.opOcc.Operation == lcm.OpChangeExtConn:
		p, err := j.plan(nil)
		return facts, p, err
	case j.opOcc.Operation == lcm.OpInstantiate:
		p, err := plan.Instantiation(facts, j.request.InstantiationLevelID)
		return facts, p, err
	case j.opOcc.Operation == lcm.OpTerminate && j.inst.Instantiated != nil:
		p, err := plan.Termination(facts)
		return facts, p, err
	default: // neither makes, changes nor removes anything
		return facts, lcm.Plan{Operation: j.opOcc.Operation}, nil
	}
}

// asked are the resources of an operation, as its grant names them.
func (o *operations) asked(ctx context.Context, j *job, facts plan.Facts, p lcm.Plan) (lcm.Grant, error) {
	vim, err := o.foreseen(ctx, j)
	if err != nil {
		return lcm.Grant{}, err
	}
	asked := plan.Granted(facts, p, vim)
	asked.VnfInstanceID, asked.OpOccID = j.inst.ID, j.opOcc.ID
	return asked, nil
}

// KeepGrant implements activities.GrantFacts. The stack's parameters are made for once, so that what the templates cannot
// take is known before anything is touched.
func (o *operations) KeepGrant(ctx context.Context, id lcm.OpOccID, given lcm.Grant) (err error) {
	j, err := o.load(ctx, id)
	if err != nil {
		return err
	}
	if j.opOcc.GrantID != "" {
		return nil // an earlier attempt was cut off behind its record
	}
	prefix := lcm.SecretRef("vnf/" + string(j.inst.ID) + "/grant/" + string(id))
	if given, err = o.sealGrant(ctx, prefix, given); err != nil {
		return err
	}
	grant, err := o.acceptable(ctx, j, given)
	if err == nil {
		err = o.store.KeepGrant(ctx, id, grant, j.regranted, j.grantedVims()...)
	}
	if err != nil {
		return o.orKept(ctx, id, prefix, err)
	}
	return nil
}

// orKept is nil when the grant has been kept although the database's answer to that was lost. When it surely has not, its secrets are
// deleted; those of which nobody can tell go with the instance.
func (o *operations) orKept(ctx context.Context, id lcm.OpOccID, prefix lcm.SecretRef, err error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if failure := o.store.Settled(ctx, string(id)); failure != nil {
		return err
	}
	switch opOcc, failure := o.store.Operation(ctx, id); {
	case failure != nil:
		return err
	case opOcc.GrantID != "":
		return nil
	}
	_ = o.vault.Delete(ctx, string(prefix)) // goes with the instance at the latest
	return err
}

// sealGrant puts the secrets of a grant into the vault: it may bring credentials of a VIM.
func (o *operations) sealGrant(ctx context.Context, prefix lcm.SecretRef, g lcm.Grant) (sealed lcm.Grant, err error) {
	doc, err := json.Marshal(g)
	if err != nil {
		return sealed, err
	}
	if doc, err = secrets.SealDocument(ctx, o.vault, prefix, doc); err != nil {
		return sealed, err
	}
	if err := json.Unmarshal(doc, &sealed); err != nil {
		return sealed, lcm.Wrap(lcm.KindBroken, err, "The NFVO's grant has a secret where none can be.")
	}
	return sealed, nil
}

// acceptable joins a grant with what was asked for, puts j under it, and looks whether that works.
func (o *operations) acceptable(ctx context.Context, j *job, given lcm.Grant) (lcm.Grant, error) {
	facts, p, err := j.planned()
	if err != nil {
		return given, err
	}
	asked, err := o.asked(ctx, j, facts, p)
	if err != nil {
		return given, err
	}
	grant, err := plan.Accept(asked, given)
	if err != nil {
		return grant, err
	}
	vim, err := o.grantedVim(ctx, j, grant)
	if err != nil {
		return grant, err
	}
	grant.VimConnections = []lcm.VimConnectionInfo{vim}
	for i := range grant.AddResources {
		grant.AddResources[i].VimConnectionID = cmp.Or(grant.AddResources[i].VimConnectionID, vim.ID)
	}
	if err := lcm.InvalidAll(nfvo.Unhonoured, slices.Concat(lcm.CheckLinkConfigs(grant.ExtVirtualLinks, grant.AdditionalParams))); err != nil {
		return grant, err
	}
	if err := j.under(grant); err != nil {
		return grant, err
	}
	if cpds := lcm.Contradicting(j.request.ExtVirtualLinks); len(cpds) > 0 {
		return grant, unhonourable("$.extVirtualLinks", "the connection point "+cpds[0]+" would have more than one entry with addresses, with those of the request. "+lcm.OneAddressed)
	}
	for _, link := range j.request.ExtVirtualLinks {
		for _, cp := range link.ExtCps {
			if other := lcm.SharedPort(j.request.ExtVirtualLinks, cp.CpdID); other != "" {
				return grant, unhonourable("$.extVirtualLinks", "the connection points "+cp.CpdID+" and "+other+" would have the same port (linkPortId), and a port is in one server")
			}
		}
	}
	if err := j.relink(facts, grant); err != nil {
		return grant, err
	}
	if j.opOcc.Operation == lcm.OpInstantiate {
		if err := lcm.InvalidAll(nfvo.Unhonoured, vnfpkg.Unmanaged(j.flavour, j.request.ExtManagedVirtualLinks)); err != nil {
			return grant, err
		}
	}
	if len(grant.AddResources) == 0 && j.opOcc.Operation != lcm.OpChangeExtConn {
		return grant, nil
	}
	wanted, err := j.whole()
	if err == nil && j.inst.Instantiated != nil {
		wanted, err = j.sized(activities.SizesPlanned)
	}
	if err != nil {
		return grant, err
	}
	_, _, _, err = o.heat(ctx, j, wanted)
	return grant, err
}

// grantedVim is the connection on which the servers of a grant are made: the one that the NFVO names, described by it, by
// the request, or in the registry.
func (o *operations) grantedVim(ctx context.Context, j *job, g lcm.Grant) (lcm.VimConnectionInfo, error) {
	present, err := o.foreseen(ctx, j)
	if err != nil {
		return present, err
	}
	id, err := plan.Target(g)
	if err == nil && id == "" && present.ID == "" {
		id, err = onlyVim(g)
	}
	if err != nil {
		return present, err
	}
	if j.inst.Instantiated != nil {
		if id != "" && id != present.ID && id != string(present.VimID) {
			return present, unhonourable("$.addResources", "the VNF is on the VIM connection "+present.ID+" and cannot grow on "+id)
		}
		return lcm.VimConnectionInfo{ID: present.ID, VimID: present.VimID, VimType: present.VimType}, nil
	}
	i := slices.IndexFunc(g.VimConnections, func(c lcm.VimConnectionInfo) bool { return c.ID == id })
	if i >= 0 && describes(g.VimConnections[i]) {
		return o.reachableVim(ctx, j.described(g.VimConnections[i]))
	}
	if id == "" || id == present.ID {
		return present, nil
	}
	for _, c := range append(slices.Clone(j.request.VimConnections), j.inst.VimConnections...) {
		if c.ID == id {
			return o.reachableVim(ctx, c)
		}
	}
	return o.reachableVim(ctx, lcm.VimConnectionInfo{ID: id, VimID: lcm.VimID(id)})
}

// onlyVim is the connection of a grant that does not say where servers are made, for a request that does not, either.
func onlyVim(g lcm.Grant) (string, error) {
	var ids []string
	for _, c := range g.VimConnections {
		if c.IsOpenStack() {
			ids = append(ids, c.ID)
		}
	}
	switch len(ids) {
	case 1:
		return ids[0], nil
	case 0:
		return "", unhonourable("$.vimConnections", "the grant brings no connection to an OpenStack, the request has none, and no VIM is registered as the default one")
	default:
		return "", unhonourable("$.addResources", "the grant does not say on which of its VIM connections servers are made: "+strings.Join(ids, ", "))
	}
}

func describes(c lcm.VimConnectionInfo) bool { return c.VimID != "" || len(c.InterfaceInfo) > 0 }

// reachableVim takes a connection that says all itself as it is, and asks the registry for every other one.
func (o *operations) reachableVim(ctx context.Context, c lcm.VimConnectionInfo) (lcm.VimConnectionInfo, error) {
	if !c.IsOpenStack() {
		return c, unhonourable("$.vimConnections", "the VIM connection "+c.ID+" is a Kubernetes, and the VNF needs an OpenStack")
	}
	if registered := c.Registered(); registered != "" {
		vim, err := o.store.Vim(ctx, registered)
		if err == nil {
			return lcm.VimConnectionInfo{ID: c.ID, VimID: vim.ID, VimType: vim.Type}, nil
		}
		if !lcm.Is(err, lcm.KindNotFound) {
			return c, err
		}
	}
	if c.Bare() {
		return c, unhonourable("$.vimConnections", "the VIM connection "+c.ID+" is no VIM that is registered here, and comes without endpoint and credentials")
	}
	if err := lcm.InvalidAll(nfvo.Unhonoured, c.OwnProblems("$.vimConnections."+c.ID)); err != nil {
		return c, err
	}
	if err := o.vimGuard.CheckHost(c.Endpoint()); err != nil {
		return c, unhonourable("$.vimConnections."+c.ID+".interfaceInfo.endpoint", lcm.Sentence(err))
	}
	if c.VimType == "" {
		c.VimType = lcm.VimOpenStack
	}
	return c, nil
}

// described is what the request, or the instance, says of a connection that a grant names by its id and a vimId only, and the
// registry does not have: an NFVO need not repeat the credentials that the request brought.
func (j *job) described(c lcm.VimConnectionInfo) lcm.VimConnectionInfo {
	for _, own := range slices.Concat(j.request.VimConnections, j.inst.VimConnections) {
		if own.ID == c.ID && own.Complete() && c.Bare() && c.VimID == own.VimID {
			return own
		}
	}
	return c
}

func unhonourable(path, detail string) error {
	return lcm.InvalidAll(nfvo.Unhonoured, []lcm.Problem{{Path: path, Detail: detail}})
}

// grantedVims are the VIMs that the instance takes over from a grant.
func (j *job) grantedVims() []lcm.VimConnectionInfo {
	if j.target == nil {
		return nil
	}
	return []lcm.VimConnectionInfo{*j.target}
}

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
	if j.choices, err = plan.Chosen(facts, g, p.Whole); err != nil {
		return err
	}
	managed, err := plan.Managed(facts, j.opOcc.Operation, g, grantedOn(g))
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
func (j *job) relink(facts plan.Facts, g lcm.Grant) error {
	if j.opOcc.Operation != lcm.OpChangeExtConn || len(g.ExtVirtualLinks) == 0 {
		return nil
	}
	links, err := lcm.ParseExtVirtualLinks(g.ExtVirtualLinks)
	if err != nil {
		return err
	}
	p, err := plan.ReconnectedAsGranted(facts, j.opOcc.Params, links)
	if err != nil {
		return err
	}
	j.regranted, j.request.ExtVirtualLinks = &p, p.Links
	return nil
}

// withNfv merges the member nfv of a grant's additionalParams into those of the request, as Tacker does (RFC 7396). Nothing
// else of them is looked at.
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
