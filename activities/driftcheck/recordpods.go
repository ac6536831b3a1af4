package driftcheck

import (
	"context"
	"slices"
	"strings"

	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// follow records the Pods that a cluster has replaced, or that an autoscaler has added or removed, for a VNF of
// containers. Clusters do so regularly; it is no drift. While a workload does not have its desired Pods, the record
// stays as it is, and the check finds the difference.
func (d *Drift) follow(ctx context.Context, site *Site, inv *vim.Inventory) error {
	info := site.Instance.Instantiated
	if site.Follow == nil {
		return nil
	}
	on, recorded := inv.Part(site.FollowedOn), site.recordedPods()
	if on == nil || on.Level != vim.Running || stopped(info, recorded) || !settled(on) {
		return nil
	}
	pods := resources.VnfcsOf(on)
	if sameVnfcs(recorded, pods) {
		return nil
	}
	after := site.Follow(record.Outcome{DeploymentID: inv.ID, Vnfcs: pods, Networks: resources.NetworksOf(on)})
	inst := site.Instance
	inst.Instantiated = &after
	if err := d.Records.UpdateInstance(ctx, inst); err != nil {
		return err
	}
	site.Instance = inst
	return nil
}

// recordedPods returns the VNFCs that the cluster manages.
func (s Site) recordedPods() []lcm.VnfcResourceInfo {
	return slices.DeleteFunc(slices.Clone(s.Instance.Instantiated.VnfcResources),
		func(v lcm.VnfcResourceInfo) bool { return !s.Followed(v.VduID) })
}

func stopped(info *lcm.InstantiatedVnfInfo, some []lcm.VnfcResourceInfo) bool {
	return slices.ContainsFunc(some, func(v lcm.VnfcResourceInfo) bool { return info.StateOf(v.ID) == lcm.VnfStopped })
}

// settled tells whether all groups of a deployment have their desired members.
func settled(inv *vim.Inventory) bool {
	for _, r := range inv.Resources {
		if r.Kind == vim.Group && r.Level != vim.Running || r.Kind == vim.Compute && r.Level == vim.Removed {
			return false
		}
	}
	return true
}

func sameVnfcs(recorded []lcm.VnfcResourceInfo, seen []record.Vnfc) bool {
	var was, is []string
	for _, v := range recorded {
		was = append(was, v.VduID+"/"+v.ComputeResource.ResourceID)
	}
	for _, v := range seen {
		is = append(is, v.VduID+"/"+v.ServerID)
	}
	slices.SortFunc(was, strings.Compare)
	slices.SortFunc(is, strings.Compare)
	return slices.Equal(was, is)
}
