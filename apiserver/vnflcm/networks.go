package vnflcm

import (
	"context"

	"github.com/windlass-nfv/windlass/internal/cnf"
	"github.com/windlass-nfv/windlass/internal/driver"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/secrets"
	"github.com/windlass-nfv/windlass/vnfpkg/descriptor"
)

// checkNetworks checks the external links of a VNF of containers before its instantiation. The rehearsal on the cluster
// checks whether the cluster has the networks.
func (a *api) checkNetworks(f *descriptor.Flavour, req lcm.InstantiateRequest, v *cnf.VNF, found *driver.Findings) {
	if v == nil {
		return // reported already
	}
	var capacity map[string]int
	if a.Number != 1 || req.InstantiationLevelID != "" { // in v1 it begins as its manifests are
		var err error
		if capacity, err = f.Capacity(req.InstantiationLevelID); err != nil {
			return // reported already
		}
	}
	_, problems := v.Attachments(f, req.ExtVirtualLinks, capacity)
	found.Mistake(problems...)
}

// checkRenewedNetworks looks at the external links that a VNF of containers would have after a change.
func (a *api) checkRenewedNetworks(
	ctx context.Context, inst lcm.VnfInstance, f *descriptor.Flavour, links []lcm.ExtVirtualLink, found *driver.Findings,
) error {
	params, err := secrets.OpenDocument(ctx, a.Vault, inst.Instantiated.AdditionalParams)
	if err != nil {
		return err
	}
	v, err := cnf.Resolve(ctx, f, params, cnf.FilesOf(ctx, a.Store, inst.VnfPkgID, inst.ID), inst.ID)
	if err != nil {
		return err
	}
	if problems := v.Problems(); len(problems) > 0 {
		return lcm.InvalidAll("The manifests of the VNF cannot be used", problems)
	}
	capacity := map[string]int{}
	for _, vnfc := range inst.Instantiated.VnfcResources {
		capacity[vnfc.VduID]++
	}
	_, problems := v.Attachments(f, links, capacity)
	found.Mistake(problems...)
	return nil
}
