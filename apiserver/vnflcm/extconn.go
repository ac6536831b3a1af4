package vnflcm

import (
	"context"
	"fmt"

	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/lifecycle"
	"github.com/windlass-nfv/windlass/internal/operations"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
	"github.com/windlass-nfv/windlass/vnfpkg/hot"
)

// planReconnection plans a change of external connectivity, so that an impossible request is refused at once (SOL003
// clause 5.4.11).
func (a *api) planReconnection(
	ctx context.Context, inst lcm.VnfInstance, r asked,
) (lcm.Plan, lifecycle.Facts, error) {
	if found := r.found(); found.Err() != nil {
		return lcm.Plan{}, lifecycle.Facts{}, found.Err()
	}
	if err := a.CheckReady(ctx, inst); err != nil {
		return lcm.Plan{}, lifecycle.Facts{}, err
	}
	req, err := lcm.RequestAs[lcm.ChangeExtConnRequest](r.Request)
	if err != nil {
		return lcm.Plan{}, lifecycle.Facts{}, err
	}
	o, err := a.operation(ctx, inst, r)
	if err != nil {
		return lcm.Plan{}, lifecycle.Facts{}, err
	}
	facts, p, err := o.Planned()
	if err != nil {
		return p, facts, err
	}
	facts.ChangesVim = lcm.ChangesVim(inst, req.VimConnections)
	return p, facts, a.checkReconnection(ctx, inst, facts.Flavour, req, p.Links)
}

// found are the findings of the read request.
func (r asked) found() (found driver.Findings) {
	found.Mistake(r.Mistakes...)
	for _, p := range r.Impossible {
		found.Names(p.Path, "%s", p.Detail)
	}
	return found
}

// checkReconnection requires that the templates take the network of every connection point in the request: else the
// change would change nothing. The VIM connections must be valid after the request is applied, as after a modification.
func (a *api) checkReconnection(
	ctx context.Context, inst lcm.VnfInstance, f *descriptor.Flavour, req lcm.ChangeExtConnRequest,
	links []lcm.ExtVirtualLink,
) error {
	var found driver.Findings
	if err := a.checkVimPatches(ctx, inst, req, &found); err != nil {
		return err
	}
	whole := operations.Operation{Flavour: f, Request: lcm.InstantiateRequest{ExtVirtualLinks: links}}
	if pods := whole.Part(true); pods.Flavour.Containers {
		if err := a.checkRenewedNetworks(ctx, inst, pods.Flavour, pods.Request.ExtVirtualLinks, &found); err != nil {
			return err
		}
	}
	types, err := a.vimTypes(ctx, inst.VimConnections)
	if err != nil {
		return err
	}
	if servers := whole.Part(false); !servers.Flavour.Containers && lifecycle.VimKinds(f, types...)[0].TakesTemplates {
		of := operations.Operation{Flavour: f, Request: lcm.InstantiateRequest{ExtVirtualLinks: req.ExtVirtualLinks}}
		req.ExtVirtualLinks = of.Part(false).Request.ExtVirtualLinks
		if err := a.checkRenewedPorts(ctx, inst, servers.Flavour, req, servers.Request.ExtVirtualLinks, &found); err != nil {
			return err
		}
	}
	return found.Err()
}

// checkVimPatches checks the VIM connections of the instance after the request.
func (a *api) checkVimPatches(
	ctx context.Context, inst lcm.VnfInstance, req lcm.PatchingVims, found *driver.Findings,
) error {
	after, _, err := lcm.PatchVims(inst, req.VimPatches())
	if err != nil {
		return err
	}
	return a.checkConnections(ctx, req.VimPatches(), inst, after, found)
}

// checkRenewedPorts checks the connection points of a VNF that is a stack.
func (a *api) checkRenewedPorts(
	ctx context.Context, inst lcm.VnfInstance, f *descriptor.Flavour, req lcm.ChangeExtConnRequest,
	links []lcm.ExtVirtualLink,
	found *driver.Findings,
) error {
	read := func(path string) ([]byte, error) { return a.Store.PackageFile(ctx, inst.VnfPkgID, path) }
	template, err := hot.StackTemplate(f, read)
	if err != nil {
		return err
	}
	taken, err := template.Connections(f)
	if err != nil {
		return err
	}
	for i, link := range req.ExtVirtualLinks {
		for k, cp := range link.ExtCps {
			if !taken[cp.CpdID] && !cp.Leaves() {
				found.Names(fmt.Sprintf("$.extVirtualLinks[%d].extCps[%d].cpdId", i, k),
					"the template does not take the network of %s from a parameter (nfv, CP, %s, network), so it cannot be changed",
					cp.CpdID, cp.CpdID)
			}
		}
	}
	return a.checkGivenPorts(inst, f, template, req, links, found)
}

// checkGivenPorts requires that the templates take the ports of connection points. links are the links after the
// change.
func (a *api) checkGivenPorts(
	inst lcm.VnfInstance, f *descriptor.Flavour, template hot.Template, req lcm.ChangeExtConnRequest,
	links []lcm.ExtVirtualLink, found *driver.Findings,
) error {
	if !lcm.ParseUserData(inst.Instantiated.AdditionalParams).BuiltIn(a.Python) {
		return nil // a worker runs the class
	}
	capacity := map[string]int{}
	for _, v := range inst.Instantiated.VnfcResources {
		capacity[v.VduID]++
	}
	var members descriptor.Members
	if lcm.ParseUserData(inst.Instantiated.AdditionalParams).SeparateResources() {
		members = descriptor.MembersOf(inst.Instantiated.VnfcResources)
	}
	problems, err := template.PortsProblems(f, links, capacity, members)
	if err != nil {
		return err
	}
	for _, p := range problems {
		found.Names(p.Path, "%s", p.Detail)
	}
	for i, link := range req.ExtVirtualLinks {
		for k, cp := range link.ExtCps {
			needs, err := template.NeedsPort(f, cp.CpdID)
			if err != nil {
				return err
			}
			if needs && lcm.GivenPort(links, cp.CpdID) == nil && !a.GrantedByNFVO {
				found.Mistake(lcm.Problem{Path: fmt.Sprintf("$.extVirtualLinks[%d].extCps[%d].cpConfig", i, k), Detail: fmt.Sprintf(
					"the template takes a port of %s (nfv, CP, %s, port): describe it in extLinkPorts, and name it in linkPortId",
					cp.CpdID, cp.CpdID)})
			}
		}
	}
	return nil
}
