package resources_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/windlass-nfv/windlass/activities/activitytest"
	"github.com/windlass-nfv/windlass/activities/resources"
	"github.com/windlass-nfv/windlass/internal/lcm"
	"github.com/windlass-nfv/windlass/internal/record"
	"github.com/windlass-nfv/windlass/internal/vim"
)

// connectedCloud has ports. The VIM's deployment may lack some of them.
type connectedCloud struct {
	activitytest.ChangingCloud

	ports []vim.Port
}

func (c *connectedCloud) VIM(context.Context, lcm.OpOccID) (vim.VIM, error) { return c, nil }

func (c *connectedCloud) PortsOf(_ context.Context, servers ...string) (out []vim.Port, err error) {
	for _, p := range c.ports {
		if slices.Contains(servers, p.ServerID) {
			out = append(out, p)
		}
	}
	return out, nil
}

func (c *connectedCloud) PortsByID(_ context.Context, ids ...string) (out []vim.Port, err error) {
	for _, p := range c.ports {
		if slices.Contains(ids, p.ID) {
			out = append(out, p)
		}
	}
	return out, nil
}

func (c *connectedCloud) Network(_ context.Context, name string) (string, error) {
	if name == "nowhere" {
		return "", lcm.Errorf(lcm.KindNotFound, "There is no network %s.", name)
	}
	return "id-of-" + name, nil
}

// TestFindConnections_looksInNeutron has one connection point that has moved, one that has not, and one whose
// replacement has failed: the VIM lists only its successor.
func TestFindConnections_looksInNeutron(t *testing.T) {
	port := func(id, name, server, network, address string) vim.Port {
		return vim.Port{
			ID: id, Name: name, ServerID: server, NetworkID: "id-of-" + network, MAC: "mac-" + id,
			FixedIPs: []lcm.FixedIP{{Address: address}},
		}
	}
	cloud := &connectedCloud{ports: []vim.Port{
		port("new-a", "", "s", "net-new", "10.0.1.1"), port("old-b", "", "s", "net-old", "10.0.0.2"),
		port("lost", "vnf-1-d-c-x1", "s", "net-old", "10.0.0.3"),
		port("old-d", "", "", "net-old", "10.0.0.4"),
	}}
	cloud.Inv = &vim.Inventory{
		ID: "top",
		Resources: []vim.Resource{
			{Name: "vdu", Kind: vim.Compute, ID: "s", Part: "top"},
			{Name: "a", Kind: vim.LinkPort, ID: "new-a", Part: "top"},
			{Name: "b", Kind: vim.LinkPort, ID: "new-b", Part: "top", Level: vim.Failed, Status: "CREATE_FAILED"},
		},
		Servers: map[string]vim.Server{"s": {ID: "s", VolumeIDs: []string{"v"}}},
	}
	recorded := func(cp, id string) record.Attached {
		return record.Attached{Type: lcm.GrantLinkPort, Resource: cp, ID: id}
	}
	links := func(network string, cps ...string) (out []lcm.ExtVirtualLink) {
		for _, cp := range cps {
			out = append(out, lcm.ExtVirtualLink{ID: cp, ResourceID: network, ExtCps: []lcm.ExtCp{{CpdID: cp}}})
		}
		return out
	}
	deployment := activitytest.FixedDeployment{
		Servers: []record.Vnfc{{
			VduID: "vdu", ServerID: "s",
			Attached: []record.Attached{
				recorded("a", "old-a"), recorded("b", "old-b"), recorded("d", "old-d"),
				recorded("d-c", "old-c"),
			},
		}},
		Before: links("net-old", "a", "b", "d-c", "d"),
		After:  append(links("net-new", "a", "b"), links("nowhere", "d-c")...),
	}
	infra := &resources.Activities{
		Cloud: resources.Cloud{VIMs: cloud, Deployments: deployment, Output: &activitytest.Output{}},
	}
	for range 2 {
		out := activitytest.Must(t, infra.FindConnections, resources.FindConnectionsInput{OpOccID: activitytest.OpOcc})
		assert.Equal(t, []string{"a"}, out.Moved)
		assert.Equal(t, "top", out.DeploymentID)
		assert.Len(t, out.Vnfcs, 1)
		got := map[string]string{}
		for _, a := range out.Vnfcs[0].Attached {
			if a.Type == lcm.GrantLinkPort {
				got[a.Resource] = a.ID + " " + a.Addresses[0].Address
			}
		}
		assert.Equal(t, map[string]string{
			"a": "new-a 10.0.1.1", "b": "old-b 10.0.0.2", "d-c": "lost 10.0.0.3", "d": "old-d 10.0.0.4",
		}, got)
	}
}
