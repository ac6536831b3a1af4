package e2e

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/blockstorage/v3/volumes"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servergroups"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/security/groups"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"
	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stackresources"
	"github.com/gophercloud/gophercloud/v2/openstack/orchestration/v1/stacks"
	"github.com/gophercloud/gophercloud/v2/pagination"
	"github.com/stretchr/testify/require"

	"github.com/windlass-nfv/windlass/tests/support/environment"
	"github.com/windlass-nfv/windlass/tests/support/testbed"
)

// resources are the resources of a stack, including nested stacks: the type of each id.
type resources map[string]string

// stackType is the type of stacks, and of resources that are nested stacks.
const stackType = "OS::Heat::Stack"

// elsewhere are the types whose resources existing can find without their stack.
var elsewhere = []string{
	"OS::Nova::Server", "OS::Nova::ServerGroup", "OS::Neutron::Port", "OS::Neutron::SecurityGroup",
	"OS::Cinder::Volume", stackType,
}

func (r resources) count(kind string) (n int) {
	for _, k := range r {
		if k == kind {
			n++
		}
	}
	return n
}

// real counts the resources that existing can find by their id.
func (r resources) real() (n int) {
	for _, kind := range elsewhere {
		n += r.count(kind)
	}
	return n
}

// among lists the resources whose ids are in ids.
func (r resources) among(ids map[string]bool) (out []string) {
	for id, kind := range r {
		if ids[id] {
			out = append(out, kind+" "+id)
		}
	}
	return out
}

// resourcesIn lists the resources of a stack, and the stack itself.
func resourcesIn(t *testing.T, login environment.Login, name string) resources {
	t.Helper()
	heat := testbed.Service(t, login, openstack.NewOrchestrationV1)
	stack, err := stacks.Find(t.Context(), heat, name).Extract()
	require.NoError(t, err)
	pages, err := stackresources.List(heat, name, stack.ID, stackresources.ListOpts{Depth: 5}).AllPages(t.Context())
	require.NoError(t, err)
	list, err := stackresources.ExtractResources(pages)
	require.NoError(t, err)
	out := resources{stack.ID: stackType}
	for _, r := range list {
		out[r.PhysicalID] = r.Type
		for _, link := range r.Links {
			if link.Rel == "nested" {
				out[r.PhysicalID] = stackType
			}
		}
	}
	return out
}

// existing returns the ids of everything that the project has in Nova, Neutron, Cinder and Heat.
func existing(t *testing.T, login environment.Login) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	compute := testbed.Service(t, login, openstack.NewComputeV2)
	network := testbed.Service(t, login, openstack.NewNetworkV2)
	collect(t, out, servers.List(compute, nil), servers.ExtractServers, func(s servers.Server) string { return s.ID })
	collect(t, out, servergroups.List(compute, nil), servergroups.ExtractServerGroups,
		func(g servergroups.ServerGroup) string { return g.ID })
	collect(t, out, ports.List(network, nil), ports.ExtractPorts, func(p ports.Port) string { return p.ID })
	collect(t, out, groups.List(network, groups.ListOpts{}), groups.ExtractGroups,
		func(g groups.SecGroup) string { return g.ID })
	collect(t, out, volumes.List(testbed.Service(t, login, openstack.NewBlockStorageV3), nil), volumes.ExtractVolumes,
		func(v volumes.Volume) string { return v.ID })
	heat := testbed.Service(t, login, openstack.NewOrchestrationV1)
	collect(t, out, stacks.List(heat, stacks.ListOpts{ShowNested: true}),
		stacks.ExtractStacks,
		func(s stacks.ListedStack) string { return s.ID })
	return out
}

// removeStack deletes a stack if it still exists, and waits until it is gone.
func removeStack(t *testing.T, login environment.Login, name string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 10*time.Minute)
	defer cancel()
	provider, err := login.Client(ctx)
	require.NoError(t, err)
	heat, err := openstack.NewOrchestrationV1(provider, login.Endpoint())
	require.NoError(t, err)
	for {
		stack, err := stacks.Find(ctx, heat, name).Extract()
		if gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
			return
		}
		require.NoError(t, err)
		if stack.Status != "DELETE_IN_PROGRESS" {
			err = stacks.Delete(ctx, heat, name, stack.ID).ExtractErr() // again after a failure
		}
		select {
		case <-ctx.Done():
			t.Errorf("the stack %s cannot be deleted: %s %v", name, stack.StatusReason, err)
			return
		case <-time.After(time.Second):
		}
	}
}

func collect[T any](t *testing.T, into map[string]bool, list pagination.Pager,
	extract func(pagination.Page) ([]T, error), id func(T) string,
) {
	t.Helper()
	pages, err := list.AllPages(t.Context())
	require.NoError(t, err)
	all, err := extract(pages)
	require.NoError(t, err)
	for _, one := range all {
		into[id(one)] = true
	}
}
