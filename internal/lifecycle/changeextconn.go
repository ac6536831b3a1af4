package lifecycle

import (
	"fmt"
	"slices"

	"github.com/windlass-nfv/windlass/internal/lcm"
)

var changeExtConn = kind{
	decides: true, plan: planned(planChangeExtConn), steps: changeExtConnSteps, grant: (*granting).reconnect,
	opens: []Hook{ExtConnStart}, closes: []Hook{ExtConnEnd},
}

// planChangeExtConn connects external connection points to other links.
func planChangeExtConn(f Facts, req lcm.ChangeExtConnRequest) (lcm.Plan, error) {
	if err := f.reconnectable(); err != nil {
		return lcm.Plan{}, err
	}
	plan := f.reconnection(req, req.ExtVirtualLinks)
	if err := f.checkConnected(plan.Links); err != nil {
		return plan, err
	}
	return plan, f.checkLinks(req, plan.Links)
}

// reconnection is the plan for the changes of a request, and then for those of its grant. Ports that the request's
// additionalParams name take precedence over those of links.
func (f Facts) reconnection(req lcm.ChangeExtConnRequest, changes ...[]lcm.ExtVirtualLink) lcm.Plan {
	info := f.Instance.Instantiated
	plan := lcm.Plan{
		Operation: req.Operation(), ScaleStatus: info.ScaleStatus, InstantiationLevelID: info.InstantiationLevelID,
	}
	plan.Links, plan.VimConnectionID = info.ExtVirtualLinks, info.VimConnectionID()
	for i, links := range changes {
		if i == 0 {
			plan.Links = lcm.Reconnected(plan.Links, links)
		} else {
			plan.Links = lcm.Regranted(plan.Links, links)
		}
	}
	plan.Links = lcm.WithNfvPorts(plan.Links, req.AdditionalParams, f.apart())
	for _, link := range slices.Concat(changes...) {
		if !slices.Contains(plan.ChangedLinks, link.ID) &&
			slices.ContainsFunc(plan.Links, func(l lcm.ExtVirtualLink) bool { return l.ID == link.ID }) {
			plan.ChangedLinks = append(plan.ChangedLinks, link.ID)
		}
	}
	return plan
}

// ReconnectedAsGranted is the plan of a CHANGE_EXT_CONN with the grant's links in the place of the request's (SOL003
// clause 9.5.2.3). A grant may repeat existing connections. A grant that connects other points than the request is
// Invalid.
func ReconnectedAsGranted(f Facts, req lcm.ChangeExtConnRequest, granted []lcm.ExtVirtualLink) (lcm.Plan, error) {
	if err := f.instantiated(); err != nil {
		return lcm.Plan{}, err
	}
	r := relinking{have: f.Instance.Instantiated.ExtVirtualLinks, asked: req.ExtVirtualLinks}
	for i, link := range granted {
		r.take(fmt.Sprintf("$.extVirtualLinks[%d]", i), link)
	}
	plan := f.reconnection(req, r.asked, r.changes)
	for _, change := range r.changes {
		for _, cp := range change.ExtCps {
			if detail := unconnectable(plan.Links, cp.CpdID); detail != "" {
				r.add("$.extVirtualLinks", "%s", detail)
			}
		}
	}
	return plan, lcm.InvalidAll(unhonoured, r.problems)
}

// relinking collects the differences between a grant's links and the requested ones.
type relinking struct {
	accepting
	have, asked, changes []lcm.ExtVirtualLink
}

// take takes one link of the grant. A link without connection points gives a link of the request another resource.
func (r *relinking) take(path string, link lcm.ExtVirtualLink) {
	change := lcm.ExtVirtualLink{ID: link.ID, ResourceID: link.ResourceID}
	for k, cp := range link.ExtCps {
		at := fmt.Sprintf("%s.extCps[%d].cpdId", path, k)
		_, _, asked := lcm.Connection(r.asked, cp.CpdID)
		_, _, taken := lcm.Connection(append(r.changes, change), cp.CpdID)
		switch {
		case taken && !cp.Leaves():
			r.add(at, "the connection point %q is named twice", cp.CpdID)
		case asked:
			change.ExtCps = append(change.ExtCps, cp)
		case !r.isConnectedSo(link, cp):
			r.add(at, "Windlass did not ask for a change of the connection point %q", cp.CpdID)
		}
	}
	for _, asked := range r.asked {
		for _, cp := range asked.ExtCps {
			if len(link.ExtCps) == 0 && asked.ID == link.ID && !cp.Leaves() {
				change.ExtCps = append(change.ExtCps, lcm.ExtCp{CpdID: cp.CpdID})
			}
		}
	}
	if len(change.ExtCps) > 0 {
		r.changes = append(r.changes, change)
	}
}

// isConnectedSo tells whether the VNF has the connection point on that link already. A grant without addresses accepts
// any.
func (r *relinking) isConnectedSo(link lcm.ExtVirtualLink, cp lcm.ExtCp) bool {
	at, as, ok := lcm.Connection(r.have, cp.CpdID)
	return ok && at.ID == link.ID && at.ResourceID == link.ResourceID &&
		(cp.LinkPort == nil || slices.Equal(cp.GivenPorts(), as.GivenPorts())) && (cp.MAC == "" || cp.MAC == as.MAC) &&
		(len(cp.FixedIPs) == 0 || slices.Equal(cp.FixedIPs, as.FixedIPs))
}

// unconnectable says why a connection point cannot have the links that it would get, "" when it can.
func unconnectable(links []lcm.ExtVirtualLink, cpd string) string {
	switch _, _, ok := lcm.Connection(links, cpd); {
	case !ok:
		return fmt.Sprintf("the connection point %s would have no entry, but its port must be on a network: give it "+
			"an entry in a link", cpd)
	case slices.Contains(lcm.Contradicting(links), cpd):
		return fmt.Sprintf("with its existing entries, the connection point %s would have more than one entry with "+
			"addresses: remove the others in the same request (null), or use their keys. %s", cpd, lcm.OneAddressed)
	case lcm.SharedPort(links, cpd) == cpd:
		return fmt.Sprintf("two entries of the connection point %s would have the same port (linkPortId), but a port "+
			"belongs to one server only", cpd)
	case lcm.SharedPort(links, cpd) != "":
		return fmt.Sprintf("the connection point %s would have the same port (linkPortId) as %s, but a port belongs "+
			"to one server only", cpd, lcm.SharedPort(links, cpd))
	default:
		return ""
	}
}

// checkLinks refuses three things: connection points that the VNF does not have, those that it must keep, and links
// that they cannot have.
func (f Facts) checkLinks(req lcm.ChangeExtConnRequest, links []lcm.ExtVirtualLink) error {
	var problems []lcm.Problem
	add := func(path, format string, args ...any) {
		problems = append(problems, lcm.Problem{Path: path, Detail: fmt.Sprintf(format, args...)})
	}
	seen := map[string]bool{}
	for i, link := range req.ExtVirtualLinks {
		for k, cp := range link.ExtCps {
			path := fmt.Sprintf("$.extVirtualLinks[%d].extCps[%d].cpdId", i, k)
			cpd, known := f.Flavour.Cp(cp.CpdID)
			switch {
			case !known || !cpd.External:
				add(path, "the VNFD has no external connection point %q in the flavour %s", cp.CpdID, f.Flavour.ID)
			case seen[cp.CpdID] && !cp.Leaves():
				add(path, "is named twice")
			}
			seen[cp.CpdID] = seen[cp.CpdID] || !cp.Leaves()
		}
	}
	if len(problems) > 0 {
		return problemsOf(problems)
	}
	seen = map[string]bool{}
	for i, link := range req.ExtVirtualLinks {
		for k, cp := range link.ExtCps {
			if detail := unconnectable(links, cp.CpdID); detail != "" && !seen[cp.CpdID] {
				add(fmt.Sprintf("$.extVirtualLinks[%d].extCps[%d].cpConfig", i, k), "%s", detail)
			}
			seen[cp.CpdID] = true
		}
	}
	if len(problems) > 0 {
		return &lcm.Error{Kind: lcm.KindInvalid, Unprocessable: true, Detail: impossible, Problems: problems}
	}
	for _, link := range req.ExtVirtualLinks {
		for _, cp := range link.ExtCps {
			if why := f.notReconnected(cp.CpdID); why != "" {
				return lcm.Errorf(lcm.KindConflict, "%s", why)
			}
		}
	}
	return nil
}

func changeExtConnSteps(l listing) []Step {
	return Join(
		l.granted(Step{ID: StepDecideLinks, Title: "Decide what is connected"}),
		l.driversAt(ExtConnStart),
		l.tryingVim(),
		[]Step{
			{ID: StepChangeConnections, Title: "Change the external connections", Undo: "the connections are what they were"},
			{ID: StepLook, Title: "Look at the infrastructure"},
		},
		l.driversAt(ExtConnEnd),
	)
}

// reconnect grants that connection points move to other links. On another network the VIM makes the port anew. On the
// same network the port gets other addresses.
func (g *granting) reconnect() {
	links := g.plan.Links
	before := g.facts.Instance.Instantiated.ExtVirtualLinks
	for _, v := range g.facts.Instance.Instantiated.VnfcResources {
		changes := false
		for _, cp := range g.facts.Flavour.Cps {
			was, as, _ := lcm.Connection(before, cp.ID)
			is, now, _ := lcm.Connection(links, cp.ID)
			as.CpdID, now.CpdID = cp.ID, cp.ID
			if cp.VduID != v.VduID || was.ResourceID == is.ResourceID && as.Same(now) {
				continue
			}
			changes = true
			g.reconnectPort(v, cp.ID, was.ResourceID != is.ResourceID || as.LinkPort != nil ||
				now.LinkPort != nil, now.LinkPort != nil)
		}
		if changes {
			g.update(v.ID)
		}
	}
}

// reconnectPort grants the change of a port. It grants nothing for a port that somebody else has made.
func (g *granting) reconnectPort(v lcm.VnfcResourceInfo, cpd string, anew, given bool) {
	for _, a := range g.facts.attached(v) {
		switch {
		case a.TemplateID != cpd || a.Type != lcm.GrantLinkPort || g.facts.isGiven(a):
		case anew:
			g.removeAttached(v, a)
		default:
			g.grant.UpdateResources = append(g.grant.UpdateResources, lcm.GrantResource{
				ResourceDefinitionID: "update-" + a.ResourceID, VimConnectionID: g.on(v.VduID), Type: a.Type,
				VduID: v.VduID, ResourceTemplateID: cpd, VnfcInstanceID: v.ID, Resource: handle(v, a),
			})
		}
	}
	if anew && !given {
		g.addAttached("add-"+v.ID+"-"+cpd, lcm.GrantLinkPort, v.VduID, cpd)
	}
}
