package driftcheck_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/driftcheck"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// podsBed is a VNF of two Pods, one of which the cluster has replaced.
type podsBed struct {
	*driftBed
	group vim.Level
}

func (b podsBed) Site(context.Context, lcm.VnfInstanceID) (driftcheck.Site, error) {
	return driftcheck.Site{
		Instance: b.inst, DeploymentName: "vnf",
		PlanHeal: func([]string, map[string]string) error { return nil },
		On:       func(context.Context) (vim.VIM, error) { return b, nil },
		Followed: func(string) bool { return true },
		Follow: func(made record.Outcome) lcm.InstantiatedVnfInfo {
			info := *b.inst.Instantiated
			info.VnfcResources = nil
			for _, v := range made.Vnfcs {
				info.VnfcResources = append(info.VnfcResources, pod(v.ServerID))
			}
			return info
		},
	}, nil
}

func pod(name string) lcm.VnfcResourceInfo {
	return lcm.VnfcResourceInfo{ID: name, VduID: "web", ComputeResource: lcm.ResourceHandle{ResourceID: name}}
}

func (b podsBed) Inventory(context.Context, string) (*vim.Inventory, error) {
	inv := &vim.Inventory{
		ID: "record", Level: vim.Running, Servers: map[string]vim.Server{},
		Resources: []vim.Resource{{Kind: vim.Group, Name: "web", ID: "Deployment/web", Part: "record", Level: b.group}},
	}
	for _, name := range []string{"web-1", "web-3"} {
		inv.Resources = append(
			inv.Resources,
			vim.Resource{Kind: vim.Compute, Name: "web", ID: name, Part: "uid", Level: vim.Running},
		)
		inv.Servers[name] = vim.Server{ID: name, Level: vim.Running, Status: "Running"}
	}
	return inv, nil
}

func TestLookForDrift_followsWhatAClusterHasMadeOfItself(t *testing.T) {
	for level, follows := range map[vim.Level]bool{vim.Running: true, vim.Changing: false, vim.Removed: false} {
		b := podsBed{newDriftBed(t), level}
		b.inst.Instantiated = &lcm.InstantiatedVnfInfo{VnfcResources: []lcm.VnfcResourceInfo{pod("web-1"), pod("web-2")}}
		d := &driftcheck.Drift{Sites: b, Records: b, Starter: b, Metrics: b}
		for range 2 {
			out := activitytest.Must(t, d.LookForDrift, driftcheck.LookForDriftInput{VnfInstanceID: watched})
			require.Equal(t, follows, len(out.Findings) == 0, "%v", out.Findings)
		}
		require.Equal(t, follows, b.inst.Instantiated.VnfcResources[1].ID == "web-3")
	}
}
